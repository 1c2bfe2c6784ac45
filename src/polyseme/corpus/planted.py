"""The planted corpus: generated sentences with ambiguous words whose true senses are known.

A sentence has one topic. It consists of common words with Zipfian frequencies, words of the topic, and, depending on
the difficulty, words of other topics. An ambiguous word occurs in sentences of several topics. Each topic is one of its
senses, the first the most frequent, and only the context tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.planted_words import AMBIGUOUS, COMMON, TOPICS, UNAMBIGUOUS
from polyseme.errors import ConfigError

SENTENCE_LENGTHS = (8, 16)  # from, below
COMMON_SHARE = 0.4  # of the words
MAX_OFF_TOPIC_SHARE = 0.8  # of the words that are not common, at difficulty 1
PLANTED_SHARE = 0.7  # of the sentences


@dataclass(frozen=True)
class PlantedOccurrence:
    """A planted word in a sentence, and its topic, which is its true sense."""

    sentence: int
    position: int
    word: str
    topic: str


@dataclass(frozen=True)
class PlantedCorpus:
    """Sentences, and the true senses of the planted words in them."""

    sentences: list[list[str]]
    occurrences: list[PlantedOccurrence]

    def write(self, path: Path) -> Path:
        """Write the sentences, one per line."""
        path.write_text("".join(" ".join(words) + "\n" for words in self.sentences), encoding="utf-8")
        return path


def planted_senses() -> dict[str, tuple[str, ...]]:
    """The topics of each planted word: two to four of an ambiguous word, one of a control word."""
    return {**AMBIGUOUS, **UNAMBIGUOUS}


def plant(*, sentences: int = 30_000, difficulty: float = 0.5, seed: int = 0) -> PlantedCorpus:
    """Generate a corpus.

    difficulty  from 0 (no word of a sentence is from another topic) to 1 (most are)
    """
    if sentences < 1:
        raise ConfigError(f"the number of sentences must be 1 or more, not {sentences}.")
    if not 0 <= difficulty <= 1:
        raise ConfigError(f"--difficulty must be between 0 and 1, not {difficulty}.")
    if seed < 0:
        raise ConfigError(f"--seed must be 0 or more, not {seed}.")
    generator = _Generator(difficulty, np.random.default_rng(seed))
    generated = [generator.sentence(i) for i in range(sentences)]
    occurrences = [occurrence for _, occurrence in generated if occurrence is not None]
    return PlantedCorpus([words for words, _ in generated], occurrences)


class _Generator:
    def __init__(self, difficulty: float, random: np.random.Generator) -> None:
        self.random = random
        self.off_topic_share = MAX_OFF_TOPIC_SHARE * difficulty
        self.common = COMMON.split()
        self.topics = {topic: words.split() for topic, words in TOPICS.items()}
        self.topic_names = list(self.topics)
        senses = planted_senses()
        self.planted = [(word, topic) for word, topics in senses.items() for topic in topics]
        shares = [_normalized(1 / np.arange(1, len(topics) + 1)) for topics in senses.values()]
        self.probabilities = _normalized(np.concatenate(shares))

    def sentence(self, number: int) -> tuple[list[str], PlantedOccurrence | None]:
        """A sentence, and the occurrence of a planted word in it, if any."""
        random = self.random
        length = int(random.integers(*SENTENCE_LENGTHS))
        if random.random() < PLANTED_SHARE:
            word, topic = self.planted[random.choice(len(self.planted), p=self.probabilities)]
            position = int(random.integers(length))
        else:
            word, topic, position = "", self.topic_names[int(random.integers(len(self.topic_names)))], -1
        words = [self._word(topic) for _ in range(length)]
        if position < 0:
            return words, None
        words[position] = word
        return words, PlantedOccurrence(number, position, word, topic)

    def _word(self, topic: str) -> str:
        if self.random.random() < COMMON_SHARE:
            return _zipfian(self.common, self.random)
        if self.random.random() < self.off_topic_share:
            topic = self.topic_names[int(self.random.integers(len(self.topic_names)))]
        return _zipfian(self.topics[topic], self.random)


def _zipfian(words: list[str], random: np.random.Generator) -> str:
    """A random word, with probability about proportional to 1 / rank."""
    rank = int(np.exp(random.random() * np.log(len(words) + 1)))
    return words[min(rank, len(words)) - 1]


def _normalized(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(weights / weights.sum())
