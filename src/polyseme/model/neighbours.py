"""Nearest neighbours by cosine, among senses or among words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ConfigError
from polyseme.model.results import Neighbour

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel


# Words seen less often are no neighbours: their vectors have hardly left their random start, and those of many point
# the same way, so that a few of them would be near to everything. Where few words are frequent, the bar is lower.
MIN_COUNT = 50
ENOUGH_WORDS = 1000
SAMPLE_EVERY = 64


def row_lengths(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The length of each row; a little above 0 where it is 0, so that one can divide by it."""
    return np.asarray(np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), np.float32(1e-12)))


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1; rows of length 0 stay so."""
    return np.asarray(rows / row_lengths(rows)[:, None])


def nearest(model: SenseModel, word_or_key: str, n: int, among: Literal["senses", "words"]) -> list[Neighbour]:
    """The n nearest to a word or a sense, without the word itself; each word once."""
    if n < 1:
        raise ConfigError(f"the number of neighbours must be 1 or more, not {n}.")
    word, row = model.find(word_or_key)
    if among == "words":
        return _among_words(model, word, row, n)
    vector = model.vector(word_or_key)
    offsets = model.arrays.sense_offsets
    cosines = _cosines(model.arrays.sense_vectors, model.sense_lengths, int(offsets[_frequent(model)]), vector)
    found: list[Neighbour] = []
    seen = {word}
    for candidate in _falling(cosines, 20 * n + 200):
        other = int(np.searchsorted(offsets, candidate, side="right")) - 1
        if other in seen or candidate not in model.rows(other):
            continue
        seen.add(other)
        found.append(Neighbour(model.key(candidate), model.vocabulary.words[other], float(cosines[candidate])))
        if len(found) == n:
            break
    return found


def _among_words(model: SenseModel, word: int, row: int | None, n: int) -> list[Neighbour]:
    arrays = model.arrays
    vector = arrays.global_vectors[word] if row is None else arrays.sense_vectors[row]
    cosines = _cosines(arrays.global_vectors, model.global_lengths, _frequent(model), vector)
    words = model.vocabulary.words
    best = [i for i in _falling(cosines, n + 1) if i != word][:n]
    return [Neighbour(words[i], words[i], float(cosines[i])) for i in best]


def _cosines(
    rows: NDArray[np.float32], lengths: NDArray[np.float32], first: int, vector: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Of a vector with the first rows, which are read once, from where they are: they may be much of the memory."""
    return np.asarray(rows[:first] @ (vector / row_lengths(vector[None])) / lengths[:first])


def _frequent(model: SenseModel) -> int:
    """How many words, the most frequent, may be neighbours."""
    often = int(np.searchsorted(-model.vocabulary.counts, -MIN_COUNT, side="right"))
    return min(max(often, ENOUGH_WORDS), len(model))


def _falling(values: NDArray[np.float32], first: int) -> list[int]:
    """Indices by falling value, the first ones; a sample tells a bar that more than enough values reach."""
    sample = values[::SAMPLE_EVERY]
    above = 2 * first // SAMPLE_EVERY + 20
    top = np.arange(len(values))
    if above < len(sample):
        reached = np.flatnonzero(values >= np.partition(sample, -above)[-above])
        top = reached if len(reached) >= first else top
    return top[np.argsort(-values[top], kind="stable")][:first].tolist()  # type: ignore[no-any-return]
