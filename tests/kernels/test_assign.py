"""Keeping the best occurrences of each sense."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme.kernels.assign import keep_best


def keep(senses: NDArray[np.int32], cosines: NDArray[np.float32], min_distance: int) -> NDArray[np.int64]:
    best, positions = np.full((3, 5), -2, np.float32), np.full((3, 5), -1, np.int64)
    for start in (0, 100, 200):
        keep_best(senses[start : start + 100], cosines[start : start + 100], start, min_distance, best, positions)
    assert (np.diff(best) <= 0).all()
    return positions


def test_the_positions_with_the_highest_cosines_are_kept_in_order() -> None:
    cosines = np.random.default_rng(1).random(300).astype(np.float32)
    senses = np.arange(300, dtype=np.int32) % 4 - 1
    positions = keep(senses, cosines, min_distance=0)
    for row in range(3):
        candidates = np.flatnonzero(senses == row)
        assert positions[row].tolist() == candidates[np.argsort(-cosines[candidates])][:5].tolist()


def test_of_two_close_positions_only_the_better_is_kept() -> None:
    cosines = np.random.default_rng(2).random(300).astype(np.float32)
    positions = keep(np.zeros(300, np.int32), cosines, min_distance=30)[0]
    assert positions[0] == cosines.argmax()
    assert np.diff(np.sort(positions)).min() >= 30


def test_a_position_that_is_close_to_one_on_each_side_takes_the_place_of_both() -> None:
    cosines = np.zeros(300, np.float32)
    cosines[[10, 30, 50, 200, 190]] = 0.5, 0.9, 0.6, 0.7, 0.8
    senses = np.where(cosines > 0, 0, -1).astype(np.int32)
    best, positions = np.full((1, 3), -2, np.float32), np.full((1, 3), -1, np.int64)
    for t in (10, 50, 200, 30, 190):
        keep_best(senses[t : t + 1], cosines[t : t + 1], t, 25, best, positions)
    assert positions.tolist() == [[30, 190, -1]]
    assert best[0].tolist() == pytest.approx([0.9, 0.8, -2])
