"""The results of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from polyseme.examples.store import Example


@dataclass(frozen=True)
class Neighbour:
    """A neighbouring sense with its cosine similarity. The key of a word with one sense is the word itself."""

    key: str
    word: str
    similarity: float


@dataclass(frozen=True)
class Sense:
    """One meaning of a word. The key of a word with one sense is the word itself, otherwise for instance `bank#2`.

    `label` is the name that a user gave to the sense (see `SenseModel.refine`).
    """

    key: str
    word: str
    number: int
    label: str | None
    share: float
    count: int
    examples: tuple[Example, ...]
    _neighbours: Callable[[str, int], list[Neighbour]] = field(repr=False, compare=False)

    def neighbours(self, n: int = 10) -> list[Neighbour]:
        """The nearest senses of other words."""
        return self._neighbours(self.key, n)


@dataclass(frozen=True)
class Senses(Sequence[Sense]):
    """The senses of a word, most frequent first.

    `hidden` is the number of further senses, each with less than 1% of the word's tokens.
    """

    word: str
    visible: tuple[Sense, ...]
    hidden: int

    @overload
    def __getitem__(self, i: int) -> Sense: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Sense]: ...
    def __getitem__(self, i: int | slice) -> Sense | Sequence[Sense]:
        return self.visible[i]

    def __len__(self) -> int:
        return len(self.visible)

    def __iter__(self) -> Iterator[Sense]:
        return iter(self.visible)


@dataclass(frozen=True)
class SenseProbability:
    """A sense and its probability in a context."""

    key: str
    probability: float


@dataclass(frozen=True)
class Disambiguation:
    """The senses of a word with their probabilities in a context, most frequent sense first.

    `known` is the number of context words in the vocabulary; if it is 0, the probabilities are the senses' shares.
    """

    word: str
    senses: tuple[SenseProbability, ...]
    known: int

    @property
    def best(self) -> SenseProbability:
        return max(self.senses, key=lambda sense: sense.probability)


@dataclass(frozen=True)
class Similarity:
    """Similarity measures (see `polyseme.model.similarity`). The last three need contexts, the first global vectors."""

    global_sim: float | None
    avg_sim: float
    max_sim: float
    avg_sim_c: float | None = None
    max_sim_c: float | None = None
    local_sim: float | None = None
