"""Reading data sets line by line, with errors that name the file and the line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from polyseme.errors import DataError, MissingFile, shorten

WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")


class Line(NamedTuple):
    """A line of a data set, with its file and line number."""

    path: Path
    number: int
    text: str

    def error(self, message: str) -> DataError:
        """An error that names the file and the line."""
        return DataError(f"{self.path}, line {self.number}: {message}")

    def columns(self, min_columns: int, layout: str, separator: str | None = "\t") -> list[str]:
        """The columns of the line; DataError with the expected layout if there are too few."""
        columns = [column.strip() for column in self.text.split(separator)]
        if len(columns) < min_columns:
            raise self.error(f"{len(columns)} columns where {min_columns} are needed: {layout}.")
        return columns

    def parse_number(self, column: str) -> float:
        """A column as a finite number."""
        try:
            value = float(column)
        except ValueError:
            raise self.error(f"'{shorten(column)}' is not a number.") from None
        if not math.isfinite(value):
            raise self.error(f"'{shorten(column)}' is not a finite number.")
        return value


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_lines(path: Path, *, keep_blank: bool = False) -> Iterator[Line]:
    """The lines of a text file, without blank lines unless `keep_blank`. DataError if there are none.

    Lines that are not UTF-8 are read as Latin-1, the encoding of the older data sets.
    """
    text = read_data(path)
    if b"\0" in text:
        raise DataError(f"{path} is not a text file; it must be plain text in UTF-8.")
    empty = True
    for number, raw in enumerate(text.splitlines(), 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            line = raw.decode("latin-1")
        if line.strip() or keep_blank:
            empty = False
            yield Line(path, number, line)
    if empty:
        raise DataError(f"{path} is empty.")


def read_data(path: Path) -> bytes:
    """The contents of a file; MissingFile or DataError if it is not a file.

    A device may never end, and opening a pipe without a writer waits forever; but a shell's <(command) is a pipe, too.
    """
    if path.is_char_device() or path.is_block_device() or (path.is_fifo() and path.parent != Path("/dev/fd")):
        raise DataError(f"{path} is a device or a pipe, not a file; name the data set's file.")
    try:
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise MissingFile(f"{path} is not a file; name the data set's file.") from None
