"""What readers of rows share: counting rows without text, taking the text from a field, packing texts into blocks."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from polyseme.corpus.readers.text import (
    BLOCK_BYTES,
    Block,
    block_end,
    opened,
    refuse_other_formats,
    replace_bad_bytes,
)
from polyseme.corpus.sources import TEXTS, Source
from polyseme.corpus.tokenizers import NUL
from polyseme.errors import CorpusError, shorten

MAX_ROW_BYTES = 1 << 26
FIRST_ROWS = 1000  # if more than half of these are bad, that is an error before all rows have been read
MAX_BAD_AT_START = 100  # so many bad rows before the first good one are an error
MAX_SHOWN_FIELDS = 200  # characters

SURROGATES = range(0xD800, 0xE000)


class BadRow(Exception):
    """A row without text; the message says why."""


class Rows:
    """Counts the rows of a source. A few without text are skipped; CorpusError if there are too many of them.

    field  that has the text of a row; "" if its rows have no fields
    """

    def __init__(self, path: str, field: str = "") -> None:
        self.path = path
        self.field = field
        self.good = self.bad = 0
        self.bad_bytes = 0  # not yet part of a block
        self.first_problem = ""

    def add_bad(self, problem: str) -> None:
        """Count a row without text; the problem says which row, and why: 'line 12 is not JSON'."""
        self.bad += 1
        # Keys of JSON objects can have half of a surrogate pair, which cannot be written.
        self.first_problem = self.first_problem or shorten(problem, 400).encode("utf-8", "replace").decode()
        none_good = not self.good and self.bad >= MAX_BAD_AT_START
        if none_good or (self.good + self.bad <= FIRST_ROWS and self.bad > FIRST_ROWS / 2):
            raise self._too_many()

    def end(self) -> None:
        """Raise CorpusError if most rows had no text."""
        if self.bad > self.good:
            raise self._too_many()

    def _too_many(self) -> CorpusError:
        checked = "input" if not self.field else "texts and field=" if self.path == TEXTS else "file and --field"
        return CorpusError(
            f"{self.path}: {self.bad:,} of the {self.good + self.bad:,} rows read have no text ({self.first_problem}). "
            f"Check the {checked}."
        )


def text_in(row: Any, field: str) -> Any:
    """The value of a field of a row. A field `a.b` is `b` of the object `a`, unless a key `a.b` exists. Else BadRow.

    >>> text_in({"page": {"text": "a bank"}}, "page.text")
    'a bank'
    """
    if isinstance(row, Mapping) and field in row:
        return row[field]
    value = row
    for name in field.split("."):
        if not isinstance(value, Mapping):
            raise BadRow(f"has no field '{shorten(field)}', since it is {_kind(value)}, not an object")
        if name not in value:
            raise BadRow(f"has no field '{shorten(field)}', only {field_names(value)}")
        value = value[name]
    return value


def as_text(value: Any) -> str:
    """The value if it is a str, with spaces for NUL; else BadRow."""
    if not isinstance(value, str):
        raise BadRow(f"has {_kind(value)} instead of a text")
    return value.replace(NUL, " ")


def field_names(names: Any) -> str:
    """The names of fields for a message."""
    return shorten(", ".join(map(str, names)), MAX_SHOWN_FIELDS) or "none"


def _kind(value: Any) -> str:
    names = {type(None): "null", dict: "an object", list: "a list", bool: "true or false", str: "a string"}
    return names.get(type(value), f"a value of type {type(value).__name__}")


def document_blocks(documents: Generator[str, None, None], rows: Rows) -> Generator[Block, None, None]:
    """Pack texts into blocks, each text with a line end. Half of a surrogate pair becomes '?'."""
    parts: list[bytes] = []
    size = offset = 0
    try:
        for document in documents:
            rows.good += 1
            data = _to_utf8(document, rows)
            if not data.endswith(b"\n"):
                data += b"\n"
            parts.append(data)
            size += len(data)
            if size >= BLOCK_BYTES:
                yield from _split(b"".join(parts), offset, rows)
                parts.clear()
                offset, size = offset + size, 0
        rows.end()
        if parts:
            yield from _split(b"".join(parts), offset, rows)
    finally:
        documents.close()


def _to_utf8(text: str, rows: Rows) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        rows.bad_bytes += sum(ord(character) in SURROGATES for character in text)
        return text.encode("utf-8", "replace")


def _split(data: bytes, offset: int, rows: Rows) -> Iterator[Block]:
    """Yield texts in blocks that are not much longer than BLOCK_BYTES."""
    start = 0
    while start < len(data):
        part = data[start : start + BLOCK_BYTES]
        if start + len(part) < len(data):
            part = part[: block_end(part, BLOCK_BYTES)]
        yield Block(part, offset + start, rows.bad_bytes)
        rows.bad_bytes = 0
        start += len(part)


def read_lines(source: Source, rows: Rows, wait: Callable[[], None]) -> Generator[str, None, None]:
    """Yield the lines of a source with their line ends; bytes that are not UTF-8 become '?'.

    A line that is too long or has a NUL byte is a bad row, and replaced by a blank line. If it is the first line, the
    file is not a text: CorpusError.
    """
    number = 0
    with opened(source, wait) as stream:
        while line := stream.readline(MAX_ROW_BYTES):
            number += 1
            if number == 1:
                refuse_other_formats(line, source)
                line = line.removeprefix(codecs.BOM_UTF8)
            problem = _problem(line)
            if problem and number == 1:
                raise CorpusError(f"{source.path}: its first line {problem}. Check the format.")
            if problem:
                rows.add_bad(f"line {number:,} {problem}")
                while line and not line.endswith(b"\n"):
                    line = stream.readline(MAX_ROW_BYTES)
                yield "\n"
                continue
            try:
                text = line.decode()
            except UnicodeDecodeError:
                line, bad_bytes = replace_bad_bytes(line)
                rows.bad_bytes += bad_bytes
                text = line.decode()
            yield text


def _problem(line: bytes) -> str:
    """Why a line, or the start of a longer one, cannot be a row; '' if it can."""
    if len(line) >= MAX_ROW_BYTES:
        return f"has more than {MAX_ROW_BYTES >> 20} MB"
    return "has a NUL byte" if b"\0" in line else ""
