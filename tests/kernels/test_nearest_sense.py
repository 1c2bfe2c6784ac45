"""The choice of a sense by cosine and log prior."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polyseme.kernels.jit import kernel
from polyseme.kernels.nearest_sense import inverse_norms, nearest_sense
from polyseme.kernels.simd.padding import padded_rows

CENTERS = padded_rows(np.array([[9, 9], [2, 0], [0, 3], [0, 4], [0, 0]], np.float32))
FIRST, LAST = 1, 5


@kernel
def choose(context: Any, scale: Any, centers: Any, center_inverse_norms: Any, log_prior: Any) -> Any:
    return nearest_sense(context, scale, FIRST, LAST, centers, center_inverse_norms, log_prior)


def chosen(x: float, y: float, log_prior: Any = None) -> tuple[int, float]:
    context = padded_rows(np.array([[x, y]], np.float32))
    row, cosine = choose(context, inverse_norms(context)[0], CENTERS, inverse_norms(CENTERS), log_prior)
    return row, cosine


def test_the_highest_cosine_wins_among_the_rows_of_the_word() -> None:
    row, cosine = chosen(3, 1)
    assert row == 1
    assert cosine == pytest.approx(3 / np.sqrt(10))


def test_the_first_of_equal_senses_wins() -> None:
    assert chosen(0, 1)[0] == 2


def test_a_context_of_zeros_gets_the_first_sense_with_a_cosine_of_zero() -> None:
    assert chosen(0, 0) == (1, 0)


def test_a_log_prior_changes_the_choice_but_not_the_cosine() -> None:
    log_prior = np.log(np.array([1, 0.01, 0.1, 0.8, 0.09], np.float32))
    row, cosine = chosen(3, 1, log_prior)
    assert row == 3
    assert cosine == pytest.approx(1 / np.sqrt(10))


def test_a_log_prior_far_below_any_cosine_still_gives_a_sense() -> None:
    log_prior = np.full(len(CENTERS), -100, np.float32)
    assert chosen(0, 1, log_prior)[0] == 2


def test_the_inverse_norm_of_a_row_of_zeros_is_zero() -> None:
    np.testing.assert_allclose(inverse_norms(CENTERS), [1 / np.sqrt(162), 1 / 2, 1 / 3, 1 / 4, 0], rtol=1e-6)
