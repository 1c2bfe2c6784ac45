"""Random senses as a control."""

from __future__ import annotations

import numpy as np
import pytest

from polyseme.evaluation.controls import with_random_sense

PROBABILITIES = np.array([0.2, 0.7, 0.1])


@pytest.mark.parametrize(("sampled", "expected"), [(0, [0.7, 0.2, 0.1]), (1, [0.2, 0.7, 0.1]), (2, [0.2, 0.1, 0.7])])
def test_the_sampled_sense_swaps_its_probability_with_the_best(sampled: int, expected: list[float]) -> None:
    shares = np.eye(3)[sampled]
    assert with_random_sense(PROBABILITIES, shares, np.random.default_rng(0)).tolist() == expected
    assert PROBABILITIES.tolist() == [0.2, 0.7, 0.1]


def test_senses_are_sampled_by_their_shares() -> None:
    rng = np.random.default_rng(1)
    best = [int(with_random_sense(PROBABILITIES, np.array([0.5, 0.3, 0.2]), rng).argmax()) for _ in range(4000)]
    np.testing.assert_allclose(np.bincount(best) / 4000, [0.5, 0.3, 0.2], atol=0.03)
