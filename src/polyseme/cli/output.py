"""Writing results: data to standard output, for people or, with --json, for machines."""

from __future__ import annotations

import json
import sys
from typing import Any


def print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False))


def bold(text: str) -> str:
    """Bold on a terminal."""
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text


def marks() -> tuple[str, str]:
    """What stands around the word in an example sentence."""
    return ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("*", "*")


def one_line(text: str) -> str:
    return " ".join(text.split())


def in_bytes(size: int) -> str:
    """
    >>> in_bytes(53_746_066)
    '54 MB'
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}" if size < 10 * scale else f"{size / scale:.0f} {unit}"
    return f"{size} bytes"


def in_short(number: float) -> str:
    """
    >>> in_short(40_796_957), in_short(1_310), in_short(12)
    ('40.8M', '1.3k', '12')
    """
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= scale:
            return f"{number / scale:.1f}{unit}" if number < 100 * scale else f"{number / scale:.0f}{unit}"
    return f"{number:.0f}"


def in_time(seconds: float) -> str:
    """
    >>> in_time(3.14), in_time(75), in_time(7300)
    ('3.1s', '1m 15s', '2h 1m')
    """
    if seconds < 10:
        return f"{seconds:.1f}s"
    if seconds < 60:
        return f"{seconds:.0f}s"
    minutes = int(seconds) // 60
    return f"{minutes}m {int(seconds) % 60}s" if minutes < 60 else f"{minutes // 60}h {minutes % 60}m"
