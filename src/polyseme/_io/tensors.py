"""Safetensors files, read as memory maps (the safetensors library would copy the arrays)."""

from __future__ import annotations

import errno
import os
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from polyseme._io.plain_files import plain_file_size
from polyseme._io.strict_json import parse_json
from polyseme.errors import ModelError, shorten

DTYPES: dict[str, Any] = {"F32": np.float32, "I64": np.int64, "I32": np.int32, "F16": np.float16, "I8": np.int8}


def write_tensors(path: Path, arrays: dict[str, NDArray[np.generic]], metadata: dict[str, str] | None = None) -> None:
    """Write arrays to a file."""
    try:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path, metadata)
    except SafetensorError as error:  # also raised when the disk is full
        number = re.search(r"(?:os error|code:) (\d+)", str(error))  # in 0.5: Os { code: 28, ... }
        raise OSError(int(number[1]) if number else errno.EIO, str(error), str(path)) from error
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)  # the library makes the file private to its owner


def map_tensors(path: Path) -> tuple[dict[str, NDArray[np.generic]], dict[str, str]]:
    """The arrays of a file, memory-mapped and read-only, and its metadata; ModelError if the file is damaged."""
    try:
        plain_file_size(path)
        with safe_open(path, "np") as file:  # checks that header, offsets and file size are consistent
            metadata = file.metadata() or {}
        with path.open("rb") as raw:
            length = struct.unpack("<Q", raw.read(8))[0]
            header = parse_json(raw.read(length))
        header.pop("__metadata__", None)
        return {name: _map(path, 8 + length, name, entry) for name, entry in header.items()}, metadata
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise ModelError(f"{path.name} is damaged: {shorten(error, 200)}") from error


def _map(path: Path, base: int, name: str, entry: dict[str, Any]) -> NDArray[np.generic]:
    if entry["dtype"] not in DTYPES:
        raise ValueError(f"the array '{shorten(name)}' has the dtype {entry['dtype']}")
    dtype, shape, (start, end) = DTYPES[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
    if start == end:
        return np.empty(shape, dtype)  # an empty range cannot be mapped
    return np.memmap(path, dtype, "r", offset=base + start, shape=shape)
