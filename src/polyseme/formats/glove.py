"""GloVe's text format: lines of a word and its vector, without a header."""

from __future__ import annotations

from pathlib import Path

from polyseme.errors import DataError
from polyseme.formats.header import MAX_DIM, num_trailing_numbers
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.lines import MAX_LINE_BYTES
from polyseme.formats.sense_table import SenseTable
from polyseme.formats.text_file import open_vectors, write_lines
from polyseme.formats.word2vec import key_batches, read_text

MIN_DIM = 2  # a single number after a word is more likely its count


def read(path: Path) -> ImportedVectors:
    """Read a file. The numbers at the end of the first line are its vector. Of duplicate keys the first is kept."""
    with open_vectors(path) as file:
        start = file.tell()
        dim = num_trailing_numbers(file.readline(MAX_LINE_BYTES))
        if not MIN_DIM <= dim <= MAX_DIM:
            raise DataError(
                f"{path}, line 1: {dim} numbers at the end of the line; expected a word and {MIN_DIM} to {MAX_DIM:,} "
                "numbers."
            )
        file.seek(start)
        return read_text(file, path, None, dim)


def write(table: SenseTable, path: Path) -> None:
    with path.open("wb") as file:
        write_lines(file, key_batches(table))
