"""Reader for word2vec files, text or binary, with one vector per word or one per sense.

    text     V D                       binary   V D
             word x1 ... xD                     word, a space, D little-endian float32, optionally a newline

GloVe files are the text format without the first line.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError, shorten
from polyseme.formats.lines import numbered_lines

SENSE_SEPARATORS = ("#", "_", "--")
SENSE_NUMBER = re.compile("0|[1-9][0-9]{0,3}")
MIN_AMBIGUOUS_WORDS = 2
MIN_NUMBERED_SHARE = 0.5

CHUNK_BYTES = 1 << 20
MAX_WORD_BYTES = 10_000
CONTROL_CHARACTERS = re.compile(rb"[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class ImportedVectors:
    """The contents of a vector file: V words in file order, and R senses, as in `ModelArrays`."""

    words: list[str]
    global_vectors: NDArray[np.float32]  # (V, d)
    sense_vectors: NDArray[np.float32]  # (R, d); the same array as global_vectors if every word has one sense
    sense_offsets: NDArray[np.int64]  # (V + 1,)
    cluster_centers: NDArray[np.float32] | None = None  # (R, d)


def read_text(file: BinaryIO, path: Path, size: int | None, dim: int) -> ImportedVectors:
    """Read the lines after the header; `size` is None if there is no header. Of duplicate words the first is kept.

    The last D columns of a line are the vector, so words may contain spaces.
    """
    words: dict[str, None] = {}
    rows = bytearray()  # grows as lines are read: a damaged header must not allocate memory
    num_lines = 0
    for number, line in numbered_lines(file, path, 1 if size is None else 2):
        columns = line.split()
        if not columns:
            continue
        num_lines += 1
        location = f"{path}, line {number}"
        word_columns = len(columns) - dim
        if word_columns < 1 or (word_columns > 1 and all(map(is_number, columns[1:word_columns]))):
            raise DataError(f"{location}: {len(columns)} columns, expected {dim + 1}: a word and {dim} numbers.")
        row = parse_floats(columns[word_columns:], location)
        word = b" ".join(columns[:word_columns]).decode("utf-8", "replace")
        if word not in words:
            words[word] = None
            rows += row.tobytes()
    if size is not None and num_lines != size:
        raise DataError(f"{path}: the header says {size:,} words, but {num_lines:,} follow; the file may be truncated.")
    return group_senses(list(words), rows_from_buffer(rows, dim))


def read_binary(file: BinaryIO, path: Path, size: int, dim: int) -> ImportedVectors:
    """Read the bytes after the header. Of duplicate words the first is kept."""
    words: dict[str, None] = {}
    rows = bytearray()
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
        word = name.decode("utf-8", "replace")
        if word not in words:
            words[word] = None
            rows += row.tobytes()
    if (buffer[start:] + file.read(CHUNK_BYTES)).strip():
        raise DataError(f"{path}: the header says {size:,} words, but more bytes follow; the file may be damaged.")
    return group_senses(list(words), rows_from_buffer(rows, dim))


def is_binary(start: bytes, dim: int) -> bool:
    """Whether a file is binary, given its bytes after the header: what follows the first word is not text."""
    sample = start.partition(b" ")[2][: 4 * dim]
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # accepts an incomplete character at the end
    except UnicodeDecodeError:
        return True
    return CONTROL_CHARACTERS.search(sample) is not None


def group_senses(words: list[str], rows: NDArray[np.float32]) -> ImportedVectors:
    """The vectors with the senses of each word in consecutive rows; its global vector is their mean.

    words  names in the file: `bank#1`, `bank#2`, or `bank` if there is one vector per word
    rows   IN  float32 (len(words), d)
    """
    numbered = find_numbered_senses(words)
    if not numbered:
        return ImportedVectors(words, rows, rows, np.arange(len(words) + 1))
    word_of = {row: word for word, sense_rows in numbered.items() for row in sense_rows}
    sense_rows: dict[str, list[int]] = {}
    for row, name in enumerate(words):
        word = word_of.get(row, name)
        sense_rows.setdefault(word, numbered.get(word, [row]))
    num_senses = np.array([len(word_rows) for word_rows in sense_rows.values()])
    offsets = np.concatenate([[0], np.cumsum(num_senses)])
    rows = rows[np.concatenate(list(sense_rows.values()))]
    means = np.asarray(np.add.reduceat(rows, offsets[:-1], axis=0) / num_senses[:, None], np.float32)
    return ImportedVectors(list(sense_rows), means, rows, offsets)


def find_numbered_senses(names: Sequence[str]) -> dict[str, list[int]]:
    """The rows of each word's senses in order of their numbers, if the file has one vector per sense; else nothing.

    A sense is named by its word, a separator (`#`, `_` or `--`) and a number: `bank#1`. Since other names end in a
    number too, a word's numbers are accepted only if they start at 0 or 1 without a gap, and if the word itself is not
    in the file: `covid_19` is not a sense, nor is `figure_1` if there is a `figure`. A separator is accepted only if at
    least MIN_AMBIGUOUS_WORDS accepted words have several senses, and at least MIN_NUMBERED_SHARE of the words with that
    separator and a number are accepted.

    >>> find_numbered_senses(["bank_1", "covid_19", "bank_2", "bass_2", "bass_1"])
    {'bank': [0, 2], 'bass': [4, 3]}
    >>> find_numbered_senses(["route_66", "covid_19", "mp3", "figure_1", "figure_2"])
    {}
    """
    all_names = set(names)
    for separator in SENSE_SEPARATORS:
        candidates: dict[str, dict[int, int]] = {}  # word -> sense number -> row
        for row, name in enumerate(names):
            word, _, number = name.rpartition(separator)
            if word and SENSE_NUMBER.fullmatch(number):
                candidates.setdefault(word, {})[int(number)] = row
        accepted = {
            word: [rows[number] for number in sorted(rows)]
            for word, rows in candidates.items()
            if word not in all_names and min(rows) <= 1 and max(rows) - min(rows) == len(rows) - 1
        }
        num_ambiguous = sum(len(rows) > 1 for rows in accepted.values())
        if num_ambiguous >= MIN_AMBIGUOUS_WORDS and len(accepted) >= MIN_NUMBERED_SHARE * len(candidates):
            return accepted
    return {}


def parse_floats(columns: Sequence[bytes], location: str) -> NDArray[np.float32]:
    """The columns as float32. DataError, with the location, if one is not a finite number."""
    try:
        with np.errstate(over="ignore"):
            values = np.array(columns, np.float32)
    except ValueError:
        invalid = next((column for column in columns if not is_number(column)), columns[0])
        raise DataError(f"{location}: '{shorten(invalid.decode('utf-8', 'replace'))}' is not a number.") from None
    finite = np.isfinite(values)
    if not finite.all():
        raise DataError(f"{location}: '{shorten(columns[int(finite.argmin())].decode())}' is not a finite number.")
    return values


def is_number(column: bytes) -> bool:
    try:
        float(column)
    except ValueError:
        return False
    return True


def rows_from_buffer(buffer: bytearray, dim: int) -> NDArray[np.float32]:
    """(n, dim) A view of float32 bytes, without a copy."""
    return np.frombuffer(buffer, np.float32).reshape(-1, dim)
