"""Reading a source in blocks of valid UTF-8.

Policy for bytes that are not UTF-8: each becomes one '?', so that places in the source stay right, and is counted.
A source with NUL bytes, or with more than a tenth of such bytes in its first block, is refused as not a text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from polyseme.corpus.sources import Source
from polyseme.errors import CorpusError

BLOCK = 1 << 20
UTF16_OR_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True)
class Block:
    """A piece of text that ends between two words: where it begins in its source, and how many bytes were bad."""

    text: bytes
    offset: int
    bad_bytes: int


def read_blocks(source: Source, size: int = BLOCK) -> Iterator[Block]:
    """The blocks of a source, none of them much longer than `size`."""
    offset = 0
    rest = b""
    try:
        with source.open() as stream:
            while data := stream.read(size):
                if offset == 0 and not rest:
                    _refuse_other_encodings(data, source)
                    if data.startswith(codecs.BOM_UTF8):
                        offset, data = len(codecs.BOM_UTF8), data[len(codecs.BOM_UTF8) :]
                data = rest + data
                end = _last_break(data, size)
                if end:
                    yield _clean(data[:end], offset, source)
                    offset += end
                rest = data[end:]
            if rest:
                yield _clean(rest, offset, source)
    except PermissionError:
        raise CorpusError(f"{source.path} may not be read by you; change its permissions.") from None
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, CorpusError):
            raise
        raise _damaged(source, error) from error
    except Exception as error:  # lzma and zstd raise errors of their own
        if type(error).__name__ in ("LZMAError", "ZstdError", "error"):
            raise _damaged(source, error) from error
        raise


def valid_utf8(data: bytes) -> tuple[bytes, int]:
    """The same bytes with each one that is not UTF-8 as '?', and how many those were.

    >>> valid_utf8("naïve".encode("latin-1"))
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


def _clean(data: bytes, offset: int, source: Source) -> Block:
    nul = data.find(b"\0")
    if nul >= 0:
        raise CorpusError(f"{source.path} is not a text: byte {offset + nul:,} is NUL. Give plain or compressed text.")
    text, bad = valid_utf8(data)
    if bad * 10 > len(data) and offset < BLOCK:
        raise CorpusError(
            f"{source.path} is not UTF-8: {bad:,} of its first {len(data):,} bytes cannot be read. "
            f"Convert it first, for instance: iconv -f latin1 -t utf-8 IN > OUT"
        )
    return Block(text, offset, bad)


def _last_break(data: bytes, size: int) -> int:
    """Where to cut: after the last line end, else (once too long) after the last blank or between two characters."""
    end = data.rfind(b"\n") + 1
    if end or len(data) < size:
        return end
    end = max(data.rfind(b" "), data.rfind(b"\t")) + 1
    if end:
        return end
    end = len(data)
    while end > len(data) - 4 and data[end - 1] & 0xC0 == 0x80:
        end -= 1
    return end - 1 if data[end - 1] >= 0xC0 else len(data)


def _refuse_other_encodings(data: bytes, source: Source) -> None:
    if data.startswith(UTF16_OR_32):
        raise CorpusError(
            f"{source.path} is UTF-16 or UTF-32, not UTF-8. Convert it first: iconv -f utf-16 -t utf-8 IN > OUT"
        )


def _damaged(source: Source, error: Exception) -> CorpusError:
    return CorpusError(f"{source.path} cannot be read to its end ({error}); it may be truncated or damaged.")
