"""Whitening: the vector space in which contexts are compared to choose a sense.

The contexts of all words vary most along a few principal components, which would dominate the comparison although they
do not tell the senses of one word apart. With C the covariance of the vectors of the tokens and m their mean, a row x
becomes

    (x - m) E diag(lambda)^(-a/2),     C = E diag(lambda) E^T

a = 0 keeps the variances as they are, a = 1 makes them equal. Only the components with the largest variance are kept:
the others are mostly noise, which whitening would amplify.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import TrainingError
from polyseme.kernels.simd.padding import zero_padded_rows

MIN_EIGENVALUE = 1e-6  # relative to the largest
CHUNK_ROWS = 4096

Floats = NDArray[np.float32]


def whiten(vectors: Floats, weights: NDArray[np.float64], exponent: float, components: int) -> Floats:
    """The rows of `vectors`, whitened: (V, components), padded with zeros as kernels need them.

    vectors     IN  float32 (V, d)
    weights     IN  float64 (V,)    weight of each row in mean and covariance: the number of its tokens
    exponent    a of the equation above
    components  number of principal components to keep
    """
    shares = (weights / weights.sum()).astype(np.float32)
    mean = shares @ vectors
    covariance = np.zeros((len(mean), len(mean)))
    for rows in _chunks(len(vectors)):
        centered = vectors[rows] - mean
        covariance += (centered * shares[rows, None]).T @ centered
    if not np.isfinite(covariance).all():
        raise TrainingError("training diverged: vectors are not finite; try a lower --learning-rate.")
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)  # in ascending order
    eigenvalues = np.maximum(eigenvalues / max(eigenvalues[-1], 1e-30), MIN_EIGENVALUE)
    transform = (eigenvectors * eigenvalues ** (-exponent / 2))[:, -components:].astype(np.float32)
    out = zero_padded_rows(len(vectors), transform.shape[1])
    for rows in _chunks(len(vectors)):
        out[rows, : transform.shape[1]] = (vectors[rows] - mean) @ transform
    return out


def _chunks(n: int) -> Iterator[slice]:
    """Slices of n rows: a copy of all rows at once may not fit in memory."""
    return (slice(first, first + CHUNK_ROWS) for first in range(0, n, CHUNK_ROWS))
