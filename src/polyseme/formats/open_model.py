"""Opening anyone's vectors as a SenseModel: a model folder, or a file that is recognised by its content."""

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
from polyseme.formats.word2vec import Vectors, is_binary, is_number, read_binary, read_text
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData
from polyseme.model.neighbours import MIN_COUNT
from polyseme.model.sense_model import SenseModel
from polyseme.vocabulary import Vocabulary

GZIP = b"\x1f\x8b"
HEAD = 1 << 20  # bytes by which a file is recognised
MOST_DIMENSIONS = 1 << 16
CASED_SHARE = 0.01
LAYOUTS = (
    "word2vec's text ('V D', then 'word x1 ... xD'), the same without its first line (GloVe), word2vec's binary, "
    "or the paper's authors' ('V D S maxout'), each plain or as gzip"
)


def open_model(path: Path) -> SenseModel:
    """Open a model folder, or a file of word2vec's, GloVe's or the paper's authors' vectors.

    Such files hold no counts. Their words are taken to come most frequent first, by Zipf's law, and the senses of a
    word to be equally frequent.
    """
    if path.is_dir():
        return SenseModel.load(path)
    if not path.is_file():
        raise MissingFile(f"{path} is not there; name a model folder or a file of vectors.")
    try:
        with path.open("rb") as raw, _unzipped(raw) as file:
            name, vectors = _read(file, path)
    except PermissionError:
        raise DataError(f"{path} may not be read by you; change its permissions.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} cannot be read to its end ({error}); it may be cut off or damaged.") from error
    return _model(name, vectors)


def _unzipped(raw: BinaryIO) -> BinaryIO:
    zipped = raw.read(len(GZIP)) == GZIP
    raw.seek(0)
    return cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if zipped else raw


def _read(file: BinaryIO, path: Path) -> tuple[str, Vectors]:
    """The name of the model that made the vectors, as far as the layout tells, and the vectors."""
    head = file.read(HEAD)
    file.seek(0)
    if not head.strip():
        raise DataError(f"{path} is empty; a file of vectors is needed: {LAYOUTS}.")
    first, _, rest = head.partition(b"\n")
    match _header(first):
        case [size, dim]:
            _check(path, size, dim)
            file.readline(MAX_LINE_BYTES)
            return "word2vec", (read_binary if is_binary(rest, dim) else read_text)(file, path, size, dim)
        case [size, dim, _, (0 | 1) as maxout]:
            _check(path, size, dim)
            file.readline(MAX_LINE_BYTES)
            vectors = read_release(file, path, size, dim, centers=not maxout)
            return "mssg-maxout" if maxout else "mssg", vectors
    dim = _trailing_numbers(first)
    if dim < 2:  # one number beside a word is more likely its count
        raise DataError(f"{path} is not a file of vectors; known are {LAYOUTS}.")
    return "word2vec", read_text(file, path, None, dim)


def _header(line: bytes) -> list[int]:
    """The integers of a line, nothing if it holds anything else."""
    columns = line.split()
    return [int(c) for c in columns] if all(c.isdigit() and len(c) < 19 for c in columns) else []


def _check(path: Path, size: int, dim: int) -> None:
    if size < 1 or not 1 <= dim <= MOST_DIMENSIONS:
        raise DataError(
            f"{path}, line 1: {size:,} words of {dim:,} dimensions; "
            f"1 word or more, and 1 to {MOST_DIMENSIONS:,} dimensions, are needed."
        )


def _trailing_numbers(line: bytes) -> int:
    """How many columns at the end of a line are numbers; the first column is a word.

    >>> _trailing_numbers(b"1984 0.5 -1"), _trailing_numbers(b"new york 0.5 -1")
    (2, 2)
    """
    columns = line.split()[1:]
    return next((i for i, column in enumerate(reversed(columns)) if not is_number(column)), len(columns))


def _model(name: str, vectors: Vectors) -> SenseModel:
    """The vectors with all that questions and `save` need."""
    words, senses = vectors.words, np.diff(vectors.sense_offsets)
    counts = MIN_COUNT * len(words) // np.arange(1, len(words) + 1)  # the last may still be a neighbour
    cased = sum(word != word.lower() for word in words)
    arrays = ModelArrays(
        global_vectors=vectors.global_vectors,
        sense_vectors=vectors.sense_vectors,
        sense_offsets=vectors.sense_offsets,
        sense_counts=np.maximum(np.repeat(counts // senses, senses), 1),
        cluster_centers=vectors.cluster_centers,
    )
    arrays.check(len(words))
    data = ModelData(
        vocabulary=Vocabulary(words, counts),
        arrays=arrays,
        tokenizer=WORDS if cased <= CASED_SHARE * len(words) else WHITESPACE,  # an <UNK> does not make a file cased
        config={"model": name, "dim": arrays.dim, "window": 5, "subsample": 0.0},
        corpus={"tokens": 0, "sentences": 0},
        training={"seconds": 0.0, "loss": 0.0, "threads": 0},
    )
    return SenseModel(data)
