"""word2vec text: read by hand-written files and by gensim, small and large, and damaged."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme.errors import DataError
from polyseme.formats import text_file
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.word2vec import read, read_text

PATH = Path("vectors")


@pytest.fixture(params=["python", "kernel"], autouse=True)
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every test reads with Python, as small files are read, and with the kernel, in pieces of a few bytes."""
    if request.param == "kernel":
        monkeypatch.setattr(text_file, "SMALL_BYTES", 8)
        monkeypatch.setattr(text_file, "PIECE_BYTES", 8)
    return str(request.param)


def parse_text(lines: str | bytes, size: int | None, dim: int) -> ImportedVectors:
    data = lines.encode() if isinstance(lines, str) else lines
    return read_text(io.BytesIO(data), PATH, size, dim)


def test_words_and_vectors_are_read_from_text() -> None:
    vectors = parse_text("bank 1 -0.5 \nflüsse\t2e-1 0\r\n\n", 2, 2)
    assert vectors.words == ["bank", "flüsse"]
    assert vectors.sense_vectors.tolist() == np.array([[1, -0.5], [0.2, 0]], np.float32).tolist()
    assert vectors.sense_offsets.tolist() == [0, 1, 2]
    assert vectors.global_vectors is None


def test_a_word_may_contain_spaces() -> None:
    vectors = parse_text("new york 1 2\n. . . 3 4\n1 / 2 5 6\n2 7 8\n", None, 2)
    assert vectors.words == ["new york", ". . .", "1 / 2", "2"]
    assert vectors.sense_vectors.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_the_first_of_duplicate_words_is_kept_and_the_others_are_counted() -> None:
    vectors = parse_text("a 1\nb 2\na 3\na 4\n", 4, 1)
    assert vectors.words == ["a", "b"]
    assert vectors.sense_vectors.tolist() == [[1], [2]]
    assert vectors.duplicates == 2


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


def test_many_lines_that_are_too_short_for_the_header_allocate_little_memory() -> None:
    with pytest.raises(DataError, match=r"vectors, line 2: 1 columns, expected 65537: a word and 65536 numbers"):
        parse_text("a\n" * 100_000, 100_000, 65_536)


def test_lines_that_only_python_can_read_keep_their_place() -> None:
    # Underscores, a number next to the middle of two float32, a subnormal number, words with spaces, blank lines.
    lines = "a 1_0 2\n\nnew york 3 4\nb 0.50000002980232238769531250001 5\n \t\nc 1e-40 6\nd 7 8"
    vectors = parse_text(lines, 5, 2)
    assert vectors.words == ["a", "new york", "b", "c", "d"]
    above = float(np.nextafter(np.float32(0.5), np.float32(1)))
    tiny = float(np.float32(1e-40))
    assert vectors.sense_vectors.tolist() == [[10, 2], [3, 4], [above, 5], [tiny, 6], [7, 8]]


def test_a_file_written_by_gensim_gives_the_same_vectors(tmp_path: Path) -> None:
    keyed_vectors: Any = pytest.importorskip("gensim.models.keyedvectors")
    words = ["the", "bank", "flüsse", "東京", "covid_19", "new_york"]
    saved = keyed_vectors.KeyedVectors(10)
    saved.add_vectors(words, np.random.default_rng(1).normal(size=(6, 10)).astype(np.float32))
    saved.save_word2vec_format(tmp_path / "v")
    vectors = read(tmp_path / "v")
    assert vectors.words == saved.index_to_key == words
    assert np.array_equal(vectors.sense_vectors, saved.vectors)
