"""Lines of a vector file, read in bounded memory: a damaged or malicious file may have a line of gigabytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from polyseme.errors import DataError

MAX_LINE_BYTES = 4 << 20  # a word and 65,536 numbers of 60 characters


def numbered_lines(file: BinaryIO, path: Path, first: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that follow in a file, with their numbers from `first`; DataError if one is too long."""
    number = first
    while line := file.readline(MAX_LINE_BYTES):
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            raise DataError(f"{path}, line {number}: longer than {MAX_LINE_BYTES:,} bytes; this is not a vector file.")
        yield number, line
        number += 1
