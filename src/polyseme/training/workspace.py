"""The working folder of a training run, next to the model it will write: `my.model.training`.

    run.json                 the settings of the run, the model it continues, and whether it replaces a model
    corpus/                  the encoded corpus
    checkpoint.safetensors   the last checkpoint
    training.jsonl           the log
    model/                   the model while it is being written
    model.old/               the model that it replaces, for the moment between two renames
    lock                     locked while a process uses the folder

It is removed when the model is saved, and when a new run fails before its first checkpoint.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from polyseme._io.atomic import atomic_file
from polyseme._io.plain_files import plain_file_size
from polyseme._io.strict_json import check_types, read_json_object
from polyseme.errors import Interrupted, OutputExists, TrainingError, shorten
from polyseme.model.unfinished import CHECKPOINT, CORPUS, RUN, has_unfinished_run, workspace_path
from polyseme.training.config import TrainConfig
from polyseme.training.init_model import Origin

LOG, MODEL, LOCK = "training.jsonl", "model", "lock"
OLD_MODEL = f"{MODEL}.old"


class UnfinishedRun(NamedTuple):
    """A run that has not saved its model. Runs of earlier versions have no config before their first checkpoint."""

    config: TrainConfig | None
    replaces_model: bool  # it was started with --force, and the model it replaces is still there
    origin: Origin | None = None  # the model that it continues


def unfinished_run(model: Path) -> UnfinishedRun | None:
    """The unfinished run of a model, or None."""
    if not has_unfinished_run(model):
        return None
    path = workspace_path(model) / RUN
    if not os.path.lexists(path):
        return UnfinishedRun(None, replaces_model=False)
    try:
        run = read_json_object(path)
        check_types(run, {"replaces_model": bool, "config": dict})
        origin = None
        if run.get("init") is not None:
            check_types(run, {"init": dict})
            check_types(run["init"], {"fingerprint": str, "freeze": bool})
            origin = Origin(run["init"]["fingerprint"], run["init"]["freeze"])
        return UnfinishedRun(TrainConfig.from_dict(run["config"]), run["replaces_model"], origin)
    except (OSError, ValueError, TypeError) as error:
        raise TrainingError(f"{path} cannot be read ({shorten(error, 200)}); start again with --force.") from error


@contextmanager
def workspace(
    model: Path, config: TrainConfig, *, resume: bool, force: bool, origin: Origin | None = None
) -> Iterator[Path]:
    """The working folder of a model, locked. With `resume`, the files of an unfinished run are kept in it."""
    folder = workspace_path(model)
    with _locked(model, folder):
        resumed = resume and has_unfinished_run(model)
        if any((folder / name).exists() for name in (CORPUS, CHECKPOINT)) and not (resume or force):
            raise OutputExists(
                f"{folder} holds an unfinished run; continue it with --resume, or discard it with --force."
            )
        _clear(folder, keep=(RUN, CORPUS, CHECKPOINT, LOG) if resume else ())
        replaces_model = model.exists()
        try:
            if not (folder / RUN).exists():
                init = None if origin is None else origin._asdict()
                run = {"replaces_model": replaces_model, "config": config.to_dict(), "init": init}
                with atomic_file(folder / RUN) as path:
                    path.write_text(json.dumps(run), encoding="utf-8")
            yield folder
        except BaseException as error:
            stopped = isinstance(error, Interrupted | KeyboardInterrupt)
            # Without the folder, --resume would take the model that this run replaces for its result.
            if not (resumed or (folder / CHECKPOINT).exists() or (stopped and replaces_model)):
                with suppress(KeyboardInterrupt):
                    _remove(folder)
            raise
        _remove(folder)


def remove_leftovers(model: Path) -> None:
    """Remove the working folder of a run that saved its model and was killed before it removed the folder."""
    folder = workspace_path(model)
    if _has_saved(folder, model):
        with suppress(TrainingError, OSError), _locked(model, folder):
            _remove(folder)


@contextmanager
def _locked(model: Path, folder: Path) -> Iterator[None]:
    """Create the folder if necessary and lock it; an error if another process or the user owns it."""
    if folder.exists() and not folder.is_dir():
        raise OutputExists(f"{folder} is a file, but training needs a folder of that name; move or rename the file.")
    if folder.exists() and any(folder.iterdir()) and not (folder / LOCK).exists():
        raise OutputExists(f"{folder} exists and was not created by polyseme; choose another name for the model.")
    folder.mkdir(parents=True, exist_ok=True)
    _refuse_special_files(folder)
    with (folder / LOCK).open("a") as lock:
        if not _try_lock(lock):
            raise TrainingError(f"another process is training {model}; wait for it, or choose another name.")
        yield


def _has_saved(folder: Path, model: Path) -> bool:
    """Whether the run of a working folder has saved the model: then the model has a copy of the run's log.

    Or the log has been removed already, and the folder has only the lock, or nothing.
    """
    try:
        if model.is_dir() and {path.name for path in folder.iterdir()} <= {LOCK}:
            return True
        copied, log = model / LOG, folder / LOG
        if not 0 < plain_file_size(copied) <= plain_file_size(log):
            return False
        return log.read_bytes().startswith(copied.read_bytes())
    except (OSError, ValueError):
        return False


def _refuse_special_files(folder: Path) -> None:
    """Raise TrainingError if a file of the workspace is a symbolic link or a FIFO: training would write through it."""
    for name in (RUN, CHECKPOINT, LOG, LOCK, CORPUS, MODEL, OLD_MODEL):
        path = folder / name
        is_folder = name in (CORPUS, MODEL, OLD_MODEL)
        if os.path.lexists(path) and (path.is_symlink() or not (path.is_dir() if is_folder else path.is_file())):
            kind = "folder" if is_folder else "regular file"
            raise TrainingError(f"{path} is not a {kind}, so this run did not write it; remove it.")


def _clear(folder: Path, keep: tuple[str, ...]) -> None:
    """Remove the files of earlier runs, except those to keep. Files that polyseme did not write stay."""
    for path in folder.iterdir():
        ours = path.name in (RUN, CORPUS, CHECKPOINT, LOG, MODEL, OLD_MODEL) or path.name.endswith(".part")
        if ours and path.name not in keep:
            _delete(path)


def _remove(folder: Path) -> None:
    """Remove the working folder, as far as possible. Ctrl-C takes effect afterwards: this takes little time."""
    interrupt = None
    while True:
        try:
            _remove_files(folder)
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


def _remove_files(folder: Path) -> None:
    """Remove the files of the working folder, then the folder.

    If the process is killed meanwhile, the rest must be recognized. So the log, which tells whether the run has saved
    its model, is removed after the other files, and the lock, which tells that the folder is polyseme's, is the last.
    """
    last = (LOG, LOCK)
    with suppress(OSError):
        for path in sorted(folder.iterdir(), key=lambda path: last.index(path.name) if path.name in last else -1):
            _delete(path)
        folder.rmdir()


def _delete(path: Path) -> None:
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
