"""The files of the paper's authors, written by hand."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from polyseme.errors import DataError
from polyseme.formats.mssg_release import read_release
from polyseme.formats.word2vec import Vectors

PATH = Path("vectors")
WITH_CENTERS = "bank 2\n1 1\n1 0\n10 0\n0 1\n0 10\nriver 1\n0 2\n0 3\n0 30\n"
MAXOUT = "bank 2\n1 1\n1 0\n0 1\nriver 1\n0 2\n0 3\n"


def read(lines: str, size: int = 2, *, centers: bool = True) -> Vectors:
    return read_release(io.BytesIO(lines.encode()), PATH, size, 2, centers=centers)


def test_each_word_has_a_global_vector_and_senses_with_their_centers() -> None:
    found = read(WITH_CENTERS + "\n")
    assert found.words == ["bank", "river"]
    assert found.global_vectors.tolist() == [[1, 1], [0, 2]]
    assert found.sense_vectors.tolist() == [[1, 0], [0, 1], [0, 3]]
    assert found.cluster_centers is not None
    assert found.cluster_centers.tolist() == [[10, 0], [0, 10], [0, 30]]
    assert found.sense_offsets.tolist() == [0, 2, 3]


def test_with_maxout_there_are_no_centers() -> None:
    found = read(MAXOUT, centers=False)
    assert found.words == ["bank", "river"]
    assert found.global_vectors.tolist() == [[1, 1], [0, 2]]
    assert found.sense_vectors.tolist() == [[1, 0], [0, 1], [0, 3]]
    assert found.cluster_centers is None


def test_of_a_word_given_twice_the_first_counts() -> None:
    found = read(WITH_CENTERS + "bank 1\n7 7\n7 7\n7 7\n", 3)
    assert found.words == ["bank", "river"]
    assert found.global_vectors.tolist() == [[1, 1], [0, 2]]
    assert found.sense_offsets.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("bank\n1 1\n", "vectors, line 2: a word and the number of its senses, 1 or more, are needed"),
        ("bank 0\n1 1\n", "vectors, line 2: a word and the number of its senses"),
        ("bank two\n1 1\n", "vectors, line 2: a word and the number of its senses"),
        ("bank 1\n1 1\n1 0 0\n", "vectors, line 4: 3 columns where 2 numbers are needed"),
        ("bank 1\n1 1\n1 x\n", "vectors, line 4: 'x' is not a number"),
        ("bank 1\n1 1\n1 inf\n", "vectors, line 4: 'inf' is not a finite number"),
        ("bank 999999999\n1 1\n1 0\n", "vectors: the header says 2 words, but the file ends in word 1"),
        (WITH_CENTERS.removesuffix("0 30\n"), "vectors: the header says 2 words, but the file ends in word 2"),
        (WITH_CENTERS + "shore 1\n", "vectors, line 12: the header says 2 words, but more follow"),
        (MAXOUT, "vectors, line 6: 'river' is not a number"),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_refused_with_its_line(lines: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(lines)
    assert str(caught.value).startswith(message)
