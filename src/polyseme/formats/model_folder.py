"""A polyseme model folder, so that `export` can also make a smaller model. `SenseModel.load` opens it."""

from __future__ import annotations

from pathlib import Path

from polyseme.formats.sense_table import SenseTable
from polyseme.model import storage
from polyseme.model.compact import SMALL_EXAMPLES, compact
from polyseme.model.rows import Dtype
from polyseme.model.sense_model import SenseModel


def write(
    table: SenseTable,
    path: Path,
    *,
    dtype: Dtype = "float32",
    examples: bool | int | None = None,
    global_vectors: bool = False,
) -> str:
    """Write the model; the options are those of `save_compact`."""
    model = SenseModel(table.data)
    storage.write(compact(model, dtype=dtype, examples=examples, global_vectors=global_vectors), path)
    if dtype == "float32":
        return ""
    left_out = [] if global_vectors else ["the global vectors (keep them with --global-vectors)"]
    if examples is None:
        left_out.insert(0, f"all but {SMALL_EXAMPLES} example sentence per sense (keep more with --examples)")
    return f"Left out: {', '.join(left_out)}." if left_out else ""
