"""Arrays whose rows kernels can take sixteen numbers at a time (see `kernels.lanes`).

Their rows are whole lanes long, with zeros behind the numbers that are in use, and begin where a cache line does, which
is faster; only what is whole as it comes from elsewhere may begin where it likes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LANES = 16  # float32 numbers, which are a cache line

Floats = NDArray[np.float32]


def padded_width(n: int) -> int:
    """n rounded up to whole lanes.

    >>> padded_width(100), padded_width(64)
    (112, 64)
    """
    return -(-n // LANES) * LANES


def zero_padded_rows(n: int, dim: int) -> Floats:
    """n rows of zeros with room for `dim` numbers each."""
    width = padded_width(dim)
    room = np.zeros(n * width + LANES, np.float32)
    first = -room.ctypes.data // room.itemsize % LANES
    return room[first : first + n * width].reshape(n, width)


def padded_rows(array: Floats) -> Floats:
    """The array itself, if its rows are whole lanes, or a copy with zeros behind them."""
    n, dim = array.shape
    if dim == padded_width(dim) and array.flags.c_contiguous and array.dtype == np.float32:
        return array
    rows = zero_padded_rows(n, dim)
    rows[:, :dim] = array
    return rows
