"""Positions of words in a corpus."""

from __future__ import annotations

import numpy as np
import pytest

from polyseme.corpus import occurrences as module
from polyseme.corpus.occurrences import find_occurrences

TOKENS = np.array([0, 1, 0, 2, 7, 0, 1, 0, 9], np.int32)
COUNTS = np.array([4, 2, 1])


def test_all_occurrences_of_the_given_words_and_no_others() -> None:
    occurrences = find_occurrences(TOKENS, COUNTS, [0, 2])
    assert occurrences.of(0).tolist() == [0, 2, 5, 7]
    assert occurrences.of(1).tolist() == []
    assert occurrences.of(2).tolist() == [3]


def test_reading_in_chunks_gives_the_same_occurrences(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [find_occurrences(TOKENS, COUNTS, [0, 1], max_occurrences=n, seed=3) for n in (None, 2)]
    monkeypatch.setattr(module, "CHUNK_TOKENS", 4)
    chunks = [find_occurrences(TOKENS, COUNTS, [0, 1], max_occurrences=n, seed=3) for n in (None, 2)]
    for a, b in zip(whole, chunks, strict=True):
        assert a.positions.tolist() == b.positions.tolist()


def test_a_sample_is_uniform_without_duplicates_and_depends_on_the_seed() -> None:
    times_sampled = np.zeros(len(TOKENS))
    for seed in range(400):
        sample, again = (find_occurrences(TOKENS, COUNTS, [0], max_occurrences=2, seed=seed).of(0) for _ in range(2))
        assert sample.tolist() == again.tolist()
        assert len(set(sample.tolist())) == 2
        times_sampled[sample] += 1
    assert set(np.flatnonzero(times_sampled)) == {0, 2, 5, 7}
    assert times_sampled[[0, 2, 5, 7]].min() > 150
