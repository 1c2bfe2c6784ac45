"""SenseModel: words, their senses and vectors, and the questions one can ask them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.tokenizers import AnyTokenizer
from polyseme.errors import UnknownWord
from polyseme.examples.store import ExampleReader, no_examples, parse_line
from polyseme.kernels.simd.padding import padded_rows
from polyseme.model import disambiguation, neighbours, similarity, storage
from polyseme.model.arrays import ModelArrays
from polyseme.model.disambiguation import Posterior
from polyseme.model.results import Disambiguation, Neighbour, Sense, Senses, Similarity
from polyseme.vocabulary import Vocabulary

if TYPE_CHECKING:
    from polyseme.model.sense_assigner import SenseAssigner

WIDER = 2  # where the settings say nothing of it, the window of a question in windows of the training
MIN_SHARE = 0.01  # a sense with a smaller share of its word's uses hardly ever occurs


@dataclass(frozen=True, eq=False)
class SenseModel:
    """One vector per meaning. Made by `polyseme.train` or `polyseme.load`."""

    vocabulary: Vocabulary
    arrays: ModelArrays
    tokenizer: AnyTokenizer
    config: dict[str, Any]  # the settings it was trained with
    corpus: dict[str, Any] = field(default_factory=dict)  # what it was trained on
    training: dict[str, Any] = field(default_factory=dict)  # how that went
    read_examples: ExampleReader = no_examples

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], tokenizer: AnyTokenizer | Callable[[str], list[str]] | None = None
    ) -> SenseModel:
        """Open a model folder; vectors are memory-mapped.

        A model that was trained with a tokenizer of your own takes it here; without it, it cuts texts at white space.
        """
        return storage.load(Path(path), tokenizer)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the model to a folder, which is whole or absent at any moment."""
        storage.save(self, Path(path), force=force)

    def __contains__(self, word_or_key: str) -> bool:
        return self._lookup(word_or_key) is not None

    def __len__(self) -> int:
        return len(self.vocabulary)

    @cached_property
    def visible_senses(self) -> NDArray[np.int32]:
        """How many senses of each word are shown: those with a share of at least MIN_SHARE, and the first always."""
        offsets, counts = self.arrays.sense_offsets, self.arrays.sense_counts
        totals = np.add.reduceat(counts, offsets[:-1])
        enough = counts >= np.maximum(np.repeat(totals, np.diff(offsets)) * MIN_SHARE, 1)
        return np.maximum(np.add.reduceat(enough.astype(np.int32), offsets[:-1]), 1).astype(np.int32)

    @cached_property
    def multi_sense_mask(self) -> NDArray[np.bool_]:
        """Which words may have several senses by the settings; in vectors from elsewhere, which have."""
        config = self.config
        if "multi_sense_top" not in config:
            return np.diff(self.arrays.sense_offsets) > 1
        return self.vocabulary.multi_sense_mask(
            top=config["multi_sense_top"],
            min_count=config["multi_sense_min_count"],
            listed=config["multi_sense_words"],
        )

    @cached_property
    def context_weights(self) -> NDArray[np.float32]:
        """How much each word counts in a context: the chance that subsampling keeps it."""
        return (self.vocabulary.keep_thresholds(float(self.config["subsample"])) / 2.0**32).astype(np.float32)

    @cached_property
    def context_rows(self) -> NDArray[np.float32]:
        """The vectors from which contexts are made, in rows as kernels take them."""
        return padded_rows(disambiguation.context_table(self))

    @cached_property
    def assigner(self) -> SenseAssigner:
        """Chooses the senses of many tokens at once."""
        from polyseme.model.sense_assigner import SenseAssigner

        return SenseAssigner(self)

    @property
    def reach(self) -> int:
        """Words on each side of a place that choose the sense there."""
        return int(self.config.get("sense_window") or WIDER * self.config["window"])

    @property
    def fade(self) -> np.float32:
        """How much each of these counts of what the next nearer one does; models of before had no such setting."""
        return np.float32(self.config.get("sense_decay", 1))

    def rows(self, word: int) -> range:
        """The rows of the shown senses of a word."""
        first = int(self.arrays.sense_offsets[word])
        return range(first, first + int(self.visible_senses[word]))

    def shares(self, word: int) -> NDArray[np.float64]:
        """The shares of the shown senses of a word; they add up to 1."""
        counts = self.arrays.sense_counts[slice(self.rows(word).start, self.rows(word).stop)].astype(np.float64)
        return np.asarray(counts / counts.sum() if counts.sum() else np.full(len(counts), 1 / len(counts)))

    def key(self, row: int) -> str:
        """The key of a sense: the word alone if it has one sense."""
        word = int(np.searchsorted(self.arrays.sense_offsets, row, side="right")) - 1
        if self.visible_senses[word] == 1:
            return self.vocabulary.words[word]
        return f"{self.vocabulary.words[word]}#{row - int(self.arrays.sense_offsets[word]) + 1}"

    def find(self, word_or_key: str) -> tuple[int, int | None]:
        """The id of a word, and the row of the sense if a sense was named (`bank#2`)."""
        found = self._lookup(word_or_key)
        if found is not None:
            return found
        word = word_or_key.rpartition("#")[0]
        if word in self.vocabulary:
            keys = [f"{word}#{i + 1}" for i in range(len(self.rows(self.vocabulary.index[word])))]
            raise UnknownWord(f"'{word}' has {len(keys)} senses: {', '.join(keys)}.")
        raise self.vocabulary.unknown(word_or_key)

    def id_of(self, word: str) -> int | None:
        """The id of a word, or None if it is not known."""
        found = self._lookup(word)
        return found[0] if found is not None and found[1] is None else None

    def _lookup(self, word_or_key: str) -> tuple[int, int | None] | None:
        """What `find` finds, or None."""
        index = self.vocabulary.index
        spelled = self._spelled(word_or_key)
        if spelled in index:
            return index[spelled], None
        word, _, number = word_or_key.rpartition("#")
        if word in index and number.isdecimal() and 1 <= int(number) <= len(self.rows(index[word])):
            return index[word], self.rows(index[word])[int(number) - 1]
        return None

    def _spelled(self, word: str) -> str:
        """The word itself if it is known, else as the tokenizer would write it, or in lower case: 'Bank' is 'bank'."""
        tokens = self.tokenizer(word)
        spellings = (word, tokens[0] if len(tokens) == 1 else word, word.lower())
        return next((spelling for spelling in spellings if spelling in self.vocabulary), word)

    def vector(self, word_or_key: str) -> NDArray[np.float32]:
        """The vector of a sense; for a word with several, the mean by their shares."""
        word, row = self.find(word_or_key)
        if row is not None:
            return np.array(self.arrays.sense_vectors[row])
        rows = self.rows(word)
        vectors = self.arrays.sense_vectors[rows.start : rows.stop]
        return np.asarray(self.shares(word).astype(np.float32) @ vectors)

    def senses(self, word: str) -> Senses:
        """The senses of a word, most frequent first, with shares and example sentences."""
        w = self.find(word)[0]
        name, rows, shares = self.vocabulary.words[w], self.rows(w), self.shares(w)
        examples = parse_line(self.read_examples(w, w + 1)[0])
        every = int(self.arrays.sense_offsets[w + 1]) - rows.start
        shown = tuple(
            Sense(
                key=f"{name}#{i + 1}",
                word=name,
                number=i + 1,
                share=float(shares[i]),
                count=int(self.arrays.sense_counts[row]),
                examples=tuple(examples[i]) if i < len(examples) else (),
                _neighbours=self.neighbours,
            )
            for i, row in enumerate(rows)
        )
        return Senses(name, shown, every - len(rows))

    def neighbours(
        self, word_or_key: str, n: int = 10, *, among: Literal["senses", "words"] = "senses"
    ) -> list[Neighbour]:
        """The nearest senses (of each word the best), or the nearest words by their global vectors, as in the paper.

        Rare words are no neighbours (see `polyseme.model.neighbours`).
        """
        return neighbours.nearest(self, word_or_key, n, among)

    def disambiguate(
        self, word: str, context: str, *, posterior: Posterior = "softmax", window: int | None = None
    ) -> Disambiguation:
        """The probability of each sense of a word in a context."""
        return disambiguation.disambiguate(self, word, context, posterior, window)

    def tag(self, text: str) -> str:
        """The text, with each word of several senses as its key: `the boat drifted to the bank#2`."""
        from polyseme.model.tagging import Tagger

        return Tagger(self).tag(text)

    def similarity(
        self, a: str, b: str, *, contexts: Iterable[str] | None = None, posterior: Posterior = "softmax"
    ) -> Similarity:
        """How alike two words are; with a context for each, how alike in those contexts."""
        return similarity.similarity(self, a, b, None if contexts is None else tuple(contexts), posterior)

    @cached_property
    def unit_senses(self) -> NDArray[np.float32]:
        """Sense vectors of length 1."""
        return neighbours.unit_rows(self.arrays.sense_vectors)

    @cached_property
    def unit_globals(self) -> NDArray[np.float32]:
        """Global vectors of length 1."""
        return neighbours.unit_rows(self.arrays.global_vectors)

    @cached_property
    def sense_lengths(self) -> NDArray[np.float32]:
        return neighbours.row_lengths(self.arrays.sense_vectors)

    @cached_property
    def global_lengths(self) -> NDArray[np.float32]:
        return neighbours.row_lengths(self.arrays.global_vectors)
