"""Text files of vectors: opened whatever their compression, read and written by several threads.

A line is a word and d numbers, or d numbers alone. Files of more than SMALL_BYTES are read by a kernel. It leaves the
lines that it cannot read, such as words with spaces, to the same Python code that reads small files, which need not
wait for Numba. Both give the float32 that is nearest to the decimal number.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from polyseme._io.thread_pool import available_cores, map_in_order
from polyseme._io.zstd import load_zstd
from polyseme.errors import DataError, shorten
from polyseme.formats.lines import MAX_LINE_BYTES

SMALL_BYTES = 4 << 20  # of a file that is read without Numba, in about 0.2 seconds
PIECE_BYTES = 1 << 20  # read by a thread at a time
MAX_THREADS = 8
MAX_IRREGULAR = 1000  # lines of a piece that the kernel leaves to Python; if there are more, Python reads all of it

MAGIC = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

ROUNDED_BITS, MIDDLE = np.int64((1 << 29) - 1), np.int64(1 << 28)  # the bits of a float64 that a float32 lacks

Rows = NDArray[np.float32]


@contextmanager
def open_vectors(path: Path) -> Iterator[BinaryIO]:
    """Open the decompressed bytes, after a byte order mark; DataError if the file cannot be read or is damaged."""
    try:
        with path.open("rb") as raw, _decompressed(raw) as file:
            if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
                file.seek(0)
            yield file
    except PermissionError:
        raise DataError(f"{path} cannot be read: permission denied; change its permissions.") from None
    except Exception as error:
        damaged = isinstance(error, EOFError | zlib.error | lzma.LZMAError) or type(error).__name__ == "ZstdError"
        if not damaged and not (isinstance(error, OSError) and error.errno is None):  # OSError: of gzip and bz2
            raise
        raise DataError(f"{path} cannot be decompressed ({error}); it may be truncated or damaged.") from error


def _decompressed(raw: BinaryIO) -> BinaryIO:
    head = raw.read(8)
    raw.seek(0)
    if head.startswith(ZSTD_MAGIC):
        return cast(BinaryIO, load_zstd().open(raw))
    opener: Any = next((opener for magic, opener in MAGIC.items() if head.startswith(magic)), None)
    return raw if opener is None else cast(BinaryIO, opener(raw))


class _Parsed(NamedTuple):
    """Lines that a thread has read.

    irregular  the lines that are still to be read: number of the line in the piece from 0, row, text
    """

    words: list[str]
    rows: Rows
    irregular: list[tuple[int, int, bytes]]
    num_lines: int


def read_lines(
    file: BinaryIO, path: Path, dim: int, *, first_line: int = 1, has_words: bool = True
) -> tuple[list[str], Rows]:
    """The words and the vectors, (n, dim), of the lines that follow in a file. Without words, they are empty strings.

    The last `dim` columns of a line are the vector, so words may contain spaces.

    first_line  number of the first line, for error messages
    """
    start = file.read(SMALL_BYTES)
    parse = _split if len(start) < SMALL_BYTES else _parse

    def parse_piece(piece: bytes) -> _Parsed:
        return parse(piece, dim, has_words)

    words: list[str] = []
    pieces: list[Rows] = []
    line = first_line
    chunks = chain([start], iter(lambda: file.read(PIECE_BYTES), b""))
    for parsed in map_in_order(parse_piece, _whole_lines(chunks), min(available_cores(), MAX_THREADS)):
        for offset, row, text in parsed.irregular:
            location = f"{path}, line {line + offset}"
            parsed.words[row], parsed.rows[row] = parse_line(text, dim, location, has_words=has_words)
        words += parsed.words
        pieces.append(parsed.rows)
        line += parsed.num_lines
    return words, _concatenate(pieces, dim)


def _whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks, divided after the last newline of each. A line that is too long ends the iteration."""
    rest = b""
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end:
            yield rest + chunk[:end]
        rest = chunk[end:] if end else rest + chunk
        if len(rest) >= MAX_LINE_BYTES:
            break
    if rest:
        yield rest


def _parse(piece: bytes, dim: int, has_words: bool) -> _Parsed:
    """Read the lines of a piece with the kernel."""
    from polyseme.kernels.decimals import parse_lines

    if len(piece) >= MAX_LINE_BYTES and b"\n" not in piece:
        return _split(piece, dim, has_words)
    rows, num_lines = _empty_rows(piece, dim), _count_lines(piece)
    words, irregular = np.empty(len(piece) + 1, np.uint8), np.empty((MAX_IRREGULAR, 4), np.int64)
    value = np.empty(1)
    num_rows, num_letters, num_irregular = parse_lines(
        np.frombuffer(piece, np.uint8), has_words, words, rows, irregular, value, value.view(np.uint64)
    )
    if num_irregular < 0:
        return _split(piece, dim, has_words)
    return _Parsed(
        words=words[:num_letters].tobytes().decode("utf-8", "replace").split("\n")[:-1],
        rows=rows[:num_rows],
        irregular=[(line, row, piece[start:end]) for line, row, start, end in irregular[:num_irregular].tolist()],
        num_lines=num_lines,
    )


