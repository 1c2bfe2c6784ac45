"""A polyseme model folder, so that `export` can also make a smaller model. `SenseModel.load` opens it."""

from __future__ import annotations

from pathlib import Path

from polyseme.formats.sense_table import SenseTable
from polyseme.model.compact import save_compact
from polyseme.model.rows import Dtype
from polyseme.model.sense_model import SenseModel


def write(table: SenseTable, path: Path, *, dtype: Dtype = "float32", examples: bool | int = True) -> None:
    """Write the model with vectors of `dtype`, and with at most `examples` example sentences per sense."""
    save_compact(SenseModel(table.data), path, dtype=dtype, examples=examples, force=True)
