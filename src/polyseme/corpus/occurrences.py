"""Occurrences of words in a corpus: their positions, all or a random sample, and how unevenly they are distributed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyseme._io.memory_map import release_pages
from polyseme.kernels.occurrences import add_gaps, sample_occurrences

CHUNK_TOKENS = 1 << 20  # tokens may be memory-mapped: their pages are released after each chunk

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


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
    max_occurrences: int | Ints | None = None,
    seed: int = 0,
) -> Occurrences:
    """The positions of the occurrences of `words`, or of a random sample of at most `max_occurrences` of each.

    max_occurrences  the same number for all words, or one for each

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


class Burstiness(NamedTuple):
    """How strongly the occurrences of each word come in bursts, (V,). Both are 0 for random positions.

    With g the distances between consecutive occurrences of a word, and gamma = 0.577... (Euler's constant),

        overall = log(mean of g) - mean of log(g) - gamma
        local   = mean of |log g_i - log g_(i-1)| - 2 log 2

    A word of general use occurs nearly at random; a word with a topic occurs often where the text is about it, and then
    not for long. `local` stays 0 where the frequency of a word changes only slowly, such as that of a word that some
    authors use more often than others.
    """

    overall: NDArray[np.float64]
    local: NDArray[np.float64]


@dataclass(frozen=True)
class Gaps:
    """The distances between consecutive occurrences of each word in a text, in sums from which burstiness follows.

    The sums of two consecutive texts can be joined. All arrays are (V,), with -1 for positions of absent words.
    """

    first_positions: Ints
    last_positions: Ints
    first_log_gaps: Floats
    last_log_gaps: Floats
    num_gaps: Ints
    gap_sums: Ints
    log_gap_sums: Floats
    change_sums: Floats  # sums of |log g_i - log g_(i-1)|

    @classmethod
    def of_empty_text(cls, num_words: int) -> Gaps:
        return cls(
            first_positions=np.full(num_words, -1),
            last_positions=np.full(num_words, -1),
            first_log_gaps=np.zeros(num_words),
            last_log_gaps=np.zeros(num_words),
            num_gaps=np.zeros(num_words, np.int64),
            gap_sums=np.zeros(num_words, np.int64),
            log_gap_sums=np.zeros(num_words),
            change_sums=np.zeros(num_words),
        )

    @property
    def arrays(self) -> list[NDArray[Any]]:
        return [getattr(self, f.name) for f in fields(self)]

    def of(self, words: NDArray[np.integer]) -> Gaps:
        """The gaps of some words."""
        return Gaps(*(array[words] for array in self.arrays))

    def append(self, words: NDArray[np.integer], other: Gaps, num_tokens: int) -> None:
        """Join the next text, in place.

        words       IN  integers (w,)  those that occur in the next text, ascending
        other       their gaps there
        num_tokens  of this text
        """
        joined = self.of(words).followed_by(other, num_tokens)
        for array, values in zip(self.arrays, joined.arrays, strict=True):
            array[words] = values

    @property
    def burstiness(self) -> Burstiness:
        """A word with fewer than three occurrences gets 0."""
        n, several = np.maximum(self.num_gaps, 1), self.num_gaps > 1
        overall = np.log(np.maximum(self.gap_sums, 1) / n) - self.log_gap_sums / n - np.euler_gamma
        local = self.change_sums / np.maximum(self.num_gaps - 1, 1) - 2 * np.log(2)
        return Burstiness(np.where(several, overall, 0.0), np.where(several, local, 0.0))

    def followed_by(self, other: Gaps, num_tokens: int) -> Gaps:
        """The gaps of this text and the next one together.  num_tokens  of this text"""
        here, there = self.last_positions >= 0, other.first_positions >= 0
        both = here & there
        gaps = np.where(both, other.first_positions + num_tokens - self.last_positions, 1)
        log_gaps = np.log(gaps)
        changes = np.where(both & (self.num_gaps > 0), np.abs(log_gaps - self.last_log_gaps), 0.0)
        changes += np.where(both & (other.num_gaps > 0), np.abs(other.first_log_gaps - log_gaps), 0.0)
        return Gaps(
            first_positions=np.where(here | ~there, self.first_positions, other.first_positions + num_tokens),
            last_positions=np.where(there, other.last_positions + num_tokens, self.last_positions),
            first_log_gaps=np.where(
                self.num_gaps > 0, self.first_log_gaps, np.where(both, log_gaps, other.first_log_gaps)
            ),
            last_log_gaps=np.where(
                other.num_gaps > 0, other.last_log_gaps, np.where(both, log_gaps, self.last_log_gaps)
            ),
            num_gaps=self.num_gaps + other.num_gaps + both,
            gap_sums=self.gap_sums + other.gap_sums + np.where(both, gaps, 0),
            log_gap_sums=self.log_gap_sums + other.log_gap_sums + np.where(both, log_gaps, 0.0),
            change_sums=self.change_sums + other.change_sums + changes,
        )


def find_gaps(tokens: NDArray[np.int32], num_words: int) -> Gaps:
    """The gaps of a text.  tokens  IN  int32 (n,)  ids; `num_words` and more are ignored"""
    gaps = Gaps.of_empty_text(num_words)
    for first in range(0, len(tokens), CHUNK_TOKENS):
        chunk = np.ascontiguousarray(tokens[first : first + CHUNK_TOKENS]).view()
        chunk.flags.writeable = False  # the kernel is compiled for read-only arrays
        add_gaps(chunk, first, *gaps.arrays)
        release_pages(tokens)
    return gaps


def burstiness(tokens: NDArray[np.int32], num_words: int) -> Burstiness:
    """The burstiness of each word; a word with fewer than three occurrences gets 0.

    tokens  IN  int32 (n,)  ids; `num_words` and more are ignored
    """
    return find_gaps(tokens, num_words).burstiness
