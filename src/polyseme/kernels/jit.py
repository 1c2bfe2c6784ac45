"""How kernels are compiled: without the interpreter's lock, cached on disk, and with sums in any order.

Division by zero gives infinity, as in C: Python's check for it would keep loops from being vectorised. Of the fast-math
flags those that assume that there is no NaN are left out, so that a run that diverges is noticed.

Numba counts references to arrays, also in internal loops that take them from tuples, and with locked instructions on
counters that all threads share. A kernel that makes no array can do without: it is marked `kernel_without_refcounts`.

Numba asks for a cached kernel only whether the kernel's own file has changed, not the files of the kernels it calls. So
compiled kernels are kept in a folder named by a digest of all of them, and a stale one is never run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit

_OPTIONS = {
    "nogil": True,
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp", "nsz", "afn"},
}


def kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function when it is first called, or take it from the cache."""
    before = config.CACHE_DIR
    config.CACHE_DIR = before or str(_CACHE)
    try:
        return njit(cache=True, **_OPTIONS, **options)(function)
    except RuntimeError:  # nowhere to write a cache
        return njit(**_OPTIONS, **options)(function)
    finally:
        config.CACHE_DIR = before


def internal(function: Callable[..., Any]) -> Any:
    """For what only kernels call: the way in from Python takes longer to compile than most of them."""
    return kernel(function, no_cpython_wrapper=True)


def inline(function: Callable[..., Any]) -> Any:
    """For what is called once for each token with many arrays: passing those would cost more than the work.

    It becomes part of the kernels that call it, and cannot be called from Python.
    """
    return kernel(function, forceinline=True, _nrt=False, no_cpython_wrapper=True)


def kernel_without_refcounts(function: Callable[..., Any]) -> Any:
    """A kernel that makes no arrays, and need not count who holds those it was given."""
    return kernel(function, _nrt=False)


def cache_folder() -> Path:
    """Where compiled kernels are kept."""
    return Path(config.CACHE_DIR or _CACHE)


def _cache_folder() -> Path:
    here = Path(__file__).parent
    sources = b"".join(path.read_bytes() for path in sorted(here.rglob("*.py")))
    name = f"kernels-{hashlib.sha256(sources).hexdigest()[:16]}"
    if os.access(here, os.W_OK):
        return here / "__pycache__" / name
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - Path needs a home
    return Path(home) / "polyseme" / name


_CACHE = _cache_folder()
