"""The results of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from polyseme.examples.store import Example


@dataclass(frozen=True)
class Neighbour:
    """A neighbouring sense with its cosine similarity.

    key         of the sense; that of a word with one sense is the word itself
    word        the word that it is a sense of
    similarity  the cosine, from -1 to 1

    >>> model.neighbours("bank#2", 1)
    [Neighbour(key='river', word='river', similarity=0.9...)]
    """

    key: str
    word: str
    similarity: float


@dataclass(frozen=True)
class Sense:
    """One meaning of a word.

    key       `bank#2`, or the word itself if it has one sense
    word      the word
    number    the number in the key
    label     the name that a user gave to the sense (see `SenseModel.refine`), or None
    share     its share of the tokens of the word
    count     its number of tokens in training
    examples  example sentences, most typical first

    >>> sense = model.senses("bank")[1]
    >>> sense.key, sense.label, f"{sense.share:.0%}"
    ('bank#2', 'river bank', '36%')
    >>> print(sense.examples[0].text)
    the shore and the water near the bank with a mud
    """

    key: str
    word: str
    number: int
    label: str | None
    share: float
    count: int
    examples: tuple[Example, ...] = field(repr=False)
    _neighbours: Callable[[int], list[Neighbour]] = field(repr=False, compare=False)

    def neighbours(self, n: int = 10) -> list[Neighbour]:
        """The nearest senses of other words, as `SenseModel.neighbours`.

        n  how many
        Raises ConfigError if n is less than 1.

        >>> [neighbour.key for neighbour in model.senses("bank")[1].neighbours(3)]
        ['river', 'bridge', 'reeds']
        """
        return self._neighbours(n)


@dataclass(frozen=True)
class Senses(Sequence[Sense]):
    """The senses of a word, most frequent first: a sequence of `Sense`.

    word     the word
    visible  its senses
    hidden   the number of further senses, which are too rare to be shown: less than 1% of the word's tokens, or what
             --min-share says

    >>> senses = model.senses("rock")
    >>> len(senses), senses.hidden, [sense.key for sense in senses]
    (2, 0, ['rock#1', 'rock#2'])
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
    """A sense and its probability in a context.

    key          of the sense
    probability  from 0 to 1; those of all senses of the word sum to 1

    >>> model.disambiguate("bank", "a boat on the river").senses[1]
    SenseProbability(key='bank#2', probability=0.99...)
    """

    key: str
    probability: float


@dataclass(frozen=True)
class Disambiguation:
    """The senses of a word with their probabilities in a context.

    word    the word
    senses  its senses with their probabilities, most frequent sense first
    known   the number of context words in the vocabulary; if it is 0, the probabilities are the senses' shares

    >>> result = model.disambiguate("bank", "the bank kept the cash")
    >>> result.best.key, result.known
    ('bank#1', 3)
    """

    word: str
    senses: tuple[SenseProbability, ...]
    known: int

    @property
    def best(self) -> SenseProbability:
        """The most probable sense."""
        return max(self.senses, key=lambda sense: sense.probability)


@dataclass(frozen=True)
class Similarity:
    """Similarity measures of two words: cosines of their vectors, as in the paper.

    global_sim  of their global vectors; None if the model was saved without them
    avg_sim     mean over all pairs of their senses
    max_sim     largest of all pairs of their senses
    avg_sim_c   mean over all pairs, weighted by the probabilities in the contexts; None without contexts
    max_sim_c   another name of local_sim
    local_sim   of the most probable senses in the contexts; None without contexts

    >>> similarity = model.similarity("bank", "river")
    >>> similarity.max_sim > similarity.avg_sim, similarity.local_sim
    (True, None)
    """

    global_sim: float | None
    avg_sim: float
    max_sim: float
    avg_sim_c: float | None = None
    max_sim_c: float | None = None
    local_sim: float | None = None
