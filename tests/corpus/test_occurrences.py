"""Occurrences of words in a corpus: positions and burstiness."""

from __future__ import annotations

import numpy as np
import pytest

from polyseme.corpus import occurrences as module
from polyseme.corpus.occurrences import burstiness, find_occurrences

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


def test_burstiness_is_near_zero_at_random_positions_and_high_in_bursts() -> None:
    rng = np.random.default_rng(0)
    tokens = np.where(rng.random(400_000) < 0.002, 0, 9).astype(np.int32)  # word 0 at random positions
    for start in rng.integers(0, 399_000, 100):  # word 1 in 100 bursts of about 10 occurrences
        tokens[start + rng.integers(0, 1000, 10)] = 1
    tokens[::100] = 2  # word 2 at regular intervals
    scores = burstiness(tokens, 5)
    for score, regular in zip(scores, (-np.euler_gamma, -2 * np.log(2)), strict=True):
        assert score[0] == pytest.approx(0, abs=0.15)
        assert score[1] > 0.2
        assert score[2] == pytest.approx(regular, abs=1e-6)
        assert score[3:].tolist() == [0, 0]  # words that do not occur


def test_slow_changes_of_frequency_are_not_local_bursts() -> None:
    """A word that the first of two authors uses twenty times as often as the second."""
    rng = np.random.default_rng(0)
    probability = np.repeat([0.02, 0.001], 200_000)
    scores = burstiness(np.where(rng.random(400_000) < probability, 0, 9).astype(np.int32), 1)
    assert scores.overall[0] > 0.4
    assert scores.local[0] == pytest.approx(0, abs=0.1)


def test_burstiness_does_not_depend_on_the_chunks_that_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = np.random.default_rng(1).integers(0, 6, 5000).astype(np.int32)
    whole = burstiness(tokens, 4)
    monkeypatch.setattr(module, "CHUNK_TOKENS", 7)
    np.testing.assert_allclose(burstiness(tokens, 4), whole)
