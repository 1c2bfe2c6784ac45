"""The working folder of a training run, next to the model it will write: `my.model.training`.

    corpus/                  the encoded corpus
    checkpoint.safetensors   the last checkpoint
    training.jsonl           the log
    model/                   the model while it is being written
    lock                     locked while a process uses the folder

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


def workspace_path(model: Path) -> Path:
    """The working folder of a model.

    >>> workspace_path(Path("news.model")).name
    'news.model.training'
    """
    return model.with_name(f"{model.name}.training")


@contextmanager
def workspace(model: Path, *, resume: bool, force: bool) -> Iterator[Path]:
    """The working folder of a model, locked. With `resume`, the files of an unfinished run are kept in it."""
    folder = workspace_path(model)
    if folder.exists() and not folder.is_dir():
        raise OutputExists(f"{folder} is a file, but training needs a folder of that name; move or rename the file.")
    if folder.exists() and any(folder.iterdir()) and not (folder / LOCK).exists():
        raise OutputExists(f"{folder} exists and was not created by polyseme; choose another name for the model.")
    folder.mkdir(parents=True, exist_ok=True)
    _refuse_special_files(folder)
    with (folder / LOCK).open("a") as lock:
        if not _try_lock(lock):
            raise TrainingError(f"another process is training {model}; wait for it, or choose another name.")
        unfinished = any((folder / name).exists() for name in (CORPUS, CHECKPOINT))
        if unfinished and not (resume or force):
            raise OutputExists(
                f"{folder} holds an unfinished run; continue it with --resume, or discard it with --force."
            )
        _clear(folder, keep=(CORPUS, CHECKPOINT, LOG) if resume else ())
        try:
            yield folder
        except BaseException:
            if not (folder / CHECKPOINT).exists():
                shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


def _refuse_special_files(folder: Path) -> None:
    """Raise TrainingError if a file of the workspace is a symbolic link or a FIFO: training would write through it."""
    for name in (CHECKPOINT, LOG, LOCK, CORPUS, MODEL):
        path = folder / name
        is_folder = name in (CORPUS, MODEL)
        if os.path.lexists(path) and (path.is_symlink() or not (path.is_dir() if is_folder else path.is_file())):
            kind = "folder" if is_folder else "regular file"
            raise TrainingError(f"{path} is not a {kind}, so this run did not write it; remove it.")


def _clear(folder: Path, keep: tuple[str, ...]) -> None:
    """Remove the files of earlier runs, except those to keep. Files that polyseme did not write stay."""
    for path in folder.iterdir():
        ours = path.name in (CORPUS, CHECKPOINT, LOG, MODEL) or path.name.endswith(".part")
        if ours and path.name not in keep:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _try_lock(file: IO[str]) -> bool:
    """Lock a file until it is closed or the process ends; False if another process holds the lock."""
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
        pass  # this file system has no locks
    return True
