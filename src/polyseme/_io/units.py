"""Numbers as short text: sizes, counts and durations."""

from __future__ import annotations


def format_bytes(size: int) -> str:
    """
    >>> format_bytes(53_746_066)
    '54 MB'
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}" if size < 10 * scale else f"{size / scale:.0f} {unit}"
    return f"{size} bytes"


def format_count(number: float) -> str:
    """
    >>> format_count(40_796_957), format_count(1_310), format_count(12)
    ('40.8M', '1.3k', '12')
    """
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= scale:
            return f"{number / scale:.1f}{unit}" if number < 100 * scale else f"{number / scale:.0f}{unit}"
    return f"{number:.0f}"


def format_duration(seconds: float) -> str:
    """
    >>> format_duration(3.14), format_duration(75), format_duration(7300)
    ('3.1s', '1m 15s', '2h 1m')
    """
    if seconds < 10:
        return f"{seconds:.1f}s"
    if seconds < 60:
        return f"{seconds:.0f}s"
    minutes = int(seconds) // 60
    return f"{minutes}m {int(seconds) % 60}s" if minutes < 60 else f"{minutes // 60}h {minutes % 60}m"
