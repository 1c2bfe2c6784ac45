"""Arrays with padded rows, which kernels read LANES numbers at a time (see `vector`).

Rows are padded with zeros to whole cache lines, so that loops over a row need no remainder. Arrays made here also start
each row at the beginning of a cache line, which is faster but not required.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FLOATS_PER_LINE = 16  # float32 numbers in a cache line of 64 bytes: the unit of padding, alignment and prefetching
LANES = 16  # float32 numbers in a vector; must divide FLOATS_PER_LINE

Floats = NDArray[np.float32]


def padded_width(n: int) -> int:
    """n rounded up to whole cache lines.

    >>> padded_width(100), padded_width(64)
    (112, 64)
    """
    return -(-n // FLOATS_PER_LINE) * FLOATS_PER_LINE


def zero_padded_rows(n: int, dim: int) -> Floats:
    """Zeros of shape (n, padded_width(dim)), aligned to cache lines."""
    width = padded_width(dim)
    buffer = np.zeros(n * width + FLOATS_PER_LINE, np.float32)
    first = -buffer.ctypes.data // buffer.itemsize % FLOATS_PER_LINE
    return buffer[first : first + n * width].reshape(n, width)


def padded_rows(array: Floats) -> Floats:
    """The array itself if its rows need no padding, otherwise a padded copy."""
    n, dim = array.shape
    if dim == padded_width(dim) and array.flags.c_contiguous and array.dtype == np.float32:
        return array
    rows = zero_padded_rows(n, dim)
    rows[:, :dim] = array
    return rows
