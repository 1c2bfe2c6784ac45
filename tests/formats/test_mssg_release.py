"""Files in the format of the paper's authors, written by hand."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from polyseme.errors import DataError
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.mssg_release import read_release

PATH = Path("vectors")
WITH_CENTERS = "bank 2\n1 1\n1 0\n10 0\n0 1\n0 10\nriver 1\n0 2\n0 3\n0 30\n"
MAXOUT = "bank 2\n1 1\n1 0\n0 1\nriver 1\n0 2\n0 3\n"


def read(lines: str, size: int = 2, *, centers: bool = True) -> ImportedVectors:
    return read_release(io.BytesIO(lines.encode()), PATH, size, 2, centers=centers)


def test_each_word_has_a_global_vector_and_senses_with_centers() -> None:
    vectors = read(WITH_CENTERS + "\n")
    assert vectors.words == ["bank", "river"]
    assert vectors.global_vectors is not None
    assert vectors.global_vectors.tolist() == [[1, 1], [0, 2]]
    assert vectors.sense_vectors.tolist() == [[1, 0], [0, 1], [0, 3]]
    assert vectors.cluster_centers is not None
    assert vectors.cluster_centers.tolist() == [[10, 0], [0, 10], [0, 30]]
    assert vectors.sense_offsets.tolist() == [0, 2, 3]


def test_maxout_files_have_no_centers() -> None:
    vectors = read(MAXOUT, centers=False)
    assert vectors.words == ["bank", "river"]
    assert vectors.global_vectors is not None
    assert vectors.global_vectors.tolist() == [[1, 1], [0, 2]]
    assert vectors.sense_vectors.tolist() == [[1, 0], [0, 1], [0, 3]]
    assert vectors.cluster_centers is None


def test_a_word_may_contain_spaces() -> None:
    vectors = read(MAXOUT.replace("bank 2", "new york 2"), centers=False)
    assert vectors.words == ["new york", "river"]
    assert vectors.sense_offsets.tolist() == [0, 2, 3]


def test_the_first_of_duplicate_words_is_kept() -> None:
    vectors = read(WITH_CENTERS + "bank 1\n7 7\n7 7\n7 7\n", 3)
    assert vectors.words == ["bank", "river"]
    assert vectors.global_vectors is not None
    assert vectors.global_vectors.tolist() == [[1, 1], [0, 2]]
    assert vectors.sense_offsets.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("bank\n1 1\n", "vectors, line 2: expected a word and its number of senses (1 or more)"),
        ("bank 0\n1 1\n", "vectors, line 2: expected a word and its number of senses"),
        ("bank two\n1 1\n", "vectors, line 2: expected a word and its number of senses"),
        ("bank 1\n1 1\n1 0 0\n", "vectors, line 4: 3 columns, expected 2 numbers"),
        ("bank 1\n1 1\n1 x\n", "vectors, line 4: 'x' is not a number"),
        ("bank 1\n1 1\n1 inf\n", "vectors, line 4: 'inf' is not a finite number"),
        ("bank 999999999\n1 1\n1 0\n", "vectors: the header says 2 words, but the file ends in word 1"),
        (WITH_CENTERS.removesuffix("0 30\n"), "vectors: the header says 2 words, but the file ends in word 2"),
        (WITH_CENTERS + "shore 1\n", "vectors, line 12: the header says 2 words, but more follow"),
        (MAXOUT, "vectors, line 6: 'river' is not a number"),
    ],
)
def test_an_invalid_file_is_refused_with_its_line_number(lines: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(lines)
    assert str(caught.value).startswith(message)
