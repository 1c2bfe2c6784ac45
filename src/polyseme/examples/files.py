"""Example sentences on disk: JSON lines, plain or compressed. Words are found by position, without reading the rest.

plain       one line per word with examples; the index has the offset of each word's line, -1 for words without one
compressed  frames of zstd with the lines of WORDS_PER_FRAME words each, an empty line for a word without examples;
            the index has the offset of each frame, then the size of the file
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme._io.thread_pool import map_in_order
from polyseme._io.zstd import load_zstd
from polyseme.errors import ConfigError
from polyseme.examples.store import ExampleReader

WORDS_PER_WRITE = 1000  # whose examples are written together
WORDS_PER_FRAME = 256  # about 250 kB of text: larger frames save 5%, but each query decompresses one
LEVEL = 12  # higher levels save 5% and take several times as long
MAX_FRAME_BYTES = 1 << 28  # of text; a damaged frame must not fill the memory

Ints = NDArray[np.int64]


def write_plain(path: Path, read: ExampleReader, num_words: int) -> Ints:
    """Write the examples of all words as lines; returns the index, (num_words,)."""
    lengths = np.empty(num_words, np.int64)
    with path.open("wb") as file:
        for first, lines in _batches(read, num_words, WORDS_PER_WRITE):
            file.writelines(lines)
            lengths[first : first + len(lines)] = [len(line) for line in lines]
    return np.where(lengths > 0, np.cumsum(lengths) - lengths, -1)


def write_compressed(path: Path, read: ExampleReader, num_words: int) -> Ints:
    """Write the examples of all words as frames; returns the index, (frames + 1,)."""
    texts = (b"".join(line or b"\n" for line in lines) for _, lines in _batches(read, num_words, WORDS_PER_FRAME))
    sizes = [0]
    with path.open("wb") as file:
        sizes += map(file.write, map_in_order(_compress, texts, threads=2))
    return np.cumsum(sizes)


def plain_reader(path: Path, index: Ints, num_words: int) -> ExampleReader:
    """An ExampleReader of a file written by `write_plain`. ValueError if the index does not fit the file."""
    data = _map(path)
    if index.shape != (num_words,):
        raise ValueError("does not have an offset per word")
    if np.any(index < -1) or np.any(index >= len(data)):
        raise ValueError(f"has offsets that are not in {path.name}, which has {len(data):,} bytes")

    def read(first: int, end: int) -> list[bytes]:
        offsets = index[first:end].tolist()
        return [b"" if offset < 0 else data[offset : data.find(b"\n", offset) + 1] for offset in offsets]

    return read


def compressed_reader(path: Path, index: Ints, num_words: int) -> ExampleReader:
    """An ExampleReader of a file written by `write_compressed`. ValueError if the index does not fit the file."""
    data = _map(path)
    if index.shape != (-(-num_words // WORDS_PER_FRAME) + 1,):
        raise ValueError(f"does not have an offset per {WORDS_PER_FRAME} words")
    if index[0] != 0 or index[-1] != len(data) or np.any(np.diff(index) < 0):
        raise ValueError(f"has offsets that do not divide the {len(data):,} bytes of {path.name}")

    def read(first: int, end: int) -> list[bytes]:
        lines: list[bytes] = []
        first_frame = first // WORDS_PER_FRAME
        for frame in range(first_frame, -(-end // WORDS_PER_FRAME)):
            start, stop = index[frame : frame + 2].tolist()
            expected = min(WORDS_PER_FRAME, num_words - frame * WORDS_PER_FRAME)
            lines += _decompress(data[start:stop], expected)
        return lines[first - first_frame * WORDS_PER_FRAME :][: end - first]

    return read


def _batches(read: ExampleReader, num_words: int, size: int) -> Iterator[tuple[int, list[bytes]]]:
    for first in range(0, num_words, size):
        yield first, read(first, min(first + size, num_words))


def _compress(text: bytes) -> bytes:
    """A frame; b"" for words without examples."""
    if len(text) > MAX_FRAME_BYTES:
        raise ConfigError(f"the examples of {WORDS_PER_FRAME} words have {len(text):,} bytes; keep fewer per sense.")
    return bytes(load_zstd().compress(text, level=LEVEL)) if text.strip() else b""


def _decompress(frame: bytes, num_lines: int) -> list[bytes]:
    """The lines of a frame; b"" for an empty line. ValueError if it is damaged."""
    if not frame:
        return [b""] * num_lines
    decompressor = load_zstd().ZstdDecompressor()
    try:
        text = decompressor.decompress(frame, max_length=MAX_FRAME_BYTES)
    except load_zstd().ZstdError as error:
        raise ValueError(f"a frame is damaged: {error}") from error
    *lines, rest = text.split(b"\n")
    if not decompressor.eof or decompressor.unused_data or rest or len(lines) != num_lines:
        raise ValueError(f"a frame does not consist of the lines of {num_lines} words")
    return [line + b"\n" if line else b"" for line in lines]


def _map(path: Path) -> mmap.mmap | bytes:
    """A file, memory-mapped: it can be read even after another model has replaced its folder."""
    with path.open("rb") as file:
        is_empty = not file.read(1)  # an empty file cannot be mapped
        return b"" if is_empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
