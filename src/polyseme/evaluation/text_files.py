"""Reading data sets: lines with their numbers, and errors that name them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from polyseme.errors import DataError, MissingFile


class Line(NamedTuple):
    """A line of a data set, and where it stands."""

    path: Path
    number: int
    text: str

    def wrong(self, what: str) -> DataError:
        return DataError(f"{self.path}, line {self.number}: {what}")

    def columns(self, least: int, layout: str, separator: str | None = "\t") -> list[str]:
        """The columns of the line; DataError, with the layout that was expected, if there are too few."""
        columns = [column.strip() for column in self.text.split(separator)]
        if len(columns) < least:
            raise self.wrong(f"{len(columns)} columns where {least} are needed: {layout}.")
        return columns

    def number_in(self, column: str) -> float:
        """A column's number."""
        try:
            value = float(column)
        except ValueError:
            raise self.wrong(f"'{column}' is not a number.") from None
        if value != value or abs(value) == float("inf"):
            raise self.wrong(f"'{column}' is not a score.")
        return value


def read_lines(path: Path, *, blank: bool = False) -> Iterator[Line]:
    """The lines of a text; blank ones only if asked for. DataError if it is not UTF-8, or has none."""
    try:
        text = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise MissingFile(f"{path} is not a file; name the data set's file.") from None
    empty = True
    for number, raw in enumerate(text.splitlines(), 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            line = raw.decode("latin-1")  # as the older data sets are
        if line.strip() or blank:
            empty = False
            yield Line(path, number, line)
    if empty:
        raise DataError(f"{path} is empty.")
