"""Where words stand in a corpus: all their uses, or a random sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyseme._io.memory_map import release_pages
from polyseme.kernels.occurrences import sample_occurrences

READ_AT_ONCE = 1 << 20  # tokens, which may be mapped from a file

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Occurrences:
    """The positions of word w are positions[offsets[w] : offsets[w + 1]]."""

    positions: Ints
    offsets: Ints

    def of(self, word: int) -> Ints:
        return self.positions[self.offsets[word] : self.offsets[word + 1]]


def find_occurrences(
    tokens: NDArray[np.int32], counts: NDArray[np.int64], words: ArrayLike, *, most: int | None = None, seed: int = 0
) -> Occurrences:
    """The uses of some words, or a random sample of at most so many of each.

    tokens  IN  int32 (n,)  ids
    counts  IN  int64 (V,)  how often each word stands there; ids of V and more are passed over
    """
    chosen = np.asarray(words, np.int64)
    room = np.zeros(len(counts), np.int64)
    room[chosen] = counts[chosen] if most is None else np.minimum(counts[chosen], most)
    offsets = np.concatenate([[0], np.cumsum(room)])
    positions, seen, rng = np.empty(offsets[-1], np.int64), np.zeros(len(counts), np.int64), np.array([seed], np.uint64)
    for first in range(0, len(tokens), READ_AT_ONCE):
        sample_occurrences(np.asarray(tokens[first : first + READ_AT_ONCE]), first, offsets, rng, seen, positions)
        release_pages(tokens)
    return Occurrences(positions, offsets)
