"""bz2 files of one or many streams, read by several threads."""

from __future__ import annotations

import bz2
import io
import re
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyseme._io import parallel_bz2
from polyseme._io.parallel_bz2 import open_bz2

TEXT = b"".join(b"line %d of a text\n" % i for i in range(20_000))
FALSE_START = b"BZh91AY&SY"


def multistream(text: bytes, size: int) -> bytes:
    return b"".join(bz2.compress(text[i : i + size]) for i in range(0, len(text), size))


def read(data: bytes, threads: int = 2) -> bytes:
    with open_bz2(io.BytesIO(data), threads) as stream:
        return stream.read()


@pytest.mark.parametrize("read_bytes", [97, 4096, 1 << 20])
@pytest.mark.parametrize("size", [10_000, 1 << 20])
def test_the_text_is_that_of_all_streams(size: int, read_bytes: int) -> None:
    with mock.patch.multiple(parallel_bz2, READ_BYTES=read_bytes, MAX_PIECE_BYTES=8 * read_bytes):
        assert read(multistream(TEXT, size)) == TEXT


@settings(max_examples=40)
@given(st.lists(st.binary(max_size=40) | st.just(FALSE_START), max_size=6), st.integers(11, 60))
def test_any_streams_give_their_contents(parts: list[bytes], read_bytes: int) -> None:
    data = b"".join(map(bz2.compress, parts))
    with mock.patch.object(parallel_bz2, "READ_BYTES", read_bytes):
        assert read(data) == b"".join(parts)


def test_bytes_that_only_look_like_a_start_do_not_split_a_stream() -> None:
    data = bz2.compress(b"some text" * 100)
    cuts = [data[:20], data[20:50], data[50:]]
    with mock.patch.multiple(parallel_bz2, _pieces=mock.Mock(return_value=iter(cuts)), STREAM_START=re.compile(b"")):
        assert read(b"") == b"some text" * 100


def test_a_piece_that_grows_too_long_is_decompressed_in_steps() -> None:
    with mock.patch.object(parallel_bz2, "MAX_AHEAD", 1000):
        assert read(multistream(TEXT, 50_000)) == TEXT


def test_a_very_compressible_file_does_not_fill_the_memory() -> None:
    data = bz2.compress(bytes(1 << 24))
    with mock.patch.multiple(parallel_bz2, MAX_AHEAD=1 << 17, STEP=1 << 16):
        sizes = [len(chunk) for chunk in parallel_bz2.decompress(io.BytesIO(data), 1)]
    assert sum(sizes) == 1 << 24
    assert max(sizes) <= 1 << 16


@pytest.mark.parametrize("size", [10_000, 1 << 20])
def test_a_truncated_file_is_noticed(size: int) -> None:
    data = multistream(TEXT, size)
    with pytest.raises(EOFError, match="ends before its end marker"):
        read(data[:-5])


@pytest.mark.parametrize("size", [10_000, 1 << 20])
def test_a_damaged_file_is_noticed(size: int) -> None:
    data = bytearray(multistream(TEXT, size))
    data[len(data) // 2] ^= 255
    with pytest.raises(OSError, match="Invalid data stream"):
        read(bytes(data))


def test_an_empty_file_is_empty() -> None:
    assert read(b"") == b""


def test_it_can_seek_forward_and_back() -> None:
    with open_bz2(io.BytesIO(multistream(TEXT, 30_000)), 2) as stream:
        for offset in (0, 100_000, 300_000, 5, 250_000):
            stream.seek(offset)
            assert stream.read(50) == TEXT[offset : offset + 50]
