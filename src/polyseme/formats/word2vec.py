"""Files of word2vec, as text or binary, with one vector a word or one a sense.

    text     V D                       binary   V D
             word x1 ... xD                     word, a blank, D little-endian float32, perhaps a line end

GloVe's files are text without the first line.
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

SENSE_MARKS = ("#", "_", "--")
NUMBER = re.compile("0|[1-9][0-9]{0,3}")
SEVERAL_STEMS = 2
SHARE_OF_STEMS = 0.5

CHUNK = 1 << 20  # bytes read at a time
LONGEST_WORD = 10_000  # bytes
NOT_IN_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class Vectors:
    """What a file holds: V words in its order, and R senses, as in `ModelArrays`."""

    words: list[str]
    global_vectors: NDArray[np.float32]  # (V, d)
    sense_vectors: NDArray[np.float32]  # (R, d); where every word has one sense, the same array
    sense_offsets: NDArray[np.int64]  # (V + 1,)
    cluster_centers: NDArray[np.float32] | None = None  # (R, d)


def read_text(file: BinaryIO, path: Path, size: int | None, dim: int) -> Vectors:
    """Read the lines after the header; `size` is None where there is no header. Of a word given twice the first counts.

    The last D columns of a line are its numbers, so that a word may have blanks in it.
    """
    words: dict[str, None] = {}
    rows = bytearray()  # grows with what is read: a header is not trusted with memory
    lines = 0
    for number, line in numbered_lines(file, path, 1 if size is None else 2):
        columns = line.split()
        if not columns:
            continue
        lines += 1
        where = f"{path}, line {number}"
        extra = len(columns) - dim
        if extra < 1 or (extra > 1 and all(map(is_number, columns[1:extra]))):
            raise DataError(f"{where}: {len(columns)} columns where {dim + 1} are needed: a word and {dim} numbers.")
        row = numbers(columns[extra:], where)
        word = b" ".join(columns[:extra]).decode("utf-8", "replace")
        if word not in words:
            words[word] = None
            rows += row.tobytes()
    if size is not None and lines != size:
        raise DataError(f"{path}: the header says {size:,} words, but {lines:,} follow; the file may be cut off.")
    return with_senses(list(words), as_rows(rows, dim))


def read_binary(file: BinaryIO, path: Path, size: int, dim: int) -> Vectors:
    """Read what follows the header. Of a word given twice the first counts."""
    words: dict[str, None] = {}
    rows = bytearray()
    data, at = b"", 0  # what was read, and where the next word begins in it
    for number in range(1, size + 1):
        where = f"{path}, word {number:,}"
        while (blank := data.find(b" ", at)) < 0 or len(data) <= blank + 4 * dim:
            if blank < 0 and len(data) - at > LONGEST_WORD:
                raise DataError(f"{where}: no blank after it; the file may be damaged.")
            if not (more := file.read(CHUNK)):
                raise DataError(f"{where}: the file ends in it, but the header says {size:,} words; it may be cut off.")
            data, at = data[at:] + more, 0
        name = data[at:blank].lstrip(b"\n")
        at = blank + 1 + 4 * dim
        row = np.frombuffer(data, "<f4", dim, blank + 1)
        if name.split() != [name]:
            raise DataError(f"{where}: it is empty, or has a tab or a line end in it; the file may be damaged.")
        if not np.isfinite(row).all():
            raise DataError(f"{where}: a number of its vector is not finite.")
        word = name.decode("utf-8", "replace")
        if word not in words:
            words[word] = None
            rows += row.tobytes()
    if (data[at:] + file.read(CHUNK)).strip():
        raise DataError(f"{path}: the header says {size:,} words, but more bytes follow them; the file may be damaged.")
    return with_senses(list(words), as_rows(rows, dim))


def is_binary(start: bytes, dim: int) -> bool:
    """Whether what follows a header is binary: the bytes after the first word are no text."""
    sample = start.partition(b" ")[2][: 4 * dim]
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # does not mind a character cut at the end
    except UnicodeDecodeError:
        return True
    return NOT_IN_TEXT.search(sample) is not None


def with_senses(words: list[str], rows: NDArray[np.float32]) -> Vectors:
    """The vectors, with rows that are senses of one word brought together; its global vector is their mean."""
    marked = marked_senses(words)
    if not marked:
        return Vectors(words, rows, rows, np.arange(len(words) + 1))
    stems = {place: stem for stem, places in marked.items() for place in places}
    senses: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        name = stems.get(place, word)
        senses.setdefault(name, marked.get(name, [place]))
    sizes = np.array([len(places) for places in senses.values()])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = rows[np.concatenate(list(senses.values()))]
    means = np.asarray(np.add.reduceat(rows, offsets[:-1], axis=0) / sizes[:, None], np.float32)
    return Vectors(list(senses), means, rows, offsets)


def marked_senses(words: Sequence[str]) -> dict[str, list[int]]:
    """For each stem that has senses (`bank` of `bank#1` and `bank#2`) the places of these words, by their numbers.

    A word is marked if it ends in `#`, `_` or `--` and a number. A marked stem is well numbered if its numbers begin
    at 0 or 1 and have no gap, and the stem itself is no word of the file: `covid_19` is not, nor is `figure_1` beside
    `figure`. A mark is that of senses, for the whole file, if SEVERAL_STEMS have two or more senses well numbered, and
    at least SHARE_OF_STEMS of all stems that carry the mark are well numbered. Only these are then taken as senses.

    >>> marked_senses(["bank_1", "covid_19", "bank_2", "bass_2", "bass_1"])
    {'bank': [0, 2], 'bass': [4, 3]}
    >>> marked_senses(["route_66", "covid_19", "mp3", "figure_1", "figure_2"])
    {}
    """
    known = set(words)
    for mark in SENSE_MARKS:
        stems: dict[str, dict[int, int]] = {}
        for place, word in enumerate(words):
            stem, _, number = word.rpartition(mark)
            if stem and NUMBER.fullmatch(number):
                stems.setdefault(stem, {})[int(number)] = place
        well = {
            stem: [places[number] for number in sorted(places)]
            for stem, places in stems.items()
            if stem not in known and min(places) <= 1 and max(places) - min(places) == len(places) - 1
        }
        several = sum(len(places) > 1 for places in well.values())
        if several >= SEVERAL_STEMS and len(well) >= SHARE_OF_STEMS * len(stems):
            return well
    return {}


def numbers(columns: Sequence[bytes], where: str) -> NDArray[np.float32]:
    """The columns as numbers; DataError, with the place, if one is none or is not finite."""
    try:
        with np.errstate(over="ignore"):
            values = np.array(columns, np.float32)
    except ValueError:
        wrong = next((column for column in columns if not is_number(column)), columns[0])
        raise DataError(f"{where}: '{shorten(wrong.decode('utf-8', 'replace'))}' is not a number.") from None
    finite = np.isfinite(values)
    if not finite.all():
        raise DataError(f"{where}: '{shorten(columns[int(finite.argmin())].decode())}' is not a finite number.")
    return values


def is_number(column: bytes) -> bool:
    try:
        float(column)
    except ValueError:
        return False
    return True


def as_rows(data: bytearray, dim: int) -> NDArray[np.float32]:
    """The rows whose bytes were gathered, not copied."""
    return np.frombuffer(data, np.float32).reshape(-1, dim)
