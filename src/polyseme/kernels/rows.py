"""Operations on rows of padded float32 tables (see `simd.padding`), and constants for kernels."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import inline
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.vector import broadcast, load, reduce_add, store

ZERO, ONE = np.float32(0), np.float32(1)
# Index 0 as a variable: Numba would compile a function once more for the literal 0.
FIRST = np.int64(0)


@inline
def dot(a, row_a, b, row_b):
    """a[row_a] . b[row_b]"""
    products = broadcast(ZERO)
    for i in range(0, a.shape[1], LANES):
        products += load(a, row_a, i) * load(b, row_b, i)
    return reduce_add(products)


@inline
def copy_row(source, row, target, target_row):
    """target[target_row] = source[row]"""
    for i in range(0, source.shape[1], LANES):
        store(target, target_row, i, load(source, row, i))


@inline
def clear_row(table, row):
    """table[row] = 0"""
    for i in range(0, table.shape[1], LANES):
        store(table, row, i, broadcast(ZERO))


@inline
def inverse_norm(squared_norm):
    """1 / |x|, given |x|^2; 0 for the zero vector."""
    return ONE / np.sqrt(squared_norm) if squared_norm > ZERO else ZERO


@inline
def check_padding(table):
    """Refuse a table whose rows are not padded: loads would read beyond their end."""
    if table.shape[1] % LANES:
        raise ValueError("rows must be padded: pass the table through padded_rows")


@inline
def check_same_width(table, other):
    """Refuse two tables with rows of different lengths."""
    if table.shape[-1] != other.shape[-1]:
        raise ValueError("the rows of both tables must have the same length")
