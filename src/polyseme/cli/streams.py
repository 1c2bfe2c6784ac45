"""Standard streams that are closed or cannot be written to, and terminals that are too narrow."""

from __future__ import annotations

import os
import shutil
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from polyseme.errors import CorpusError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MIN_COLUMNS, MAX_COLUMNS = 40, 1000  # rich formats help forever in 2 columns


def prepare_streams() -> None:
    """Make standard input, output and error safe to use.

    A closed descriptor is opened, or else the next file that is opened would get its number. Writing to a closed
    standard output raises OSError (EBADF). A closed standard input stays None: see `read_stdin`.
    """
    for descriptor, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            opened = os.open(os.devnull, os.O_RDONLY if descriptor == 1 else os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is sys.__stderr__:
        encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
        raw = BufferedWriter(_SilentFile(2, "w", closefd=False))
        sys.stderr = TextIOWrapper(raw, encoding, errors="backslashreplace", line_buffering=True)
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    _limit_columns()


def read_stdin() -> TextIO:
    """Standard input; CorpusError if it is closed."""
    if sys.stdin is None:
        raise CorpusError("standard input is closed; pipe a text into the command, or give it as an argument.")
    return sys.stdin


def discard_output() -> None:
    """Send the rest of standard output, which cannot be written, to the null device."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _SilentFile(FileIO):
    """A file whose write errors are ignored: progress and messages must not end a command that can go on."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(memoryview(data).cast("B"))


def _limit_columns() -> None:
    """Set COLUMNS, from which rich takes the width, to a number of columns that rich can handle."""
    columns = shutil.get_terminal_size().columns
    if "COLUMNS" in os.environ or columns < MIN_COLUMNS:
        os.environ["COLUMNS"] = str(min(max(columns, MIN_COLUMNS), MAX_COLUMNS))
