"""NumPy's .npz: an array per column of `SenseTable`, and `vectors`, (n, d). No array is pickled.

with np.load("vectors.npz") as archive:
    keys, vectors = archive["key"], archive["vectors"]
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from polyseme._io.units import format_bytes
from polyseme.errors import DataError, shorten
from polyseme.formats.columns import NUMBERS, STRINGS, from_columns
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.sense_table import SenseTable

VECTORS = "vectors"
# What zipfile and NumPy raise: RuntimeError for an encrypted entry or an unknown compression, MemoryError for a shape
# that does not fit in memory.
DAMAGED = (
    OSError, ValueError, EOFError, KeyError, TypeError, SyntaxError, RuntimeError, MemoryError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip
MAX_STRING_BYTES = 2 << 30  # NumPy gives each string the size of the longest


def read(path: Path) -> ImportedVectors:
    try:
        with np.load(path, allow_pickle=False) as archive:
            columns: dict[str, Any] = {name: archive[name] for name in (*STRINGS, *NUMBERS) if name in archive}
            if VECTORS not in archive:
                raise DataError(f"{path} has no array '{VECTORS}', only {shorten(', '.join(archive.files))}.")
            vectors = archive[VECTORS]
    except DataError:
        raise
    except DAMAGED as error:
        raise DataError(f"{path} is not a NumPy archive (.npz), or is damaged: {shorten(error, 200)}") from error
    for name in STRINGS:
        if name in columns:
            if columns[name].dtype.kind != "U" or columns[name].ndim != 1:
                raise DataError(f"{path}: '{name}' must be an array of strings, not of {columns[name].dtype}.")
            columns[name] = columns[name].tolist()
    if vectors.dtype.kind != "f":
        raise DataError(f"{path}: '{VECTORS}' must be an array of floats, not of {vectors.dtype}.")
    with np.errstate(over="ignore"):
        return from_columns(path, columns, vectors.astype(np.float32, copy=False))


def write(table: SenseTable, path: Path) -> None:
    columns = table.columns
    longest = max(map(len, table.keys))
    if 4 * longest * len(table) > MAX_STRING_BYTES:
        raise DataError(
            f"the longest key has {longest:,} characters, so NumPy needs {format_bytes(4 * longest * len(table))} for "
            "the keys; choose the format parquet or arrow."
        )
    with zipfile.ZipFile(path, "w") as archive:
        for name, values in columns.items():
            compression = zipfile.ZIP_DEFLATED if name in STRINGS else zipfile.ZIP_STORED
            with archive.open(_entry(name, compression), "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.array(values), allow_pickle=False)
        with archive.open(_entry(VECTORS, zipfile.ZIP_STORED), "w", force_zip64=True) as file:
            header = {"descr": "<f4", "fortran_order": False, "shape": (len(table), table.dim)}
            np.lib.format.write_array_header_1_0(file, header)
            for _, vectors in table.batches():
                file.write(np.ascontiguousarray(vectors, "<f4").data)


def _entry(name: str, compression: int) -> zipfile.ZipInfo:
    """An entry with a fixed date, so that the same model always gives the same file."""
    entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = compression
    return entry
