"""word2vec's binary format.

V D                                                          header: number of vectors and of dimensions
word, a space, D little-endian float32, optionally a newline
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import BinaryIO

import numpy as np

from polyseme.errors import DataError
from polyseme.formats.header import read_header
from polyseme.formats.imported import ImportedVectors, group_senses, unique_rows
from polyseme.formats.sense_table import SenseTable
from polyseme.formats.text_file import open_vectors

CHUNK_BYTES = 1 << 20
MAX_WORD_BYTES = 10_000
CONTROL_CHARACTERS = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def read(path: Path) -> ImportedVectors:
    """Read a file. Of duplicate keys the first is kept."""
    with open_vectors(path) as file:
        size, dim = read_header(file, path, ("V", "D"))
        return read_binary(file, path, size, dim)


def read_binary(file: BinaryIO, path: Path, size: int, dim: int) -> ImportedVectors:
    """Read the bytes after the header."""
    words: list[str] = []
    rows = bytearray()  # grows as words are read: a damaged header must not allocate memory
    buffer, start = b"", 0  # the next word starts at buffer[start]
    for number in range(1, size + 1):
        location = f"{path}, word {number:,}"
        while (space := buffer.find(b" ", start)) < 0 or len(buffer) <= space + 4 * dim:
            if space < 0 and len(buffer) - start > MAX_WORD_BYTES:
                raise DataError(f"{location}: no space after the word; the file may be damaged.")
            if not (chunk := file.read(CHUNK_BYTES)):
                raise DataError(
                    f"{location}: unexpected end of file, the header says {size:,} words; the file may be truncated."
                )
            buffer, start = buffer[start:] + chunk, 0
        name = buffer[start:space].lstrip(b"\n")
        start = space + 1 + 4 * dim
        row = np.frombuffer(buffer, "<f4", dim, space + 1)
        if name.split() != [name]:
            raise DataError(f"{location}: the word is empty or contains a tab or newline; the file may be damaged.")
        if not np.isfinite(row).all():
            raise DataError(f"{location}: its vector contains nan or inf; the file may be damaged.")
        words.append(name.decode("utf-8", "replace"))
        rows += row.tobytes()
    if (buffer[start:] + file.read(CHUNK_BYTES)).strip():
        raise DataError(f"{path}: the header says {size:,} words, but more bytes follow; the file may be damaged.")
    return group_senses(*unique_rows(words, np.frombuffer(rows, np.float32).reshape(-1, dim)))


def is_binary(start: bytes, dim: int) -> bool:
    """Whether a file is binary, given its bytes after the header: what follows the first word is not text."""
    sample = start.partition(b" ")[2][: 4 * dim]
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # accepts an incomplete character at the end
    except UnicodeDecodeError:
        return True
    return CONTROL_CHARACTERS.search(sample) is not None


def write(table: SenseTable, path: Path) -> None:
    keys = table.text_keys()
    with path.open("wb") as file:
        file.write(f"{len(table)} {table.dim}\n".encode())
        for batch, vectors in table.batches():
            rows = vectors.astype("<f4", copy=False)
            file.writelines(
                b"%b %b\n" % (key.encode(), row.tobytes()) for key, row in zip(keys[batch], rows, strict=True)
            )
