"""Parquet and Arrow (Feather) files: the columns of `SenseTable`, and `vector`, a list of d numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError, MissingExtra, shorten
from polyseme.formats.columns import NUMBERS, STRINGS, from_columns
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.sense_table import SenseTable

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ModuleNotFoundError as error:
    raise MissingExtra(f"Parquet and Arrow need {error.name}: pip install 'polyseme[parquet]'") from error

VECTOR = "vector"
ROWS_PER_GROUP = 1 << 16  # that readers of the file load at a time
TYPES: dict[str, Any] = {
    "key": pa.string(),
    "word": pa.string(),
    "sense": pa.int32(),
    "share": pa.float64(),
    "count": pa.int64(),
    "word_count": pa.int64(),
}


def read_parquet(path: Path) -> ImportedVectors:
    return _read(path, "Parquet")


def read_arrow(path: Path) -> ImportedVectors:
    return _read(path, "Arrow")


def write_parquet(table: SenseTable, path: Path) -> None:
    with pq.ParquetWriter(path, _schema(table), compression="zstd") as writer:
        for batch in _batches(table):
            writer.write_batch(batch)


def write_arrow(table: SenseTable, path: Path) -> None:
    with pa.ipc.new_file(path, _schema(table)) as writer:
        for batch in _batches(table):
            writer.write_batch(batch)


def _read(path: Path, kind: str) -> ImportedVectors:
    wanted = (*STRINGS, *NUMBERS, VECTOR)
    try:
        if kind == "Parquet":
            with pq.ParquetFile(path) as file:
                names = file.schema_arrow.names
                table = file.read([name for name in wanted if name in names])
        else:
            with pa.OSFile(str(path)) as source, pa.ipc.open_file(source) as reader:
                names = reader.schema.names
                table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DataError(f"{path} is not a file in the format {kind}, or is damaged: {shorten(error, 200)}") from error
    if VECTOR not in names:
        raise DataError(f"{path} has no column '{VECTOR}', only {shorten(', '.join(names))}.")
    columns = {name: _values(path, name, table[name]) for name in wanted[:-1] if name in names}
    return from_columns(path, columns, _vectors(path, table[VECTOR]))


def _values(path: Path, name: str, column: Any) -> Any:
    """A column without vectors, as a list of strings or an array of whole numbers."""
    if pa.types.is_dictionary(column.type):  # a categorical column of pandas or Polars
        column = column.cast(column.type.value_type)
    kind = column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    _refuse_missing(path, name, column)
    if name in STRINGS and not is_text:
        raise DataError(f"{path}: the column '{name}' must be text, not {kind}.")
    return column.to_pylist() if is_text else column.to_numpy()


def _refuse_missing(path: Path, name: str, column: Any) -> None:
    if column.null_count:
        row = pc.index(column.is_null(), True).as_py()
        raise DataError(f"{path}, row {row + 1:,}: the column '{name}' has no value; remove the row or complete it.")


def _vectors(path: Path, column: Any) -> NDArray[np.float32]:
    """(n, d) The column of vectors."""
    kind = column.type
    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    if not lists or not pa.types.is_floating(kind.value_type):
        raise DataError(f"{path}: the column '{VECTOR}' must be lists of floats, not {kind}.")
    _refuse_missing(path, VECTOR, column)
    if any(chunk.flatten().null_count for chunk in column.chunks):
        raise DataError(f"{path}: a vector of the column '{VECTOR}' has a missing number.")
    sizes = pc.list_value_length(column).to_numpy()
    if len(sizes) and (wrong := np.flatnonzero(sizes != sizes[0])).size:
        row = int(wrong[0])
        raise DataError(f"{path}, row {row + 1:,}: {sizes[row]} numbers, expected {sizes[0]} as in the first row.")
    dim = int(sizes[0]) if len(sizes) else 0
    flat = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks]
    with np.errstate(over="ignore"):
        values = np.concatenate(flat).astype(np.float32, copy=False) if flat else np.empty(0, np.float32)
    return values.reshape(len(sizes), dim)


def _schema(table: SenseTable) -> Any:
    return pa.schema([*TYPES.items(), (VECTOR, pa.list_(pa.float32(), table.dim))])


def _batches(table: SenseTable) -> Iterator[Any]:
    columns, schema = table.columns, _schema(table)
    for rows, vectors in table.batches(ROWS_PER_GROUP):
        flat = pa.array(np.ascontiguousarray(vectors).ravel())
        values = [pa.array(columns[name][rows], kind) for name, kind in TYPES.items()]
        yield pa.record_batch([*values, pa.FixedSizeListArray.from_arrays(flat, table.dim)], schema=schema)
