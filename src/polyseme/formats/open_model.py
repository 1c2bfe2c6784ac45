"""Open a model folder, or a vector file of another program, whose format is recognised from its content."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from polyseme.corpus.tokenizers import WHITESPACE, WORDS
from polyseme.errors import DataError, MissingFile
from polyseme.formats.lines import MAX_LINE_BYTES
from polyseme.formats.mssg_release import read_release
from polyseme.formats.word2vec import ImportedVectors, is_binary, is_number, read_binary, read_text
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData
from polyseme.model.neighbours import MIN_COUNT
from polyseme.model.sense_model import SenseModel
from polyseme.vocabulary import Vocabulary

GZIP_MAGIC = b"\x1f\x8b"
HEAD_BYTES = 1 << 20  # read to recognise the format
MAX_DIM = 1 << 16
MAX_CASED_SHARE = 0.01  # words with capitals in a lower-cased vocabulary, such as <UNK>
DEFAULT_WINDOW = 5
FORMATS = (
    "word2vec text ('V D', then 'word x1 ... xD'), GloVe (the same without the first line), word2vec binary, or the "
    "format of the paper's authors ('V D S maxout'), each optionally compressed with gzip"
)


def open_model(path: Path) -> SenseModel:
    """Open a model folder, or a vector file of word2vec, GloVe or the paper's authors.

    Vector files contain no counts: words are assumed to be sorted by frequency and to follow Zipf's law, and the senses
    of a word to be equally frequent.
    """
    if path.is_dir():
        return SenseModel.load(path)
    if not path.is_file():
        raise MissingFile(f"{path} does not exist; pass a model folder or a vector file.")
    try:
        with path.open("rb") as raw, _decompressed(raw) as file:
            name, vectors = _read(file, path)
    except PermissionError:
        raise DataError(f"{path} cannot be read: permission denied; change its permissions.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} cannot be decompressed ({error}); it may be truncated or damaged.") from error
    return _make_model(name, vectors)


def _decompressed(raw: BinaryIO) -> BinaryIO:
    compressed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    raw.seek(0)
    return cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if compressed else raw


def _read(file: BinaryIO, path: Path) -> tuple[str, ImportedVectors]:
    """The kind of model, as far as the format tells, and its vectors."""
    head = file.read(HEAD_BYTES)
    file.seek(0)
    if not head.strip():
        raise DataError(f"{path} is empty; expected vectors in one of these formats: {FORMATS}.")
    first_line, _, rest = head.partition(b"\n")
    match _header_numbers(first_line):
        case [size, dim]:
            _check_header(path, size, dim)
            file.readline(MAX_LINE_BYTES)
            return "word2vec", (read_binary if is_binary(rest, dim) else read_text)(file, path, size, dim)
        case [size, dim, _, (0 | 1) as maxout]:
            _check_header(path, size, dim)
            file.readline(MAX_LINE_BYTES)
            vectors = read_release(file, path, size, dim, centers=not maxout)
            return "mssg-maxout" if maxout else "mssg", vectors
    dim = _num_trailing_numbers(first_line)
    if dim < 2:  # a single number after a word is more likely its count
        raise DataError(f"{path} is not a vector file; supported formats are {FORMATS}.")
    return "word2vec", read_text(file, path, None, dim)


def _header_numbers(line: bytes) -> list[int]:
    """The integers of a line, or nothing if it contains anything else."""
    columns = line.split()
    return [int(c) for c in columns] if all(c.isdigit() and len(c) < 19 for c in columns) else []


def _check_header(path: Path, size: int, dim: int) -> None:
    if size < 1 or not 1 <= dim <= MAX_DIM:
        raise DataError(
            f"{path}, line 1: the header says {size:,} words of {dim:,} dimensions; "
            f"expected at least 1 word and 1 to {MAX_DIM:,} dimensions."
        )


def _num_trailing_numbers(line: bytes) -> int:
    """The number of columns at the end of a line that are numbers; the first column is always a word.

    >>> _num_trailing_numbers(b"1984 0.5 -1"), _num_trailing_numbers(b"new york 0.5 -1")
    (2, 2)
    """
    columns = line.split()[1:]
    return next((i for i, column in enumerate(reversed(columns)) if not is_number(column)), len(columns))


def _make_model(name: str, vectors: ImportedVectors) -> SenseModel:
    """A model of imported vectors, with the assumed counts and settings that queries and `save` need."""
    words, num_senses = vectors.words, np.diff(vectors.sense_offsets)
    # The counts of Zipf's law, scaled so that even the last word is frequent enough to be listed as a neighbour.
    counts = MIN_COUNT * len(words) // np.arange(1, len(words) + 1)
    num_cased = sum(word != word.lower() for word in words)
    arrays = ModelArrays(
        global_vectors=vectors.global_vectors,
        sense_vectors=vectors.sense_vectors,
        sense_offsets=vectors.sense_offsets,
        sense_counts=np.maximum(np.repeat(counts // num_senses, num_senses), 1),
        cluster_centers=vectors.cluster_centers,
    )
    arrays.check(len(words))
    data = ModelData(
        vocabulary=Vocabulary(words, counts),
        arrays=arrays,
        tokenizer=WORDS if num_cased <= MAX_CASED_SHARE * len(words) else WHITESPACE,
        config={"model": name, "dim": arrays.dim, "window": DEFAULT_WINDOW, "subsample": 0.0},
        corpus={"tokens": 0, "sentences": 0},
        training={"seconds": 0.0, "loss": 0.0, "threads": 0},
    )
    return SenseModel(data)
