"""Sources of text: files, globs, folders, standard input and Python iterables; files may be compressed."""

from __future__ import annotations

import dataclasses
import glob
import gzip
import io
import lzma
import os
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from polyseme._io.parallel_bz2 import open_bz2
from polyseme._io.zstd import load_zstd
from polyseme.corpus.readers.names import (
    DEFAULT_FIELD,
    ITERABLE,
    SUFFIXES,
    WITH_FIELD,
    check_reader,
    compression_of,
    reader_of,
)
from polyseme.errors import ConfigError, CorpusError, MissingFile, shorten

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

DESCRIPTION_FILE = "corpus.json"  # of an encoded corpus
MODEL_FILE = "model.safetensors"
STDIN = "-"
TEXTS = "<texts>"  # the path of a Python iterable
TEXTS_ADVICE = "in Python, pass sentences as texts=[...]"
SENTENCE_ENDS = (".", "!", "。", "！", "？", "।", "؟")  # of languages without spaces, too
POLL_SECONDS = 0.1  # between calls of `wait` while a pipe has no data

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Source:
    """A file, standard input ('-') or a Python iterable. Size and modification time (in ns) show changes of a file.

    reader   a ReaderName, or ITERABLE
    field    which field of each row is the text; '' if the source has no rows
    spooled  whether the text cannot be read again by position, so that encoding keeps a copy
    items    the iterable
    start    first byte to read, and
    end      the byte after the last one, of a plain text of which only a part is read; None for all of it
    """

    path: str
    size: int
    modified: int
    reader: str = "text"
    field: str = ""
    spooled: bool = dataclasses.field(default=False, compare=False)
    items: Iterable[Any] | None = dataclasses.field(default=None, compare=False, repr=False)
    start: int = dataclasses.field(default=0, compare=False)
    end: int | None = dataclasses.field(default=None, compare=False)

    @property
    def unchanged(self) -> bool:
        """Whether the file exists and has the same size and modification time; False for standard input."""
        return self.path not in (STDIN, TEXTS) and Path(self.path).is_file() and self == self._now()

    def _now(self) -> Source:
        return _file(Path(self.path), self.reader, self.field)

    @contextmanager
    def open(self, *, to_end: bool = False, wait: Callable[[], None] = lambda: None) -> Iterator[BinaryIO]:
        """Open the decompressed bytes.

        to_end  the caller reads all bytes: CorpusError at the end of the block if the file has changed since
                `find_sources`
        wait    called again and again while a pipe has no data; it may raise
        """
        with self._open_raw(wait) as raw, _decompressed(raw, compression_of(self.path)) as stream:
            yield stream
            if to_end and self._is_regular(raw):
                whole = stream is not raw or raw.tell() == (self.size if self.end is None else self.end)
                if not (whole and self.unchanged):
                    raise CorpusError(
                        f"{self.path} changed while it was read (it had {self.size:,} bytes before); "
                        f"run the command again when no program writes to it."
                    )

    @contextmanager
    def _open_raw(self, wait: Callable[[], None]) -> Iterator[BinaryIO]:
        """Open the bytes of the file. Opening a pipe does not wait for its writer, which no signal would interrupt."""
        if self.path == STDIN:
            with _stdin(wait) as stream:
                yield stream
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
            except BlockingIOError:  # another process has read the data, or Ctrl-C has discarded it
                continue


def _buffered(descriptor: int, wait: Callable[[], None]) -> BinaryIO:
    return io.BufferedReader(_Pipe(descriptor, wait), 1 << 16)


@contextmanager
def _stdin(wait: Callable[[], None]) -> Iterator[BinaryIO]:
    if sys.stdin is None:
        raise CorpusError("standard input is closed; pipe a text into the command, or give a file.")
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError):  # not a file: a program has replaced sys.stdin
        yield sys.stdin.buffer
        return
    if os.name == "nt":  # cannot wait for a pipe
        yield sys.stdin.buffer
        return
    terminal = _open_terminal(descriptor)
    try:
        yield _buffered(descriptor if terminal is None else terminal, wait)
    finally:
        if terminal is not None:
            os.close(terminal)


