"""Vectors from a table with named columns: Parquet, Arrow, NumPy and the projector have the same ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError, shorten
from polyseme.formats.header import MAX_DIM
from polyseme.formats.imported import ImportedVectors, group_senses

STRINGS, NUMBERS = ("key", "word"), ("sense", "count", "word_count")  # the columns that are read
MAX_COUNT, MAX_SENSE = 2**53, 2**31 - 1
LIMITS = {"sense": (1, MAX_SENSE), "count": (0, MAX_COUNT), "word_count": (0, MAX_COUNT)}


def from_columns(path: Path, columns: Mapping[str, Any], vectors: NDArray[np.float32]) -> ImportedVectors:
    """The vectors of a table, with the columns that `SenseTable` has; all but `key` or `word` are optional.

    With word and sense, senses are grouped by them; with word and count, each word has one sense; otherwise senses are
    recognised by their keys.

    columns  lists of strings (key, word) and arrays of numbers (sense, count, word_count)
    vectors  IN  float32 (n, d)
    """
    _check(path, columns, vectors)
    if "word" in columns and "count" in columns and "key" not in columns:
        columns = {"sense": np.ones(len(vectors), np.int64), **columns}
    if "word" in columns and "sense" in columns:
        return _group_by_word(path, columns, vectors)
    keys = columns.get("key", columns.get("word", []))
    _check_names(path, "key", keys)
    _refuse_duplicates(path, keys)
    return group_senses(keys, vectors)


def _check(path: Path, columns: Mapping[str, Any], vectors: NDArray[np.float32]) -> None:
    if "key" not in columns and "word" not in columns:
        raise DataError(f"{path} has no column 'key' or 'word', only {shorten(', '.join(columns)) or 'vectors'}.")
    if vectors.ndim != 2 or not len(vectors) or not 1 <= vectors.shape[1] <= MAX_DIM:
        raise DataError(
            f"{path}: its vectors have the shape {vectors.shape}; expected 1 or more of 1 to {MAX_DIM:,} dimensions."
        )
    for name, values in columns.items():
        if isinstance(values, np.ndarray) and values.ndim != 1:
            raise DataError(f"{path}: '{name}' has {values.ndim} dimensions; expected one value per vector.")
        if len(values) != len(vectors):
            raise DataError(f"{path}: {len(values):,} rows of '{name}', but {len(vectors):,} vectors.")
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise DataError(f"{path}, row {int(finite.argmin()) + 1:,}: its vector contains nan or inf.")
    for name, (low, high) in LIMITS.items():
        if name not in columns:
            continue
        numbers = np.asarray(columns[name])
        if numbers.dtype.kind not in "iu":
            raise DataError(f"{path}: the values of '{name}' must be whole numbers, {low} or more.")
        wrong = np.flatnonzero((numbers < low) | (numbers > high))
        if wrong.size:
            raise DataError(
                f"{path}, row {wrong[0] + 1:,}: '{name}' must be a whole number from {low} to {high:,}, "
                f"not {numbers[wrong[0]]:,}."
            )


def _group_by_word(path: Path, columns: Mapping[str, Any], vectors: NDArray[np.float32]) -> ImportedVectors:
    words: list[str] = columns["word"]
    numbers = np.asarray(columns["sense"]).astype(np.int64)
    _check_names(path, "word", words)
    ids: dict[str, int] = {}
    for word in words:
        ids.setdefault(word, len(ids))
    word_of_row = np.array([ids[word] for word in words])
    _refuse_duplicates(path, [f"{word}#{number}" for word, number in zip(words, numbers.tolist(), strict=True)])
    order = np.argsort(word_of_row, kind="stable")
    word_counts = None
    if "word_count" in columns:
        word_counts = np.zeros(len(ids), np.int64)
        np.maximum.at(word_counts, word_of_row, np.asarray(columns["word_count"]).astype(np.int64))
    return ImportedVectors(
        words=list(ids),
        sense_vectors=vectors[order],
        sense_offsets=np.concatenate([[0], np.cumsum(np.bincount(word_of_row))]),
        sense_numbers=numbers[order].astype(np.int32),
        sense_counts=np.asarray(columns["count"])[order].astype(np.int64) if "count" in columns else None,
        word_counts=word_counts,
    )


def _check_names(path: Path, kind: str, names: list[str]) -> None:
    """DataError if the vocabulary of a model, lines with tabs, cannot contain one of the names."""
    for row, name in enumerate(names):
        if not name or "\n" in name or "\t" in name:
            raise DataError(f"{path}, row {row + 1:,}: the {kind} is empty or contains a tab or newline; change it.")


def _refuse_duplicates(path: Path, keys: list[str]) -> None:
    seen: set[str] = set()
    for row, key in enumerate(keys):
        if key in seen:
            raise DataError(f"{path}, row {row + 1:,}: the key '{shorten(key)}' occurs twice; remove one of them.")
        seen.add(key)
