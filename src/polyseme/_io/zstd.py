"""The zstd module: part of Python from 3.14 on, a backport before."""

from __future__ import annotations

import sys
from typing import Any


def load_zstd() -> Any:
    """The module, imported on first use: most commands need no compression."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
