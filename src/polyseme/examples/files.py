"""Example sentences on disk: JSON lines, plain or compressed. Words are found by position, without reading the rest.

plain       one line per word with examples; the index has the offset of each word's line, -1 for words without one
compressed  frames of zstd with lines of about FRAME_BYTES each, an empty line for a word without examples; lines do
            not name their word. The index has two rows: the first word of each frame, then the number of words; and
            the offset of each frame, then the size of the file
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme._io.thread_pool import map_in_order
from polyseme._io.zstd import load_zstd
from polyseme.errors import ConfigError
from polyseme.examples.store import ExampleReader, with_word, without_word

WORDS_PER_WRITE = 1000  # whose examples are written together
FRAME_BYTES = 1 << 20  # of text: larger frames save 4%, but each query decompresses one, which takes 1 ms
LEVEL = 16  # lower levels need 5% more space, higher ones save 1%
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
    """Write the examples of all words as frames; returns the index, (2, frames + 1)."""
    words, offsets = [0], [0]
    with path.open("wb") as file:
        for num_lines, frame in map_in_order(_compress, _frames(read, num_words), threads=2):
            words.append(words[-1] + num_lines)
            offsets.append(offsets[-1] + file.write(frame))
    return np.array([words, offsets])


def plain_reader(path: Path, index: Ints, num_words: int) -> ExampleReader:
    """An ExampleReader of a file written by `write_plain`. ValueError if the index does not fit the file."""
    data = _map(path)
    if index.shape != (num_words,):
        raise ValueError("does not have an offset per word")
    if np.any(index < -1) or np.any(index >= len(data)):
        raise ValueError(f"has offsets that are not in {path.name}, which has {len(data):,} bytes")
    if data and data[-1:] != b"\n":
        raise ValueError(f"has offsets in {path.name}, whose last line has no end")

    def read(first: int, end: int) -> list[bytes]:
        offsets = index[first:end].tolist()
        return [b"" if offset < 0 else data[offset : data.find(b"\n", offset) + 1] for offset in offsets]

    return read


def compressed_reader(path: Path, index: Ints, words: Sequence[str]) -> ExampleReader:
    """An ExampleReader of a file written by `write_compressed`. ValueError if the index does not fit the file."""
    data = _map(path)
    if index.ndim != 2 or len(index) != 2:
        raise ValueError("does not have a word and an offset per frame")
    first_words, offsets = index
    if first_words[0] != 0 or first_words[-1] != len(words) or np.any(np.diff(first_words) < 1):
        raise ValueError(f"has words that do not divide the {len(words):,} words")
    if offsets[0] != 0 or offsets[-1] != len(data) or np.any(np.diff(offsets) < 0):
        raise ValueError(f"has offsets that do not divide the {len(data):,} bytes of {path.name}")

    def read(first: int, end: int) -> list[bytes]:
        lines: list[bytes] = []
        first_frame = int(np.searchsorted(first_words, first, side="right")) - 1
        for frame in range(first_frame, int(np.searchsorted(first_words, end))):
            start, stop = first_words[frame : frame + 2].tolist()
            text = data[offsets[frame] : offsets[frame + 1]]
            lines += _decompress(text, stop - start)[max(first - start, 0) : end - start]
        return [line and with_word(word, line + b"\n") for word, line in zip(words[first:end], lines, strict=True)]

    return read


def _frames(read: ExampleReader, num_words: int) -> Iterator[list[bytes]]:
    """The lines of each frame, without their words."""
    frame: list[bytes] = []
    size = 0
    for _, lines in _batches(read, num_words, WORDS_PER_WRITE):
        for line in lines:
            frame.append(without_word(line) if line else b"\n")
            size += len(frame[-1])
            if size >= FRAME_BYTES:
                yield frame
                frame, size = [], 0
    if frame:
        yield frame


def _batches(read: ExampleReader, num_words: int, size: int) -> Iterator[tuple[int, list[bytes]]]:
    for first in range(0, num_words, size):
        yield first, read(first, min(first + size, num_words))


def _compress(lines: list[bytes]) -> tuple[int, bytes]:
    """The number of lines, and their frame; b"" for words without examples."""
    text = b"".join(lines)
    if len(text) > MAX_FRAME_BYTES:
        raise ConfigError(f"the examples of a word have {len(lines[-1]):,} bytes; keep fewer per sense.")
    return len(lines), bytes(load_zstd().compress(text, level=LEVEL)) if text.strip() else b""


def _decompress(frame: bytes, num_lines: int) -> list[bytes]:
    """The lines of a frame, without their line ends. ValueError if it is damaged."""
    if not frame:
        return [b""] * num_lines
    decompressor = load_zstd().ZstdDecompressor()
    try:
        text = decompressor.decompress(frame, max_length=MAX_FRAME_BYTES)
    except load_zstd().ZstdError as error:
        raise ValueError(f"a frame is damaged: {error}") from error
    lines: list[bytes] = text.split(b"\n")
    rest = lines.pop()
    if not decompressor.eof or decompressor.unused_data or rest or len(lines) != num_lines:
        raise ValueError(f"a frame does not consist of the lines of {num_lines} words")
    return lines


def _map(path: Path) -> mmap.mmap | bytes:
    """A file, memory-mapped: it can be read even after another model has replaced its folder."""
    with path.open("rb") as file:
        is_empty = not file.read(1)  # an empty file cannot be mapped
        return b"" if is_empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
