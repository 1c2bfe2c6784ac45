"""Completion of words by prefix, and words with a similar spelling; case and diacritics do not matter."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.phrases import JOINER
from polyseme.vocabulary import fold

MAX_DISTANCE = 2  # edits between a query and the words that are suggested for it
MAX_LETTERS = 24  # of a query that gets suggestions, and of the suggested words
AFTER_ALL = "\U0010ffff"  # sorts after every continuation of a prefix

_SENSE_NUMBER = re.compile(r"#\d*$")
_BITS = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


class Completion:
    """The words of a vocabulary, sorted by their folded form.

    words  most frequent first
    """

    def __init__(self, words: list[str]) -> None:
        folded = [fold(word) for word in words]
        order = sorted(range(len(words)), key=folded.__getitem__)
        self._sorted = [folded[i] for i in order]
        self._ids = np.array(order, np.int64)
        short = [i for i, word in enumerate(folded) if 0 < len(word) <= MAX_LETTERS]
        self._short_ids = np.array(short, np.int64)
        self._short = np.array([folded[i] for i in short] or [""], f"U{MAX_LETTERS}")
        self._letters = self._short.view(np.uint32).reshape(len(self._short), -1)
        self._lengths = np.count_nonzero(self._letters, axis=1)
        self._signatures = _signatures(self._letters)

    def complete(self, query: str, n: int) -> list[int]:
        """The ids of the n most frequent words that begin with the query, most frequent first."""
        prefix = JOINER.join(fold(_SENSE_NUMBER.sub("", query)).split())
        first, last = bisect_left(self._sorted, prefix), bisect_left(self._sorted, prefix + AFTER_ALL)
        ids = self._ids[first:last]
        if len(ids) > n:
            ids = np.partition(ids, n - 1)[:n]
        return np.sort(ids).tolist()  # type: ignore[no-any-return]

    def same(self, query: str) -> int | None:
        """The id of the most frequent word that differs from the query only in case and diacritics."""
        word = JOINER.join(fold(_SENSE_NUMBER.sub("", query)).split())
        first, last = bisect_left(self._sorted, word), bisect_right(self._sorted, word)
        return int(self._ids[first:last].min()) if word and first < last else None

    def closest(self, query: str, n: int = 5) -> list[int]:
        """The ids of words with a similar spelling: fewest edits first, then the most frequent."""
        word = JOINER.join(fold(_SENSE_NUMBER.sub("", query)).split())
        max_distance = min(MAX_DISTANCE, len(word) // 2)
        if not 0 < len(word) <= MAX_LETTERS or not max_distance or not len(self._short_ids):
            return []
        letters = np.array([word], f"U{MAX_LETTERS}").view(np.uint32)
        # An edit changes at most two bits of a signature.
        differences = _BITS[(self._signatures ^ _signatures(letters[None])[0]).view(np.uint8)].reshape(-1, 8).sum(1)
        near = np.abs(self._lengths - len(word)) <= max_distance
        candidates = np.flatnonzero(near & (differences <= 2 * max_distance))
        distances = edit_distances(letters[: len(word)], self._letters[candidates], self._lengths[candidates])
        close = np.flatnonzero(distances <= max_distance)
        ids = self._short_ids[candidates[close]]
        return ids[np.lexsort((ids, distances[close]))][:n].tolist()  # type: ignore[no-any-return]


def _signatures(letters: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """(k,) A bit for each letter of each word, by the letter modulo 64.  letters  IN  uint32 (k, l)  0 after the end"""
    bits = np.left_shift(np.uint64(1), letters.astype(np.uint64) % np.uint64(64))
    return np.asarray(np.bitwise_or.reduce(np.where(letters > 0, bits, np.uint64(0)), axis=1))


def edit_distances(
    word: NDArray[np.uint32], others: NDArray[np.uint32], lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(k,) The edit distance of a word to each of the others; swapping two adjacent letters is one edit.

    others   IN  uint32 (k, l)  letters
    lengths  IN  int64 (k,)

    >>> words = np.array(["bank", "bnak", "tank", "bone"]).view(np.uint32).reshape(4, 4)
    >>> edit_distances(words[0], words, np.array([4, 4, 4, 4])).tolist()
    [0, 1, 1, 2]
    """
    num_words, width = others.shape
    rows = [np.zeros((width + 1, num_words), np.int64), np.tile(np.arange(width + 1)[:, None], num_words)]
    for i in range(len(word)):
        before, last = rows
        row = np.empty_like(last)
        row[0] = i + 1
        for j in range(width):
            differs = others[:, j] != word[i]
            row[j + 1] = np.minimum(np.minimum(row[j], last[j + 1]) + 1, last[j] + differs)
            if i and j:
                swapped = (others[:, j] == word[i - 1]) & (others[:, j - 1] == word[i])
                row[j + 1] = np.where(swapped, np.minimum(row[j + 1], before[j - 1] + 1), row[j + 1])
        rows = [last, row]
    return np.asarray(rows[1][lengths, np.arange(num_words)])
