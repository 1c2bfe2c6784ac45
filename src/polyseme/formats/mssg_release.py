"""Reader for the text format in which the paper's authors released their models.

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

from polyseme.errors import DataError
from polyseme.formats.lines import numbered_lines
from polyseme.formats.word2vec import ImportedVectors, parse_floats, rows_from_buffer

NUM_SENSES = re.compile(rb"[1-9][0-9]{0,8}")

Lines = Iterator[tuple[str, list[bytes]]]  # file name and line number for error messages, and the columns


def read_release(file: BinaryIO, path: Path, size: int, dim: int, *, centers: bool) -> ImportedVectors:
    """Read the lines after the header. If a word occurs twice, the first entry is kept."""
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
        global_vectors=rows_from_buffer(global_rows, dim),
        sense_vectors=rows_from_buffer(sense_rows, dim),
        sense_offsets=np.cumsum([0, *num_senses.values()]),
        cluster_centers=rows_from_buffer(center_rows, dim) if centers else None,
    )


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
