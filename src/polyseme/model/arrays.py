"""The arrays of a model, what must hold between them, and how they come out of training."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ModelError


@dataclass(frozen=True)
class ModelArrays:
    """V words, R senses, d dimensions. The senses of a word are consecutive rows, most frequent first.

    Contexts have c dimensions: those of the whitened table, if senses were chosen in one, else d.
    """

    global_vectors: NDArray[np.float32]  # (V, d)
    sense_vectors: NDArray[np.float32]  # (R, d)
    sense_offsets: NDArray[np.int64]  # (V + 1,)
    sense_counts: NDArray[np.int64]  # (R,)
    cluster_centers: NDArray[np.float32] | None = None  # (R, c); without them contexts are compared with sense vectors
    whitened_vectors: NDArray[np.float32] | None = None  # (V, c); the whitened table

    def to_dict(self) -> dict[str, NDArray[np.generic]]:
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}

    @property
    def dim(self) -> int:
        return int(self.sense_vectors.shape[1])

    def check(self, words: int) -> None:
        """Raise ModelError if the arrays do not fit together."""
        rows = len(self.sense_vectors)
        sense_dim = self.dim if self.whitened_vectors is None else self.whitened_vectors.shape[-1]
        shapes = {
            "global_vectors": (words, self.dim),
            "sense_vectors": (rows, self.dim),
            "sense_offsets": (words + 1,),
            "sense_counts": (rows,),
            "cluster_centers": (rows, sense_dim),
            "whitened_vectors": (words, sense_dim),
        }
        for name, array in self.to_dict().items():
            if array.shape != shapes[name]:
                raise ModelError(f"{name} has the shape {array.shape}, not {shapes[name]}")
            integers = name in ("sense_offsets", "sense_counts")
            if array.dtype != (np.int64 if integers else np.float32):
                raise ModelError(f"{name} holds {array.dtype}")
        offsets = self.sense_offsets
        if offsets[0] != 0 or offsets[-1] != rows or np.any(np.diff(offsets) < 1) or np.any(self.sense_counts < 0):
            raise ModelError("the senses do not belong to the words")
