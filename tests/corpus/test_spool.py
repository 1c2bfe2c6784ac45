"""The compressed copy of text that cannot be read again by position."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme._io.zstd import load_zstd
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.readers.text import Block
from polyseme.corpus.sources import find_sources, iterable_source
from polyseme.corpus.spool import Spool, SpoolWriter
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import CorpusError


def write(path: Path, texts: list[bytes]) -> list[Block]:
    def blocks() -> Generator[Block, None, None]:
        yield from (Block(text, 0, 0) for text in texts)

    writer = SpoolWriter(path)
    recorded = list(writer.record(blocks()))
    writer.finish()
    writer.close()
    return recorded


@given(
    texts=st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=9),
    start=st.integers(0, 200),
    length=st.integers(0, 99),
)
def test_any_part_of_the_text_can_be_read(
    texts: list[bytes], start: int, length: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "text.zst"
    blocks = write(path, texts)
    text = b"".join(texts)
    assert [text[block.offset :].startswith(block.text) for block in blocks] == [True] * len(texts)
    with Spool(path) as spool:
        assert spool.size == len(text)
        assert spool.read(start, length) == text[start : start + length]
    assert load_zstd().decompress(path.read_bytes()) == text  # other programs read it too


def test_no_file_is_written_without_text(tmp_path: Path) -> None:
    write(tmp_path / "text.zst", [])
    assert not (tmp_path / "text.zst").exists()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An encoded corpus of two sentences, whose text is spooled."""
    encode([iterable_source(["The bank.", "A river!"])], get_tokenizer("words"), tmp_path / "corpus")
    return tmp_path / "corpus"


@pytest.mark.parametrize("cut", [1, 9, 20, 60])
def test_a_corpus_with_a_truncated_spool_is_refused(cut: int, folder: Path) -> None:
    path = folder / "text.zst"
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(CorpusError, match="is not a complete encoded corpus"):
        EncodedCorpus.open(folder)


def test_a_corpus_without_its_spool_is_refused(folder: Path) -> None:
    (folder / "text.zst").unlink()
    with pytest.raises(CorpusError, match="is not a complete encoded corpus"):
        EncodedCorpus.open(folder)


def test_a_spool_of_another_corpus_is_refused(folder: Path) -> None:
    write(folder / "text.zst", [b"something else"])
    with pytest.raises(CorpusError, match="text.zst has 14 bytes of text"):
        EncodedCorpus.open(folder)


@pytest.mark.parametrize(("position", "value"), [(-9, 2**31), (-9, 2), (-17, 1), (-13, 2**31), (-13, 0), (-25, 1)])
def test_a_table_that_contradicts_the_file_is_refused(position: int, value: int, folder: Path) -> None:
    data = bytearray((folder / "text.zst").read_bytes())
    data[position : position + 4] = np.uint32(value).tobytes()
    (folder / "text.zst").write_bytes(data)
    with pytest.raises(CorpusError, match="is not a complete encoded corpus"):
        EncodedCorpus.open(folder)


def test_text_that_was_damaged_later_is_not_shown(folder: Path) -> None:
    data = bytearray((folder / "text.zst").read_bytes())
    data[10] ^= 0xFF
    (folder / "text.zst").write_bytes(data)
    assert list(EncodedCorpus.open(folder).source_texts([0, 1])) == [None, None]


def test_text_is_not_spooled_if_examples_cannot_show_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two")
    encode(find_sources(tmp_path / "a.txt"), get_tokenizer("words"), tmp_path / "plain")
    encode([iterable_source(["one two"])], get_tokenizer(str.split), tmp_path / "callable")
    encode([iterable_source([["one", "two"]])], get_tokenizer("words"), tmp_path / "tokens")
    assert list(tmp_path.glob("*/text.zst")) == []
