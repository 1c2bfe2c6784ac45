"""Decimal numbers: read as the nearest float32, and written so that they are read as the same."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyseme.formats.text_file import parse_floats
from polyseme.kernels.decimals import MAX_NUMBER_BYTES, format_lines, parse_lines

TINY = np.finfo(np.float32).tiny
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
DECIMALS = st.one_of(
    st.decimals(min_value=Decimal(-10) ** 38, max_value=Decimal(10) ** 38).map(str),
    st.builds("{}{}.{}".format, st.sampled_from(["", "-", "+"]), st.integers(0, 10**12), st.integers(0, 10**25)),
    st.builds("{}e{}".format, st.integers(-(10**22), 10**22), st.integers(-30, 15)),
    FLOATS.map(repr),
    FLOATS.map(lambda x: str(np.float32(x))),
    # In the middle of two float32, and next to it.
    st.builds(
        "{}{}".format, st.integers(0, 2**22).map(lambda x: Decimal(1 + (2 * x + 1) * 2.0**-24)), st.sampled_from("01")
    ),
)


def parse(text: bytes, dim: int, *, has_words: bool = True) -> tuple[list[str], NDArray[np.float32], list[list[int]]]:
    words, rows = np.empty(len(text) + 1, np.uint8), np.empty((len(text) // (2 * dim) + 1, dim), np.float32)
    irregular, value = np.empty((len(rows), 4), np.int64), np.empty(1)
    num_rows, num_letters, num_irregular = parse_lines(
        np.frombuffer(text, np.uint8), has_words, words, rows, irregular, value, value.view(np.uint64)
    )
    names = words[:num_letters].tobytes().decode().split("\n")[:-1]
    return names, rows[:num_rows], irregular[:num_irregular].tolist()


def write(prefixes: list[bytes], rows: NDArray[np.float32], separator: bytes = b" ") -> bytes:
    text, bounds, value = b"".join(prefixes), np.cumsum([0, *map(len, prefixes)]), np.empty(1)
    out = np.empty(len(text) + rows.size * MAX_NUMBER_BYTES + len(rows), np.uint8)
    size = format_lines(
        np.frombuffer(text, np.uint8), bounds, rows, rows.view(np.uint32), separator[0], out, value,
        value.view(np.uint64),
    )  # fmt: skip
    return out[:size].tobytes()


def nearest(text: str) -> np.float32:
    """The float32 that is nearest to a decimal number, by exact comparison with its neighbours."""
    exact, guess = Decimal(text), np.float32(float(text))
    around = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    finite = [x for x in around if np.isfinite(x)]
    with localcontext(prec=1000):
        return min(finite, key=lambda x: (abs(Decimal(float(x)) - exact), int(x.view(np.uint32)) & 1))


@given(DECIMALS)
def test_a_number_is_read_as_the_nearest_float32_or_left_to_python_which_does_the_same(text: str) -> None:
    expected = nearest(text)
    if 0 < abs(expected) < 2 * TINY:  # subnormal numbers are rounded twice
        return
    assert parse_floats([text.encode()], "")[0] == expected
    _, rows, irregular = parse(text.encode(), 1, has_words=False)
    if not irregular:
        assert rows[0, 0] == expected
        assert np.signbit(rows[0, 0]) == text.startswith("-")


def test_the_kernel_reads_the_numbers_of_common_files_itself() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(scale=0.3, size=2000)
    for spelling in ("%.6f", "%.17g", "%.9g", "%.5e", "%d"):
        text = b"\n".join((spelling % value).encode() for value in values)
        _, rows, irregular = parse(text, 1, has_words=False)
        assert irregular == []
        assert rows[:, 0].tolist() == np.array([float(spelling % v) for v in values], np.float32).tolist()


@given(st.lists(FLOATS, min_size=1, max_size=8))
def test_numbers_are_written_with_few_digits_and_read_as_the_same_bits(values: list[float]) -> None:
    rows = np.array([values], np.float32)
    text = write([b"bank#1 "], rows)
    assert text.startswith(b"bank#1 ")
    assert text.endswith(b"\n")
    columns = text.split()[1:]
    assert all(len(column) < MAX_NUMBER_BYTES for column in columns)
    assert np.array_equal(np.array([float(c) for c in columns], np.float32).view(np.uint32), rows.view(np.uint32)[0])


def test_numbers_have_their_usual_spelling() -> None:
    values = [0, -0.0, 1, -0.5, 0.1, 100, 123456.7, 1e-5, 1e-6, 16777216, 1e9, 3.4028235e38, 1e-45, 999999.94]
    written = b"0 -0 1 -0.5 0.1 100 123456.7 0.00001 1e-06 16777216 1e+09 3.4028235e+38 1.401298e-45 999999.94"
    assert write([b""], np.array([values], np.float32)) == written + b"\n"
    assert write([b"", b""], np.array([[1, 2], [3, 4]], np.float32), b"\t") == b"1\t2\n3\t4\n"


def test_words_and_vectors_are_found_between_any_white_space() -> None:
    words, rows, irregular = parse("a 1 2\n\n \t\r\n  flüsse\t+3\x0b-4e0 \r\nb .5 5.".encode(), 2)
    assert words == ["a", "flüsse", "b"]
    assert rows.tolist() == [[1, 2], [3, -4], [0.5, 5]]
    assert irregular == []


@pytest.mark.parametrize(
    "line", ["a 1", "a 1 2 3", "a 1 x", "a 1 .", "a 1 -", "a 1 1e", "a 1 nan", "a 1 1e40", "a 1 0x1", "a 1 1-2", "a"]
)
def test_lines_that_are_not_a_word_and_its_numbers_are_left_to_the_caller(line: str) -> None:
    words, rows, irregular = parse(f"b 5 6\n{line}\nc 7 8\n".encode(), 2)
    assert words == ["b", "", "c"]
    assert rows[[0, 2]].tolist() == [[5, 6], [7, 8]]
    assert irregular == [[1, 1, 6, 6 + len(line)]]


def test_more_irregular_lines_than_there_is_room_for_are_reported() -> None:
    text, value = np.frombuffer(b"a\nb\nc\n", np.uint8), np.empty(1)
    words, rows, irregular = np.empty(7, np.uint8), np.empty((4, 1), np.float32), np.empty((2, 4), np.int64)
    assert parse_lines(text, True, words, rows, irregular, value, value.view(np.uint64)) == (0, 0, -1)


def test_lines_beyond_the_possible_number_of_vectors_end_the_reading() -> None:
    _, rows, irregular = parse(b"a\n" * 50, 10)
    assert len(rows) == len(irregular) == 100 // 20 + 1