def _split(piece: bytes, dim: int, has_words: bool) -> _Parsed:  # noqa: ARG001 - called as _parse is
    """The lines of a piece, all of them still to be read."""
    lines = [(number, line) for number, line in enumerate(piece.split(b"\n")) if line.strip()]
    rows = _empty_rows(piece, dim)
    irregular = [(number, row, line) for row, (number, line) in enumerate(lines)]
    return _Parsed([""] * len(lines), rows[: len(lines)], irregular, _count_lines(piece))


def _empty_rows(piece: bytes, dim: int) -> Rows:
    """Memory for as many vectors as there can be in a piece: a number and its separator have at least two bytes."""
    return np.empty((len(piece) // (2 * dim) + 1, dim), np.float32)


def _count_lines(piece: bytes) -> int:
    return piece.count(b"\n") + (not piece.endswith(b"\n"))


def _concatenate(pieces: list[Rows], dim: int) -> Rows:
    """(n, dim) The rows of all pieces. Each piece is freed as soon as it is copied."""
    rows = np.empty((sum(map(len, pieces)), dim), np.float32)
    end = len(rows)
    while pieces:
        piece = pieces.pop()
        rows[end - len(piece) : end] = piece
        end -= len(piece)
    return rows


def parse_line(line: bytes, dim: int, location: str, *, has_words: bool = True) -> tuple[str, Rows]:
    """The word and the vector of a line; DataError, with the location, if it has other columns."""
    if len(line) >= MAX_LINE_BYTES:
        raise DataError(f"{location}: longer than {MAX_LINE_BYTES:,} bytes; this is not a vector file.")
    columns = line.split()
    num_words = len(columns) - dim
    if not has_words:
        if num_words:
            raise DataError(f"{location}: {len(columns)} columns, expected {dim} numbers.")
    elif num_words < 1 or (num_words > 1 and all(map(is_number, columns[1:num_words]))):
        raise DataError(f"{location}: {len(columns)} columns, expected {dim + 1}: a word and {dim} numbers.")
    return b" ".join(columns[:num_words]).decode("utf-8", "replace"), parse_floats(columns[num_words:], location)


def parse_floats(columns: Sequence[bytes], location: str) -> Rows:
    """The columns as the nearest float32. DataError, with the location, if one is not a finite number."""
    try:
        values = np.array(columns, np.float64)
    except ValueError:
        invalid = next((column for column in columns if not is_number(column)), columns[0])
        raise DataError(f"{location}: '{shorten(invalid.decode('utf-8', 'replace'))}' is not a number.") from None
    bits = values.view(np.int64)
    for i in np.flatnonzero((bits & ROUNDED_BITS) == MIDDLE).tolist():
        _leave_middle(bits[i : i + 1], columns[i])
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32)
    finite = np.isfinite(rounded)
    if not finite.all():
        raise DataError(f"{location}: '{shorten(columns[int(finite.argmin())].decode())}' is not a finite number.")
    return rounded


def _leave_middle(bits: NDArray[np.int64], column: bytes) -> None:
    """Move a float64 in the middle of two float32 to the side of the exact number, unless it is exact itself.

    bits  SHARED  int64 (1,)  a float64
    """
    middle = Decimal(float(bits.view(np.float64)[0]))
    bits += int(Decimal(column.decode()).copy_abs().compare(middle.copy_abs()))


def is_number(column: bytes) -> bool:
    try:
        float(column)
    except ValueError:
        return False
    return True


def write_lines(file: BinaryIO, batches: Iterable[tuple[Sequence[bytes], Rows]], separator: bytes = b" ") -> None:
    """Write a line for each vector: its prefix, then its numbers with the fewest digits that give the same float32."""
    from polyseme.kernels.decimals import MAX_NUMBER_BYTES, format_lines

    def format_batch(batch: tuple[Sequence[bytes], Rows]) -> memoryview:
        prefixes, rows = batch
        rows = np.ascontiguousarray(rows, np.float32)
        text = b"".join(prefixes)
        bounds = np.cumsum([0, *map(len, prefixes)])
        out = np.empty(len(text) + rows.size * MAX_NUMBER_BYTES + len(rows), np.uint8)
        value = np.empty(1)
        size = format_lines(
            np.frombuffer(text, np.uint8), bounds, rows, rows.view(np.uint32), separator[0], out, value,
            value.view(np.uint64),
        )  # fmt: skip
        return out[:size].data

    for text in map_in_order(format_batch, batches, min(available_cores(), MAX_THREADS)):
        file.write(text)
