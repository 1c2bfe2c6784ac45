"""A compressed copy of text that cannot be read again by position: rows of tables, pipes, Python iterables.

The file is in the zstd seekable format: independent frames of up to 16 KB of text, then a table of their sizes in a
frame that other programs skip. Small frames make reading single lines fast. `zstd -dc text.zst` prints the text.
"""

from __future__ import annotations

import io
import struct
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme._io.plain_files import plain_file_size
from polyseme._io.zstd import load_zstd
from polyseme.corpus.readers.text import BLOCK_BYTES, Block

LEVEL = 1
FRAME_BYTES = 1 << 14
MAX_PENDING = 32  # frames that are compressed ahead of writing
MAX_FRAME_BYTES = 64 * BLOCK_BYTES  # decompressed; larger frames were not written by this module
SKIPPABLE_MAGIC, SEEKABLE_MAGIC = 0x184D2A5E, 0x8F92EAB1
HEADER, FOOTER = struct.Struct("<II"), struct.Struct("<IBI")  # before and after the table of sizes
SIZES = np.dtype([("compressed", "<u4"), ("text", "<u4")])


class SpoolWriter:
    """Writes text to a spool, compressed by another thread. The file is created with the first block."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0  # bytes of text so far
        self._file: io.BufferedWriter | None = None
        self._pool = ThreadPoolExecutor(1)
        self._pending: deque[tuple[Future[bytes], int]] = deque()
        self._sizes: list[tuple[int, int]] = []

    def record(self, blocks: Generator[Block, None, None]) -> Generator[Block, None, None]:
        """Write the text of the blocks; yields them with their byte offsets in the spool."""
        with closing(blocks):
            for block in blocks:
                offset = self.size
                self.add(block.text)
                yield replace(block, offset=offset)

    def add(self, text: bytes) -> None:
        """Write a text."""
        for first in range(0, len(text), FRAME_BYTES):
            frame = text[first : first + FRAME_BYTES]
            self._pending.append((self._pool.submit(_compress, frame), len(frame)))
            self.size += len(frame)
            self._write(MAX_PENDING)

    def _write(self, max_pending: int) -> None:
        """Write the frames that are due, so that at most `max_pending` are in memory."""
        self._file = self._file or self.path.open("wb")
        while len(self._pending) > max_pending:
            frame, text_bytes = self._pending.popleft()
            self._sizes.append((self._file.write(frame.result()), text_bytes))

    def finish(self) -> None:
        """Write what is left, and the table of sizes, if there is any text; the file is complete then."""
        if not self.size:
            return
        self._write(0)
        assert self._file is not None
        table = np.array(self._sizes, SIZES).tobytes()
        self._file.write(HEADER.pack(SKIPPABLE_MAGIC, len(table) + FOOTER.size))
        self._file.write(table + FOOTER.pack(len(self._sizes), 0, SEEKABLE_MAGIC))
        self._file.close()  # phrases are joined before `close` is called

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        if self._file is not None:
            self._file.close()


class Spool:
    """The text of a spool, fast to read in ascending order. ValueError if its table of frames is invalid."""

    def __init__(self, path: Path) -> None:
        file_bytes = plain_file_size(path)
        self._file = path.open("rb")
        try:
            sizes = _read_sizes(self._file, file_bytes)
        except BaseException:
            self._file.close()
            raise
        self._frames = np.concatenate([[0], np.cumsum(sizes["compressed"], dtype=np.int64)])
        self._texts = np.concatenate([[0], np.cumsum(sizes["text"], dtype=np.int64)])
        self.size = int(self._texts[-1])
        self._number, self._text = -1, b""  # the frame that was read last

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, start: int, length: int) -> bytes:
        """The text from a byte offset on, at most `length` bytes; an error of zstd, or ValueError, if it is damaged."""
        if start < 0:
            raise ValueError(f"the byte offset {start:,} is negative")
        parts: list[bytes] = []
        end = min(start + length, self.size)
        while start < end:
            number = int(np.searchsorted(self._texts, start, side="right")) - 1
            first = start - int(self._texts[number])
            parts.append(self._frame(number)[first : first + end - start])
            start += len(parts[-1])
        return b"".join(parts)

    def _frame(self, number: int) -> bytes:
        if number != self._number:
            self._file.seek(int(self._frames[number]))
            frame = self._file.read(int(self._frames[number + 1] - self._frames[number]))
            size = int(self._texts[number + 1] - self._texts[number])
            text = load_zstd().ZstdDecompressor().decompress(frame, size)
            if len(text) != size:
                raise ValueError(f"frame {number:,} has {len(text):,} bytes of text instead of {size:,}")
            self._number, self._text = number, text
        return self._text


def _compress(text: bytes) -> bytes:
    zstd = load_zstd()
    parameter = zstd.CompressionParameter
    return bytes(zstd.compress(text, options={parameter.compression_level: LEVEL, parameter.checksum_flag: 1}))


def _read_sizes(file: io.BufferedReader, file_bytes: int) -> NDArray[Any]:
    """The sizes of the frames, with the fields of SIZES; ValueError unless they add up to the size of the file."""
    ends = HEADER.size + FOOTER.size
    if file_bytes < ends:
        raise ValueError("it is too short")
    file.seek(-FOOTER.size, io.SEEK_END)
    count, flags, magic = FOOTER.unpack(file.read(FOOTER.size))
    table_bytes = count * SIZES.itemsize
    if magic != SEEKABLE_MAGIC or flags or file_bytes < table_bytes + ends:
        raise ValueError("it has no table of frames")
    file.seek(-table_bytes - ends, io.SEEK_END)
    header, table = HEADER.unpack(file.read(HEADER.size)), file.read(table_bytes)
    sizes = np.frombuffer(table, SIZES)
    expected = (SKIPPABLE_MAGIC, table_bytes + FOOTER.size)
    if header != expected or int(sizes["compressed"].sum(dtype=np.int64)) != file_bytes - table_bytes - ends:
        raise ValueError("its table of frames contradicts its size")
    if count and not 0 < sizes["text"].min() <= sizes["text"].max() <= MAX_FRAME_BYTES:
        raise ValueError(f"a frame does not have 1 to {MAX_FRAME_BYTES:,} bytes of text")
    return sizes
