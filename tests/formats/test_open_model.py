"""Opening anyone's vectors: each layout is recognised, answers questions and can be saved; all else is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from polyseme import SenseModel
from polyseme.errors import DataError, MissingFile
from polyseme.formats.open_model import open_model

STORED = Path(__file__).parents[1] / "model" / "stored" / "mssg-version-1.model"
ROWS: dict[str, list[float]] = {"the": [1, 1], "bank": [1, 0.5], "money": [1, 0], "river": [0, 1]}
BINARY = b"4 2\n" + b"".join(w.encode() + b" " + np.array(v, "<f4").tobytes() + b"\n" for w, v in ROWS.items())
LINES = b"".join(f"{w} {x} {y}\n".encode() for w, (x, y) in ROWS.items())
SENSES = b"the#1 1 1\nbank#1 1 0\nbank#2 0 1\nmoney#1 1 0\nriver#1 0 1\nriver#2 1 1\n"
# The sense vectors of 'bank' and their centers point different ways, so that it shows which of them were asked.
RELEASE = b"bank 2\n1 1\n1 0\n0 1\n0 1\n1 0\nmoney 1\n1 0\n1 0\n1 0\nriver 1\n0 1\n0 1\n0 1\n"
MAXOUT = b"bank 2\n1 1\n1 0\n0 1\nmoney 1\n1 0\n1 0\nriver 1\n0 1\n0 1\n"

SINGLE = {"text": b"4 2\n" + LINES, "glove": LINES, "binary": BINARY}
SEVERAL = {"senses": b"6 2\n" + SENSES, "authors": b"3 2 2 0\n" + RELEASE, "maxout": b"3 2 2 1\n" + MAXOUT}
MONEY_SENSE = {"senses": "bank#1", "authors": "bank#2", "maxout": "bank#1"}


def opened(data: bytes, folder: Path) -> SenseModel:
    (folder / "vectors").write_bytes(data)
    return open_model(folder / "vectors")


@pytest.mark.parametrize("layout", SINGLE)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_file_of_one_vector_a_word_is_recognised(layout: str, zipped: bool, tmp_path: Path) -> None:
    model = opened(gzip.compress(SINGLE[layout]) if zipped else SINGLE[layout], tmp_path)
    assert model.vocabulary.words == list(ROWS)
    assert (
        model._data.arrays.sense_vectors.tolist() == model._data.arrays.global_vectors.tolist() == list(ROWS.values())
    )
    assert model.config["model"] == "word2vec"
    assert model._data.num_visible_senses.tolist() == [1, 1, 1, 1]
    assert model.neighbours("bank", 1)[0].word == "the"
    assert model.similarity("bank", "money").global_sim == pytest.approx(1 / 1.25**0.5)
    assert model.disambiguate("bank", "the river").best.probability == 1


@pytest.mark.parametrize("layout", SEVERAL)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_file_of_senses_answers_questions(layout: str, zipped: bool, tmp_path: Path) -> None:
    model = opened(gzip.compress(SEVERAL[layout]) if zipped else SEVERAL[layout], tmp_path)
    assert [s.key for s in model.senses("bank")] == ["bank#1", "bank#2"]
    assert [s.share for s in model.senses("bank")] == [0.5, 0.5]
    assert model.vector("bank#2").tolist() == [0, 1]
    assert model.neighbours("bank#1", 1)[0].word == "money"
    assert model.similarity("bank", "money").avg_sim == pytest.approx(0.5)
    found = model.disambiguate("Bank", "Money, money!")
    assert found.best.key == MONEY_SENSE[layout]
    assert found.best.probability > 0.9


@pytest.mark.parametrize(("layout", "name"), [("senses", "word2vec"), ("authors", "mssg"), ("maxout", "mssg-maxout")])
def test_the_model_is_named_as_far_as_the_layout_tells(layout: str, name: str, tmp_path: Path) -> None:
    assert opened(SEVERAL[layout], tmp_path).config["model"] == name


@pytest.mark.parametrize("layout", [*SINGLE, *SEVERAL])
def test_an_opened_model_can_be_saved_and_opened_again(layout: str, tmp_path: Path) -> None:
    model = opened({**SINGLE, **SEVERAL}[layout], tmp_path)
    model.save(tmp_path / "saved.model")
    again = open_model(tmp_path / "saved.model")
    assert again.vocabulary.words == model.vocabulary.words
    assert again.tokenizer is model.tokenizer
    assert again.config == model.config
    assert again._data.arrays.to_dict().keys() == model._data.arrays.to_dict().keys()
    for name, array in model._data.arrays.to_dict().items():
        assert np.array_equal(again._data.arrays.to_dict()[name], array)


def test_counts_fall_with_the_rank_and_leave_every_word_a_neighbour(tmp_path: Path) -> None:
    model = opened(b"".join(b"w%d 1 %d\n" % (i, i) for i in range(2000)), tmp_path)
    counts = model.vocabulary.counts
    assert counts[:4].tolist() == [100_000, 50_000, 33_333, 25_000]
    assert (np.diff(counts) <= 0).all()
    assert len(model.neighbours("w0", 2000)) == len(model.neighbours("w0", 2000, among="words")) == 1999


def test_texts_are_lower_cased_only_if_the_words_are(tmp_path: Path) -> None:
    assert opened(LINES, tmp_path).tokenizer.name == "words"
    assert opened(LINES + b"Bank 1 0\n", tmp_path).tokenizer.name == "whitespace"
    assert opened(b"<UNK> 0 0\n" + b"".join(b"w%d 1 1\n" % i for i in range(99)), tmp_path).tokenizer.name == "words"


def test_a_model_folder_is_opened() -> None:
    assert [s.key for s in open_model(STORED).senses("bank")] == ["bank#1", "bank#2"]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="nothing is not there; name a model folder or a file of vectors"):
        open_model(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty; a file of vectors is needed"),
        (b"\n \n", "is empty"),
        (gzip.compress(b""), "is empty"),
        (b"the bank of the river\n", "is not a file of vectors; known are word2vec's text ('V D', then"),
        (b"the 1061396\nof 593677\n", "is not a file of vectors"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not a file of vectors"),
        (b"\nthe 1 1\n", "is not a file of vectors"),
        (b"0 2\n", ", line 1: 0 words of 2 dimensions"),
        (b"2 0\na\nb\n", ", line 1: 2 words of 0 dimensions"),
        (b"1 999999999999\na 1\n", ", line 1: 1 words of 999,999,999,999 dimensions"),
        (b"0 2 3 0\n", ", line 1: 0 words of 2 dimensions"),
        (b"4 2\n", ": the header says 4 words, but 0 follow"),
        (b"999999999999999 2\n" + LINES, ": the header says 999,999,999,999,999 words, but 4 follow"),
        (b"999999999999999" + BINARY[1:], ", word 5: the file ends in it, but the header says 999,999,999,999,999"),
        (b"999999999999999 2 2 0\n" + RELEASE, ": the header says 999,999,999,999,999 words, but the file ends in"),
        (gzip.compress(b"999999999999999" + BINARY[1:]), ", word 5: the file ends in it"),
        (b"4 3\n" + LINES, ", line 2: 3 columns where 4 are needed"),
        (gzip.compress(BINARY)[:-9], " cannot be read to its end"),
        (gzip.compress(BINARY)[:-8] + b"\0" * 8, " cannot be read to its end"),
        (gzip.compress(BINARY)[:12] + b"\xff" * 20, " cannot be read to its end"),
        (b"\x1f\x8bnot gzip at all", " cannot be read to its end"),
    ],
)
def test_what_is_no_whole_file_of_vectors_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        opened(data, tmp_path)
    assert str(caught.value).startswith(str(tmp_path / "vectors"))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
