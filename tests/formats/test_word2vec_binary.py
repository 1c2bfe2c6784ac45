"""word2vec binary: written by hand and by gensim, and damaged."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme.errors import DataError
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.word2vec_binary import is_binary, read, read_binary

PATH = Path("vectors")


def entry(word: str, *numbers: float, end: bytes = b"\n") -> bytes:
    return word.encode() + b" " + np.array(numbers, "<f4").tobytes() + end


def parse_binary(data: bytes, size: int, dim: int) -> ImportedVectors:
    return read_binary(io.BytesIO(data), PATH, size, dim)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_binary_is_read_with_and_without_newlines(end: bytes) -> None:
    # The bytes of these numbers are spaces and newlines, which must not be taken for word separators.
    special = np.frombuffer(b"\x20\x0a\x80\x32\x0a\x20\x20\x0a", "<f4").tolist()
    vectors = parse_binary(entry("bank", *special, end=end) + entry("flüsse", 1, 2, end=end), 2, 2)
    assert vectors.words == ["bank", "flüsse"]
    assert vectors.sense_vectors.tolist() == [special, [1, 2]]


def test_the_first_of_duplicate_words_is_kept() -> None:
    vectors = parse_binary(entry("a", 1) + entry("b", 2) + entry("a", 3), 3, 1)
    assert vectors.sense_vectors.tolist() == [[1], [2]]
    assert vectors.duplicates == 1


def test_binary_is_read_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyseme.formats.word2vec_binary.CHUNK_BYTES", 7)
    data = b"".join(entry(f"word{i}", i, -i, i / 2) for i in range(20))
    vectors = parse_binary(data, 20, 3)
    assert vectors.words == [f"word{i}" for i in range(20)]
    assert vectors.sense_vectors.tolist() == [[i, -i, i / 2] for i in range(20)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (entry("a", 1, 2), "word 2: unexpected end of file, the header says 2 words"),
        (entry("a", 1, 2) + entry("b", 1, 2, end=b"")[:-1], "word 2: unexpected end of file"),
        (entry("a", 1, 2) + entry("b", 1, np.nan), "word 2: its vector contains nan or inf"),
        (entry("a", 1, np.inf) + entry("b", 1, 2), "word 1: its vector contains nan or inf"),
        (entry("a", 1, 2) + entry("", 1, 2), "word 2: the word is empty or contains a tab or newline"),
        (
            entry("a", 1, 2) + entry("b\tc", 1, 2),
            "word 2: the word is empty or contains a tab or newline",
        ),
        (entry("a", 1, 2) + b"b" * 20_000, "word 2: no space after the word"),
    ],
)
def test_invalid_binary_is_refused_with_the_number_of_the_word(
    data: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyseme.formats.word2vec_binary.CHUNK_BYTES", 4096)
    with pytest.raises(DataError, match=f"vectors, {message}"):
        parse_binary(data, 2, 2)


def test_binary_with_more_words_than_in_its_header_is_refused() -> None:
    with pytest.raises(DataError, match="vectors: the header says 1 words, but more bytes follow"):
        parse_binary(entry("a", 1) + entry("b", 2), 1, 1)


def test_binary_and_text_are_distinguished_by_the_bytes_after_the_first_word() -> None:
    assert is_binary(entry("flüsse", 0.1, 0.2), 2)
    assert is_binary(entry("a", 0), 1)
    assert not is_binary(b"a 0.1 0.2\n", 2)
    assert not is_binary("a 1 x\nü 1 2".encode(), 2)
    assert not is_binary("a 1\nü".encode()[:-1], 2)  # an incomplete character


def test_a_file_written_by_gensim_gives_the_same_vectors(tmp_path: Path) -> None:
    keyed_vectors: Any = pytest.importorskip("gensim.models.keyedvectors")
    words = ["the", "bank", "flüsse", "東京", "covid_19", "new_york"]
    saved = keyed_vectors.KeyedVectors(10)
    saved.add_vectors(words, np.random.default_rng(1).normal(size=(6, 10)).astype(np.float32))
    saved.save_word2vec_format(tmp_path / "v", binary=True)
    vectors = read(tmp_path / "v")
    assert vectors.words == saved.index_to_key == words
    assert np.array_equal(vectors.sense_vectors, saved.vectors)
