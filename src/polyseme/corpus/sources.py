"""Sources of text: files, globs, folders and standard input, plain or compressed."""

from __future__ import annotations

import glob
import gzip
import io
import lzma
import os
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from polyseme._io.parallel_bz2 import open_bz2
from polyseme.errors import CorpusError, MissingFile

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STDIN = "-"
POLL_SECONDS = 0.1  # between calls of `wait` while a pipe has no data
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

    @contextmanager
    def open(self, *, to_end: bool = False, wait: Callable[[], None] = lambda: None) -> Iterator[BinaryIO]:
        """Open the decompressed bytes.

        to_end  the caller reads all bytes: CorpusError at the end of the block if the file has changed since
                `find_sources`
        wait    called again and again while a pipe has no data; it may raise
        """
        with self._open_raw(wait) as raw, _decompressed(raw, Path(self.path).suffix) as stream:
            yield stream
            if to_end and self._is_regular(raw):
                whole = stream is not raw or raw.tell() == self.size
                if not (whole and self.unchanged):
                    raise CorpusError(
                        f"{self.path} changed while it was read (it had {self.size:,} bytes before); "
                        f"run the command again when no program writes to it."
                    )

    @contextmanager
    def _open_raw(self, wait: Callable[[], None]) -> Iterator[BinaryIO]:
        """Open the bytes of the file. Opening a pipe does not wait for its writer, which no signal would interrupt."""
        if self.path == STDIN:
            yield _stdin(wait)
        elif Path(self.path).is_fifo():
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                yield _buffered(descriptor, wait)
            finally:
                os.close(descriptor)
        else:
            with Path(self.path).open("rb") as file:
                yield file

    def _is_regular(self, raw: BinaryIO) -> bool:
        return self.path != STDIN and stat.S_ISREG(os.fstat(raw.fileno()).st_mode)


class _Pipe(io.RawIOBase):
    """The bytes of a file descriptor, read when there are some; until then `wait` is called, which may raise.

    The descriptor is not closed. It is read without the lock of sys.stdin.buffer, which would make Python abort if it
    exits while a thread waits for input.
    """

    def __init__(self, descriptor: int, wait: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self.wait = wait

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.descriptor

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while True:
            while not select.select([self.descriptor], [], [], POLL_SECONDS)[0]:
                self.wait()
            try:
                return os.readv(self.descriptor, [buffer])
            except BlockingIOError:  # another process has read the data
                continue


def _buffered(descriptor: int, wait: Callable[[], None]) -> BinaryIO:
    return io.BufferedReader(_Pipe(descriptor, wait), 1 << 16)


def _stdin(wait: Callable[[], None]) -> BinaryIO:
    if sys.stdin is None:
        raise CorpusError("standard input is closed; pipe a text into the command, or give a file.")
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError):  # not a file: a program has replaced sys.stdin
        return sys.stdin.buffer
    return sys.stdin.buffer if os.name == "nt" else _buffered(descriptor, wait)  # Windows cannot wait for a pipe


def _decompressed(raw: BinaryIO, suffix: str) -> AbstractContextManager[BinaryIO]:
    match suffix:
        case ".gz":
            return cast(BinaryIO, gzip.open(raw))
        case ".bz2":
            return open_bz2(raw)
        case ".xz":
            return cast(BinaryIO, lzma.open(raw))
        case ".zst":
            return cast(BinaryIO, _zstd().open(raw))
    return nullcontext(raw)


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


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
