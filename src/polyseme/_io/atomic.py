"""Atomic writes: a file or folder is written under a temporary name, then renamed, so it is complete or absent."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; it is renamed to `path` on success and deleted on error."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        _sync(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync(path.parent)


@contextmanager
def atomic_folder(path: Path, temporary: Path | None = None) -> Iterator[Path]:
    """Yield a new temporary folder to fill; it is renamed to `path` on success and deleted on error.

    temporary  path of the temporary folder, on the same file system; a caller that gives it also cleans it up after a
               killed process
    """
    temporary = temporary or path.with_name(f".{path.name}.{os.getpid()}.part")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        for file in temporary.iterdir():
            _sync(file)
        _sync(temporary)
        replace_folder(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def replace_folder(new: Path, path: Path) -> None:
    """Rename a folder to `path`; an existing folder is deleted only after that, and restored on error.

    Meanwhile the existing folder is beside the new one, where the caller finds it after a killed process.
    """
    old = new.with_name(f"{new.name}.old")
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
    """Flush a file or folder to disk, so that it survives a power failure; not all systems support it for folders."""
    with suppress(OSError) if path.is_dir() else nullcontext():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
