"""Writing so that a file or folder is whole or absent: written beside, then renamed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of `path` when the block ends well, and vanishes when it does not."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield beside
        _sync(beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    _sync(path.parent)


@contextmanager
def atomic_folder(path: Path, beside: Path | None = None) -> Iterator[Path]:
    """A new folder to fill, which takes the place of `path` when the block ends well, and vanishes when it does not.

    It is filled at `beside`, which must be on the same disk: what a killed process leaves there is the caller's.
    """
    beside = beside or path.with_name(f".{path.name}.{os.getpid()}.part")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    try:
        yield beside
        for file in beside.iterdir():
            _sync(file)
        _sync(beside)
        replace_folder(beside, path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def replace_folder(new: Path, path: Path) -> None:
    """Rename a folder to `path`; one that stands there goes only once the new one is in place."""
    old = path.with_name(f".{path.name}.{os.getpid()}.old")
    if path.is_dir() and not path.is_symlink():
        path.rename(old)
    elif path.exists() or path.is_symlink():
        path.unlink()
    try:
        new.rename(path)
    except BaseException:
        if old.exists():
            old.rename(path)
        raise
    _sync(path.parent)
    shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    """Make what was written survive a power cut; some systems cannot do this for folders."""
    with suppress(OSError) if path.is_dir() else nullcontext():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
