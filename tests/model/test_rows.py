"""Tables with fewer bits: close to the float32 numbers, and indexed as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme.errors import ConfigError
from polyseme.model import rows as module
from polyseme.model.data import row_norms, unit_rows
from polyseme.model.rows import CompactRows, Dtype, compact, dense, products

TABLE = np.random.default_rng(0).standard_normal((1300, 20)).astype(np.float32) * np.float32(3)
TABLE[7] = 0
DTYPES: list[Dtype] = ["int8", "float16"]


@pytest.fixture(params=DTYPES)
def small(request: pytest.FixtureRequest) -> CompactRows:
    return compact(TABLE, request.param, "vectors")


def test_int8_numbers_are_rounded_to_a_127th_of_the_largest_of_their_row() -> None:
    small = compact(TABLE, "int8", "vectors")
    half_a_step = np.abs(TABLE).max(axis=1, keepdims=True) / 127 / 2
    assert np.all(np.abs(dense(small) - TABLE) <= half_a_step * 1.0001)
    assert small.values.dtype == np.int8
    assert np.abs(small.values[TABLE.any(axis=1)]).max(axis=1).tolist() == [127] * 1299


def test_float16_numbers_are_those_of_numpy() -> None:
    assert np.array_equal(dense(compact(TABLE, "float16", "vectors")), TABLE.astype(np.float16))


@pytest.mark.parametrize(
    "key", [3, -1, slice(5, 9), [1, 1, 4], np.array([2, 0]), np.arange(1300) % 2 == 0, slice(0, 0)], ids=str
)
def test_indexing_gives_the_rows_of_the_dense_table(key: Any, small: CompactRows) -> None:
    assert np.array_equal(small[key], dense(small)[key])
    assert small[key].dtype == np.float32


def test_a_table_with_an_index_repeats_its_stored_rows() -> None:
    small = compact(TABLE, "int8", "vectors")
    table = CompactRows(small.values, small.scales, np.array([7, 1, 1]))
    assert table.shape == (3, 20)
    assert np.array_equal(dense(table), dense(small)[[7, 1, 1]])
    assert np.array_equal(table[1], small[1])
    assert np.allclose(table.products(TABLE[:3], 2), dense(table)[:2] @ TABLE[:3].T)


@pytest.mark.parametrize("num_rows", [0, 1, 512, 513, 1300])
def test_products_and_norms_are_those_of_the_dense_table(num_rows: int, small: CompactRows) -> None:
    full = dense(small)
    assert np.allclose(products(small, TABLE[:3], num_rows), full[:num_rows] @ TABLE[:3].T, rtol=1e-4, atol=1e-4)
    assert np.allclose(row_norms(small), row_norms(full))
    assert np.allclose(unit_rows(small), unit_rows(full))


def test_rounding_again_changes_nothing(small: CompactRows) -> None:
    again = compact(small, "int8" if small.scales is not None else "float16", "vectors")
    assert np.array_equal(again.values, small.values)


def test_numpy_functions_take_the_table_as_an_array(small: CompactRows) -> None:
    array: NDArray[np.float64] = np.asarray(small, np.float64)
    assert array.dtype == np.float64
    assert np.allclose(small @ TABLE[0], dense(small) @ TABLE[0])
    with pytest.raises(ValueError, match="has to be copied"):
        np.array(small, copy=False)


@pytest.mark.parametrize(
    ("dtype", "value"), [("int8", np.nan), ("int8", np.inf), ("float16", 1e5), ("float16", np.nan)]
)
def test_numbers_that_cannot_be_stored_are_refused(dtype: Dtype, value: float) -> None:
    table = TABLE.copy()
    table[1000, 3] = value
    with pytest.raises(
        ConfigError, match=f"^sense_vectors has numbers that {dtype} cannot store, such as .*; use float32"
    ):
        compact(table, dtype, "sense_vectors")


@pytest.mark.parametrize("value", [1e-45, 1e-38, 1e38])
def test_the_smallest_and_largest_numbers_stay_finite(value: float) -> None:
    table = np.full((2, 3), value, np.float32)
    stored = dense(compact(table, "int8", "vectors"))
    assert np.allclose(stored, table, rtol=0.01, atol=module.MAX_INT8 * np.finfo(np.float32).tiny)
