"""Tagging: the text stays as it is but for the ambiguous words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme import SenseModel, train
from polyseme.corpus.planted import PlantedCorpus
from polyseme.model.tagging import Tagger


@pytest.fixture(scope="module")
def model(mssg_path: Path) -> SenseModel:
    return SenseModel.load(mssg_path)


def untagged(text: str) -> str:
    """Remove what tagging adds."""
    return "".join(piece if i == 0 else piece[1:] for i, piece in enumerate(text.split("#")))


def test_ambiguous_words_become_their_keys(model: SenseModel) -> None:
    tagged = model.tag("Money and credit at the Bank,\na boat on the river, water and mud: the bank!")
    assert tagged.count("bank#1") == 1
    assert tagged.count("bank#2") == 1
    assert tagged.index("bank#1,") < tagged.index("bank#2!")


@given(
    st.lists(
        st.sampled_from(["bank", "money", "river", "zebra", ",", ".", "\n", "東京", "ü", "Bank’s", "\t"]), max_size=60
    )
)
def test_all_else_stays_as_it_is(model: SenseModel, pieces: list[str]) -> None:
    text = " ".join(pieces)
    assert untagged(model.tag(text)).lower() == text.lower()


def test_a_line_is_a_context_of_its_own(model: SenseModel) -> None:
    lines = ["money credit loan bank", "river shore boat bank", "", "bank"]
    assert model.tag("\n".join(lines)) == "\n".join(model.tag(line) for line in lines)


@pytest.mark.parametrize("name", ["mssg", "np-mssg", "mssg-maxout"])
def test_tagging_agrees_with_disambiguation(name: str, trained: Callable[[str], Path], planted: PlantedCorpus) -> None:
    model = SenseModel.load(trained(name))
    for use in planted.occurrences[:300]:
        words = planted.sentences[use.sentence]
        if words.count(use.word) == 1:
            tagged = model.tag(" ".join(words)).split()[use.position]
            assert tagged == model.disambiguate(use.word, " ".join(words)).best.key or tagged == use.word


def test_a_tagger_learns_words_as_they_come(model: SenseModel) -> None:
    tagger = Tagger(model)
    for text in ("bank of unheard things", "more unheard of money", "bank money"):
        assert tagger.tag(text) == model.tag(text)


def test_texts_of_a_tokenizer_of_ones_own_come_back_as_tokens(planted_text: Path, tmp_path: Path) -> None:
    def dashes(line: str) -> list[str]:
        return line.replace("-", " ").split()

    model = train(planted_text, tmp_path / "m", tokenizer=dashes, dim=16, epochs=1)
    assert untagged(model.tag("money-bank-loan\nriver zebra")) == "money bank loan\nriver zebra"
    assert model.senses("bank")[0].examples
    assert SenseModel.load(tmp_path / "m").tokenizer.name == "whitespace"
    again = SenseModel.load(tmp_path / "m", dashes)
    assert again.tag("money-bank-loan") == model.tag("money-bank-loan")
    again.save(tmp_path / "copy")
