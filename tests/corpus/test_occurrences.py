"""Where words stand."""

from __future__ import annotations

import numpy as np
import pytest

from polyseme.corpus import occurrences as module
from polyseme.corpus.occurrences import find_occurrences

TOKENS = np.array([0, 1, 0, 2, 7, 0, 1, 0, 9], np.int32)
COUNTS = np.array([4, 2, 1])


def test_all_uses_of_the_words_asked_for_and_of_no_others() -> None:
    uses = find_occurrences(TOKENS, COUNTS, [0, 2])
    assert uses.of(0).tolist() == [0, 2, 5, 7]
    assert uses.of(1).tolist() == []
    assert uses.of(2).tolist() == [3]


def test_a_text_read_in_pieces_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [find_occurrences(TOKENS, COUNTS, [0, 1], most=most, seed=3) for most in (None, 2)]
    monkeypatch.setattr(module, "READ_AT_ONCE", 4)
    pieces = [find_occurrences(TOKENS, COUNTS, [0, 1], most=most, seed=3) for most in (None, 2)]
    for a, b in zip(whole, pieces, strict=True):
        assert a.positions.tolist() == b.positions.tolist()


def test_a_sample_is_of_different_uses_follows_the_seed_and_takes_each_as_often() -> None:
    seen = np.zeros(len(TOKENS))
    for seed in range(400):
        found = find_occurrences(TOKENS, COUNTS, [0], most=2, seed=seed).of(0)
        assert found.tolist() == find_occurrences(TOKENS, COUNTS, [0], most=2, seed=seed).of(0).tolist()
        assert len(set(found.tolist())) == 2
        seen[found] += 1
    assert set(np.flatnonzero(seen)) == {0, 2, 5, 7}
    assert seen[[0, 2, 5, 7]].min() > 150
