"""Writing results to standard output, as text or, with --json, as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from polyseme._io.strict_json import only_finite


def print_json(value: Any) -> None:
    """Print a value on one line, with null for NaN: the correlation with constant numbers, for instance."""
    print(json.dumps(only_finite(value), ensure_ascii=False))


def bold(text: str) -> str:
    """The text in bold if standard output is a terminal."""
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text


def highlight_marks() -> tuple[str, str]:
    """What to print before and after the highlighted word of an example sentence."""
    return ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("*", "*")


def one_line(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())
