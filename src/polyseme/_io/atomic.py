"""Atomic writes: a file or folder is written under a temporary name, then renamed, so it is complete or absent.

A killed process leaves its temporary file or folder behind. The next one that writes to the same path removes it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

_CURRENT_FOLDER, _EXCHANGE = -100, 2  # arguments of Linux's renameat2: AT_FDCWD and RENAME_EXCHANGE


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; it is renamed to `path` on success and deleted on error."""
    _remove_leftovers(path)
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
    if temporary is None:
        _remove_leftovers(path)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
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

    Where the system cannot exchange two folders in one step, the existing folder is beside the new one meanwhile, where
    the caller finds it after a killed process.
    """
    old = new.with_name(f"{new.name}.old")
    if path.is_dir() and not path.is_symlink():
        if _exchange(new, path):
            _sync(path.parent)
            shutil.rmtree(new, ignore_errors=True)
            return
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


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two folders in one step, so that readers always find one; False if the system cannot."""
    try:
        import ctypes

        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (ImportError, AttributeError, OSError, TypeError):  # only Linux has it
        return False
    paths = os.fsencode(first), os.fsencode(second)
    return bool(rename(_CURRENT_FOLDER, paths[0], _CURRENT_FOLDER, paths[1], _EXCHANGE) == 0)


def _remove_leftovers(path: Path) -> None:
    """Remove what killed processes have left of `path`; a folder that one of them had moved away is moved back."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.(\d+)\.part(\.old)?")
    with suppress(OSError):
        for name in os.listdir(path.parent):  # noqa: PTH208 - os.listdir is faster
            match = pattern.fullmatch(name)
            if match is None or _is_running(int(match[1])):
                continue
            leftover = path.with_name(name)
            if match[2] and not os.path.lexists(path):
                leftover.rename(path)
            elif leftover.is_dir() and not leftover.is_symlink():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink()


def _is_running(process: int) -> bool:
    """Whether another process has this number. Windows cannot say it, so leftovers stay there."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # of another user
        return True
    return process != os.getpid()


def _sync(path: Path) -> None:
    """Flush a file or folder to disk, so that it survives a power failure; not all systems support it for folders."""
    with suppress(OSError) if path.is_dir() else nullcontext():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
