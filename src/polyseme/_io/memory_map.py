"""Memory maps: the pages that were read count as memory of the process until they are released."""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

_DONT_NEED: int | None = getattr(mmap, "MADV_DONTNEED", None)  # not available on all systems


def release_pages(array: NDArray[np.generic]) -> None:
    """Release the memory of a read-only np.memmap, which is read from the file again if needed.

    Does nothing for other arrays.
    """
    mapped = getattr(array, "_mmap", None)
    if mapped is not None and _DONT_NEED is not None:
        mapped.madvise(_DONT_NEED)
