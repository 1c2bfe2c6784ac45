"""Whitening: the space in which contexts are compared to choose a sense.

A few directions in which the contexts of all words vary drown those in which the contexts of one word differ.
With C the covariance of the vectors of running words and m their mean, a row x becomes

    (x - m) E diag(lambda)^(-a/2),     C = E diag(lambda) E^T

so that a = 0 leaves the shape as it is and a = 1 makes every direction count the same. Of the directions E only those
in which vectors vary most are kept: the others are mostly noise, which whitening would make as loud as the rest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SMALLEST = 1e-6  # of the largest eigenvalue


def whitened(
    vectors: NDArray[np.float32], weights: NDArray[np.float64], exponent: float, directions: int
) -> NDArray[np.float32]:
    """Whiten rows by the covariance they have when row w stands for weights[w] running words; (V, directions)."""
    shares = weights / weights.sum()
    rows = vectors - (shares @ vectors).astype(np.float32)
    covariance = (rows * shares[:, None].astype(np.float32)).T @ rows
    values, basis = np.linalg.eigh(covariance.astype(np.float64))  # the smallest first
    values = np.maximum(values / max(values[-1], 1e-30), SMALLEST)
    transform = (basis * values ** (-exponent / 2))[:, -directions:]
    return np.asarray(rows @ transform.astype(np.float32))
