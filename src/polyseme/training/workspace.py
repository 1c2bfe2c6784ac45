"""The folder of an unfinished run, beside the model to be: `my.model.training`.

    corpus/                  the encoded corpus
    checkpoint.safetensors   the last checkpoint
    training.jsonl           the log
    model/                   the model, while it is put together
    lock                     held while a process works here

It is removed when the model is saved, and when a run fails before its first checkpoint.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from polyseme.errors import OutputExists, TrainingError

CORPUS, CHECKPOINT, LOG, MODEL, LOCK = "corpus", "checkpoint.safetensors", "training.jsonl", "model", "lock"


def workspace_of(model: Path) -> Path:
    return model.with_name(f"{model.name}.training")


@contextmanager
def workspace(model: Path, *, resume: bool, force: bool) -> Iterator[Path]:
    """The workspace of a model, locked: a new one, or with `resume` the one that is there."""
    folder = workspace_of(model)
    if folder.exists() and not folder.is_dir():
        raise OutputExists(f"{folder} is in the way; move it, or choose another name for the model.")
    if folder.exists() and any(folder.iterdir()) and not (folder / LOCK).exists():
        raise OutputExists(f"{folder} is not polyseme's, and is in the way; choose another name for the model.")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a") as lock:
        if not _try_lock(lock):
            raise TrainingError(f"another process is training {model} now; wait for it, or choose another name.")
        unfinished = any((folder / name).exists() for name in (CORPUS, CHECKPOINT))
        if unfinished and not (resume or force):
            raise OutputExists(
                f"{folder} holds an unfinished run; go on with --resume, or throw it away and start anew with --force."
            )
        _clear(folder, keep=(CORPUS, CHECKPOINT, LOG) if resume else ())
        try:
            yield folder
        except BaseException:
            if not (folder / CHECKPOINT).exists():
                shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


def _clear(folder: Path, keep: tuple[str, ...]) -> None:
    """Remove what a run that is not wanted, or a process that was killed, has left; nothing else."""
    for path in folder.iterdir():
        ours = path.name in (CORPUS, CHECKPOINT, LOG, MODEL) or path.name.endswith(".part")
        if ours and path.name not in keep:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _try_lock(file: IO[str]) -> bool:
    """Lock a file until it is closed or the process ends, however it ends."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass  # a disk without locks: go on without one
    return True
