"""The kernels that exchange changes of rows, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from polyseme.kernels.row_changes import (
    add_changes,
    add_contexts,
    apply_moves,
    collect_changes,
    scale_rows,
    store_rows,
    subtract_contexts,
)

N, DIM, WIDTH = 50, 20, 32  # rows, and their columns without and with padding
ROWS = np.array([0, 3, 4, 17, N - 1], np.int32)
NO_ROWS = np.empty(0, np.int32)

rng = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("num_rows", [0, 18, N])
@pytest.mark.parametrize("changed", [NO_ROWS, ROWS, np.arange(N, dtype=np.int32)])
def test_changed_rows_are_collected_with_their_changes(changed: np.ndarray, num_rows: int) -> None:
    table, before = normal(N + 3, WIDTH), np.empty((N, WIDTH), np.float32)
    before[:] = table[:N]
    before[:, DIM:] += 1  # padding is not compared
    table[changed, :DIM] += normal(len(changed), DIM)
    if len(changed) == len(ROWS):  # a single column differs
        table[3, :DIM] = before[3, :DIM]
        table[3, DIM - 1] = np.nextafter(before[3, DIM - 1], np.float32(9))
    rows, changes = np.empty(num_rows, np.int32), np.empty((num_rows, DIM), np.float32)
    found = collect_changes(table, before, rows, changes)
    expected = changed[changed < num_rows]
    assert rows[:found].tolist() == expected.tolist()
    assert np.array_equal(changes[:found], (table[:N] - before)[expected, :DIM])


def test_a_row_that_is_not_a_number_has_changed() -> None:
    table, before = np.zeros((3, DIM), np.float32), np.zeros((3, DIM), np.float32)
    table[1, 5] = np.nan
    rows, changes = np.empty(3, np.int32), np.empty((3, DIM), np.float32)
    assert collect_changes(table, before, rows, changes) == 1
    assert rows[0] == 1
    assert np.isnan(changes[0, 5])


def read_only(array: np.ndarray) -> np.ndarray:
    """As workers receive arrays from Ray."""
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("rows", [NO_ROWS, ROWS])
def test_values_are_stored_in_two_tables(rows: np.ndarray) -> None:
    tables = normal(2, N, WIDTH)
    expected, values = tables.copy(), read_only(normal(len(rows), DIM))
    expected[:, rows, :DIM] = values
    store_rows(values, rows, *tables)
    assert np.array_equal(tables, expected)


@pytest.mark.parametrize("rows", [NO_ROWS, ROWS])
def test_moves_are_scaled_and_changes_are_added(rows: np.ndarray) -> None:
    moves, factors, shares = normal(N, DIM), normal(N), normal(N)
    changes, expected = read_only(normal(len(rows), DIM)), moves.copy()
    expected[rows] *= factors[rows, None]
    scale_rows(moves, rows, factors)
    assert np.array_equal(moves, expected)
    expected[rows] += shares[rows, None] * changes
    add_changes(changes, rows, shares, moves)
    np.testing.assert_allclose(moves, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rows", [NO_ROWS, ROWS])
def test_moves_are_applied_and_the_new_values_returned(rows: np.ndarray) -> None:
    moves, table = normal(N, DIM), normal(N + 3, WIDTH)
    expected, values = table.copy(), np.empty((len(rows), DIM), np.float32)
    expected[rows, :DIM] += moves[rows]
    apply_moves(moves, rows, table, values)
    assert np.array_equal(table, expected)
    assert np.array_equal(values, expected[rows, :DIM])


@pytest.mark.parametrize("width", [0, WIDTH])  # 0: during the warm-up, and in models without centers
@pytest.mark.parametrize("rows", [NO_ROWS, ROWS])
def test_contexts_are_subtracted_and_added(rows: np.ndarray, width: int) -> None:
    counts, before = rng.integers(1, 1_000_000, N), rng.integers(0, 1000, N)
    counts[3], before[3] = 5, 5
    before[4] = 0  # a sense without contexts so far
    centers, centers_before = (normal(N if width else 0, WIDTH) for _ in range(2))
    sums = np.empty((len(rows), width), np.float32)
    subtract_contexts(centers, counts, centers_before, before, rows, sums)
    if width:
        exact = counts[:, None] * centers.astype(float) - before[:, None] * centers_before.astype(float)
        np.testing.assert_allclose(sums, exact[rows], rtol=1e-6)

    merged, merged_counts = centers_before.copy(), before.copy()
    add_contexts(read_only(sums), (counts - before)[rows], rows, merged, merged_counts)
    expected_counts, expected = before.copy(), centers_before.copy()
    expected_counts[rows] = counts[rows]
    assert np.array_equal(merged_counts, expected_counts)
    if width:
        expected[rows] = centers[rows]
    np.testing.assert_allclose(merged, expected, rtol=1e-4, atol=1e-5)


def test_a_sense_without_contexts_has_no_center() -> None:
    centers, counts = np.zeros((2, WIDTH), np.float32), np.zeros(2, np.int64)
    rows = np.array([1], np.int32)
    add_contexts(np.zeros((1, WIDTH), np.float32), np.zeros(1, np.int64), rows, centers, counts)
    assert not centers.any()
    assert not counts.any()
