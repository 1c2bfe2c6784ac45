"""Tagging, and its agreement with disambiguation."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme import SenseModel, train
from polyseme.corpus.planted import PlantedCorpus
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.model import tagging
from polyseme.model.tagging import Tagger
from tests.evaluation.toy import toy


@pytest.fixture(scope="module")
def model(mssg_path: Path) -> SenseModel:
    return SenseModel.load(mssg_path)


def untagged(text: str) -> str:
    return re.sub(r"#\d+", "", text)


def test_ambiguous_words_are_tagged_and_keep_their_spelling(model: SenseModel) -> None:
    tagged = model.tag("Money and credit at the Bank,\na boat on the river, water and mud: the BANK!")
    assert re.findall(r"bank#\d", tagged, re.IGNORECASE) == ["Bank#1", "BANK#2"]


@given(
    st.lists(
        st.sampled_from(["bank", "money", "river", "zebra", ",", ".", "\n", "東京", "ü", "Bank’s", "\t"]), max_size=60
    )
)
def test_everything_else_stays_unchanged(model: SenseModel, pieces: list[str]) -> None:
    text = " ".join(pieces)
    tagged = model.tag(text)
    assert untagged(tagged) == text
    assert len(re.findall(r"\bbank#\d", tagged)) == pieces.count("bank")


def test_each_line_is_a_context_of_its_own(model: SenseModel) -> None:
    lines = ["money credit loan bank", "river shore boat bank", "", "bank"]
    tagged = model.tag("\n".join(lines)).split("\n")
    assert tagged == [model.tag(line) for line in lines]
    assert [line.split()[-1] for line in tagged if line] == ["bank#1", "bank#2", "bank#1"]


@pytest.mark.parametrize("name", ["mssg", "np-mssg", "mssg-maxout"])
def test_tagging_and_disambiguation_choose_the_same_sense(
    name: str, trained: Callable[[str], Path], planted: PlantedCorpus
) -> None:
    model = SenseModel.load(trained(name))
    compared = 0
    for occurrence in planted.occurrences[:300]:
        words = planted.sentences[occurrence.sentence]
        if words.count(occurrence.word) == 1:
            tagged = model.tag(" ".join(words)).split()[occurrence.position]
            assert tagged == model.disambiguate(occurrence.word, " ".join(words)).best.key
            compared += "#" in tagged
    assert compared > 50


def test_the_first_sense_of_the_most_frequent_word_is_tagged() -> None:
    words = {"bank": [([1.0, 0.0], 300), ([0.0, 1.0], 100)], "money": [([1.0, 0.0], 20)], "river": [([0.0, 1.0], 20)]}
    model = toy(words, {word: [vector for vector, _ in senses] for word, senses in words.items()})
    assert model.tag("money bank\nriver bank") == "money bank#1\nriver bank#2"


def test_a_tagger_that_has_seen_other_texts_gives_the_same_result(model: SenseModel) -> None:
    tagger = Tagger(model._data)
    for text in ("bank of unheard things", "more unheard of money", "bank money"):
        assert tagger.tag(text) == Tagger(model._data).tag(text)
    assert "#" in tagger.tag("bank money")


def test_the_cache_of_seen_words_is_bounded(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "MAX_CACHED_WORDS", 10)
    tagger = Tagger(model._data)
    for size in (20, 17, 14):  # the same words get other ids each time
        text = " ".join(f"word{i}" for i in range(size)) + " money bank"
        tagged = tagger.tag(text)
        assert tagged == Tagger(model._data).tag(text)
        assert "bank#" in tagged
        assert len(tagger._lexicon) <= 10


def test_a_model_with_a_function_as_tokenizer_returns_tokens(planted_text: Path, tmp_path: Path) -> None:
    def dashes(line: str) -> list[str]:
        return line.replace("-", " ").split()

    model = train(planted_text, tmp_path / "m", tokenizer=dashes, dim=16, epochs=1)
    tagged = model.tag("money-bank-loan\nriver zebra")
    assert untagged(tagged) == "money bank loan\nriver zebra"
    assert "bank#" in tagged
    assert model.senses("bank")[0].examples
    assert SenseModel.load(tmp_path / "m").tokenizer.name == "whitespace"
    again = SenseModel.load(tmp_path / "m", dashes)
    assert again.tag("money-bank-loan") == model.tag("money-bank-loan")
    again.save(tmp_path / "copy")
    assert SenseModel.load(tmp_path / "copy", dashes).tag("money-bank-loan") == model.tag("money-bank-loan")


def test_texts_are_encoded_alike_with_every_tokenizer(planted_text: Path, tmp_path: Path) -> None:
    train(planted_text, tmp_path / "m", tokenizer=str.split, dim=16, epochs=1, threads=1)
    texts = ["money bank\n\nzebra", "", "boat", "\n"]
    index = SenseModel.load(tmp_path / "m").vocabulary.index
    for tokenizer in (str.split, "whitespace", "words"):
        encoded = SenseModel.load(tmp_path / "m", get_tokenizer(tokenizer))._tagger.encode(texts)
        assert encoded.ids.tolist() == [index["money"], index["bank"], -1, -1, -1, -1, -1, index["boat"], -1, -1]
        assert encoded.lines.tolist() == [0, 2, 3, 5, 6, 8, 9, 10]
        assert encoded.bounds.tolist() == [0, 5, 6, 8, 10]
