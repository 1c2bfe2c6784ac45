"""Decompress bz2 files of many streams with several threads.

The multistream dumps of Wikipedia, and files written by pbzip2, are concatenated bz2 streams. The file is cut into
pieces before bytes that look like the start of a stream, and each piece is decompressed by itself. If the last stream
of a piece has not ended, the cut after it was wrong: the next piece is then decompressed as the rest of that stream.
"""

from __future__ import annotations

import io
import re
from bz2 import BZ2Decompressor
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from polyseme._io.thread_pool import available_cores, map_in_order

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STREAM_START = re.compile(rb"BZh[1-9]1AY&SY")
START_BYTES = 10  # length of a match
READ_BYTES = 1 << 19
MAX_PIECE_BYTES = 1 << 22
MAX_AHEAD = 1 << 26  # decompressed bytes of a piece that is decompressed before it is due
STEP = 1 << 20
MAX_THREADS = 8


def open_bz2(raw: BinaryIO, threads: int | None = None) -> io.BufferedReader:
    """Open the decompressed bytes of a bz2 file. It can seek, as bz2.open can: back only by reading from the start.

    threads  all cores by default, at most MAX_THREADS
    """
    return io.BufferedReader(_Bz2Reader(raw, threads or min(available_cores(), MAX_THREADS)), STEP)


class _Bz2Reader(io.RawIOBase):
    def __init__(self, raw: BinaryIO, threads: int) -> None:
        self.raw = raw
        self.threads = threads
        self._restart()

    def _restart(self) -> None:
        self.position = 0
        self.chunks = decompress(self.raw, self.threads)
        self.chunk = memoryview(b"")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self.raw.seekable()

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        while not self.chunk:
            chunk = next(self.chunks, None)
            if chunk is None:
                return 0
            self.chunk = memoryview(chunk)
        length = min(len(view), len(self.chunk))
        view[:length] = self.chunk[:length]
        self.chunk = self.chunk[length:]
        self.position += length
        return length

    def tell(self) -> int:
        return self.position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("only positions from the start are supported")
        if offset < self.position:
            self.raw.seek(0)
            self._restart()
        skipped = bytearray(STEP)
        while self.position < offset and self.readinto(memoryview(skipped)[: offset - self.position]):
            pass
        return self.position

    def close(self) -> None:
        if not self.closed:
            self.chunks.close()
        super().close()


def decompress(file: BinaryIO, threads: int) -> Generator[bytes, None, None]:
    """Yield the decompressed bytes of a file of bz2 streams; OSError or EOFError if it is damaged or truncated."""
    streams = _Streams()
    for piece in map_in_order(_decompress_piece, _pieces(file), threads):
        if streams.at_end and piece.streams is not None:
            streams = piece.streams
            yield piece.text
        else:
            yield from streams.feed(piece.data)
    if not streams.at_end:
        raise EOFError("the compressed data ends before its end marker")


class _Streams:
    """Decompresses concatenated streams, given piece by piece."""

    def __init__(self) -> None:
        self.decompressor: BZ2Decompressor | None = None

    @property
    def at_end(self) -> bool:
        """Whether the last stream has ended."""
        return self.decompressor is None or self.decompressor.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what can be decompressed with this piece, at most STEP bytes at a time."""
        while data or not (self.decompressor is None or self.decompressor.eof or self.decompressor.needs_input):
            if self.decompressor is None or self.decompressor.eof:
                self.decompressor = BZ2Decompressor()
            yield self.decompressor.decompress(data, STEP)
            data = self.decompressor.unused_data if self.decompressor.eof else b""


class _Piece(NamedTuple):
    """A piece of a file, and its text if it was decompressed: with the state after it, else None."""

    data: bytes
    text: bytes
    streams: _Streams | None


def _decompress_piece(data: bytes) -> _Piece:
    """Decompress a piece that looks like the start of a stream, unless that fails, or its text is too long."""
    if not STREAM_START.match(data):
        return _Piece(data, b"", None)
    streams, parts, size = _Streams(), [], 0
    try:
        for part in streams.feed(data):
            parts.append(part)
            size += len(part)
            if size > MAX_AHEAD:
                return _Piece(data, b"", None)
    except OSError:  # raised again when this piece is due
        return _Piece(data, b"", None)
    return _Piece(data, b"".join(parts), streams)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """Cut a file before the start of a stream, about every READ_BYTES, but at most MAX_PIECE_BYTES apart."""
    rest = b""
    while data := file.read(READ_BYTES):
        rest += data
        starts = [match.start() for match in STREAM_START.finditer(rest, 1)]
        cut = starts[-1] if starts else len(rest) - START_BYTES if len(rest) >= MAX_PIECE_BYTES else 0
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
    if rest:
        yield rest
