"""The files that the paper's authors released, and that their code writes.

V D S maxout        words, dimensions, senses a word at most (not used), and 1 if there are no centers
word C              then for each word: the word and the number of its senses,
x1 ... xD             its global vector,
x1 ... xD             and C times a sense vector
x1 ... xD             and its cluster center, unless maxout is 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from polyseme.errors import DataError
from polyseme.formats.lines import numbered_lines
from polyseme.formats.word2vec import Vectors, as_rows, numbers

SENSES = re.compile(rb"[1-9][0-9]{0,8}")

Lines = Iterator[tuple[str, list[bytes]]]  # where a line stands, and its columns


def read_release(file: BinaryIO, path: Path, size: int, dim: int, *, centers: bool) -> Vectors:
    """Read the lines after the header. Of a word given twice the first counts."""
    lines: Lines = ((f"{path}, line {number}", line.split()) for number, line in numbered_lines(file, path, 2))
    words: dict[str, int] = {}  # with the number of its senses
    global_rows, sense_rows, center_rows = bytearray(), bytearray(), bytearray()
    step = 2 if centers else 1
    for place in range(1, size + 1):
        try:
            word, senses = _word(lines)
            vectors = [_vector(lines, dim) for _ in range(1 + senses * step)]
        except StopIteration:
            raise DataError(
                f"{path}: the header says {size:,} words, but the file ends in word {place:,}; it may be cut off."
            ) from None
        if word not in words:
            words[word] = senses
            global_rows += vectors[0]
            sense_rows += b"".join(vectors[1::step])
            center_rows += b"".join(vectors[2::2]) if centers else b""
    for where, columns in lines:
        if columns:
            raise DataError(f"{where}: the header says {size:,} words, but more follow; the file may be damaged.")
    return Vectors(
        words=list(words),
        global_vectors=as_rows(global_rows, dim),
        sense_vectors=as_rows(sense_rows, dim),
        sense_offsets=np.cumsum([0, *words.values()]),
        cluster_centers=as_rows(center_rows, dim) if centers else None,
    )


def _word(lines: Lines) -> tuple[str, int]:
    """A word and the number of its senses."""
    where, columns = next(lines)
    if len(columns) < 2 or not SENSES.fullmatch(columns[-1]):
        raise DataError(f"{where}: a word and the number of its senses, 1 or more, are needed: word C.")
    return b" ".join(columns[:-1]).decode("utf-8", "replace"), int(columns[-1])


def _vector(lines: Lines, dim: int) -> bytes:
    """A vector as the bytes of float32."""
    where, columns = next(lines)
    if len(columns) != dim:
        raise DataError(f"{where}: {len(columns)} columns where {dim} numbers are needed.")
    return numbers(columns, where).tobytes()
