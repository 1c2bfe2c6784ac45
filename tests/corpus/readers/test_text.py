"""Reading: blocks, bad bytes, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus.readers.text import Block, read_blocks, valid_utf8
from polyseme.corpus.sources import find_sources
from polyseme.errors import CorpusError


def blocks(path: Path, data: bytes, size: int = 1 << 20) -> list[Block]:
    path.write_bytes(data)
    return list(read_blocks(find_sources(path)[0], size))


@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), size=st.integers(1, 40))
def test_blocks_add_up_to_the_text_and_end_between_characters(
    text: str, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = text.removeprefix("\ufeff").encode()
    found = blocks(tmp_path_factory.getbasetemp() / "blocks.txt", data, size)
    assert b"".join(block.text for block in found) == data
    assert all(data[block.offset :].startswith(block.text) for block in found)
    assert all(block.text.decode() for block in found)


def test_a_block_ends_with_a_line_where_it_can(tmp_path: Path) -> None:
    found = blocks(tmp_path / "a.txt", b"one two\nthree four\nfive six seven", 20)
    assert [block.text for block in found] == [b"one two\nthree four\n", b"five six seven"]


@given(st.binary(max_size=200))
def test_each_byte_that_is_not_utf8_becomes_one_question_mark(data: bytes) -> None:
    clean, bad = valid_utf8(data)
    clean.decode("utf-8")
    assert len(clean) == len(data)
    assert bad == sum(a != b for a, b in zip(clean, data, strict=True))


def test_bad_bytes_are_counted(tmp_path: Path) -> None:
    assert blocks(tmp_path / "a.txt", b"caf\xe9 is a fine word in Latin-1\n")[0].bad_bytes == 1


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    found = blocks(tmp_path / "a.txt", b"\xef\xbb\xbfword")[0]
    assert (found.text, found.offset) == (b"word", 3)


def test_binary_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is not a text: byte 4 is NUL"):
        blocks(tmp_path / "a.txt", b"\x7fELF\x00\x01")


def test_another_encoding_is_refused_with_the_way_to_convert_it(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is UTF-16 or UTF-32.*iconv"):
        blocks(tmp_path / "a.txt", "text".encode("utf-16"))
    with pytest.raises(CorpusError, match="is not UTF-8: .* iconv"):
        blocks(tmp_path / "a.txt", "совсем другая кодировка".encode("cp1251"))


def test_a_truncated_compressed_file_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(b"some words and more\n" * 1000)
    with pytest.raises(CorpusError, match="cannot be read to its end"):
        blocks(tmp_path / "a.txt.gz", whole[: len(whole) // 2])


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_a_file_that_is_not_what_its_name_says_is_refused(ending: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read to its end"):
        blocks(tmp_path / f"a.txt{ending}", b"plain text, not compressed at all, but long enough to be read")
