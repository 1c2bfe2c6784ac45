"""Memory maps: pages of a file that were read count as memory of the process until they are let go."""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

_DONT_NEED: int | None = getattr(mmap, "MADV_DONTNEED", None)  # some systems have none


def release_pages(array: NDArray[np.generic]) -> None:
    """Give back the memory of a map that is only read: what is read again comes from the file. Other arrays stay."""
    mapped = getattr(array, "_mmap", None)
    if mapped is not None and _DONT_NEED is not None:
        mapped.madvise(_DONT_NEED)
