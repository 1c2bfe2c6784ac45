"""Regular files only: folders that others send us may contain symbolic links, FIFOs and devices in place of files."""

from __future__ import annotations

import stat
from pathlib import Path


def plain_file_size(path: Path) -> int:
    """The size of a regular file in bytes.

    ValueError if the path is anything else: a symbolic link could point to any file of the system, and opening a FIFO
    would wait forever. OSError if it does not exist.
    """
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise ValueError(f"{path.name} is a symbolic link; replace it with a copy of the file")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{path.name} is not a regular file")
    return status.st_size
