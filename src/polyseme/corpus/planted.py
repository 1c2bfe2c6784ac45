"""The planted corpus: generated sentences in which known words have known senses.

A sentence has one topic. Its words are common ones, in Zipfian proportion; words of the topic; and, the more difficult
the corpus, words of other topics. An ambiguous word stands in sentences of several topics, each of them one sense, the
first the most frequent. Who knows only the word cannot tell the sense: the context must.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.planted_words import AMBIGUOUS, COMMON, TOPICS, UNAMBIGUOUS
from polyseme.errors import ConfigError

LENGTHS = (8, 16)
COMMON_SHARE = 0.4
NOISE_AT_MOST = 0.8  # of the words that are not common, at difficulty 1
PLANTED_SHARE = 0.7  # of the sentences hold a planted word


@dataclass(frozen=True)
class PlantedOccurrence:
    """A planted word in a sentence, with its true sense."""

    sentence: int
    position: int
    word: str
    topic: str


@dataclass(frozen=True)
class PlantedCorpus:
    """Sentences, and the truth about the planted words in them."""

    sentences: list[list[str]]
    uses: list[PlantedOccurrence]

    def write(self, path: Path) -> Path:
        """Write the sentences, one a line."""
        path.write_text("".join(" ".join(words) + "\n" for words in self.sentences), encoding="utf-8")
        return path


def planted_senses() -> dict[str, tuple[str, ...]]:
    """The planted words and their topics: one for the controls, two to four for the ambiguous ones."""
    return {**AMBIGUOUS, **UNAMBIGUOUS}


def plant(*, sentences: int = 30_000, difficulty: float = 0.5, seed: int = 0) -> PlantedCorpus:
    """Generate a corpus. `difficulty` goes from 0 (all words of a sentence are of its topic) to 1 (few are)."""
    if sentences < 1:
        raise ConfigError(f"the number of sentences must be 1 or more, not {sentences}.")
    if not 0 <= difficulty <= 1:
        raise ConfigError(f"--difficulty must be between 0 and 1, not {difficulty}.")
    if seed < 0:
        raise ConfigError(f"--seed must be 0 or more, not {seed}.")
    generator = _Generator(difficulty, np.random.default_rng(seed))
    made = [generator.sentence(i) for i in range(sentences)]
    return PlantedCorpus([words for words, _ in made], [use for _, use in made if use is not None])


class _Generator:
    def __init__(self, difficulty: float, random: np.random.Generator) -> None:
        self.random = random
        self.noise = NOISE_AT_MOST * difficulty
        self.common = COMMON.split()
        self.topics = {topic: words.split() for topic, words in TOPICS.items()}
        self.names = list(self.topics)
        planted = [(word, t, 1 / (i + 1)) for word, topics in planted_senses().items() for i, t in enumerate(topics)]
        per_word = Counter[str]()
        for word, _, weight in planted:
            per_word[word] += weight  # type: ignore[assignment]
        self.planted = [(word, topic) for word, topic, _ in planted]
        self.planted_weights = _shares(np.array([weight / per_word[word] for word, _, weight in planted]))

    def sentence(self, number: int) -> tuple[list[str], PlantedOccurrence | None]:
        """A sentence and the planted use in it, if any."""
        random = self.random
        length = int(random.integers(*LENGTHS))
        if random.random() < PLANTED_SHARE:
            word, topic = self.planted[random.choice(len(self.planted), p=self.planted_weights)]
            position = int(random.integers(length))
        else:
            word, topic, position = "", self.names[int(random.integers(len(self.names)))], -1
        words = [self._word(topic) for _ in range(length)]
        if position < 0:
            return words, None
        words[position] = word
        return words, PlantedOccurrence(number, position, word, topic)

    def _word(self, topic: str) -> str:
        if self.random.random() < COMMON_SHARE:
            return _zipfian(self.common, self.random)
        if self.random.random() < self.noise:
            topic = self.names[int(self.random.integers(len(self.names)))]
        return _zipfian(self.topics[topic], self.random)


def _zipfian(words: list[str], random: np.random.Generator) -> str:
    """A word with a chance of about 1 / rank."""
    rank = int(np.exp(random.random() * np.log(len(words) + 1)))
    return words[min(rank, len(words)) - 1]


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(weights / weights.sum())
