"""Checkpoints: the arrays of a run and its progress, in one file that is replaced atomically."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from polyseme._io.atomic import atomic_file
from polyseme._io.tensors import map_tensors, write_tensors
from polyseme.errors import ModelError, TrainingError
from polyseme.training.config import TrainConfig
from polyseme.training.trainer import Trainer, TrainingTotals
from polyseme.training.workspace import CHECKPOINT

FORMAT_VERSION = 3  # since settings have their present names


def write_checkpoint(folder: Path, trainer: Trainer) -> None:
    """Write a checkpoint of a trainer that is paused between two blocks."""
    state = {
        "format_version": FORMAT_VERSION,
        "config": trainer.state.config.to_dict(),
        "corpus": trainer.corpus.fingerprint,
        "blocks_done": trainer.blocks_done,
        "seconds": trainer.seconds,
        "totals": vars(trainer.totals),
        "senses_split": trainer.state.senses_split,
    }
    with atomic_file(folder / CHECKPOINT) as path:
        write_tensors(path, trainer.state.to_arrays(), {"state": json.dumps(state)})


def read_config(folder: Path) -> TrainConfig | None:
    """The config of the run that wrote the checkpoint in a folder; None if there is no checkpoint."""
    path = folder / CHECKPOINT
    return TrainConfig.from_dict(_read(path)[1]["config"]) if path.exists() else None


def restore_checkpoint(folder: Path, trainer: Trainer) -> None:
    """Bring a new trainer to the state of the checkpoint in a folder, if there is one."""
    path = folder / CHECKPOINT
    if not path.exists():
        return
    arrays, state = _read(path)
    if state["corpus"] != trainer.corpus.fingerprint:
        raise TrainingError(f"the checkpoint {path} is of another corpus; start again with --force.")
    trainer.state.restore(arrays, bool(state["senses_split"]))
    trainer.blocks_done = int(state["blocks_done"])
    trainer.seconds = float(state["seconds"])
    trainer.totals = TrainingTotals(**state["totals"])


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays of a checkpoint, memory-mapped, and the rest of its state."""
    try:
        arrays, metadata = map_tensors(path)
        state = json.loads(metadata["state"])
        if state["format_version"] != FORMAT_VERSION:
            raise ValueError(f"another version of polyseme wrote it, in format {state['format_version']}")
        TrainConfig.from_dict(state["config"])
        return dict(arrays), state
    except (ModelError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"the checkpoint {path} cannot be read ({error}); start again with --force.") from error
