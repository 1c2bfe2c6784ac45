"""Tables of vectors that take less space than float32: int8 with a scale per row, or float16.

row = scale * values      scale = max |row| / 127, values = the row divided by its scale, rounded
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from polyseme.errors import ConfigError

Dtype = Literal["float32", "float16", "int8"]
Floats = NDArray[np.float32]

BLOCK_ROWS = 512  # converted to float32 together: they fit in the cache, so that products are as fast as with float32
MAX_INT8 = 127


@dataclass(frozen=True, eq=False)
class CompactRows:
    """A read-only table of float32 numbers, stored with fewer bits. Indexing it by rows gives a float32 array.

    values  int8 or float16 (n, c)  may be memory-mapped
    scales  float32 (n,)            of int8 values; None for float16
    index   int64 (rows,)           the stored row of each row; None if all rows are stored, in order
    """

    values: NDArray[Any]
    scales: Floats | None = None
    index: NDArray[np.int64] | None = None

    ndim = 2
    dtype = np.dtype(np.float32)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), int(self.values.shape[1])

    def __len__(self) -> int:
        return len(self.values if self.index is None else self.index)

    def __getitem__(self, rows: Any) -> Floats:
        stored = rows if self.index is None else self.index[rows]
        numbers = self.values[stored].astype(np.float32)
        if self.scales is not None:
            numbers *= np.asarray(self.scales[stored])[..., None]
        return np.asarray(numbers)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("a compact table has to be copied to become an array")
        return self[:].astype(dtype or np.float32, copy=False)

    def products(self, vectors: Floats, num_rows: int) -> Floats:
        """(num_rows, k) The products of the first rows with some vectors, (k, c)."""
        if self.values.dtype == np.float16 or self.index is not None:
            return np.asarray(self._dense[:num_rows] @ vectors.T)
        products = np.empty((num_rows, len(vectors)), np.float32)
        buffer = np.empty((BLOCK_ROWS, self.shape[1]), np.float32)
        for first in range(0, num_rows, BLOCK_ROWS):
            values = self.values[first : min(first + BLOCK_ROWS, num_rows)]
            block = buffer[: len(values)]
            block[...] = values
            np.matmul(block, vectors.T, out=products[first : first + len(values)])
        return products if self.scales is None else products * self.scales[:num_rows, None]

    @cached_property
    def _dense(self) -> Floats:
        """The whole table. Converting float16 numbers takes longer than a product, so it is done only once."""
        return self[:]


Rows: TypeAlias = Floats | CompactRows


def blocks(rows: Rows) -> Iterator[tuple[int, Floats]]:
    """The table as float32, some rows at a time, each time with the number of the first of them."""
    for first in range(0, len(rows), BLOCK_ROWS):
        yield first, rows[first : first + BLOCK_ROWS]


def products(rows: Rows, vectors: Floats, num_rows: int) -> Floats:
    """(num_rows, k) The products of the first rows of a table with some vectors, (k, d)."""
    if isinstance(rows, CompactRows):
        return rows.products(vectors, num_rows)
    return np.asarray(rows[:num_rows] @ vectors.T)


def compact(rows: Rows, dtype: Dtype, name: str) -> CompactRows:
    """A table with its numbers rounded to int8 or float16. ConfigError if they are too large or not numbers.

    >>> compact(np.array([[0.5, -1.27], [0, 0]], np.float32), "int8", "sense_vectors").values.tolist()
    [[50, -127], [0, 0]]
    """
    values = np.empty(rows.shape, dtype)
    scales = np.ones(len(rows), np.float32)
    for first, block in blocks(rows):
        last = first + len(block)
        largest = np.abs(block).max(axis=1)
        if not np.all(largest < (np.finfo(np.float16).max if dtype == "float16" else np.inf)):
            raise ConfigError(f"{name} has numbers that {dtype} cannot store, such as {largest.max()}; use float32.")
        if dtype == "int8":
            scales[first:last] = np.maximum(largest / MAX_INT8, np.finfo(np.float32).tiny)
            block = np.rint(block / scales[first:last, None])
        values[first:last] = block
    return CompactRows(values, scales if dtype == "int8" else None)


def dense(rows: Rows) -> Floats:
    """The table as a float32 array: itself if it is one."""
    return np.asarray(rows) if isinstance(rows, CompactRows) else rows
