"""Checkpoints: the arrays of a run and its progress, in one file that is replaced atomically.

The metadata of the file has two entries: `state`, a JSON object with everything but the arrays, which includes the
SHA-256 digest of each array; and `sha256`, the digest of `state` itself.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme._io.atomic import atomic_file
from polyseme._io.strict_json import check_types, parse_json
from polyseme._io.tensors import map_tensors, write_tensors
from polyseme._io.thread_pool import map_in_order
from polyseme.errors import ModelError, TrainingError, shorten
from polyseme.model.unfinished import CHECKPOINT
from polyseme.training.config import TrainConfig
from polyseme.training.trainer import Trainer, TrainingTotals

FORMAT_VERSION = 4  # since checkpoints have digests
STATE_TYPES = {"corpus": str, "blocks_done": int, "seconds": float, "senses_split": bool}
TOTALS_TYPES = {"tokens": int, "pairs": int, "loss": float}

Arrays = dict[str, NDArray[np.generic]]


def write_checkpoint(folder: Path, trainer: Trainer) -> None:
    """Write a checkpoint of a trainer that is paused between two blocks."""
    arrays = trainer.state.to_arrays()
    state = {
        "format_version": FORMAT_VERSION,
        "config": trainer.state.config.to_dict(),
        "corpus": trainer.corpus.fingerprint,
        "blocks_done": trainer.blocks_done,
        "seconds": trainer.seconds,
        "totals": vars(trainer.totals),
        "senses_split": trainer.state.senses_split,
        "shards_done": trainer.shards_done,
        "arrays": _digests(arrays, trainer.state.threads),
    }
    text = json.dumps(state)
    with atomic_file(folder / CHECKPOINT) as path:
        write_tensors(path, arrays, {"state": text, "sha256": hashlib.sha256(text.encode()).hexdigest()})


def read_config(folder: Path) -> TrainConfig | None:
    """The config of the run that wrote the checkpoint in a folder; None if there is no checkpoint."""
    path = folder / CHECKPOINT
    if not os.path.lexists(path):
        return None
    with _refuse_damage(path):
        return TrainConfig.from_dict(_read(path)[1]["config"])


def has_shards(folder: Path) -> bool | None:
    """Whether the run that wrote the checkpoint in a folder was trained by workers; None if there is no checkpoint."""
    path = folder / CHECKPOINT
    if not os.path.lexists(path):
        return None
    with _refuse_damage(path):
        return bool(_read(path)[1].get("shards_done"))


def restore_checkpoint(folder: Path, trainer: Trainer) -> None:
    """Bring a new trainer to the state of the checkpoint in a folder, if there is one."""
    path = folder / CHECKPOINT
    if not os.path.lexists(path):
        return
    with _refuse_damage(path):
        arrays, state = _read(path)
        if state["corpus"] != trainer.corpus.fingerprint:
            raise TrainingError(f"the checkpoint {path} is of another corpus; start again with --force.")
        shards_done = _shards_done(state, trainer)
        if not 0 <= state["blocks_done"] <= trainer.num_blocks:
            raise ValueError(f"it has {state['blocks_done']:,} blocks of {trainer.num_blocks:,}")
        for name, digest in _digests(arrays, trainer.state.threads).items():
            if state["arrays"].get(name) != digest:
                raise ValueError(f"the array '{shorten(name)}' was changed after it was written")
        trainer.state.restore(arrays, state["senses_split"])
        trainer.blocks_done, trainer.shards_done = state["blocks_done"], shards_done
        trainer.seconds = float(state["seconds"])
        trainer.totals = TrainingTotals(**state["totals"])


def _shards_done(state: dict[str, Any], trainer: Trainer) -> list[int]:
    """The progress in each shard; ValueError if it does not fit the trainer."""
    done = state.get("shards_done", [])
    if not all(type(blocks) is int and blocks >= 0 for blocks in done) or len(done) != len(trainer.shards_done):
        raise ValueError(f"it has {len(done):,} shards, not {len(trainer.shards_done):,}")
    if done and (sum(done) - state["blocks_done"]) % trainer.blocks_per_epoch:
        raise ValueError("the progress of its shards contradicts 'blocks_done'")
    return list(done)


def _read(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a checkpoint, memory-mapped, and the rest of its state. Only the digest of the state is checked."""
    arrays, metadata = map_tensors(path)
    text = metadata["state"]
    state = parse_json(text)
    version = state.get("format_version") if isinstance(state, dict) else None
    if version != FORMAT_VERSION:
        raise ValueError(f"another version of polyseme wrote it, in format {shorten(version)}")
    if hashlib.sha256(text.encode()).hexdigest() != metadata.get("sha256"):
        raise ValueError("it was changed after it was written")
    if not all(isinstance(state.get(key), dict) for key in ("config", "totals", "arrays")):
        raise ValueError("it does not describe a run")
    check_types(state, STATE_TYPES)
    check_types(state["totals"], TOTALS_TYPES)
    TrainConfig.from_dict(state["config"])
    return arrays, state


def _digests(arrays: Arrays, threads: int) -> dict[str, str]:
    """The SHA-256 digest of each array; training is paused, so its threads compute them."""
    return dict(zip(arrays, map_in_order(_digest, arrays.values(), threads), strict=True))


def _digest(array: NDArray[np.generic]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data.cast("B")).hexdigest() if array.size else ""


@contextmanager
def _refuse_damage(path: Path) -> Iterator[None]:
    """Turn errors of reading a checkpoint into a TrainingError of one line."""
    try:
        yield
    except (ModelError, OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(
            f"the checkpoint {path} cannot be read ({shorten(error, 200)}); start again with --force."
        ) from error
