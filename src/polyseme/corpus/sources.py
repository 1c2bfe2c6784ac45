"""Where text comes from: files, globs, folders and standard input, plain or compressed."""

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
IN_FOLDERS = (".txt", *(f".txt{end}" for end in COMPRESSED))


@dataclass(frozen=True)
class Source:
    """One text: a path, or '-' for standard input; with the size and time by which a change is noticed."""

    path: str
    size: int
    modified: int

    @property
    def unchanged(self) -> bool:
        """Whether the text can still be read as it was."""
        return self.path != STDIN and Path(self.path).is_file() and self == _source(Path(self.path))

    def open(self) -> BinaryIO:
        """The decompressed bytes."""
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
    """Every text that the paths, globs and folders stand for, each once, in order."""
    given = [corpus] if isinstance(corpus, str | os.PathLike) else list(corpus)
    found = dict.fromkeys(source for item in given for source in _expand(os.fspath(item)))
    if not found:
        raise CorpusError("no corpus was given; name a text file, a folder, or - for standard input.")
    return list(found)


def _expand(item: str) -> list[Source]:
    if item == STDIN:
        return [Source(STDIN, 0, 0)]
    path = Path(item)
    if path.is_dir():
        inside = sorted(p for p in path.rglob("*") if p.is_file() and p.name.endswith(IN_FOLDERS))
        if not inside:
            raise CorpusError(f"{item} holds no text: no file there ends in {', '.join(IN_FOLDERS)}.")
        return [_source(p) for p in inside]
    if path.exists():
        return [_source(path)]
    matches = sorted(p for p in glob.glob(item, recursive=True) if Path(p).is_file())  # noqa: PTH207
    if not matches:
        raise MissingFile(f"{item} is not there; check the path (it is looked for in {Path.cwd()}).")
    return [_source(Path(p)) for p in matches]


def _source(path: Path) -> Source:
    status = path.stat()
    return Source(os.path.abspath(path), status.st_size, status.st_mtime_ns)  # noqa: PTH100 - a pipe has no other name


def _open_zstd(path: str) -> BinaryIO:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast(BinaryIO, zstd.open(path))
