"""The text reader: blocks, bad bytes, and files that are refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus.readers.text import Block, read_blocks, replace_bad_bytes
from polyseme.corpus.sources import Source, find_sources
from polyseme.errors import CorpusError, Interrupted


def blocks_of(path: Path, data: bytes, block_bytes: int = 1 << 20) -> list[Block]:
    path.write_bytes(data)
    return list(read_blocks(find_sources(path)[0], block_bytes))


@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), size=st.integers(1, 40))
def test_blocks_join_to_the_text_and_split_no_character(
    text: str, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = text.removeprefix("\ufeff").encode()
    blocks = blocks_of(tmp_path_factory.getbasetemp() / "blocks.txt", data, size)
    assert b"".join(block.text for block in blocks) == data
    assert all(data[block.offset :].startswith(block.text) for block in blocks)
    assert all(block.text.decode() for block in blocks)


def test_a_block_ends_at_a_line_end_if_possible(tmp_path: Path) -> None:
    blocks = blocks_of(tmp_path / "a.txt", b"one two\nthree four\nfive six seven", 20)
    assert [block.text for block in blocks] == [b"one two\nthree four\n", b"five six seven"]


@given(st.binary(max_size=200))
def test_each_invalid_byte_becomes_one_question_mark(data: bytes) -> None:
    valid, bad_bytes = replace_bad_bytes(data)
    valid.decode("utf-8")
    assert len(valid) == len(data)
    assert bad_bytes == sum(a != b for a, b in zip(valid, data, strict=True))


def test_bad_bytes_are_counted(tmp_path: Path) -> None:
    assert blocks_of(tmp_path / "a.txt", b"caf\xe9 is a fine word in Latin-1\n")[0].bad_bytes == 1


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    block = blocks_of(tmp_path / "a.txt", b"\xef\xbb\xbfword")[0]
    assert (block.text, block.offset) == (b"word", 3)


def test_a_byte_order_mark_after_the_start_is_part_of_the_text(tmp_path: Path) -> None:
    blocks = blocks_of(tmp_path / "a.txt", b"line\n\xef\xbb\xbfword\n", 5)
    assert b"".join(block.text for block in blocks) == b"line\n\xef\xbb\xbfword\n"
    assert blocks[1].offset == 5


def test_a_block_without_a_line_end_ends_after_a_space_or_between_characters(tmp_path: Path) -> None:
    def texts(text: str, block_bytes: int) -> list[str]:
        return [block.text.decode() for block in blocks_of(tmp_path / "a.txt", text.encode(), block_bytes)]

    assert texts("one two\tthree four", 10) == ["one two\t", "three ", "four"]
    assert texts("äöü" * 2, 5) == ["äö", "üä", "öü"]
    assert texts("東京東京", 4) == ["東", "京", "東", "京"]


@pytest.mark.parametrize("data", [b"\0", b"\0text"])
def test_a_nul_at_the_start_is_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is not a text: byte 0 is NUL"):
        blocks_of(tmp_path / "a.txt", data)


def test_binary_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is not a text: byte 4 is NUL"):
        blocks_of(tmp_path / "a.txt", b"\x7fELF\x00\x01")


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf16_without_a_byte_order_mark_is_refused_with_the_command_that_converts_it(
    order: str, tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match=f"byte . is NUL.* iconv -f utf-16{order} -t utf-8 IN > OUT"):
        blocks_of(tmp_path / "a.txt", "The bank.".encode(f"utf-16-{order}"))


@pytest.mark.parametrize(
    ("start", "name"), [(b"PK\x03\x04", "a ZIP archive"), (b"%PDF-1.7", "a PDF"), (b"PAR1", "a Parquet file")]
)
def test_files_of_other_kinds_are_refused_by_their_name(start: bytes, name: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=f"is {name}.* not a text; extract its text first"):
        blocks_of(tmp_path / "a.txt", start + b" some text")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_whose_name_does_not_say_so_is_refused(
    compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match=r"a.txt is compressed, .*: let it end in \.(gz|bz2|xz), or decompress it"):
        blocks_of(tmp_path / "a.txt", compress(b"some text"))


def test_compressed_standard_input_is_refused_with_other_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"some text"))))
    with pytest.raises(CorpusError, match="- is compressed, and only files are decompressed; give the file"):
        list(read_blocks(find_sources("-")[0]))


def test_a_wikipedia_dump_is_not_read_with_its_markup(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is a dump of MediaWiki; remove its markup with --reader wikipedia"):
        blocks_of(tmp_path / "a.txt", b'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">')


def test_another_encoding_is_refused_with_a_command_to_convert_it(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is UTF-16 or UTF-32.*iconv"):
        blocks_of(tmp_path / "a.txt", "text".encode("utf-16"))
    with pytest.raises(CorpusError, match="is not UTF-8: .* iconv"):
        blocks_of(tmp_path / "a.txt", "совсем другая кодировка".encode("cp1251"))


def test_a_truncated_compressed_file_is_refused(tmp_path: Path) -> None:
    complete = gzip.compress(b"some words and more\n" * 1000)
    with pytest.raises(CorpusError, match="is truncated or damaged"):
        blocks_of(tmp_path / "a.txt.gz", complete[: len(complete) // 2])


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_file_that_is_not_compressed_as_its_name_says_is_refused(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is truncated or damaged"):
        blocks_of(tmp_path / f"a.txt{suffix}", b"plain text, not compressed at all, but long enough to be read")


def truncate(path: Path) -> None:
    os.truncate(path, 5000)


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"one more line\n")


def rewrite(path: Path) -> None:
    path.write_bytes(path.read_bytes())


def move_another_file_there(path: Path) -> None:
    path.with_name("new").write_bytes(b"another text")
    path.with_name("new").replace(path)


CHANGES = [truncate, append, rewrite, move_another_file_there, Path.unlink]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    name: str, change: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / name
    lines = b"".join(b"line %d of a long text\n" % i for i in range(20_000))
    path.write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    os.utime(path, (1, 1))
    blocks = read_blocks(find_sources(path)[0], 1000)
    next(blocks)
    change(path)
    with pytest.raises(CorpusError, match="changed while it was read .*; run the command again|truncated or damaged"):
        list(blocks)


def test_a_file_of_which_fewer_bytes_were_read_than_it_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"a line\n" * 10_000)
    source = find_sources(tmp_path / "a.txt")[0]
    truncate(tmp_path / "a.txt")
    monkeypatch.setattr(Source, "unchanged", True)  # as if it had been written again since
    with pytest.raises(CorpusError, match="changed while it was read"):
        list(read_blocks(source))


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
@pytest.mark.parametrize("name", ["pipe", "pipe.gz"])
def test_a_named_pipe_is_read_to_its_end_even_if_it_is_removed(name: str, tmp_path: Path) -> None:
    path, text = tmp_path / name, b"one two\n" * 100_000
    os.mkfifo(path)
    data = gzip.compress(text) if name.endswith(".gz") else text
    writer = threading.Thread(target=lambda: path.write_bytes(data))
    writer.start()
    blocks = read_blocks(find_sources(path)[0])
    first = next(blocks)
    path.unlink()
    assert first.text + b"".join(block.text for block in blocks) == text
    writer.join()


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
def test_waiting_for_a_pipe_can_be_stopped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    def wait() -> None:
        raise Interrupted("stopped.")

    with pytest.raises(Interrupted):
        next(read_blocks(find_sources(tmp_path / "pipe")[0], wait=wait))
