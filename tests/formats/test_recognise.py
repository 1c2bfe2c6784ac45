"""Files whose content is not what a format says, and compressed ones."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from polyseme import load
from polyseme._io.thread_pool import available_cores
from polyseme._io.zstd import load_zstd
from polyseme.errors import ConfigError, DataError

LINES = b"the 1 1\nbank 1 0.5\n"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, load_zstd().compress])
def test_compressed_files_are_read_whatever_their_name_and_refused_if_cut(compress: object, tmp_path: Path) -> None:
    data: bytes = compress(LINES * 1 + b"".join(b"w%d 1 %d\n" % (i, i * i) for i in range(500)))  # type: ignore[operator]
    (tmp_path / "v").write_bytes(data)
    assert len(load(tmp_path / "v")) == 502
    (tmp_path / "v").write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError, match="v cannot be decompressed .*; it may be truncated or damaged"):
        load(tmp_path / "v")


@pytest.mark.parametrize("text", ["2 2\nthe 1 1\nbank 1 0.5\n", "the 1 1\nbank 1 0.5\n"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_byte_order_mark_is_not_part_of_the_first_word(
    text: str, compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    (tmp_path / "v").write_bytes(compress(codecs.BOM_UTF8 + text.encode()))
    assert load(tmp_path / "v").vocabulary.words == ["the", "bank"]


def test_the_files_of_a_projector_may_be_from_windows(tmp_path: Path) -> None:
    (tmp_path / "tensors.tsv").write_bytes(codecs.BOM_UTF8 + b"1\t2\r\n3\t4\r\n")
    (tmp_path / "metadata.tsv").write_bytes(codecs.BOM_UTF8 + b"bank\r\nriver\r\n")
    model = load(tmp_path)
    assert model.index_to_key == ["bank", "river"]
    assert model["bank"].tolist() == [1, 2]


def test_utf16_is_refused_with_the_command_that_converts_it(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes("1 2\nbank 3 4\n".encode("utf-16"))
    with pytest.raises(DataError, match="is UTF-16; convert it first: iconv -f utf-16 -t utf-8 IN > OUT"):
        load(tmp_path / "v")


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "v.kv").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(DataError, match="is a pickle, which is never opened; save it in gensim"):
        load(tmp_path / "v.kv")


def test_a_model_of_fasttext_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "v.bin").write_bytes(b"\xba\x16\x4f\x2f" + bytes(100))
    with pytest.raises(DataError, match="is a fastText model; use the .vec file"):
        load(tmp_path / "v.bin")


def test_the_named_format_is_used_even_if_the_content_looks_different(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"2 2\nbank 3\n")  # a header, or the words '2' and 'bank' with one number each
    with pytest.raises(DataError, match="line 1: 1 numbers at the end of the line"):
        load(tmp_path / "v", format="glove")
    (tmp_path / "v").write_bytes(b"7 8 9\n10 11 12\n")
    assert load(tmp_path / "v", format="glove").vocabulary.words == ["7", "10"]
    with pytest.raises(DataError, match="line 1: expected the header 'V D', not '7 8 9'"):
        load(tmp_path / "v", format="word2vec")
    (tmp_path / "v").write_bytes(b"1 2 3 4\n")
    with pytest.raises(DataError, match="line 1: the last number of the header, maxout, is 4; expected 0 or 1"):
        load(tmp_path / "v", format="mssg")
    with pytest.raises(ConfigError, match="format 'excel' is not known"):
        load(tmp_path / "v", format="excel")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="pipe is neither a file nor a folder"):
        load(tmp_path / "pipe")


def test_at_least_one_core_is_available() -> None:
    assert 1 <= available_cores() <= (os.cpu_count() or 1)
