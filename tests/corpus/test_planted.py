"""The planted corpus: its words and their true senses."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from polyseme.corpus.planted import PlantedCorpus, plant, planted_senses
from polyseme.corpus.planted_words import AMBIGUOUS, COMMON, TOPICS, UNAMBIGUOUS
from polyseme.errors import ConfigError


def test_no_word_is_in_two_lists() -> None:
    words = Counter(w for text in (*TOPICS.values(), COMMON, " ".join(AMBIGUOUS)) for w in text.split())
    assert [word for word, n in words.items() if n > 1] == []


def test_planted_words_have_one_to_four_senses() -> None:
    assert {len(topics) for topics in planted_senses().values()} == {1, 2, 3, 4}
    assert {topic for topics in planted_senses().values() for topic in topics} <= set(TOPICS)
    assert all(word in TOPICS[topic].split() for word, (topic,) in UNAMBIGUOUS.items())


def test_every_occurrence_names_the_position_and_topic_of_a_planted_word(planted: PlantedCorpus) -> None:
    assert all(planted.sentences[o.sentence][o.position] == o.word for o in planted.occurrences)
    assert all(o.topic in planted_senses()[o.word] for o in planted.occurrences)


def test_common_words_are_zipfian(planted: PlantedCorpus) -> None:
    common = COMMON.split()
    counts = Counter(w for words in planted.sentences for w in words)
    slope = np.polyfit(np.log(range(1, 101)), np.log([counts[w] for w in common[:100]]), 1)[0]
    assert -1.2 < slope < -0.8


def test_the_first_sense_is_the_most_frequent(planted: PlantedCorpus) -> None:
    counts = Counter((o.word, o.topic) for o in planted.occurrences)
    assert all(counts[w, topics[0]] > counts[w, topics[1]] > 0 for w, topics in AMBIGUOUS.items())


def test_the_same_seed_gives_the_same_corpus_and_another_seed_a_different_one() -> None:
    assert plant(sentences=50, seed=1) == plant(sentences=50, seed=1) != plant(sentences=50, seed=2)


def test_difficulty_sets_the_share_of_words_from_other_topics() -> None:
    def on_topic_share(difficulty: float) -> float:
        corpus = plant(sentences=2000, difficulty=difficulty, seed=0)
        on_topic = [
            w in TOPICS[o.topic].split()
            for o in corpus.occurrences
            for i, w in enumerate(corpus.sentences[o.sentence])
            if i != o.position and w not in COMMON.split()
        ]
        return sum(on_topic) / len(on_topic)

    assert on_topic_share(0) == 1.0
    assert on_topic_share(0.5) == pytest.approx(0.6, abs=0.05)
    assert on_topic_share(1) < 0.3


@pytest.mark.parametrize("settings", [{"sentences": 0}, {"difficulty": 1.5}])
def test_invalid_settings_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="must be"):
        plant(**settings)  # type: ignore[arg-type]
