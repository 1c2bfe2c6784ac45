"""The first line of a vector file: whole numbers that say how large it is. They can be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from polyseme.errors import DataError, shorten
from polyseme.formats.lines import MAX_LINE_BYTES
from polyseme.formats.text_file import is_number

MAX_DIM = 1 << 16


def header_numbers(line: bytes) -> list[int]:
    """The whole numbers of a line, or nothing if it contains anything else."""
    columns = line.split()
    return [int(c) for c in columns] if all(c.isdigit() and len(c) < 19 for c in columns) else []


def read_header(file: BinaryIO, path: Path, names: Sequence[str]) -> list[int]:
    """The numbers of the first line, as many as there are names; the first two are words and dimensions."""
    line = file.readline(MAX_LINE_BYTES)
    numbers = header_numbers(line)
    if len(numbers) != len(names):
        shown = shorten(line.decode("utf-8", "replace").strip())
        raise DataError(f"{path}, line 1: expected the header '{' '.join(names)}', not '{shown}'.")
    size, dim = numbers[:2]
    if size < 1 or not 1 <= dim <= MAX_DIM:
        raise DataError(
            f"{path}, line 1: the header says {size:,} words of {dim:,} dimensions; "
            f"expected at least 1 word and 1 to {MAX_DIM:,} dimensions."
        )
    return numbers


def num_trailing_numbers(line: bytes) -> int:
    """The number of columns at the end of a line that are numbers; the first column is always a word.

    >>> num_trailing_numbers(b"1984 0.5 -1"), num_trailing_numbers(b"new york 0.5 -1")
    (2, 2)
    """
    columns = line.split()[1:]
    return next((i for i, column in enumerate(reversed(columns)) if not is_number(column)), len(columns))
