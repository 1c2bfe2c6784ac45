"""Numba's cache of compiled kernels, without the modules that only the compiler needs.

Before Numba loads a cached kernel, it imports its implementations of all supported functions and, if SciPy is
installed, `scipy.linalg`. This takes longer than all else that a short training does, and the compiler does it anyway
when it starts. Machine code needs only the symbols that it calls.
"""

from __future__ import annotations

from typing import Any

from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys


class KernelCache(FunctionCache):
    """The compiled versions of one kernel, in Numba's cache folder."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel compiled for the types of `sig`, or None if it is not in the cache."""
        rtsys.initialize(target_context)  # adds the symbols by which kernels create arrays
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)
        return None  # `_guard_against_spurious_io_errors` suppresses some errors on Windows
