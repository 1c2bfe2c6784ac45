"""A polyseme model folder, so that `export` can also make a smaller model. `SenseModel.load` opens it."""

from __future__ import annotations

from pathlib import Path

from polyseme.formats.sense_table import SenseTable
from polyseme.model import storage


def write(table: SenseTable, path: Path) -> None:
    storage.save(table.data, path, force=True)
