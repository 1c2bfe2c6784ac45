"""SenseTable: what an export writes, one row per sense that the model shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError, ModelError, shorten
from polyseme.model.data import ModelData

ROWS_PER_BATCH = 1024
NOT_IN_KEYS = re.compile(r"[\s\0]")  # characters that separate columns or lines in a text file


@dataclass(frozen=True)
class SenseTable:
    """The visible senses of a model, most frequent word first, with vectors that are read in batches."""

    data: ModelData

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dim(self) -> int:
        return self.data.arrays.dim

    @property
    def keys(self) -> list[str]:
        return self.data.visible_keys

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of each sense in the arrays of the model."""
        return self.data.visible_rows

    @cached_property
    def columns(self) -> dict[str, Any]:
        """What is known of each sense besides its vector: lists of strings and arrays of numbers.

        count is that of the sense, whose tokens were counted in training after subsampling; word_count is that of the
        word in the whole corpus.
        """
        data = self.data
        words = data.arrays.word_of_row[self.rows]
        counts = data.arrays.sense_counts[self.rows]
        totals = np.bincount(words, counts, len(data.vocabulary))[words]
        equal = 1 / data.num_visible_senses[words]
        return {
            "key": self.keys,
            "word": [data.vocabulary.words[word] for word in words.tolist()],
            "sense": data.sense_numbers[self.rows],
            "share": np.divide(counts, totals, out=equal, where=totals > 0),
            "count": counts,
            "word_count": data.vocabulary.counts[words],
        }

    def batches(self, size: int = ROWS_PER_BATCH) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """The vectors in batches of rows; ModelError if one is not finite, which no format can contain."""
        for first in range(0, len(self), size):
            batch = slice(first, min(first + size, len(self)))
            vectors = self.data.arrays.sense_vectors[self.rows[batch]]
            check_finite(vectors, self.keys[batch])
            yield batch, vectors

    def text_keys(self) -> list[str]:
        """The keys with _ for white space, for formats in which it separates columns."""
        without_spaces(self.data.vocabulary.words)  # `new_york` and `new york#1` would be different keys
        return without_spaces(self.keys)


def check_finite(vectors: NDArray[np.float32], keys: list[str]) -> None:
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise ModelError(f"the vector of '{shorten(keys[int(finite.argmin())])}' contains nan or inf; train it again.")


def without_spaces(keys: list[str]) -> list[str]:
    """The keys with _ for white space. DataError if two of them become the same.

    >>> without_spaces(["new york#1", "new york#2", "bank"])
    ['new_york#1', 'new_york#2', 'bank']
    """
    replaced = [NOT_IN_KEYS.sub("_", key) for key in keys]
    if len(set(replaced)) < len(replaced):
        seen: dict[str, str] = {}
        for key, new in zip(keys, replaced, strict=True):
            if new in seen:
                raise DataError(
                    f"'{shorten(seen[new])}' and '{shorten(key)}' would have the same key in this format; choose the "
                    "format parquet, arrow or numpy."
                )
            seen[new] = key
    return replaced
