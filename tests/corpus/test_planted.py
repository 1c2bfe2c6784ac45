"""The planted corpus: its words and its truth."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from polyseme.corpus.planted import PlantedCorpus, plant, planted_senses
from polyseme.corpus.planted_words import AMBIGUOUS, COMMON, TOPICS, UNAMBIGUOUS
from polyseme.errors import ConfigError


def test_no_word_belongs_to_two_lists() -> None:
    words = Counter(w for text in (*TOPICS.values(), COMMON, " ".join(AMBIGUOUS)) for w in text.split())
    assert [word for word, n in words.items() if n > 1] == []


def test_planted_words_have_one_to_four_senses() -> None:
    assert {len(topics) for topics in planted_senses().values()} == {1, 2, 3, 4}
    assert {topic for topics in planted_senses().values() for topic in topics} <= set(TOPICS)
    assert all(word in TOPICS[topic].split() for word, (topic,) in UNAMBIGUOUS.items())


def test_the_truth_says_where_each_planted_word_stands(planted: PlantedCorpus) -> None:
    assert all(planted.sentences[u.sentence][u.position] == u.word for u in planted.uses)
    assert all(u.topic in planted_senses()[u.word] for u in planted.uses)


def test_common_words_are_zipfian(planted: PlantedCorpus) -> None:
    common = COMMON.split()
    counts = Counter(w for words in planted.sentences for w in words)
    slope = np.polyfit(np.log(range(1, 101)), np.log([counts[w] for w in common[:100]]), 1)[0]
    assert -1.2 < slope < -0.8


def test_the_first_sense_is_the_most_frequent(planted: PlantedCorpus) -> None:
    uses = Counter((u.word, u.topic) for u in planted.uses)
    assert all(uses[w, topics[0]] > uses[w, topics[1]] > 0 for w, topics in AMBIGUOUS.items())


def test_a_seed_gives_the_same_corpus_and_another_seed_another() -> None:
    assert plant(sentences=50, seed=1) == plant(sentences=50, seed=1) != plant(sentences=50, seed=2)


def test_difficulty_is_the_share_of_words_off_the_topic() -> None:
    def on_topic(difficulty: float) -> float:
        corpus = plant(sentences=2000, difficulty=difficulty, seed=0)
        around = [
            w in TOPICS[u.topic].split()
            for u in corpus.uses
            for i, w in enumerate(corpus.sentences[u.sentence])
            if i != u.position and w not in COMMON.split()
        ]
        return sum(around) / len(around)

    assert on_topic(0) == 1.0
    assert on_topic(0.5) == pytest.approx(0.6, abs=0.05)
    assert on_topic(1) < 0.3


@pytest.mark.parametrize("wrong", [{"sentences": 0}, {"difficulty": 1.5}])
def test_impossible_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="must be"):
        plant(**wrong)  # type: ignore[arg-type]
