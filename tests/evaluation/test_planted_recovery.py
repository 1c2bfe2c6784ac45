"""Scores of planted words, for a model whose senses are given."""

from __future__ import annotations

from polyseme.corpus.planted import PlantedCorpus, PlantedOccurrence
from polyseme.evaluation.planted_recovery import PlantedScore, score_planted
from tests.evaluation.toy import toy

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
WORDS = {"bank": [(EAST, 200), (NORTH, 200)], "money": [(EAST, 20)], "water": [(NORTH, 20)]}


def score(*sentences: tuple[str, str]) -> list[PlantedScore]:
    """Score sentences, given as (text, topic of `bank`), with a model that has a sense for money and one for water."""
    words = [text.split() for text, _ in sentences]
    occurrences = [
        PlantedOccurrence(number, words[number].index("bank"), "bank", topic)
        for number, (_, topic) in enumerate(sentences)
    ]
    model = toy(WORDS, {word: [vector for vector, _ in senses] for word, senses in WORDS.items()})
    return score_planted(model, PlantedCorpus(words, occurrences))


def test_senses_that_follow_the_topics_have_an_ari_of_1() -> None:
    sentences = [("unknown money bank", "finance")] * 3 + [("unknown bank water", "river")]
    assert score(*sentences) == [PlantedScore("bank", 2, 2, 4, 1.0, 1.0, 0.75, 0.75)]


def test_senses_that_ignore_the_topics_have_an_ari_of_0() -> None:
    sentences = [("money bank", "finance"), ("money bank", "river")] * 2
    assert score(*sentences) == [PlantedScore("bank", 2, 2, 4, 0.0, 0.5, 0.5, 1.0)]
