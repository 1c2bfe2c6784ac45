"""The names of the readers, and the file names that each reads."""

from __future__ import annotations

import os
import re
from typing import Literal

from polyseme.errors import ConfigError, shorten

ReaderName = Literal["text", "jsonl", "csv", "tsv", "parquet", "wikipedia"]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
SUFFIXES: dict[str, tuple[str, ...]] = {
    "text": (".txt",),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "csv": (".csv",),
    "tsv": (".tsv",),
    "parquet": (".parquet",),
    "wikipedia": (".xml",),
}
PAGE_RANGE = re.compile(r"(?<=\.xml)-p[0-9]+p[0-9]+[\w-]*$")  # in the names of parts of a dump
WITH_FIELD = ("jsonl", "csv", "tsv", "parquet")  # readers of rows, in which one field is the text
ITERABLE, TOKEN_LISTS = "iterable", "token lists"  # readers of sources that are Python iterables, not files
DEFAULT_FIELD = "text"


def compression_of(path: str | os.PathLike[str]) -> str:
    """The suffix of compression at the end of a file name, in lower case; '' if there is none.

    >>> compression_of("news.jsonl.GZ"), compression_of("news.txt")
    ('.gz', '')
    """
    return next((suffix for suffix in COMPRESSED if os.fspath(path).lower().endswith(suffix)), "")


def reader_of(name: str) -> str | None:
    """The reader for a file name, which may also have a suffix of compression; None if no reader has its suffix.

    >>> reader_of("news.jsonl.gz"), reader_of("dump.xml.bz2"), reader_of("news")
    ('jsonl', 'wikipedia', None)
    >>> reader_of("enwiki-latest-pages-articles1.xml-p1p41242.bz2")
    'wikipedia'
    """
    lower = PAGE_RANGE.sub("", name.lower().removesuffix(compression_of(name)))
    return next((reader for reader, suffixes in SUFFIXES.items() if lower.endswith(suffixes)), None)


def check_reader(reader: str | None) -> None:
    """Raise ConfigError unless a reader is one of ReaderName, or None."""
    if reader is not None and reader not in SUFFIXES:
        raise ConfigError(f"reader '{shorten(reader)}' is not known; choose one of {', '.join(SUFFIXES)}.")
