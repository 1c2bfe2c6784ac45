"""The zstd module of the standard library, or its backport for Python before 3.14."""

from __future__ import annotations

import sys
from typing import Any


def zstd_module() -> Any:
    """The module `compression.zstd`, imported when it is needed.

    >>> zstd_module().decompress(zstd_module().compress(b"bank"))
    b'bank'
    """
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
