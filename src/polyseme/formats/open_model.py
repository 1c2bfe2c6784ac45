"""Open a model folder, or vectors of another program, whose format is recognised from their content."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.tokenizers import WHITESPACE, WORDS, AnyTokenizer, get_tokenizer
from polyseme.errors import DataError, MissingFile, shorten
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.recognise import recognise
from polyseme.formats.registry import Format, get_format
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData, row_norms
from polyseme.model.neighbours import MIN_COUNT
from polyseme.model.sense_model import SenseModel
from polyseme.vocabulary import Vocabulary

MAX_CASED_SHARE = 0.01  # words with capitals in a lower-cased vocabulary, such as <UNK>
DEFAULT_WINDOW = 5

AnyTokenizerOrFunction = AnyTokenizer | Callable[[str], list[str]]


def open_model(
    path: str | os.PathLike[str], tokenizer: AnyTokenizerOrFunction | None = None, *, format: str | None = None
) -> SenseModel:
    """Open a model folder, or a file of vectors in another format.

    If a file has no counts, words are assumed to be sorted by frequency and to follow Zipf's law, and the senses of a
    word to be equally frequent. If it has no global vectors, those of words are the means of their senses.

    path       the folder or file; a file may be compressed
    tokenizer  by default that of the model; for vectors, one that suits the case of the words
    format     by default recognised from the content
    Returns the model.
    Raises MissingFile if the path does not exist.
    Raises ModelError if a model folder is damaged.
    Raises DataError if a file of vectors is damaged.
    Raises ConfigError if the format is unknown.

    >>> model.save("news.model")
    >>> polyseme.load("news.model")
    <SenseModel mssg: 54 words, 56 senses, 8 dimensions>
    """
    path = Path(path)
    if not path.exists() and format is not None:
        raise MissingFile(f"{path} does not exist; check the path.")
    found = recognise(path) if format is None else get_format(format)
    if found is None or not found.reader:
        return SenseModel.load(path, tokenizer)
    data = _make_model(found, found.read(path), tokenizer)
    _refuse_too_large(path, data)
    return SenseModel(data)


def _refuse_too_large(path: Path, data: ModelData) -> None:
    """Raise DataError if the norm of a vector is infinite, as in a damaged file."""
    finite = np.isfinite(row_norms(data.arrays.sense_vectors))
    if not finite.all():
        key = shorten(data.key(int(finite.argmin())))
        raise DataError(f"{path}: the vector of '{key}' has numbers that are too large; the file may be damaged.")


def _make_model(found: Format, vectors: ImportedVectors, tokenizer: AnyTokenizerOrFunction | None) -> ModelData:
    """A model of imported vectors, with the assumed counts and settings that queries and `save` need."""
    words, counts, arrays = _sorted_by_count(vectors)
    arrays.check(len(words))
    num_cased = sum(word != word.lower() for word in words)
    default = WORDS if num_cased <= MAX_CASED_SHARE * len(words) else WHITESPACE
    missing = {
        "counts": vectors.word_counts,
        "shares": vectors.sense_counts,
        "global_vectors": vectors.global_vectors,
        "cluster_centers": vectors.cluster_centers,
    }
    return ModelData(
        vocabulary=Vocabulary(words, counts),
        arrays=arrays,
        tokenizer=get_tokenizer(default if tokenizer is None else tokenizer),
        config={
            "model": vectors.model,
            "dim": arrays.dim,
            "window": DEFAULT_WINDOW,
            "subsample": 0.0,
            "imported_from": found.name,
            "missing": ", ".join(name for name, array in missing.items() if array is None),
            "duplicates": vectors.duplicates,
        },
        corpus={"tokens": 0, "sentences": 0},
        training={"seconds": 0.0, "loss": 0.0, "threads": 0},
    )


def _sorted_by_count(vectors: ImportedVectors) -> tuple[list[str], NDArray[np.int64], ModelArrays]:
    """Words, counts and arrays of imported vectors. Words, and the senses of a word, are in order of their counts."""
    num_words, num_senses = len(vectors.words), np.diff(vectors.sense_offsets)
    word_of_row = np.repeat(np.arange(num_words), num_senses)
    counts, sense_counts = vectors.word_counts, vectors.sense_counts
    if counts is None and sense_counts is not None:
        counts = np.add.reduceat(sense_counts, vectors.sense_offsets[:-1])
    if counts is None:
        # The counts of Zipf's law, scaled so that even the last word is frequent enough to be listed as a neighbour.
        counts = MIN_COUNT * num_words // np.arange(1, num_words + 1)
    if sense_counts is None:
        sense_counts = np.repeat(counts // num_senses, num_senses)
    words = np.argsort(-counts, kind="stable")
    rank = np.empty(num_words, np.int64)
    rank[words] = np.arange(num_words)
    rows = np.lexsort((-sense_counts, rank[word_of_row]))
    in_order = bool(np.all(rows == np.arange(len(rows))))  # then memory-mapped and large arrays are not copied
    sense_vectors = vectors.sense_vectors if in_order else vectors.sense_vectors[rows]
    global_vectors = _means(vectors) if vectors.global_vectors is None else vectors.global_vectors
    centers, numbers = vectors.cluster_centers, vectors.sense_numbers
    arrays = ModelArrays(
        global_vectors=global_vectors if in_order else global_vectors[words],
        sense_vectors=sense_vectors,
        sense_offsets=np.concatenate([[0], np.cumsum(num_senses[words])]),
        sense_counts=np.maximum(sense_counts[rows], 1 if vectors.sense_counts is None else 0),
        cluster_centers=centers if centers is None or in_order else centers[rows],
        sense_numbers=None if numbers is None else numbers[rows],
    )
    return [vectors.words[word] for word in words.tolist()], np.maximum(counts[words], 1), arrays


def _means(vectors: ImportedVectors) -> NDArray[np.float32]:
    """(V, d) The mean of the senses of each word; the same array if every word has one sense."""
    rows, offsets = vectors.sense_vectors, vectors.sense_offsets
    if len(rows) == len(vectors.words):
        return rows
    return np.asarray(np.add.reduceat(rows, offsets[:-1], axis=0) / np.diff(offsets)[:, None], np.float32)
