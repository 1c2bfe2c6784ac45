"""A folder for the TensorBoard embedding projector (https://projector.tensorflow.org).

tensors.tsv    a vector per line
metadata.tsv   a header, then the columns of `SenseTable` in the same order; the projector shows the first as label
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from polyseme._io.plain_files import plain_file_size
from polyseme.errors import DataError, shorten
from polyseme.formats.columns import NUMBERS, STRINGS, from_columns
from polyseme.formats.header import MAX_DIM
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.lines import MAX_LINE_BYTES
from polyseme.formats.sense_table import SenseTable
from polyseme.formats.text_file import open_vectors, read_lines, write_lines

TENSORS, METADATA = FILES = ("tensors.tsv", "metadata.tsv")
WHOLE_NUMBER = re.compile("[0-9]{1,18}")


def read(path: Path) -> ImportedVectors:
    for name in FILES:
        try:
            plain_file_size(path / name)
        except (OSError, ValueError) as error:
            raise DataError(f"{path / name} cannot be read: {error}.") from error
    with open_vectors(path / TENSORS) as file:
        start = file.tell()
        dim = len(file.readline(MAX_LINE_BYTES).split())
        if not 1 <= dim <= MAX_DIM:
            raise DataError(f"{path / TENSORS}, line 1: {dim:,} columns; expected 1 to {MAX_DIM:,} numbers.")
        file.seek(start)
        vectors = read_lines(file, path / TENSORS, dim, has_words=False)[1]
    return from_columns(path, _read_metadata(path / METADATA), vectors)


def _read_metadata(path: Path) -> dict[str, Any]:
    """The columns of the metadata. A file with one column has no header: it is the list of keys."""
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 ({error.reason} at byte {error.start:,}).") from None
    lines = text.removesuffix("\n").split("\n")
    names = lines[0].split("\t")
    if len(names) == 1:
        return {"key": lines}
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, line in enumerate(lines[1:], 2):
        values = line.split("\t")
        if len(values) != len(names):
            raise DataError(f"{path}, line {number}: {len(values)} columns, expected {len(names)}.")
        for name, value in zip(names, values, strict=True):
            if name in NUMBERS and not WHOLE_NUMBER.fullmatch(value):
                raise DataError(f"{path}, line {number}: {name} is '{shorten(value)}', not a whole number.")
            columns[name].append(value)
    known = {name: columns[name] for name in STRINGS if name in columns}
    return known | {name: np.array(columns[name], np.int64) for name in NUMBERS if name in columns}


def write(table: SenseTable, path: Path) -> None:
    with (path / TENSORS).open("wb") as file:
        write_lines(file, (([b""] * len(vectors), vectors) for _, vectors in table.batches()), b"\t")
    columns = table.columns
    with (path / METADATA).open("w", encoding="utf-8", newline="\n") as text:
        text.write("\t".join(columns) + "\n")
        shares = [f"{share:.4f}" for share in columns["share"].tolist()]
        others = [columns[name] if name in STRINGS else columns[name].tolist() for name in columns if name != "share"]
        others.insert(list(columns).index("share"), shares)
        text.writelines("\t".join(map(str, row)) + "\n" for row in zip(*others, strict=True))
