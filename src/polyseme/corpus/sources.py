"""Sources of text: files, globs, folders and standard input, plain or compressed."""

from __future__ import annotations

import bz2
import glob
import gzip
import lzma
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from polyseme.errors import CorpusError, MissingFile

STDIN = "-"
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
TEXT_SUFFIXES = (".txt", *(f".txt{suffix}" for suffix in COMPRESSED))  # of the files read from a folder


@dataclass(frozen=True)
class Source:
    """A text file, or standard input ('-'). Size and modification time (in ns) show whether it has changed."""

    path: str
    size: int
    modified: int

    @property
    def unchanged(self) -> bool:
        """Whether the file exists and has the same size and modification time; False for standard input."""
        return self.path != STDIN and Path(self.path).is_file() and self == _source(Path(self.path))

    def open(self) -> BinaryIO:
        """Open the decompressed bytes."""
        if self.path == STDIN:
            return sys.stdin.buffer
        match Path(self.path).suffix:
            case ".gz":
                return cast(BinaryIO, gzip.open(self.path))
            case ".bz2":
                return cast(BinaryIO, bz2.open(self.path))
            case ".xz":
                return cast(BinaryIO, lzma.open(self.path))
            case ".zst":
                return _open_zstd(self.path)
        return Path(self.path).open("rb")


def find_sources(corpus: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Source]:
    """The text files that paths, globs and folders refer to, in order and without duplicates."""
    items = [corpus] if isinstance(corpus, str | os.PathLike) else list(corpus)
    sources = dict.fromkeys(source for item in items for source in _expand(os.fspath(item)))
    if not sources:
        raise CorpusError("no corpus was given; name a text file, a folder, or - for standard input.")
    return list(sources)


def _expand(item: str) -> list[Source]:
    if item == STDIN:
        return [Source(STDIN, 0, 0)]
    path = Path(item)
    if path.is_dir():
        texts = sorted(p for p in path.rglob("*") if p.is_file() and p.name.endswith(TEXT_SUFFIXES))
        if not texts:
            raise CorpusError(f"{item} has no text files; their names must end in {', '.join(TEXT_SUFFIXES)}.")
        return [_source(p) for p in texts]
    if path.exists():
        return [_source(path)]
    matches = sorted(p for p in glob.glob(item, recursive=True) if Path(p).is_file())  # noqa: PTH207
    if not matches:
        raise MissingFile(f"{item} does not exist; check the path (the current folder is {Path.cwd()}).")
    return [_source(Path(p)) for p in matches]


def _source(path: Path) -> Source:
    status = path.stat()
    # Not path.resolve(), which turns /dev/fd/63 (a pipe of the shell) into a name that cannot be opened.
    return Source(os.path.abspath(path), status.st_size, status.st_mtime_ns)  # noqa: PTH100


def _open_zstd(path: str) -> BinaryIO:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast(BinaryIO, zstd.open(path))
