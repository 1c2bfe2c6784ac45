"""Scores and bootstrap intervals, compared with the normal approximation."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from polyseme.evaluation.scores import (
    BOOTSTRAP_SAMPLES,
    accuracy_score,
    bootstrap_indices,
    bootstrap_interval,
    mean_score,
)

HALF = np.repeat([0.0, 1.0], 200)
STANDARD_ERROR = 0.5 / 400**0.5  # of the mean of HALF


def test_the_interval_of_a_mean_is_that_of_the_normal_approximation() -> None:
    score = mean_score(HALF, control=0.25)
    assert (score.value, score.control) == (0.5, 0.25)
    assert (score.low, score.high) == pytest.approx(
        (0.5 - 1.96 * STANDARD_ERROR, 0.5 + 1.96 * STANDARD_ERROR), abs=STANDARD_ERROR / 4
    )


def test_the_interval_of_a_mean_is_that_of_all_samples_at_once_in_little_memory() -> None:
    values = np.random.default_rng(1).random(5000)
    expected = bootstrap_interval(len(values), lambda samples: values[samples].mean(axis=1))
    tracemalloc.start()
    score = mean_score(values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (score.low, score.high) == pytest.approx(expected, abs=1e-12)
    assert peak < 1_000_000  # 5,000 indices of 1,000 samples have 40 MB


def test_equal_values_have_an_interval_of_width_0() -> None:
    score = mean_score(np.full(7, 0.25))
    assert (score.value, score.low, score.high, score.control) == (0.25, 0.25, 0.25, None)


def test_an_accuracy_is_a_percentage_with_a_binomial_interval() -> None:
    score = accuracy_score(np.arange(400) % 4 > 0, control=0.4)
    error = 100 * (0.75 * 0.25 / 400) ** 0.5
    assert (score.value, score.control) == (75, 40)
    assert (score.low, score.high) == pytest.approx((75 - 1.96 * error, 75 + 1.96 * error), abs=error / 4)


def test_bootstrap_samples_are_drawn_with_replacement_and_depend_on_the_seed() -> None:
    indices = bootstrap_indices(10, seed=3)
    assert indices.shape == (BOOTSTRAP_SAMPLES, 10)
    np.testing.assert_allclose(np.bincount(indices.ravel()) / BOOTSTRAP_SAMPLES, 1, atol=0.15)
    # A sample has 1 - (1 - 1/n)^n of the items, on average.
    assert np.mean([len(set(sample)) for sample in indices.tolist()]) == pytest.approx(10 * (1 - 0.9**10), abs=0.1)
    assert np.array_equal(indices, bootstrap_indices(10, seed=3))
    assert not np.array_equal(indices, bootstrap_indices(10, seed=4))


def test_samples_without_a_value_are_left_out_of_the_interval() -> None:
    some_undefined = np.where(np.arange(BOOTSTRAP_SAMPLES) % 2, np.nan, 0.5)
    assert bootstrap_interval(5, lambda _: some_undefined) == (0.5, 0.5)
    low, high = bootstrap_interval(5, lambda _: np.full(BOOTSTRAP_SAMPLES, np.nan))
    assert np.isnan([low, high]).all()
