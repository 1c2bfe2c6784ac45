"""The probability of each sense of a word in a context.

The context vector c is that of `polyseme.kernels.contexts`, over the known words of the text, each weighted by the
probability that subsampling keeps it: what training sees on average. With the paper's recipe it is the plain mean.
With cos_k the cosine of c and the cluster center of sense k (its sense vector, for models without centers):

    softmax           p_k ~ share_k exp(cos_k / TEMPERATURE)     the default
    inverse-distance  p_k ~ 1 / (1 - cos_k)                      the paper's; nearly uniform

The setting `posterior` of the model says which one a query uses that does not name one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ConfigError
from polyseme.model.data import ModelData
from polyseme.model.results import Disambiguation, SenseProbability

Posterior = Literal["softmax", "inverse-distance"]
TEMPERATURE = 0.1


@dataclass(frozen=True)
class Context:
    """The known words on both sides of a target position, nearest last on the left and first on the right."""

    left: Sequence[int]
    right: Sequence[int]
    decay: float

    def __len__(self) -> int:
        return len(self.left) + len(self.right)


def disambiguate(
    data: ModelData, word: str, text: str, posterior: Posterior | None, window: int | None
) -> Disambiguation:
    """See `SenseModel.disambiguate`."""
    w = data.find(word)[0]
    context = context_of(data, w, text, window)
    probabilities = sense_probabilities(data, w, context, posterior)
    senses = tuple(
        SenseProbability(data.key(row), float(p)) for row, p in zip(data.rows(w), probabilities, strict=True)
    )
    return Disambiguation(data.vocabulary.words[w], senses, len(context))


def context_of(data: ModelData, word: int, text: str, window: int | None) -> Context:
    """The context of the first occurrence of a word in a text.

    If the word does not occur in the text, all words of the text have the same weight.
    """
    known = data.known_ids(data.tokenize(text))
    if word not in known:
        _check_window(window)
        return Context([], known, decay=1.0)
    position = known.index(word)
    return context_between(data, known[:position], known[position + 1 :], window)


def context_around(data: ModelData, left: str, right: str, window: int | None = None) -> Context:
    """The context of a position between two texts."""
    return context_between(data, data.known_ids(data.tokenize(left)), data.known_ids(data.tokenize(right)), window)


def context_between(data: ModelData, left: Sequence[int], right: Sequence[int], window: int | None = None) -> Context:
    """The context of a position between known words."""
    _check_window(window)
    size = window or data.sense_window
    return Context(left[-size:], right[:size], float(data.sense_decay))


def _check_window(window: int | None) -> None:
    if window is not None and window < 1:
        raise ConfigError(f"--window must be 1 or more, not {window}.")


def context_vector(data: ModelData, context: Context) -> NDArray[np.float32]:
    """The context vector of a context."""
    ids = np.array([*context.left, *context.right], np.int64)
    target, n = len(context.left), len(ids)
    tokens = np.insert(np.arange(n, dtype=np.int32), target, -1)  # rows of the table below; -1 is the target
    table = np.asarray(data.context_table[ids])
    sentences = np.array([0, n + 1])
    weights = data.context_weights[ids]
    return np.asarray(_gather(table, weights, tokens, np.array([target]), sentences, max(n, 1), context.decay)[0])


def context_vectors(
    data: ModelData, tokens: NDArray[np.int32], sentences: NDArray[np.int64], positions: NDArray[np.int64]
) -> NDArray[np.float32]:
    """(k, c) The context vectors of tokens of a text.

    tokens     IN  int32 (n,)      word ids; ids outside the vocabulary are skipped
    sentences  IN  int64 (m + 1,)  index of the first token of each sentence, then n
    positions  IN  int64 (k,)      indices of the tokens
    """
    table, weights = data.dense_context_table, data.context_weights
    return _gather(table, weights, tokens, positions, sentences, data.sense_window, float(data.sense_decay))


def _gather(
    table: NDArray[np.float32],
    weights: NDArray[np.float32],
    tokens: NDArray[np.int32],
    positions: NDArray[np.int64],
    sentences: NDArray[np.int64],
    window: int,
    decay: float,
) -> NDArray[np.float32]:
    """Context vectors, computed by the kernel that clusters contexts in training."""
    from polyseme.kernels.contexts import gather_contexts  # imports Numba, which most queries do not need
    from polyseme.kernels.simd.padding import padded_rows, zero_padded_rows

    containing = np.searchsorted(sentences, positions, side="right") - 1
    starts, ends = np.asarray(sentences[containing]), np.asarray(sentences[containing + 1])
    width = table.shape[1]
    out = zero_padded_rows(len(positions), width)
    gather_contexts(
        np.asarray(tokens), positions, starts, ends, window, np.float32(decay), weights, padded_rows(table), out
    )
    return out[:, :width]


def sense_probabilities(
    data: ModelData, word: int, context: Context, posterior: Posterior | None = None
) -> NDArray[np.float64]:
    """The probabilities of the visible senses of a word; their shares if the context is empty.

    posterior  by default that of the model's settings
    """
    if posterior is not None and posterior not in get_args(Posterior):
        raise ConfigError(f"--posterior must be one of {', '.join(get_args(Posterior))}, not '{posterior}'.")
    if not len(context):
        return data.shares(word)
    return probabilities_in_contexts(data, word, context_vector(data, context)[None], posterior)[0]  # type: ignore[no-any-return]


def probabilities_in_contexts(
    data: ModelData, word: int, vectors: NDArray[np.float32], posterior: Posterior | None = None
) -> NDArray[np.float64]:
    """(k, senses) The probabilities of the visible senses of a word in several contexts; shares for a vector of zeros.

    vectors  IN  float32 (k, c)  context vectors
    """
    shares, rows = data.shares(word), data.rows(word)
    if len(rows) == 1:
        return np.ones((len(vectors), 1))
    centers = data.sense_centers[rows.start : rows.stop].astype(np.float64)
    contexts = vectors.astype(np.float64)
    lengths = np.linalg.norm(contexts, axis=1, keepdims=True)
    norms = np.linalg.norm(centers, axis=1) * lengths
    cosines = np.divide(contexts @ centers.T, norms, out=np.zeros(norms.shape), where=norms > 0)
    if (posterior or data.posterior) == "inverse-distance":
        scores = 1 / np.maximum(1 - cosines, 1e-6)
    else:
        scores = shares * np.exp((cosines - cosines.max(axis=1, keepdims=True)) / TEMPERATURE)
    return np.asarray(np.where(lengths > 0, scores / scores.sum(axis=1, keepdims=True), shares))
