"""Checkpoints: one file with the arrays of a run and how far it is, written beside and renamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from polyseme._io.atomic import atomic_file
from polyseme._io.tensors import map_tensors, write_tensors
from polyseme.errors import ModelError, TrainingError
from polyseme.training.config import TrainConfig
from polyseme.training.trainer import Totals, Trainer
from polyseme.training.workspace import CHECKPOINT

FORMAT_VERSION = 2  # the arrays as kernels take them, see `kernels.rows`


def write_checkpoint(folder: Path, trainer: Trainer) -> None:
    """Write the state of a trainer that is between two blocks."""
    state = {
        "format_version": FORMAT_VERSION,
        "config": trainer.state.config.to_dict(),
        "corpus": trainer.corpus.fingerprint,
        "done": trainer.done,
        "seconds": trainer.seconds,
        "totals": vars(trainer.totals),
        "split": trainer.state.split,
    }
    with atomic_file(folder / CHECKPOINT) as path:
        write_tensors(path, trainer.state.to_arrays(), {"state": json.dumps(state)})


def read_config(folder: Path) -> TrainConfig | None:
    """The settings of the run that left a checkpoint, if there is one."""
    path = folder / CHECKPOINT
    return TrainConfig.from_dict(_read_state(path)[1]["config"]) if path.exists() else None


def restore_checkpoint(folder: Path, trainer: Trainer) -> None:
    """Bring a fresh trainer to where the checkpoint was, if there is one."""
    path = folder / CHECKPOINT
    if not path.exists():
        return
    arrays, state = _read_state(path)
    if state["corpus"] != trainer.corpus.fingerprint:
        raise TrainingError(f"the checkpoint {path} is of another corpus; start anew with --force.")
    trainer.state.restore(arrays, bool(state["split"]))
    trainer.done = int(state["done"])
    trainer.seconds = float(state["seconds"])
    trainer.totals = Totals(**state["totals"])


def _read_state(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        arrays, metadata = map_tensors(path)
        state = json.loads(metadata["state"])
        if state["format_version"] != FORMAT_VERSION:
            raise ValueError("it is of another version of polyseme")
        TrainConfig.from_dict(state["config"])
        return dict(arrays), state
    except (ModelError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"the checkpoint {path} cannot be read ({error}); start anew with --force.") from error
