"""The arrays of a model, and the invariants they must satisfy."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ModelError
from polyseme.model.rows import Rows

DTYPES = {"sense_offsets": np.int64, "sense_counts": np.int64, "sense_numbers": np.int32}  # others are float32
VECTORS = ("vector_mean",)  # arrays of float32 with one dimension


@dataclass(frozen=True)
class ModelArrays:
    """V words, R senses, d dimensions. The senses of a word are consecutive rows, most frequent first.

    Vectors are float32 arrays, or tables that are stored with fewer bits and give float32 rows (`CompactRows`).
    Context vectors have c dimensions: those of the whitened vectors if there are any, else d.
    """

    sense_vectors: Rows  # (R, d)
    sense_offsets: NDArray[np.int64]  # (V + 1,)
    sense_counts: NDArray[np.int64]  # (R,)
    global_vectors: Rows | None = None  # (V, d); absent in small models with whitened vectors
    cluster_centers: Rows | None = None  # (R, c); if absent, contexts are compared with sense vectors
    whitened_vectors: Rows | None = None  # (V, c); if absent, contexts are sums of global vectors
    sense_numbers: NDArray[np.int32] | None = None  # (R,) the 2 of `bank#2`; if absent, 1, 2, ... in order of the rows
    vector_mean: NDArray[np.float32] | None = None  # (d,) what was subtracted from sense vectors to center them, if so

    def to_dict(self) -> dict[str, Any]:
        """The arrays that the model has, by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}

    @property
    def dim(self) -> int:
        return int(self.sense_vectors.shape[1])

    @property
    def word_of_row(self) -> NDArray[np.int64]:
        """(R,) The id of the word that each sense belongs to."""
        return np.repeat(np.arange(len(self.sense_offsets) - 1), np.diff(self.sense_offsets))

    def check(self, num_words: int) -> None:
        """Raise ModelError if dtypes, shapes or sense offsets are inconsistent."""
        for name, array in self.to_dict().items():
            dtype = DTYPES.get(name, np.float32)
            if array.ndim != (2 if dtype == np.float32 and name not in VECTORS else 1):
                raise ModelError(f"{name} has {array.ndim} dimensions")
            if array.dtype != dtype:
                raise ModelError(f"{name} has the dtype {array.dtype}")
        if self.global_vectors is None and self.whitened_vectors is None:
            raise ModelError("these arrays are missing or unknown: global_vectors")
        rows, context_dim = len(self.sense_vectors), self.dim
        if self.whitened_vectors is not None:
            context_dim = self.whitened_vectors.shape[1]
        if self.dim < 1 or context_dim < 1:
            raise ModelError("its vectors have 0 dimensions")
        shapes = {
            "global_vectors": (num_words, self.dim),
            "sense_vectors": (rows, self.dim),
            "sense_offsets": (num_words + 1,),
            "sense_counts": (rows,),
            "cluster_centers": (rows, context_dim),
            "whitened_vectors": (num_words, context_dim),
            "sense_numbers": (rows,),
            "vector_mean": (self.dim,),
        }
        for name, array in self.to_dict().items():
            if array.shape != shapes[name]:
                raise ModelError(f"{name} has the shape {array.shape}, not {shapes[name]}")
        offsets = self.sense_offsets
        if offsets[0] != 0 or offsets[-1] != rows or np.any(np.diff(offsets) < 1) or np.any(self.sense_counts < 0):
            raise ModelError("sense_offsets and sense_counts are inconsistent")
        numbers = self.sense_numbers
        if numbers is not None and (
            np.any(numbers < 1) or len(np.unique(self.word_of_row << 32 | numbers)) != len(numbers)
        ):
            raise ModelError("sense_numbers are not positive, or two senses of a word have the same number")
