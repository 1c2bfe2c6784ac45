"""Whitening: the covariance of the whitened vectors."""

from __future__ import annotations

import numpy as np
import pytest

from polyseme.errors import TrainingError
from polyseme.training.whitening import whiten


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_eigenvalues_of_the_covariance_are_raised_to_a_power(exponent: float) -> None:
    random = np.random.default_rng(0)
    vectors = (random.normal(size=(500, 6)) * [9, 5, 3, 2, 1, 0.5] + 4).astype(np.float32)
    weights = random.random(500)

    def relative_variances(
        rows: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        covariance = np.cov(rows.T, aweights=weights, ddof=0)
        values = np.linalg.eigvalsh(covariance)
        return values / values[-1]  # type: ignore[no-any-return]

    after = whiten(vectors, weights, exponent, 6)[:, :6]
    np.testing.assert_allclose(relative_variances(after), relative_variances(vectors) ** (1 - exponent), rtol=1e-3)
    np.testing.assert_allclose(weights @ after, 0, atol=1e-2)


def test_vectors_of_lower_rank_stay_finite() -> None:
    assert np.isfinite(whiten(np.ones((10, 4), np.float32), np.ones(10), 1.0, 4)).all()


def test_the_principal_components_with_the_largest_variance_are_kept() -> None:
    random = np.random.default_rng(0)
    vectors = (random.normal(size=(500, 3)) * [1, 9, 0.1]).astype(np.float32)
    kept = whiten(vectors, np.ones(500), 1.0, 2)
    assert not kept[:, 2:].any()
    correlations = np.abs(np.corrcoef(kept[:, :2].T, vectors.T)[:2, 2:])
    np.testing.assert_allclose(correlations, [[1, 0, 0], [0, 1, 0]], atol=0.15)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_vectors_that_diverged_are_refused(value: float) -> None:
    vectors = np.random.default_rng(0).random((50, 4), np.float32)
    vectors[3, 2] = value
    with np.errstate(all="ignore"), pytest.raises(TrainingError, match="training diverged"):
        whiten(vectors, np.ones(50), 0.9, 4)
