"""word2vec files: written by hand and by gensim, with and without senses, and damaged."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme.errors import DataError
from polyseme.formats.word2vec import (
    ImportedVectors,
    find_numbered_senses,
    group_senses,
    is_binary,
    read_binary,
    read_text,
)

PATH = Path("vectors")


def parse_text(lines: str | bytes, size: int | None, dim: int) -> ImportedVectors:
    data = lines.encode() if isinstance(lines, str) else lines
    return read_text(io.BytesIO(data), PATH, size, dim)


def entry(word: str, *numbers: float, end: bytes = b"\n") -> bytes:
    return word.encode() + b" " + np.array(numbers, "<f4").tobytes() + end


def parse_binary(data: bytes, size: int, dim: int) -> ImportedVectors:
    return read_binary(io.BytesIO(data), PATH, size, dim)


def test_words_and_vectors_are_read_from_text() -> None:
    vectors = parse_text("bank 1 -0.5 \nflüsse\t2e-1 0\r\n\n", 2, 2)
    assert vectors.words == ["bank", "flüsse"]
    assert vectors.sense_vectors.tolist() == np.array([[1, -0.5], [0.2, 0]], np.float32).tolist()
    assert vectors.global_vectors is vectors.sense_vectors
    assert vectors.sense_offsets.tolist() == [0, 1, 2]
    assert vectors.cluster_centers is None


def test_a_word_may_contain_spaces() -> None:
    vectors = parse_text("new york 1 2\n. . . 3 4\n1 / 2 5 6\n2 7 8\n", None, 2)
    assert vectors.words == ["new york", ". . .", "1 / 2", "2"]
    assert vectors.sense_vectors.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_the_first_of_duplicate_words_is_kept() -> None:
    assert parse_text("a 1\nb 2\na 3\n", 3, 1).sense_vectors.tolist() == [[1], [2]]
    assert parse_binary(entry("a", 1) + entry("b", 2) + entry("a", 3), 3, 1).sense_vectors.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("lines", "size", "message"),
    [
        ("a 1 2\nb 1\n", 2, "vectors, line 3: 2 columns, expected 3: a word and 2 numbers"),
        ("a 1 2\nb 1\n", None, "vectors, line 2: 2 columns, expected 3"),
        ("a 1 2\n\nb 1 2 3\n", 2, "vectors, line 4: 4 columns, expected 3"),
        ("a 1 2\nb 1 x2\n", 2, "vectors, line 3: 'x2' is not a number"),
        ("a 1 2\nb 1 0.1-0.2\n", 2, "vectors, line 3: '0.1-0.2' is not a number"),
        ("a 1 2\nb nan 1\n", 2, "vectors, line 3: 'nan' is not a finite number"),
        ("a 1 -inf\n", 1, "vectors, line 2: '-inf' is not a finite number"),
        ("a 1 1e40\n", 1, "vectors, line 2: '1e40' is not a finite number"),
        (b"a 1 \xff\n", 1, "vectors, line 2: '�' is not a number"),
        ("a 1 2\n", 2, "vectors: the header says 2 words, but 1 follow"),
        ("a 1 2\nb 1 2\n", 1, "vectors: the header says 1 words, but 2 follow"),
    ],
)
def test_invalid_text_is_refused_with_its_line_number(lines: str, size: int | None, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_text(lines, size, 2)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_binary_is_read_with_and_without_newlines(end: bytes) -> None:
    # The bytes of these numbers are spaces and newlines, which must not be taken for word separators.
    special = np.frombuffer(b"\x20\x0a\x80\x32\x0a\x20\x20\x0a", "<f4").tolist()
    vectors = parse_binary(entry("bank", *special, end=end) + entry("flüsse", 1, 2, end=end), 2, 2)
    assert vectors.words == ["bank", "flüsse"]
    assert vectors.sense_vectors.tolist() == [special, [1, 2]]


def test_binary_is_read_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyseme.formats.word2vec.CHUNK_BYTES", 7)
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
    monkeypatch.setattr("polyseme.formats.word2vec.CHUNK_BYTES", 4096)
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


@pytest.mark.parametrize("as_binary", [False, True])
def test_files_written_by_gensim_give_the_same_vectors(as_binary: bool, tmp_path: Path) -> None:
    keyed_vectors: Any = pytest.importorskip("gensim.models.keyedvectors")
    words = ["the", "bank", "flüsse", "東京", "covid_19", "new_york"]
    saved = keyed_vectors.KeyedVectors(10)
    saved.add_vectors(words, np.random.default_rng(1).normal(size=(6, 10)).astype(np.float32))
    saved.save_word2vec_format(tmp_path / "v", binary=as_binary)
    with (tmp_path / "v").open("rb") as file:
        size, dim = map(int, file.readline().split())
        vectors = (read_binary if as_binary else read_text)(file, tmp_path / "v", size, dim)
    assert vectors.words == saved.index_to_key == words
    assert np.array_equal(vectors.sense_vectors, saved.vectors)


@pytest.mark.parametrize("separator", ["#", "_", "--"])
@pytest.mark.parametrize("first", [0, 1])
def test_numbered_senses_are_found_with_each_separator(separator: str, first: int) -> None:
    one, two = f"{separator}{first}", f"{separator}{first + 1}"
    words = [f"the{one}", f"bank{two}", "mp3", f"bass{one}", f"bank{one}", f"bass{two}", "covid_19", "route_66"]
    vectors = group_senses(words, np.arange(16, dtype=np.float32).reshape(8, 2))
    assert vectors.words == ["the", "bank", "mp3", "bass", "covid_19", "route_66"]
    assert vectors.sense_offsets.tolist() == [0, 1, 3, 4, 6, 7, 8]
    assert vectors.sense_vectors[:, 0].tolist() == [0, 8, 2, 4, 6, 10, 12, 14]
    assert vectors.global_vectors.tolist() == [[0, 1], [5, 6], [4, 5], [8, 9], [12, 13], [14, 15]]


@pytest.mark.parametrize(
    "words",
    [
        ["covid_19", "mp3", "route_66"],
        ["figure", "figure_1", "figure_2", "table", "table_1", "table_2"],  # figure and table are words
        [
            "game_1",
            "game_2",
            "round_1",
            "round_2",
            "x_360",
            "b_52",
            "a_380",
            "mi_6",
            "u_571",
        ],  # most start above 1
        ["bank_1", "bank_2", "river"],  # only one word with several senses
        ["bank_2", "bank_3", "bass_1", "bass_3"],  # starts at 2, has a gap
        ["bank_01", "bank_02", "bass_01", "bass_02", "#1", "#2", "_1", "_2"],
        ["a_" + "9" * 5000, "a_1", "a_2"],
    ],
)
def test_other_numbers_at_the_end_of_words_are_not_taken_for_senses(words: list[str]) -> None:
    assert find_numbered_senses(words) == {}
    vectors = group_senses(words, np.zeros((len(words), 2), np.float32))
    assert vectors.words == words
    assert vectors.sense_offsets.tolist() == list(range(len(words) + 1))


def test_a_word_with_numbered_senses_may_itself_end_in_a_number() -> None:
    words = ["covid_19_1", "covid_19_2", "bank_1", "bank_2"]
    assert find_numbered_senses(words) == {"covid_19": [0, 1], "bank": [2, 3]}
