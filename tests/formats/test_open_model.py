"""Opening vector files: each format is recognised, can be queried and saved; other files are refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from polyseme import SenseModel
from polyseme.errors import DataError, MissingFile, UnknownWord
from polyseme.formats.open_model import open_model

STORED = Path(__file__).parents[1] / "model" / "stored" / "mssg-version-1.model"
ROWS: dict[str, list[float]] = {"the": [1, 1], "bank": [1, 0.5], "money": [1, 0], "river": [0, 1]}
BINARY = b"4 2\n" + b"".join(w.encode() + b" " + np.array(v, "<f4").tobytes() + b"\n" for w, v in ROWS.items())
LINES = b"".join(f"{w} {x} {y}\n".encode() for w, (x, y) in ROWS.items())
SENSES = b"the#1 1 1\nbank#1 1 0\nbank#2 0 1\nmoney#1 1 0\nriver#1 0 1\nriver#2 1 1\n"
# Each sense of 'bank' has the vector of the other's center, to show whether disambiguation uses vectors or centers.
RELEASE = b"bank 2\n1 1\n1 0\n0 1\n0 1\n1 0\nmoney 1\n1 0\n1 0\n1 0\nriver 1\n0 1\n0 1\n0 1\n"
MAXOUT = b"bank 2\n1 1\n1 0\n0 1\nmoney 1\n1 0\n1 0\nriver 1\n0 1\n0 1\n"

ONE_SENSE = {"text": b"4 2\n" + LINES, "glove": LINES, "binary": BINARY}
MULTI_SENSE = {"senses": b"6 2\n" + SENSES, "authors": b"3 2 2 0\n" + RELEASE, "maxout": b"3 2 2 1\n" + MAXOUT}
MONEY_SENSE = {"senses": "bank#1", "authors": "bank#2", "maxout": "bank#1"}


def open_bytes(data: bytes, folder: Path) -> SenseModel:
    (folder / "vectors").write_bytes(data)
    return open_model(folder / "vectors")


@pytest.mark.parametrize("file_format", ONE_SENSE)
@pytest.mark.parametrize("compressed", [False, True])
def test_files_with_one_vector_per_word_are_recognised(file_format: str, compressed: bool, tmp_path: Path) -> None:
    model = open_bytes(gzip.compress(ONE_SENSE[file_format]) if compressed else ONE_SENSE[file_format], tmp_path)
    assert model.vocabulary.words == list(ROWS)
    assert model.sense_vectors.tolist() == model.global_vectors.tolist() == list(ROWS.values())
    assert model.config["model"] == "word2vec"
    assert model._data.num_visible_senses.tolist() == [1, 1, 1, 1]
    assert model.neighbours("bank", 1)[0].word == "the"
    assert model.similarity("bank", "money").global_sim == pytest.approx(1 / 1.25**0.5)
    assert model.disambiguate("bank", "the river").best.probability == 1


@pytest.mark.parametrize("file_format", MULTI_SENSE)
@pytest.mark.parametrize("compressed", [False, True])
def test_files_with_several_senses_can_be_queried(file_format: str, compressed: bool, tmp_path: Path) -> None:
    model = open_bytes(gzip.compress(MULTI_SENSE[file_format]) if compressed else MULTI_SENSE[file_format], tmp_path)
    assert [s.key for s in model.senses("bank")] == ["bank#1", "bank#2"]
    assert [s.share for s in model.senses("bank")] == [0.5, 0.5]
    assert model.vector("bank#2").tolist() == [0, 1]
    assert model.neighbours("bank#1", 1)[0].word == "money"
    assert model.similarity("bank", "money").avg_sim == pytest.approx(0.5)
    best = model.disambiguate("Bank", "Money, money!").best
    assert best.key == MONEY_SENSE[file_format]
    assert best.probability > 0.9


@pytest.mark.parametrize(
    ("file_format", "name"), [("senses", "word2vec"), ("authors", "mssg"), ("maxout", "mssg-maxout")]
)
def test_the_kind_of_model_follows_from_the_format(file_format: str, name: str, tmp_path: Path) -> None:
    assert open_bytes(MULTI_SENSE[file_format], tmp_path).config["model"] == name


@pytest.mark.parametrize("file_format", [*ONE_SENSE, *MULTI_SENSE])
def test_an_imported_model_can_be_saved_and_loaded(file_format: str, tmp_path: Path) -> None:
    model = open_bytes({**ONE_SENSE, **MULTI_SENSE}[file_format], tmp_path)
    model.save(tmp_path / "saved.model")
    loaded = open_model(tmp_path / "saved.model")
    assert loaded.vocabulary.words == model.vocabulary.words
    assert loaded.tokenizer is model.tokenizer
    assert loaded.config == model.config
    before, after = model._data.arrays.to_dict(), loaded._data.arrays.to_dict()
    assert after.keys() == before.keys()
    assert all(np.array_equal(after[name], before[name]) for name in before)


def test_counts_fall_with_the_rank_and_every_word_can_be_a_neighbour(tmp_path: Path) -> None:
    model = open_bytes(b"".join(b"w%d 1 %d\n" % (i, i) for i in range(2000)), tmp_path)
    counts = model.vocabulary.counts
    assert counts[:4].tolist() == [100_000, 50_000, 33_333, 25_000]
    assert (np.diff(counts) <= 0).all()
    assert len(model.neighbours("w0", 2000)) == len(model.neighbours("w0", 2000, among="words")) == 1999


def test_assumed_counts_are_not_told_as_facts(tmp_path: Path) -> None:
    model = open_bytes(LINES, tmp_path)
    with pytest.raises(UnknownWord, match=r"'unknown' is not among the [0-9]+ words of this model\.( Closest: .*)?$"):
        model.senses("unknown")


def test_the_tokenizer_lower_cases_only_if_the_words_are_lower_case(tmp_path: Path) -> None:
    assert open_bytes(LINES, tmp_path).tokenizer.name == "words"
    assert open_bytes(LINES + b"Bank 1 0\n", tmp_path).tokenizer.name == "whitespace"
    assert (
        open_bytes(b"<UNK> 0 0\n" + b"".join(b"w%d 1 1\n" % i for i in range(99)), tmp_path).tokenizer.name == "words"
    )


def test_a_model_folder_is_opened() -> None:
    assert [s.key for s in open_model(STORED).senses("bank")] == ["bank#1", "bank#2"]


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="missing does not exist; train a model with"):
        open_model(tmp_path / "missing")
    with pytest.raises(MissingFile, match="missing does not exist; check the path"):
        open_model(tmp_path / "missing", format="glove")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty; expected vectors in one of these formats"),
        (b"\n \n", "is empty"),
        (gzip.compress(b""), "is empty"),
        (b"the bank of the river\n", "is not a vector file; supported formats are word2vec text ('V D', then"),
        (b"the 1061396\nof 593677\n", "is not a vector file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not a vector file"),
        (b"\nthe 1 1\n", "is not a vector file"),
        (b"0 2\n", ", line 1: the header says 0 words of 2 dimensions"),
        (b"2 0\na\nb\n", ", line 1: the header says 2 words of 0 dimensions"),
        (b"1 999999999999\na 1\n", ", line 1: the header says 1 words of 999,999,999,999 dimensions"),
        (b"0 2 3 0\n", ", line 1: the header says 0 words of 2 dimensions"),
        (b"4 2\n", ": the header says 4 words, but 0 follow"),
        (b"999999999999999 2\n" + LINES, ": the header says 999,999,999,999,999 words, but 4 follow"),
        (b"999999999999999" + BINARY[1:], ", word 5: unexpected end of file, the header says 999,999,999,999,999"),
        (b"999999999999999 2 2 0\n" + RELEASE, ": the header says 999,999,999,999,999 words, but the file ends in"),
        (gzip.compress(b"999999999999999" + BINARY[1:]), ", word 5: unexpected end of file"),
        (b"4 3\n" + LINES, ", line 2: 3 columns, expected 4"),
        (b"2 2\na 1 2\nb 3e38 3e38\n", ": the vector of 'b' has numbers that are too large"),
        (gzip.compress(BINARY)[:-9], " cannot be decompressed"),
        (gzip.compress(BINARY)[:-8] + b"\0" * 8, " cannot be decompressed"),
        (gzip.compress(BINARY)[:12] + b"\xff" * 20, " cannot be decompressed"),
        (b"\x1f\x8bnot gzip at all", " cannot be decompressed"),
    ],
)
def test_damaged_and_other_files_are_refused(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        open_bytes(data, tmp_path)
    assert str(caught.value).startswith(str(tmp_path / "vectors"))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
