"""Lanes against NumPy; and rows that are not whole lanes are refused before anything is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.typing import NDArray

from polyseme.kernels.contexts import gather_contexts
from polyseme.kernels.jit import kernel
from polyseme.kernels.simd.padding import LANES, padded_rows, zero_padded_rows
from polyseme.kernels.simd.vector import broadcast, load, reduce_add, sqrt, store


@kernel
def calculate(table: Any, out: Any, number: Any) -> Any:
    """A row of `out` for each operation on rows 0 and 1 of the table; returns the sum of row 0."""
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


def test_operations_are_those_of_numpy() -> None:
    table = np.random.default_rng(0).uniform(1, 2, (2, LANES)).astype(np.float32)
    a, b = table
    out = zero_padded_rows(7, 2 * LANES)
    summed = calculate(table, out, np.float32(3))
    expected = [a + b, a - b, a * b, a / b, np.sqrt(a), np.full(LANES, 3)]
    np.testing.assert_allclose(out[:6, :LANES], expected, rtol=1e-6)
    np.testing.assert_allclose(out[6], np.concatenate([np.zeros(LANES), a + b]), rtol=1e-6)
    assert summed == pytest.approx(a.sum(), rel=1e-6)


def contexts(context_table: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    tokens, places = np.arange(3, dtype=np.int32), np.array([1])
    weights = np.ones(3, np.float32)
    gather_contexts(tokens, places, places - 1, places + 2, 1, np.float32(1), weights, context_table, out)


def test_rows_that_are_not_whole_lanes_are_refused() -> None:
    with pytest.raises(ValueError, match="whole lanes"):
        contexts(np.ones((3, 10), np.float32), np.empty((1, 10), np.float32))
    with pytest.raises(ValueError, match="one length"):
        contexts(np.ones((3, 32), np.float32), np.empty((1, 16), np.float32))


def test_tables_of_other_numbers_or_in_another_order_are_refused() -> None:
    for table in (np.ones((2, LANES)), np.ones((2, LANES), np.float32, order="F")):
        with pytest.raises(TypingError, match="float32 tables in C order"):
            calculate(table, zero_padded_rows(7, 2 * LANES), np.float32(3))


@pytest.mark.parametrize("dim", [10, 64, 100])
def test_a_context_is_the_sum_of_rows_of_any_length(dim: int) -> None:
    context_table = np.random.default_rng(0).normal(size=(3, dim)).astype(np.float32)
    out = zero_padded_rows(1, dim)
    contexts(padded_rows(context_table), out)
    np.testing.assert_allclose(out[0, :dim], context_table[0] + context_table[2], rtol=1e-5)
    assert not out[0, dim:].any()
