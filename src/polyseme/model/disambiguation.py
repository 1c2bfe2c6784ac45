"""The probability of each sense of a word in a context.

The context vector c is the mean of the words around it, each weighted by the chance that training kept it. With cos_k
the cosine of c and the center of sense k (its vector, where there are no centers):

    inverse-distance  p_k ~ 1 / (1 - cos_k)                      the paper's: nearly flat
    softmax           p_k ~ share_k exp(cos_k / TEMPERATURE)     sharper, and knows how frequent a sense is
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ConfigError
from polyseme.model.results import Disambiguation, SenseProbability

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

Posterior = Literal["softmax", "inverse-distance"]
TEMPERATURE = 0.1


def disambiguate(
    model: SenseModel, word: str, context: str, posterior: Posterior, window: int | None
) -> Disambiguation:
    """See `SenseModel.disambiguate`."""
    w = model.find(word)[0]
    ids = context_ids(model, w, context, window)
    probabilities = sense_probabilities(model, w, ids, posterior)
    name = model.vocabulary.words[w]
    senses = tuple(SenseProbability(f"{name}#{i + 1}", float(p)) for i, p in enumerate(probabilities))
    return Disambiguation(name, senses, len(ids))


def context_ids(model: SenseModel, word: int, context: str, window: int | None) -> list[int]:
    """The known words of a context: those around the word where it stands in it, else all."""
    reach = _reach(model, window)
    known = _known(model, context)
    if word not in known:
        return known
    at = known.index(word)
    return known[max(0, at - reach) : at] + known[at + 1 : at + 1 + reach]


def ids_around(model: SenseModel, left: str, right: str, window: int | None) -> list[int]:
    """The known words next to a place in a text."""
    reach = _reach(model, window)
    return _known(model, left)[-reach:] + _known(model, right)[:reach]


def _known(model: SenseModel, text: str) -> list[int]:
    index = model.vocabulary.index
    return [index[token] for token in model.tokenizer(text) if token in index]


def _reach(model: SenseModel, window: int | None) -> int:
    if window is not None and window < 1:
        raise ConfigError(f"--window must be 1 or more, not {window}.")
    return model.reach if window is None else window


def sense_probabilities(model: SenseModel, word: int, context: list[int], posterior: Posterior) -> NDArray[np.float64]:
    """The probabilities of the shown senses of a word."""
    if posterior not in get_args(Posterior):
        raise ConfigError(f"--posterior must be one of {', '.join(get_args(Posterior))}, not '{posterior}'.")
    shares = model.shares(word)
    if not context or len(shares) == 1:
        return shares
    rows = model.rows(word)
    centers = sense_directions(model)[rows.start : rows.stop].astype(np.float64)
    weights = model.context_weights[context].astype(np.float64)
    vector = weights @ context_table(model)[context]
    lengths = np.linalg.norm(centers, axis=1) * np.linalg.norm(vector)
    cosines = np.divide(centers @ vector, lengths, out=np.zeros(len(shares)), where=lengths > 0)
    if posterior == "inverse-distance":
        scores = 1 / np.maximum(1 - cosines, 1e-6)
    else:
        scores = shares * np.exp((cosines - cosines.max()) / TEMPERATURE)
    return np.asarray(scores / scores.sum())


def context_table(model: SenseModel) -> NDArray[np.float32]:
    """The vectors from which contexts are made."""
    choice = model.arrays.choice_vectors
    return model.arrays.global_vectors if choice is None else choice


def sense_directions(model: SenseModel) -> NDArray[np.float32]:
    """What a context is compared with."""
    centers = model.arrays.cluster_centers
    return model.arrays.sense_vectors if centers is None else centers