def _open_terminal(descriptor: int) -> int | None:
    """Open the terminal of a descriptor again, so that reading never blocks; None if it is not a terminal.

    Ctrl-C discards what was typed. If that happens after `select` has announced it, a read that blocks would wait for
    the next line.
    """
    try:
        return os.open(os.ttyname(descriptor), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return None


def _decompressed(raw: BinaryIO, compression: str) -> AbstractContextManager[BinaryIO]:
    match compression:
        case ".gz":
            return cast(BinaryIO, gzip.open(raw))
        case ".bz2":
            return open_bz2(raw)
        case ".xz":
            return cast(BinaryIO, lzma.open(raw))
        case ".zst":
            return cast(BinaryIO, load_zstd().open(raw))
    return nullcontext(raw)


def find_sources(
    corpus: AnyPath | Iterable[AnyPath], reader: str | None = None, field: str | None = None
) -> list[Source]:
    """The files that paths, globs and folders refer to, in order and without duplicates.

    reader  a ReaderName; by default the suffix of each file decides, and files of other suffixes are plain text
    field   for readers of rows, which field is the text: DEFAULT_FIELD by default
    """
    check_reader(reader)
    if field == "":
        raise ConfigError("--field is empty; give the name of the field that has the text.")
    items = [corpus] if isinstance(corpus, str | os.PathLike) else list(corpus)
    sources = dict.fromkeys(source for item in items for source in _expand(os.fspath(item), reader, field))
    if not sources:
        raise CorpusError("no corpus was given; name a text file, a folder, or - for standard input.")
    if field is not None and not any(source.field for source in sources):
        raise ConfigError(f"--field is for {', '.join(WITH_FIELD)}; {next(iter(sources)).path} has no fields.")
    return list(sources)


def iterable_source(texts: Iterable[Any], field: str | None = None) -> Source:
    """A source for a Python iterable of texts, token lists or rows. Its size is the number of items, 0 if unknown."""
    return Source(
        TEXTS, len(texts) if isinstance(texts, Sized) else 0, 0, ITERABLE, field or "", spooled=True, items=texts
    )


def _expand(item: str, reader: str | None, field: str | None) -> list[Source]:
    if item == STDIN:
        reader = reader or "text"
        if reader == "parquet":
            raise CorpusError("Parquet cannot be read from standard input, since its index is at the end; give a file.")
        return [Source(STDIN, 0, 0, reader, _field(reader, field), spooled=True)]
    if not item:
        raise CorpusError(
            f"the path of the corpus is empty; name a text file, a folder, or - for standard input; {TEXTS_ADVICE}."
        )
    path = Path(item)
    try:
        paths = _files_in(path, reader) if path.is_dir() else [path] if path.exists() else []
        if not paths:
            paths = sorted(Path(p) for p in glob.glob(item, recursive=True) if Path(p).is_file())  # noqa: PTH207
    except OSError as error:  # such as a name that is too long
        raise MissingFile(f"{shorten(item)} cannot be read ({error.strerror}); {_advice(item)}.") from None
    if not paths:
        raise MissingFile(f"{shorten(item, 500)} does not exist; {_advice(item)}.")
    return [_file(p, reader or reader_of(p.name) or "text", field) for p in paths]


def _advice(item: str) -> str:
    """What to do about a path that does not exist. In Python it may be a sentence, given for the name of a file."""
    advice = f"check the path (the current folder is {Path.cwd()})"
    like_a_sentence = any(map(str.isspace, item)) or item.endswith(SENTENCE_ENDS)
    if like_a_sentence and reader_of(item) is None and not os.path.isabs(item):  # noqa: PTH117
        advice += f"; {TEXTS_ADVICE}"
    return advice


def _files_in(folder: Path, reader: str | None) -> list[Path]:
    """The files of a folder for a reader; by default text, or the one other format that there is."""
    if (folder / MODEL_FILE).exists():
        raise CorpusError(f"{folder} is a model, not a text; to continue its training, give it with --init.")
    if (folder / DESCRIPTION_FILE).exists():
        raise CorpusError(f"{folder} is an encoded corpus: train on it alone, or give the texts that it was made of.")
    found: dict[str, list[Path]] = {}
    for path in sorted(_walk(folder)):
        name = reader_of(path.name)
        if name is not None and path.is_file():
            found.setdefault(name, []).append(path)
    chosen = reader or ("text" if "text" in found or not found else next(iter(found)))
    if reader is None and chosen != "text" and len(found) > 1:
        raise CorpusError(f"{folder} has files of several formats; choose one with --reader ({', '.join(found)}).")
    if chosen not in found:
        suffixes = ", ".join(SUFFIXES[chosen])
        raise CorpusError(
            f"{folder} has no files for the reader '{chosen}'; their names must end in {suffixes}, or in one of these "
            f"and a suffix of compression. Choose another format with --reader, or name the files."
        )
    return found[chosen]


def _walk(folder: Path) -> Iterator[Path]:
    """The files in a folder and its subfolders, except models, encoded corpora and unfinished runs."""
    for name, folders, files in os.walk(folder):
        path = Path(name)
        if path == folder or not (path.suffix == ".training" or {MODEL_FILE, DESCRIPTION_FILE} & set(files)):
            yield from (path / file for file in files)
        else:
            folders.clear()


def _file(path: Path, reader: str, field: str | None) -> Source:
    status = path.stat()
    spooled = reader != "text" or not stat.S_ISREG(status.st_mode)
    # Not path.resolve(), which turns /dev/fd/63 (a pipe of the shell) into a name that cannot be opened.
    full_path = os.path.abspath(path)  # noqa: PTH100
    return Source(full_path, status.st_size, status.st_mtime_ns, reader, _field(reader, field), spooled)


def _field(reader: str, field: str | None) -> str:
    """The field that a reader takes the text from; '' if it does not read rows."""
    return (DEFAULT_FIELD if field is None else field) if reader in WITH_FIELD else ""
