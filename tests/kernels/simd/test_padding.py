"""Arrays with padded rows."""

from __future__ import annotations

import numpy as np
import pytest

from polyseme.kernels.simd.padding import FLOATS_PER_LINE, LANES, padded_rows, zero_padded_rows


@pytest.mark.parametrize("dim", [1, 16, 100])
def test_rows_start_at_a_cache_line(dim: int) -> None:
    rows = zero_padded_rows(5, dim)
    assert rows.shape[1] % LANES == 0
    assert dim <= rows.shape[1] < dim + FLOATS_PER_LINE
    assert rows.flags.c_contiguous
    assert all(row.ctypes.data % 64 == 0 for row in rows)
    assert not rows.any()


def test_an_array_that_needs_no_padding_is_not_copied() -> None:
    array = np.ones((3, 32), np.float32)
    assert padded_rows(array) is array


def test_an_array_that_needs_padding_is_copied_with_zeros_at_the_end() -> None:
    array = np.random.default_rng(0).random((3, 20), np.float32)
    for given in (array, np.repeat(array, 2, axis=1)[:, ::2]):
        rows = padded_rows(given)
        np.testing.assert_array_equal(rows[:, :20], array)
        assert rows.shape == (3, 32)
        assert not rows[:, 20:].any()
