"""Read plain text in blocks of valid UTF-8.

Each byte that is not valid UTF-8 is replaced by one '?', so that byte offsets stay the same, and is counted. A source
that contains NUL, or whose first block has more than 10% such bytes, is refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from polyseme._io.parallel_bz2 import STREAM_START
from polyseme.corpus.sources import STDIN, Source
from polyseme.errors import CorpusError, PolysemeError, shorten

BLOCK_BYTES = 1 << 20
COMPRESSED_STARTS = {  # no text in UTF-8 starts with one of these
    ".gz": re.compile(rb"\x1f\x8b"),
    ".bz2": STREAM_START,
    ".xz": re.compile(rb"\xfd7zXZ\0"),
    ".zst": re.compile(rb"\x28\xb5\x2f\xfd"),
}
OTHER_STARTS = {
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"%PDF-": "a PDF document",
    b"PAR1": "a Parquet file, whose name must end in .parquet",
}
DUMP_START = b"<mediawiki"
UTF16_OR_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)  # LE: also starts UTF-32-LE


@dataclass(frozen=True)
class Block:
    """A part of a text that does not split a word: its byte offset in the source, and the number of bad bytes."""

    text: bytes
    offset: int
    bad_bytes: int


def read_blocks(
    source: Source, block_bytes: int = BLOCK_BYTES, wait: Callable[[], None] = lambda: None
) -> Generator[Block, None, None]:
    """Yield the text of a source in blocks of about `block_bytes`; CorpusError if it changes while it is read.

    wait  called again and again while a pipe has no data; it may raise
    """
    offset = source.start
    rest = b""
    with opened(source, wait) as stream:
        if offset:
            stream.seek(offset)
        while data := _read(stream, source, block_bytes):
            if offset == 0 and not rest:
                refuse_other_formats(data, source)
                if data.startswith(codecs.BOM_UTF8):
                    offset, data = len(codecs.BOM_UTF8), data[len(codecs.BOM_UTF8) :]
            data = rest + data
            end = block_end(data, block_bytes)
            if end:
                yield _make_block(data[:end], offset, source)
                offset += end
            rest = data[end:]
        if rest:
            yield _make_block(rest, offset, source)


def _read(stream: BinaryIO, source: Source, size: int) -> bytes:
    """Up to `size` bytes, not beyond the end of the part of the source that is read."""
    return stream.read(size if source.end is None else min(size, source.end - stream.tell()))


@contextmanager
def opened(source: Source, wait: Callable[[], None] = lambda: None) -> Iterator[BinaryIO]:
    """The decompressed bytes of a source; CorpusError if they cannot be read to the end."""
    try:
        with source.open(to_end=True, wait=wait) as stream:
            yield stream
    except PolysemeError:
        raise
    except PermissionError:
        raise CorpusError(f"no permission to read {source.path}; change it with: chmod u+r FILE") from None
    except (OSError, EOFError, ValueError) as error:
        raise damaged(source, error) from error
    except Exception as error:
        if type(error).__name__ in ("LZMAError", "ZstdError", "error"):  # of lzma, zstd and zlib
            raise damaged(source, error) from error
        raise


def replace_bad_bytes(data: bytes) -> tuple[bytes, int]:
    """Replace each byte that is not valid UTF-8 by '?'; returns the new bytes and the number of replacements.

    >>> replace_bad_bytes("naïve".encode("latin-1"))
    (b'na?ve', 1)
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "polyseme-question-marks")
        return text.encode("utf-8"), text.count("?") - data.count(b"?")
    return data, 0


def _question_marks(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "?" * (error.end - error.start), error.end


codecs.register_error("polyseme-question-marks", _question_marks)


def _make_block(data: bytes, offset: int, source: Source) -> Block:
    nul = data.find(b"\0")
    if nul >= 0:
        order = "le" if (offset + nul) % 2 else "be"  # of UTF-16, where one of the two bytes of a Latin letter is NUL
        raise CorpusError(
            f"{source.path} is not a text: byte {offset + nul:,} is NUL. Give plain or compressed text in UTF-8. This "
            f"converts UTF-16: iconv -f utf-16{order} -t utf-8 IN > OUT; and this deletes NUL: tr -d '\\000' < IN > OUT"
        )
    text, bad_bytes = replace_bad_bytes(data)
    if bad_bytes * 10 > len(data) and offset < BLOCK_BYTES:
        raise CorpusError(
            f"{source.path} is not UTF-8: {bad_bytes:,} of its first {len(data):,} bytes are invalid. "
            f"Convert it first, for instance: iconv -f latin1 -t utf-8 IN > OUT"
        )
    return Block(text, offset, bad_bytes)


def block_end(data: bytes, block_bytes: int) -> int:
    """Where to end a block: after the last line end, or 0 to read on.

    Data of `block_bytes` or more without a line end is split after the last NUL, which separates the tokens of a list;
    else after the last space or tab, else between two characters.
    """
    end = data.rfind(b"\n") + 1
    if end or len(data) < block_bytes:
        return end
    end = data.rfind(b"\0") + 1 or max(data.rfind(b" "), data.rfind(b"\t")) + 1
    if end:
        return end
    end = len(data)
    while end > len(data) - 4 and data[end - 1] & 0xC0 == 0x80:
        end -= 1
    return end - 1 if data[end - 1] >= 0xC0 else len(data)


def refuse_other_formats(data: bytes, source: Source) -> None:
    """Raise CorpusError if the first bytes of a source show that it is not a text in UTF-8."""
    if data.startswith(UTF16_OR_32):
        raise CorpusError(
            f"{source.path} is UTF-16 or UTF-32, not UTF-8. Convert it first: iconv -f utf-16 -t utf-8 IN > OUT"
        )
    other = next((name for start, name in OTHER_STARTS.items() if data.startswith(start)), None)
    if other:
        raise CorpusError(f"{source.path} is {other}, not a text; extract its text first.")
    compression = next((suffix for suffix, start in COMPRESSED_STARTS.items() if start.match(data)), None)
    if compression:
        advice = f"which its name must show: let it end in {compression}, or decompress it"
        if source.path == STDIN:
            advice = "and only files are decompressed; give the file, or decompress it before the pipe"
        raise CorpusError(f"{source.path} is compressed, {advice}.")
    if source.reader == "text" and data.lstrip().startswith(DUMP_START):
        raise CorpusError(f"{source.path} is a dump of MediaWiki; remove its markup with --reader wikipedia.")


def damaged(source: Source, problem: object) -> CorpusError:
    return CorpusError(f"{source.path} is truncated or damaged ({shorten(problem, 300)}); restore it from a copy.")
