"""Files of word2vec: written by hand and by gensim, with and without senses, and damaged."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme.errors import DataError
from polyseme.formats.word2vec import Vectors, is_binary, marked_senses, read_binary, read_text, with_senses

PATH = Path("vectors")


def text(lines: str | bytes, size: int | None, dim: int) -> Vectors:
    data = lines.encode() if isinstance(lines, str) else lines
    return read_text(io.BytesIO(data), PATH, size, dim)


def packed(word: str, *numbers: float, end: bytes = b"\n") -> bytes:
    return word.encode() + b" " + np.array(numbers, "<f4").tobytes() + end


def binary(data: bytes, size: int, dim: int) -> Vectors:
    return read_binary(io.BytesIO(data), PATH, size, dim)


def test_text_is_read_as_it_is_written() -> None:
    found = text("bank 1 -0.5 \nflüsse\t2e-1 0\r\n\n", 2, 2)
    assert found.words == ["bank", "flüsse"]
    assert found.sense_vectors.tolist() == np.array([[1, -0.5], [0.2, 0]], np.float32).tolist()
    assert found.global_vectors is found.sense_vectors
    assert found.sense_offsets.tolist() == [0, 1, 2]
    assert found.cluster_centers is None


def test_a_word_may_have_blanks_in_it() -> None:
    found = text("new york 1 2\n. . . 3 4\n1 / 2 5 6\n2 7 8\n", None, 2)
    assert found.words == ["new york", ". . .", "1 / 2", "2"]
    assert found.sense_vectors.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_of_a_word_given_twice_the_first_counts() -> None:
    assert text("a 1\nb 2\na 3\n", 3, 1).sense_vectors.tolist() == [[1], [2]]
    assert binary(packed("a", 1) + packed("b", 2) + packed("a", 3), 3, 1).sense_vectors.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("lines", "size", "message"),
    [
        ("a 1 2\nb 1\n", 2, "vectors, line 3: 2 columns where 3 are needed: a word and 2 numbers"),
        ("a 1 2\nb 1\n", None, "vectors, line 2: 2 columns where 3 are needed"),
        ("a 1 2\n\nb 1 2 3\n", 2, "vectors, line 4: 4 columns where 3 are needed"),
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
def test_text_that_is_not_as_it_should_be_is_refused_with_its_line(lines: str, size: int | None, message: str) -> None:
    with pytest.raises(DataError) as caught:
        text(lines, size, 2)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_binary_is_read_with_and_without_line_ends(end: bytes) -> None:
    # The bytes of 1.49e-08 and 7.5e-33 hold blanks and line ends, which must not part words.
    awkward = np.frombuffer(b"\x20\x0a\x80\x32\x0a\x20\x20\x0a", "<f4").tolist()
    found = binary(packed("bank", *awkward, end=end) + packed("flüsse", 1, 2, end=end), 2, 2)
    assert found.words == ["bank", "flüsse"]
    assert found.sense_vectors.tolist() == [awkward, [1, 2]]


def test_binary_is_read_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyseme.formats.word2vec.CHUNK", 7)
    data = b"".join(packed(f"word{i}", i, -i, i / 2) for i in range(20))
    found = binary(data, 20, 3)
    assert found.words == [f"word{i}" for i in range(20)]
    assert found.sense_vectors.tolist() == [[i, -i, i / 2] for i in range(20)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (packed("a", 1, 2), "word 2: the file ends in it, but the header says 2 words"),
        (packed("a", 1, 2) + packed("b", 1, 2, end=b"")[:-1], "word 2: the file ends in it"),
        (packed("a", 1, 2) + packed("b", 1, np.nan), "word 2: a number of its vector is not finite"),
        (packed("a", 1, np.inf) + packed("b", 1, 2), "word 1: a number of its vector is not finite"),
        (packed("a", 1, 2) + packed("", 1, 2), "word 2: it is empty, or has a tab or a line end in it"),
        (packed("a", 1, 2) + packed("b\tc", 1, 2), "word 2: it is empty, or has a tab or a line end in it"),
        (packed("a", 1, 2) + b"b" * 20_000, "word 2: no blank after it"),
    ],
)
def test_binary_that_is_not_as_it_should_be_is_refused_with_its_word(
    data: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyseme.formats.word2vec.CHUNK", 4096)
    with pytest.raises(DataError, match=f"vectors, {message}"):
        binary(data, 2, 2)


def test_binary_with_more_words_than_its_header_says_is_refused() -> None:
    with pytest.raises(DataError, match="vectors: the header says 1 words, but more bytes follow"):
        binary(packed("a", 1) + packed("b", 2), 1, 1)


def test_binary_is_told_from_text_by_what_follows_the_first_word() -> None:
    assert is_binary(packed("flüsse", 0.1, 0.2), 2)
    assert is_binary(packed("a", 0), 1)
    assert not is_binary(b"a 0.1 0.2\n", 2)
    assert not is_binary("a 1 x\nü 1 2".encode(), 2)
    assert not is_binary("a 1\nü".encode()[:-1], 2)  # a character cut in two


@pytest.mark.parametrize("as_binary", [False, True])
def test_files_of_gensim_give_what_gensim_holds(as_binary: bool, tmp_path: Path) -> None:
    keyed_vectors: Any = pytest.importorskip("gensim.models.keyedvectors")
    words = ["the", "bank", "flüsse", "東京", "covid_19", "new_york"]
    vectors = keyed_vectors.KeyedVectors(10)
    vectors.add_vectors(words, np.random.default_rng(1).normal(size=(6, 10)).astype(np.float32))
    vectors.save_word2vec_format(tmp_path / "v", binary=as_binary)
    with (tmp_path / "v").open("rb") as file:
        size, dim = map(int, file.readline().split())
        found = (read_binary if as_binary else read_text)(file, tmp_path / "v", size, dim)
    assert found.words == vectors.index_to_key == words
    assert np.array_equal(found.sense_vectors, vectors.vectors)


@pytest.mark.parametrize("mark", ["#", "_", "--"])
@pytest.mark.parametrize("first", [0, 1])
def test_senses_are_recognised_in_each_spelling(mark: str, first: int) -> None:
    one, two = f"{mark}{first}", f"{mark}{first + 1}"
    words = [f"the{one}", f"bank{two}", "mp3", f"bass{one}", f"bank{one}", f"bass{two}", "covid_19", "route_66"]
    found = with_senses(words, np.arange(16, dtype=np.float32).reshape(8, 2))
    assert found.words == ["the", "bank", "mp3", "bass", "covid_19", "route_66"]
    assert found.sense_offsets.tolist() == [0, 1, 3, 4, 6, 7, 8]
    assert found.sense_vectors[:, 0].tolist() == [0, 8, 2, 4, 6, 10, 12, 14]
    assert found.global_vectors.tolist() == [[0, 1], [5, 6], [4, 5], [8, 9], [12, 13], [14, 15]]


@pytest.mark.parametrize(
    "words",
    [
        ["covid_19", "mp3", "route_66"],
        ["figure", "figure_1", "figure_2", "table", "table_1", "table_2"],  # the stems are words
        ["game_1", "game_2", "round_1", "round_2", "x_360", "b_52", "a_380", "mi_6", "u_571"],  # most are no senses
        ["bank_1", "bank_2", "river"],  # not several
        ["bank_2", "bank_3", "bass_1", "bass_3"],  # a late start, a gap
        ["bank_01", "bank_02", "bass_01", "bass_02", "#1", "#2", "_1", "_2"],
        ["a_" + "9" * 5000, "a_1", "a_2"],
    ],
)
def test_numbers_that_are_no_senses_are_left_alone(words: list[str]) -> None:
    assert marked_senses(words) == {}
    found = with_senses(words, np.zeros((len(words), 2), np.float32))
    assert found.words == words
    assert found.sense_offsets.tolist() == list(range(len(words) + 1))


def test_a_number_within_a_word_with_senses_stays() -> None:
    words = ["covid_19_1", "covid_19_2", "bank_1", "bank_2"]
    assert marked_senses(words) == {"covid_19": [0, 1], "bank": [2, 3]}
