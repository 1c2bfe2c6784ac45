"""word2vec's text format, with one vector per word or one per sense (`bank#1`).

V D                header: number of vectors and of dimensions
word x1 ... xD

GloVe files (`formats/glove.py`) are the same without the header.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError
from polyseme.formats.header import read_header
from polyseme.formats.imported import ImportedVectors, group_senses, unique_rows
from polyseme.formats.sense_table import SenseTable
from polyseme.formats.text_file import open_vectors, read_lines, write_lines


def read(path: Path) -> ImportedVectors:
    """Read a file. Of duplicate keys the first is kept."""
    with open_vectors(path) as file:
        size, dim = read_header(file, path, ("V", "D"))
        return read_text(file, path, size, dim)


def read_text(file: BinaryIO, path: Path, size: int | None, dim: int) -> ImportedVectors:
    """Read the lines after the header; `size` is None if there is no header."""
    words, rows = read_lines(file, path, dim, first_line=1 if size is None else 2)
    if size is not None and len(words) != size:
        raise DataError(
            f"{path}: the header says {size:,} words, but {len(words):,} follow; the file may be truncated."
        )
    return group_senses(*unique_rows(words, rows))


def write(table: SenseTable, path: Path) -> None:
    with path.open("wb") as file:
        file.write(f"{len(table)} {table.dim}\n".encode())
        write_lines(file, key_batches(table))


def key_batches(table: SenseTable) -> Iterator[tuple[list[bytes], NDArray[np.float32]]]:
    """The vectors in batches, each with its key and a space as the start of its line."""
    keys = table.text_keys()
    for batch, vectors in table.batches():
        yield [f"{key} ".encode() for key in keys[batch]], vectors
