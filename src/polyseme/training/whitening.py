"""Whitening: the space in which contexts are compared to choose a sense.

A few directions in which the contexts of all words vary drown those in which the contexts of one word differ.
With C the covariance of the vectors of running words and m their mean, a row x becomes

    (x - m) E diag(lambda)^(-a/2),     C = E diag(lambda) E^T

so that a = 0 leaves the shape as it is and a = 1 makes every direction count the same. Of the directions E only those
in which vectors vary most are kept: the others are mostly noise, which whitening would make as loud as the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.simd.padding import zero_padded_rows

SMALLEST = 1e-6  # of the largest eigenvalue
ROWS_AT_ONCE = 4096

Floats = NDArray[np.float32]


def whitened(vectors: Floats, weights: NDArray[np.float64], exponent: float, directions: int) -> Floats:
    """Whiten rows by the covariance they have when row w stands for weights[w] running words.

    Returns (V, directions), in rows as kernels take them: with zeros up to whole lanes.
    """
    shares = (weights / weights.sum()).astype(np.float32)
    mean = shares @ vectors
    covariance = np.zeros((len(mean), len(mean)))
    for rows in _pieces(len(vectors)):
        centered = vectors[rows] - mean
        covariance += (centered * shares[rows, None]).T @ centered
    values, basis = np.linalg.eigh(covariance)  # the smallest first
    values = np.maximum(values / max(values[-1], 1e-30), SMALLEST)
    transform = (basis * values ** (-exponent / 2))[:, -directions:].astype(np.float32)
    out = zero_padded_rows(len(vectors), transform.shape[1])
    for rows in _pieces(len(vectors)):
        out[rows, : transform.shape[1]] = (vectors[rows] - mean) @ transform
    return out


def _pieces(n: int) -> Iterator[slice]:
    """There is no room for a copy of all rows."""
    return (slice(first, first + ROWS_AT_ONCE) for first in range(0, n, ROWS_AT_ONCE))
