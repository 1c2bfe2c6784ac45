"""The text format in which the paper's authors released their models.

V D S maxout        header: words, dimensions, maximum senses per word (ignored), and 1 if there are no centers
word C              then for each word: the word and its number of senses,
x1 ... xD             its global vector,
x1 ... xD             and C times a sense vector
x1 ... xD             and its cluster center (absent if maxout is 1)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError
from polyseme.formats.header import read_header
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.lines import numbered_lines
from polyseme.formats.sense_table import SenseTable, check_finite, without_spaces
from polyseme.formats.text_file import open_vectors, parse_floats, write_lines
from polyseme.model.rows import dense

WORDS_PER_BATCH = 1000
NUM_SENSES = re.compile(rb"[1-9][0-9]{0,8}")

Lines = Iterator[tuple[str, list[bytes]]]  # file name and line number for error messages, and the columns


def read(path: Path) -> ImportedVectors:
    """Read a file. If a word occurs twice, the first entry is kept."""
    with open_vectors(path) as file:
        size, dim, _, maxout = read_header(file, path, ("V", "D", "S", "maxout"))
        if maxout > 1:
            raise DataError(f"{path}, line 1: the last number of the header, maxout, is {maxout}; expected 0 or 1.")
        return read_release(file, path, size, dim, centers=not maxout)


def read_release(file: BinaryIO, path: Path, size: int, dim: int, *, centers: bool) -> ImportedVectors:
    """Read the lines after the header."""
    lines: Lines = ((f"{path}, line {number}", line.split()) for number, line in numbered_lines(file, path, 2))
    num_senses: dict[str, int] = {}
    global_rows, sense_rows, center_rows = bytearray(), bytearray(), bytearray()
    rows_per_sense = 2 if centers else 1
    for number in range(1, size + 1):
        try:
            word, senses = _read_word(lines)
            vectors = [_read_vector(lines, dim) for _ in range(1 + senses * rows_per_sense)]
        except StopIteration:
            raise DataError(
                f"{path}: the header says {size:,} words, but the file ends in word {number:,}; it may be truncated."
            ) from None
        if word not in num_senses:
            num_senses[word] = senses
            global_rows += vectors[0]
            sense_rows += b"".join(vectors[1::rows_per_sense])
            center_rows += b"".join(vectors[2::2]) if centers else b""
    for location, columns in lines:
        if columns:
            raise DataError(f"{location}: the header says {size:,} words, but more follow; the file may be damaged.")
    return ImportedVectors(
        words=list(num_senses),
        sense_vectors=_rows(sense_rows, dim),
        sense_offsets=np.cumsum([0, *num_senses.values()]),
        global_vectors=_rows(global_rows, dim),
        cluster_centers=_rows(center_rows, dim) if centers else None,
        model="mssg" if centers else "mssg-maxout",
        duplicates=size - len(num_senses),
    )


def _rows(buffer: bytearray, dim: int) -> NDArray[np.float32]:
    """(n, dim) A view of float32 bytes, without a copy."""
    return np.frombuffer(buffer, np.float32).reshape(-1, dim)


def _read_word(lines: Lines) -> tuple[str, int]:
    """The word of the next line and its number of senses."""
    location, columns = next(lines)
    if len(columns) < 2 or not NUM_SENSES.fullmatch(columns[-1]):
        raise DataError(f"{location}: expected a word and its number of senses (1 or more): word C.")
    return b" ".join(columns[:-1]).decode("utf-8", "replace"), int(columns[-1])


def _read_vector(lines: Lines, dim: int) -> bytes:
    """The vector of the next line as float32 bytes."""
    location, columns = next(lines)
    if len(columns) != dim:
        raise DataError(f"{location}: {len(columns)} columns, expected {dim} numbers.")
    return parse_floats(columns, location).tobytes()


def write(table: SenseTable, path: Path) -> str:
    """Write a model. Centers of whitened contexts are left out (maxout is 1): the format has no whitened vectors."""
    data = table.data
    whitened = data.arrays.whitened_vectors is not None
    centers = None if whitened or data.arrays.cluster_centers is None else dense(data.arrays.cluster_centers)
    num_senses = data.num_visible_senses
    words = without_spaces(data.vocabulary.words)
    with path.open("wb") as file:
        file.write(f"{len(words)} {table.dim} {num_senses.max()} {int(centers is None)}\n".encode())
        write_lines(file, _batches(table, words, centers))
    return "Its cluster centers are left out: they are of whitened contexts, which the format does not have." * whitened


def _batches(
    table: SenseTable, words: list[str], centers: NDArray[np.float32] | None
) -> Iterator[tuple[list[bytes], NDArray[np.float32]]]:
    """The lines of WORDS_PER_BATCH words at a time: a word and its number of senses precede its global vector."""
    data = table.data
    arrays = data.arrays
    for first in range(0, len(words), WORDS_PER_BATCH):
        prefixes: list[bytes] = []
        names: list[str] = []
        rows: list[NDArray[np.float32]] = []
        for word in range(first, min(first + WORDS_PER_BATCH, len(words))):
            senses = data.rows(word)
            rows.append(data.global_vectors[word])
            for row in senses:
                rows.append(arrays.sense_vectors[row])
                if centers is not None:
                    rows.append(centers[row])
            prefixes.append(f"{words[word]} {len(senses)}\n".encode())
            prefixes += [b""] * (len(rows) - len(prefixes))
            names += [words[word]] * (len(rows) - len(names))
        stacked = np.array(rows)
        check_finite(stacked, names)
        yield prefixes, stacked
