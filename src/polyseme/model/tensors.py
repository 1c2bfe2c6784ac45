"""The arrays of a model as tensors of a file, in each of the formats of vectors.

float32  every array under its own name
float16  vectors as float16
int8     vectors as int8, and the scale of each row as float32 (n,) under the name of the array followed by `.scales`

With float16 and int8, cluster_centers has only the senses of words with several senses, which are all that queries
use, and then a row of zeros, which stands for those of all other words. sense_offsets and sense_counts are int32 where
that is enough.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ModelError, shorten
from polyseme.model.arrays import ModelArrays
from polyseme.model.rows import MAX_INT8, CompactRows, Dtype, compact, dense
from polyseme.model.version_1 import OLD_ARRAYS

Tensors = dict[str, NDArray[np.generic]]

VECTORS = ("global_vectors", "sense_vectors", "cluster_centers", "whitened_vectors")
CENTERS = "cluster_centers"
INTEGERS = ("sense_offsets", "sense_counts")


def to_tensors(arrays: ModelArrays, dtype: Dtype) -> Tensors:
    """The tensors to write. ConfigError if a vector cannot be stored with this dtype."""
    tensors: Tensors = {}
    for name, array in arrays.to_dict().items():
        if name not in VECTORS:
            fits = dtype != "float32" and array.dtype == np.int64 and array.max() <= np.iinfo(np.int32).max
            tensors[name] = np.asarray(array, np.int32 if fits else array.dtype)
        elif dtype == "float32":
            tensors[name] = dense(array)
        else:
            if name == CENTERS:
                array = np.vstack([array[ambiguous_rows(arrays)], np.zeros((1, array.shape[1]), np.float32)])
            rows = compact(array, dtype, name)
            tensors[name] = rows.values
            if rows.scales is not None:
                tensors[scales_of(name)] = rows.scales
    return tensors


def from_tensors(tensors: Tensors, dtype: Dtype, num_words: int) -> ModelArrays:
    """The arrays of a model of `num_words` words. ModelError if a tensor is missing, unknown or inconsistent."""
    tensors = {OLD_ARRAYS.get(name, name): tensor for name, tensor in tensors.items()}
    arrays: dict[str, Any] = dict(tensors)
    scales = {scales_of(name) for name in VECTORS if name in tensors} if dtype == "int8" else set()
    names = {field.name for field in fields(ModelArrays)}
    required = {field.name for field in fields(ModelArrays) if field.default is MISSING} | scales
    if different := sorted((tensors.keys() - names - scales) | (required - tensors.keys())):
        raise ModelError(f"these arrays are missing or unknown: {shorten(', '.join(different))}")
    if dtype == "float32":
        loaded = ModelArrays(**arrays)
        loaded.check(num_words)
        return loaded
    for name in INTEGERS:
        if arrays[name].dtype == np.int32:
            arrays[name] = arrays[name].astype(np.int64)
    for name in VECTORS:
        if name in tensors:
            arrays[name] = _compact_rows(name, tensors[name], arrays.pop(scales_of(name), None), dtype)
    centers = arrays.pop(CENTERS, None)
    loaded = ModelArrays(**arrays)
    loaded.check(num_words)
    if centers is not None:
        loaded = replace(loaded, cluster_centers=_ambiguous_centers(loaded, centers))
        loaded.check(num_words)
    return loaded


def scales_of(name: str) -> str:
    """The name of the tensor with the scales of an int8 array."""
    return f"{name}.scales"


def ambiguous_rows(arrays: ModelArrays) -> NDArray[np.int64]:
    """The rows of the senses of words with several senses."""
    num_senses = np.diff(arrays.sense_offsets)
    return np.flatnonzero(np.repeat(num_senses > 1, num_senses))


def _ambiguous_centers(arrays: ModelArrays, stored: CompactRows) -> CompactRows:
    """The table of all centers, of which those of words with several senses are stored, and then zeros."""
    rows = ambiguous_rows(arrays)
    if len(stored) != len(rows) + 1:
        raise ModelError(f"{CENTERS} has {len(stored):,} rows, not {len(rows) + 1:,}")
    index = np.full(len(arrays.sense_vectors), len(rows))
    index[rows] = np.arange(len(rows))
    return CompactRows(stored.values, stored.scales, index)


def _compact_rows(
    name: str, values: NDArray[np.generic], scales: NDArray[np.generic] | None, dtype: Dtype
) -> CompactRows:
    if values.dtype != dtype:
        raise ModelError(f"{name} has the dtype {values.dtype}, not {dtype}")
    if values.ndim != 2:
        raise ModelError(f"{name} has {values.ndim} dimensions")
    if scales is None:
        return CompactRows(values)
    if scales.dtype != np.float32 or scales.shape != values.shape[:1]:
        raise ModelError(f"{scales_of(name)} does not have a float32 number per row of {name}")
    numbers = scales.view(np.float32)
    with np.errstate(over="ignore"):
        if not np.all((numbers >= 0) & (numbers * np.float32(MAX_INT8 + 1) < np.inf)):
            raise ModelError(f"{scales_of(name)} has a number that is negative, too large or NaN")
    return CompactRows(values, numbers)
