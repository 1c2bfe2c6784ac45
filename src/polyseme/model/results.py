"""The small results that questions to a model give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from polyseme.examples.store import Example


@dataclass(frozen=True)
class Neighbour:
    """A near word or sense. The key of a word with one sense is the word itself."""

    key: str
    word: str
    similarity: float


@dataclass(frozen=True)
class Sense:
    """One meaning of a word: `bank#2` is the second most frequent of `bank`."""

    key: str
    word: str
    number: int
    share: float
    count: int
    examples: tuple[Example, ...]
    _neighbours: Callable[[str, int], list[Neighbour]] = field(repr=False, compare=False)

    def neighbours(self, n: int = 10) -> list[Neighbour]:
        """The nearest senses of other words."""
        return self._neighbours(self.key, n)


@dataclass(frozen=True)
class Senses(Sequence[Sense]):
    """The senses of a word, most frequent first; `dropped` more hardly ever occur and are not shown."""

    word: str
    shown: tuple[Sense, ...]
    dropped: int

    @overload
    def __getitem__(self, i: int) -> Sense: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Sense]: ...
    def __getitem__(self, i: int | slice) -> Sense | Sequence[Sense]:
        return self.shown[i]

    def __len__(self) -> int:
        return len(self.shown)

    def __iter__(self) -> Iterator[Sense]:
        return iter(self.shown)


@dataclass(frozen=True)
class SenseProbability:
    """A sense and its probability in a context."""

    key: str
    probability: float


@dataclass(frozen=True)
class Disambiguation:
    """The senses of a word in a context, most frequent first. `known` words of the context spoke for them; if none
    did, the probabilities are the senses' shares."""

    word: str
    senses: tuple[SenseProbability, ...]
    known: int

    @property
    def best(self) -> SenseProbability:
        return max(self.senses, key=lambda sense: sense.probability)


@dataclass(frozen=True)
class Similarity:
    """The similarity measures of the paper and of later work; the last three need contexts."""

    global_sim: float
    avg_sim: float
    max_sim: float
    avg_sim_c: float | None = None
    max_sim_c: float | None = None
    local_sim: float | None = None
