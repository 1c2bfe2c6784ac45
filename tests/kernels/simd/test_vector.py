"""Vector operations against NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError

from polyseme.kernels.jit import kernel
from polyseme.kernels.simd.padding import LANES, zero_padded_rows
from polyseme.kernels.simd.vector import broadcast, load, reduce_add, sqrt, store


@kernel
def calculate(table: Any, out: Any, number: Any) -> Any:
    """Write the result of each operation on rows 0 and 1 of the table to a row of `out`; return the sum of row 0."""
    a, b = load(table, 0, 0), load(table, 1, 0)
    store(out, 0, 0, a + b)
    store(out, 1, 0, a - b)
    store(out, 2, 0, a * b)
    store(out, 3, 0, a / b)
    store(out, 4, 0, sqrt(a))
    store(out, 5, 0, broadcast(number))
    a += b
    store(out, 6, LANES, a)
    return reduce_add(load(table, 0, 0))


def test_operations_match_numpy() -> None:
    table = np.random.default_rng(0).uniform(1, 2, (2, LANES)).astype(np.float32)
    a, b = table
    out = zero_padded_rows(7, 2 * LANES)
    summed = calculate(table, out, np.float32(3))
    expected = [a + b, a - b, a * b, a / b, np.sqrt(a), np.full(LANES, 3)]
    np.testing.assert_allclose(out[:6, :LANES], expected, rtol=1e-6)
    np.testing.assert_allclose(out[6], np.concatenate([np.zeros(LANES), a + b]), rtol=1e-6)
    assert summed == pytest.approx(a.sum(), rel=1e-6)


def test_only_c_contiguous_float32_tables_are_accepted() -> None:
    for table in (np.ones((2, LANES)), np.ones((2, LANES), np.float32, order="F")):
        with pytest.raises(TypingError, match="C-contiguous float32 tables"):
            calculate(table, zero_padded_rows(7, 2 * LANES), np.float32(3))


CHECKED = """
import numpy as np
from polyseme.kernels.jit import kernel
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.vector import load, store

@kernel
def copy(table, row, column):
    store(table, 0, 0, load(table, row, column))

table = np.zeros((3, 2 * LANES), np.float32)
for row, column in [(2, 0), (0, LANES), (3, 0), (-1, 0), (0, LANES + 1), (0, -1)]:
    try:
        copy(table, row, column)
        print("ok")
    except IndexError:
        print("refused")
"""


def test_vectors_outside_of_a_table_are_refused_if_numba_checks_bounds() -> None:
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, "-c", CHECKED], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ok", "ok", "refused", "refused", "refused", "refused"]
