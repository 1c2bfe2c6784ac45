"""Choosing words and sentences with clear senses, in a model made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme import SenseModel
from polyseme.evaluation.clear_senses import clearest_sentence, clearest_words
from polyseme.vocabulary import Vocabulary
from tests.evaluation.toy import toy

MONEY, WATER, MUSIC, *OTHERS = np.eye(8)


def vector(*parts: NDArray[np.float64]) -> list[float]:
    """The sum of some unit vectors, the first with the highest weight."""
    return [float(x) for x in np.sum([part / (1 + i) for i, part in enumerate(parts)], axis=0)]


@pytest.fixture(scope="module")
def model() -> SenseModel:
    """`bank` and `bass` have two topics, `loan` has two senses of one topic, `us` is short, `zebra` is rare."""
    topics = {"money": MONEY, "water": WATER, "music": MUSIC}
    one_sense = {name + letter: [(vector(topic), 300)] for name, topic in topics.items() for letter in "abcdefgh"}
    split = {
        "bank": [(vector(MONEY, OTHERS[0]), 200), (vector(WATER, OTHERS[0]), 150)],
        "bass": [(vector(MUSIC, OTHERS[1]), 300), (vector(WATER, OTHERS[1]), 20)],
        "loan": [(vector(MONEY, OTHERS[2]), 200), (vector(MONEY, OTHERS[3]), 150)],
        "us": [(vector(MUSIC, OTHERS[4]), 200), (vector(MONEY, OTHERS[4]), 150)],
        "zebra": [(vector(MUSIC, OTHERS[4]), 20), (vector(MONEY, OTHERS[4]), 20)],
    }
    words = {**one_sense, **split}
    return toy(words, {word: [row for row, _ in senses] for word, senses in words.items()})


def test_words_with_different_neighbours_and_similar_shares_come_first(model: SenseModel) -> None:
    assert clearest_words(model, 2) == ["bank", "bass"]
    assert clearest_words(model, 1) == ["bank"]


def test_a_word_whose_senses_have_no_tokens_is_compared_last() -> None:
    """With --min-share 0, as in the paper's recipe, such senses are visible."""
    words = {
        "unused": [(vector(MONEY), 0), (vector(WATER), 0)],
        "bank": [(vector(MONEY, OTHERS[0]), 200), (vector(WATER, OTHERS[0]), 150)],
        **{f"money{letter}": [(vector(MONEY), 300)] for letter in "abcdefgh"},
        **{f"water{letter}": [(vector(WATER), 300)] for letter in "abcdefgh"},
    }
    model = toy(words, {word: [row for row, _ in senses] for word, senses in words.items()})
    model = SenseModel(
        replace(
            model._data,
            config={**model.config, "min_share": 0.0},
            vocabulary=Vocabulary(model.vocabulary.words, np.maximum(model.vocabulary.counts, 400)),
        )
    )
    assert clearest_words(model, 1, max_candidates=1) == ["bank"]


def test_short_and_rare_words_are_left_out(model: SenseModel) -> None:
    assert not {"us", "zebra"} & set(clearest_words(model, 9))


def test_short_words_are_kept_where_most_words_are_short(model: SenseModel) -> None:
    names = ["银行" if word == "bank" else word for word in model.vocabulary.words]
    renamed = replace(model._data, vocabulary=Vocabulary(names, model._data.vocabulary.counts))
    assert clearest_words(SenseModel(renamed), 1) == ["银行"]


def test_words_that_are_mostly_capitalized_are_left_out(model: SenseModel) -> None:
    def read_examples(first: int, end: int) -> list[bytes]:
        lines = {"bank": b'{"senses":[[["the ","Bank"," of"],["a ","Bank",""]],[["a ","bank",""]]]}'}
        return [lines.get(word, b"") for word in model.vocabulary.words[first:end]]

    named = SenseModel(replace(model._data, read_examples=read_examples))
    assert clearest_words(named, 1) == ["bass"]


def test_a_model_without_ambiguous_words_has_no_clear_ones() -> None:
    model = toy({"money": [([1.0, 0.0], 500)], "water": [([0.0, 1.0], 500)]})
    assert clearest_words(model, 6) == []
    assert clearest_sentence(model, ["Money and water are two words of this short sentence."], []) is None


def test_the_sentence_with_most_words_and_highest_confidence_is_chosen(model: SenseModel) -> None:
    clear = "A bank with musicb musicc has a bass and a musicd musice."
    mixed = "A bank with moneyb musicc has a bass and a waterd musice."
    lines = [
        "The bank of moneya and moneyb and of moneyc is big. " + mixed,
        "A bank of 1999 has a bass with moneya moneyb moneyc moneyd moneye.",  # has digits
        "bank bass moneya moneyb moneyc moneyd moneye moneyf",  # is not a sentence
        clear.replace("music", "water") + " No ambiguous word here at all, none, none, none.",
    ]
    assert clearest_sentence(model, lines, ["bank", "bass"]) == clear.replace("music", "water")
    assert clearest_sentence(model, ["Nothing."], ["bank", "bass"]) is None
