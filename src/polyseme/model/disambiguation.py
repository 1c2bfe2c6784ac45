"""The probability of each sense of a word in a context.

The context vector c is the sum of the vectors of the words around it, each weighted by the chance that training kept
it and by how near it is (see `kernels.contexts`). With cos_k the cosine of c and the center of sense k (its vector,
where there are no centers):

    inverse-distance  p_k ~ 1 / (1 - cos_k)                      the paper's: nearly flat
    softmax           p_k ~ share_k exp(cos_k / TEMPERATURE)     sharper, and knows how frequent a sense is
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ConfigError
from polyseme.model.results import Disambiguation, SenseProbability

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

Posterior = Literal["softmax", "inverse-distance"]
TEMPERATURE = 0.1


@dataclass(frozen=True)
class Context:
    """The known words around a place, and how much each counts by how near it stands."""

    ids: list[int]
    nearness: NDArray[np.float64]


def disambiguate(
    model: SenseModel, word: str, context: str, posterior: Posterior, window: int | None
) -> Disambiguation:
    """See `SenseModel.disambiguate`."""
    w = model.find(word)[0]
    found = context_of(model, w, context, window)
    probabilities = sense_probabilities(model, w, found, posterior)
    name = model.vocabulary.words[w]
    senses = tuple(SenseProbability(f"{name}#{i + 1}", float(p)) for i, p in enumerate(probabilities))
    return Disambiguation(name, senses, len(found.ids))


def context_of(model: SenseModel, word: int, text: str, window: int | None) -> Context:
    """The context of a word where it stands in a text; where it does not, all words of the text count the same."""
    reach = _reach(model, window)
    known = _known(model, text)
    if word not in known:
        return Context(known, np.ones(len(known)))
    at = known.index(word)
    return context_between(model, known[:at], known[at + 1 :], reach)


def context_around(model: SenseModel, left: str, right: str, window: int | None) -> Context:
    """The context of a place between two texts."""
    return context_between(model, _known(model, left), _known(model, right), _reach(model, window))


def context_between(model: SenseModel, left: list[int], right: list[int], reach: int) -> Context:
    """The context of a place between known words."""
    left, right = left[-reach:], right[:reach]
    away = np.concatenate([np.arange(len(left))[::-1], np.arange(len(right))])
    return Context(left + right, np.power(float(model.fade), away))


def _known(model: SenseModel, text: str) -> list[int]:
    index = model.vocabulary.index
    return [index[token] for token in model.tokenizer(text) if token in index]


def _reach(model: SenseModel, window: int | None) -> int:
    if window is not None and window < 1:
        raise ConfigError(f"--window must be 1 or more, not {window}.")
    return model.reach if window is None else window


def context_vector(model: SenseModel, context: Context) -> NDArray[np.float64]:
    """The sum of the vectors of the words of a context, each by its weight and nearness."""
    weights = context.nearness * model.context_weights[context.ids]
    return np.asarray(weights @ context_table(model)[context.ids])


def sense_probabilities(model: SenseModel, word: int, context: Context, posterior: Posterior) -> NDArray[np.float64]:
    """The probabilities of the shown senses of a word."""
    if posterior not in get_args(Posterior):
        raise ConfigError(f"--posterior must be one of {', '.join(get_args(Posterior))}, not '{posterior}'.")
    shares = model.shares(word)
    if not context.ids or len(shares) == 1:
        return shares
    rows = model.rows(word)
    centers = sense_directions(model)[rows.start : rows.stop].astype(np.float64)
    vector = context_vector(model, context)
    lengths = np.linalg.norm(centers, axis=1) * np.linalg.norm(vector)
    cosines = np.divide(centers @ vector, lengths, out=np.zeros(len(shares)), where=lengths > 0)
    if posterior == "inverse-distance":
        scores = 1 / np.maximum(1 - cosines, 1e-6)
    else:
        scores = shares * np.exp((cosines - cosines.max()) / TEMPERATURE)
    return np.asarray(scores / scores.sum())


def context_table(model: SenseModel) -> NDArray[np.float32]:
    """The vectors from which contexts are made."""
    choice = model.arrays.whitened_vectors
    return model.arrays.global_vectors if choice is None else choice


def sense_directions(model: SenseModel) -> NDArray[np.float32]:
    """What a context is compared with."""
    centers = model.arrays.cluster_centers
    return model.arrays.sense_vectors if centers is None else centers
