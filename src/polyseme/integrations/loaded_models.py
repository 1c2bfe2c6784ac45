"""Models opened by path, once per process: components store only the path, so that they stay small when pickled."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from polyseme.model.sense_model import SenseModel

MAX_MODELS = 8  # kept open; their vectors are memory-mapped


def open_model(path: str | os.PathLike[str]) -> SenseModel:
    """The model in a folder. It is opened again if another model has replaced it."""
    folder = Path(path).absolute()
    return _load(folder, _version(folder / "config.json"))


def _version(file: Path) -> tuple[int, int] | None:
    """What changes when a file is replaced; None if it cannot be read."""
    try:
        status = file.stat()
    except (OSError, ValueError):  # ValueError: the path contains NUL
        return None
    return status.st_ino, status.st_mtime_ns


@lru_cache(MAX_MODELS)
def _load(folder: Path, _: tuple[int, int] | None) -> SenseModel:
    return SenseModel.load(folder)
