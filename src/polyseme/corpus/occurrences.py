"""Positions of words in a corpus: all occurrences, or a random sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyseme._io.memory_map import release_pages
from polyseme.kernels.occurrences import sample_occurrences

CHUNK_TOKENS = 1 << 20  # tokens may be memory-mapped: their pages are released after each chunk

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Occurrences:
    """The positions of word w are positions[offsets[w] : offsets[w + 1]]."""

    positions: Ints
    offsets: Ints

    def of(self, word: int) -> Ints:
        return self.positions[self.offsets[word] : self.offsets[word + 1]]


def find_occurrences(
    tokens: NDArray[np.int32],
    counts: NDArray[np.int64],
    words: ArrayLike,
    *,
    max_occurrences: int | None = None,
    seed: int = 0,
) -> Occurrences:
    """The positions of the occurrences of `words`, or of a random sample of at most `max_occurrences` of each.

    tokens  IN  int32 (n,)  ids; V and more are ignored
    counts  IN  int64 (V,)  occurrences of each word in tokens
    words   IN  int64 (k,)  ids
    """
    word_ids = np.asarray(words, np.int64)
    sizes = np.zeros(len(counts), np.int64)
    sizes[word_ids] = counts[word_ids] if max_occurrences is None else np.minimum(counts[word_ids], max_occurrences)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    positions, seen, rng = np.empty(offsets[-1], np.int64), np.zeros(len(counts), np.int64), np.array([seed], np.uint64)
    for first in range(0, len(tokens), CHUNK_TOKENS):
        sample_occurrences(np.asarray(tokens[first : first + CHUNK_TOKENS]), first, offsets, rng, seen, positions)
        release_pages(tokens)
    return Occurrences(positions, offsets)
