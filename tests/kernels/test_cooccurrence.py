"""Document frequencies and context words, on a small text."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.cooccurrence import NO_WORD, count_document_frequencies, gather_context_words

TOKENS = np.array([0, 1, 0, 9, 2, 0, 3, 1], np.int32)
SENTENCES = np.array([0, 5, 5, 8])


def test_a_word_is_counted_once_per_sentence() -> None:
    frequencies = np.zeros(4, np.int64)
    count_document_frequencies(TOKENS, SENTENCES, np.full(4, -1), frequencies)
    assert frequencies.tolist() == [2, 2, 1, 1]


def test_context_words_are_the_nearest_known_words_of_the_sentence() -> None:
    positions, starts, ends = np.array([2, 4, 5]), np.array([0, 0, 5]), np.array([5, 5, 8])
    out = np.empty((3, 4), np.int32)
    gather_context_words(TOKENS, positions, starts, ends, 4, out)
    assert out.tolist() == [[1, 0, 2, NO_WORD], [0, 1, NO_WORD, NO_WORD], [3, 1, NO_WORD, NO_WORD]]
