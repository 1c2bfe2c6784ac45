"""Decorators that compile kernels with Numba: without the GIL, cached on disk, with sums in any order.

Division by zero gives infinity or NaN, as in NumPy: Python's check for it would keep LLVM from vectorising loops. The
fast-math flags do not include those that assume the absence of NaN and infinity, so that divergence is detected.

Numba counts references to arrays with atomic instructions, even inside loops that take arrays from tuples, and all
threads share the counters. Kernels that create no arrays avoid this cost with `kernel_without_refcounts`.

Only kernels that Python calls are cached: their compiled code includes the functions that they call.

For a cached kernel, Numba checks only whether the kernel's own file has changed, not the files of the functions it
calls, nor whether NUMBA_BOUNDSCHECK is set. So the cache folder is named after a digest of all kernel sources and of
that setting, and outdated code is never run. It is created in the folder NUMBA_CACHE_DIR, if that is set.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit

from polyseme.kernels.kernel_cache import KernelCache

_OPTIONS = {
    "nogil": True,
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp", "nsz", "afn"},
}


def kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Decorate a function that Python calls; it is compiled at the first call or loaded from the cache."""
    dispatcher = njit(**(_OPTIONS | options))(function)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_CACHE)
    try:
        dispatcher._cache = KernelCache(function)
    except RuntimeError:  # no writable folder for the cache
        pass
    finally:
        config.CACHE_DIR = before
    return dispatcher


def internal(function: Callable[..., Any], **options: Any) -> Any:
    """Decorate a function that only kernels call. It gets no Python wrapper, which would take long to compile."""
    return njit(no_cpython_wrapper=True, **(_OPTIONS | options))(function)


def inline(function: Callable[..., Any]) -> Any:
    """Decorate a small function that kernels call for each token; it is always inlined.

    Passing many arrays to it would cost more than the work it does. It creates no arrays.
    """
    return internal(function, forceinline=True, _nrt=False)


def kernel_without_refcounts(function: Callable[..., Any]) -> Any:
    """Decorate a function that Python calls and that creates no arrays: it does not count references to them."""
    return kernel(function, _nrt=False)


def exact_kernel(function: Callable[..., Any]) -> Any:
    """Decorate a function that Python calls and that needs IEEE 754 arithmetic: every operation correctly rounded."""
    return kernel(function, fastmath=False, _nrt=False)


def exact_internal(function: Callable[..., Any]) -> Any:
    """Decorate a function that only exact kernels call."""
    return internal(function, fastmath=False, _nrt=False)


def cache_folder() -> Path:
    """The folder of compiled kernels."""
    return _CACHE


def _cache_folder() -> Path:
    here = Path(__file__).parent
    sources = b"".join(path.read_bytes() for path in sorted(here.rglob("*.py")))
    checked = b"checked" if config.BOUNDSCHECK else b""
    name = f"kernels-{hashlib.sha256(sources + checked).hexdigest()[:16]}"
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR) / name
    if os.access(here, os.W_OK):
        return here / "__pycache__" / name
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - Path.home() may raise
    return Path(home) / "polyseme" / name


_CACHE = _cache_folder()
