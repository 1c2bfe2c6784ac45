"""Nearest neighbours by cosine, among senses or among words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, get_args

import numpy as np

from polyseme.errors import ConfigError, shorten
from polyseme.model.data import ModelData, row_norms
from polyseme.model.results import Neighbour
from polyseme.model.rows import Floats, Rows, products

Among = Literal["senses", "words"]

# Rarer words are no neighbours: their vectors are still close to their random initialization, and many of them point
# in the same direction, so that a few would be near everything. MIN_WORDS words are candidates in any case.
MIN_COUNT = 50
MIN_WORDS = 1000
SAMPLE_STEP = 64


def nearest(data: ModelData, word_or_key: str, n: int, among: Among) -> list[Neighbour]:
    """The n nearest neighbours of a word or sense, other than the word itself; each word at most once."""
    if n < 1:
        raise ConfigError(f"the number of neighbours must be 1 or more, not {n}.")
    if among not in get_args(Among):
        raise ConfigError(f"among must be {' or '.join(get_args(Among))}, not '{shorten(among)}'.")
    word, row = data.find(word_or_key)
    if among == "words":
        return _among_words(data, word, row, n)
    return nearest_to(data, data.vector(word, row)[None], {word}, n)[0]


class SenseNeighbours:
    """The neighbours of the senses of a word. They are found for all senses at once: the vectors are read once."""

    def __init__(self, data: ModelData, word: int) -> None:
        self._data, self._word = data, word
        self._found: dict[int, list[list[Neighbour]]] = {}  # by n

    def __call__(self, sense: int, n: int) -> list[Neighbour]:
        """The n nearest senses of other words.  sense  its place among the senses of the word"""
        if n < 1:
            raise ConfigError(f"the number of neighbours must be 1 or more, not {n}.")
        if n not in self._found:
            rows = self._data.rows(self._word)
            vectors = self._data.arrays.sense_vectors[rows.start : rows.stop]
            self._found[n] = nearest_to(self._data, vectors, {self._word}, n)
        return list(self._found[n][sense])


def nearest_to_sum(data: ModelData, positive: Sequence[str], negative: Sequence[str], n: int) -> list[Neighbour]:
    """The n senses nearest to a sum of words or senses, each with the norm 1, and with a minus if it is negative."""
    if n < 1:
        raise ConfigError(f"the number of neighbours must be 1 or more, not {n}.")
    if not positive and not negative:
        raise ConfigError("most_similar needs a word or sense.")
    found = [data.find(word_or_key) for word_or_key in (*positive, *negative)]
    vectors = np.array([data.vector(word, row) for word, row in found])
    signs = np.array([1] * len(positive) + [-1] * len(negative), np.float32)
    total = np.asarray(signs @ (vectors / row_norms(vectors)[:, None]), np.float32)
    return nearest_to(data, total[None], {word for word, _ in found}, n)[0]


def nearest_to(data: ModelData, vectors: Floats, words: Collection[int], n: int) -> list[list[Neighbour]]:
    """The n senses nearest to each vector, (k, d), other than those of some words; each word at most once."""
    offsets = data.arrays.sense_offsets
    num_rows = int(offsets[_num_candidates(data)])
    cosines = _cosines(data.arrays.sense_vectors, data.sense_norms, num_rows, vectors)
    return [_best_of_words(data, of_vector, words, n) for of_vector in cosines]


def _best_of_words(data: ModelData, cosines: Floats, words: Collection[int], n: int) -> list[Neighbour]:
    neighbours: list[Neighbour] = []
    seen = set(words)
    for candidate in _largest(cosines, 20 * n + 200):
        other = data.word_of(candidate)
        if other in seen or candidate not in data.rows(other):
            continue
        seen.add(other)
        neighbours.append(Neighbour(data.key(candidate), data.vocabulary.words[other], float(cosines[candidate])))
        if len(neighbours) == n:
            break
    return neighbours


def _among_words(data: ModelData, word: int, row: int | None, n: int) -> list[Neighbour]:
    global_vectors, words = data.global_vectors, data.vocabulary.words
    vector = global_vectors[word] if row is None else data.arrays.sense_vectors[row]
    cosines = _cosines(global_vectors, data.global_norms, _num_candidates(data), vector[None])[0]
    best = [i for i in _largest(cosines, n + 1) if i != word][:n]
    return [Neighbour(words[i], words[i], float(cosines[i])) for i in best]


def _cosines(rows: Rows, norms: Floats, num_rows: int, vectors: Floats) -> Floats:
    """(k, num_rows) The cosines of some vectors, (k, d), with the first rows, without a normalized copy of these."""
    found = products(rows, vectors / row_norms(vectors)[:, None], num_rows)
    return np.ascontiguousarray(found.T) / norms[:num_rows]


def _num_candidates(data: ModelData) -> int:
    """How many words, the most frequent ones, can be neighbours."""
    frequent = int(np.searchsorted(-data.vocabulary.counts, -MIN_COUNT, side="right"))
    return min(max(frequent, MIN_WORDS), len(data.vocabulary))


def _largest(values: Floats, n: int) -> list[int]:
    """The indices of the n largest values, in descending order.

    A sample of the values gives a threshold that more than n values exceed, so that only few must be sorted.
    """
    sample = values[::SAMPLE_STEP]
    rank = 2 * n // SAMPLE_STEP + 20
    candidates = np.arange(len(values))
    if rank < len(sample):
        above = np.flatnonzero(values >= np.partition(sample, -rank)[-rank])
        candidates = above if len(above) >= n else candidates
    return candidates[np.argsort(-values[candidates], kind="stable")][:n].tolist()  # type: ignore[no-any-return]
