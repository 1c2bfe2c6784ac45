"""SenseModel: the model that users hold, with its queries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.tokenizers import AnyTokenizer
from polyseme.examples.store import parse_line
from polyseme.model import disambiguation, neighbours, similarity, storage
from polyseme.model.data import ModelData
from polyseme.model.disambiguation import Posterior
from polyseme.model.results import Disambiguation, Neighbour, Sense, Senses, Similarity
from polyseme.vocabulary import Vocabulary

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from polyseme.model.tagging import Tagger


class SenseModel:
    """One vector per meaning. Created by `polyseme.train` and `polyseme.load`."""

    def __init__(self, data: ModelData) -> None:
        self._data = data

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], tokenizer: AnyTokenizer | Callable[[str], list[str]] | None = None
    ) -> SenseModel:
        """Open a model folder. Vectors are memory-mapped.

        tokenizer  needed only for a model that was trained with a function as tokenizer; without it such a model
                   splits text at white space
        """
        return cls(storage.load(Path(path), tokenizer))

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the model to a folder, atomically. With `force`, replace a model that is there."""
        storage.save(self._data, Path(path), force=force)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words and their counts, most frequent first."""
        return self._data.vocabulary

    @property
    def config(self) -> dict[str, Any]:
        """The hyper-parameters the model was trained with."""
        return self._data.config

    @property
    def corpus(self) -> dict[str, Any]:
        """Size and fingerprint of the training corpus."""
        return self._data.corpus

    @property
    def training(self) -> dict[str, Any]:
        """Loss, tokens, seconds and threads of the training run."""
        return self._data.training

    @property
    def refinements(self) -> tuple[str, ...]:
        """The options of each `refine` since the training, oldest first."""
        return self._data.refinements

    @property
    def tokenizer(self) -> AnyTokenizer:
        return self._data.tokenizer

    @property
    def dim(self) -> int:
        return self._data.arrays.dim

    @property
    def sense_vectors(self) -> NDArray[np.float32]:
        """(R, d) One vector per sense; the senses of a word are consecutive rows."""
        return self._data.arrays.sense_vectors

    @property
    def global_vectors(self) -> NDArray[np.float32]:
        """(V, d) One vector per word, used when the word is context."""
        return self._data.arrays.global_vectors

    def __len__(self) -> int:
        """The number of words."""
        return len(self.vocabulary)

    def __contains__(self, word_or_key: str) -> bool:
        return self._data.lookup(word_or_key) is not None

    def __getitem__(self, word_or_key: str) -> NDArray[np.float32]:
        """The same as `vector`: `model["bank#1"]`, as in gensim."""
        return self.vector(word_or_key)

    @property
    def index_to_key(self) -> list[str]:
        """The keys of all senses, most frequent word first, as in gensim."""
        return self._data.visible_keys

    def __repr__(self) -> str:
        senses = len(self.sense_vectors)
        return f"<SenseModel {self.config.get('model')}: {len(self):,} words, {senses:,} senses, {self.dim} dimensions>"

    def vector(self, word_or_key: str) -> NDArray[np.float32]:
        """The vector of a sense; for a word with several senses, their mean weighted by share."""
        return self._data.vector(*self._data.find(word_or_key))

    def senses(self, word: str) -> Senses:
        """The senses of a word, most frequent first, with shares and example sentences."""
        data = self._data
        w = data.find(word)[0]
        name, rows, shares = data.vocabulary.words[w], data.rows(w), data.shares(w)
        examples = parse_line(data.read_examples(w, w + 1)[0])
        senses = tuple(
            Sense(
                key=data.key(row),
                word=name,
                number=int(data.sense_numbers[row]),
                label=data.labels.get(data.key(row)),
                share=float(shares[i]),
                count=int(data.arrays.sense_counts[row]),
                examples=tuple(examples[i]) if i < len(examples) else (),
                _neighbours=self.neighbours,
            )
            for i, row in enumerate(rows)
        )
        return Senses(name, senses, hidden=int(data.arrays.sense_offsets[w + 1]) - rows.stop)

    def neighbours(
        self, word_or_key: str, n: int = 10, *, among: Literal["senses", "words"] = "senses"
    ) -> list[Neighbour]:
        """The nearest senses by cosine, at most one per word; or the nearest words by global vector, as in the paper.

        Rare words are excluded (see `polyseme.model.neighbours`).
        """
        return neighbours.nearest(self._data, word_or_key, n, among)

    def most_similar(self, word_or_key: str, topn: int = 10) -> list[tuple[str, float]]:
        """The keys and cosines of `neighbours`, as in gensim."""
        return [(neighbour.key, neighbour.similarity) for neighbour in self.neighbours(word_or_key, topn)]

    def disambiguate(
        self, word: str, context: str, *, posterior: Posterior = "softmax", window: int | None = None
    ) -> Disambiguation:
        """The probability of each sense of a word in a context.

        window  number of context words on each side; by default that of the training
        """
        return disambiguation.disambiguate(self._data, word, context, posterior, window)

    def tag(self, text: str) -> str:
        """The text with each word that has several senses replaced by its key: `the boat drifted to the bank#2`."""
        return self._tagger.tag(text)

    def similarity(
        self, a: str, b: str, *, contexts: Iterable[str] | None = None, posterior: Posterior = "softmax"
    ) -> Similarity:
        """The similarity of two words or senses; with a context for each word, also their similarity in context."""
        return similarity.similarity(self._data, a, b, None if contexts is None else tuple(contexts), posterior)

    def refine(
        self,
        *,
        min_separation: float | None = None,
        min_share: float | None = None,
        merge: Iterable[str | Iterable[str]] = (),
        drop: Iterable[str] = (),
        labels: Mapping[str, str] = MappingProxyType({}),
    ) -> SenseModel:
        """A new model with senses merged, dropped or labelled, without training. Keys keep their numbers.

        In this order:

        merge           groups of senses to merge, such as ["bank#1+bank#3"] or [("bank#1", "bank#3")]; the merged sense
                        keeps the lowest number
        drop            senses to remove; their tokens are counted for the nearest remaining sense of the word
        min_separation  merge senses of a word with a lower separation, by the rule of np-mssg (see
                        `polyseme.kernels.kmeans`)
        min_share       drop senses with a smaller share of their word's tokens
        labels          names for senses, by key
        """
        from polyseme.model import refine  # imports Numba, which most queries do not need

        return SenseModel(
            refine.refine(
                self._data, min_separation=min_separation, min_share=min_share, merge=merge, drop=drop, labels=labels
            )
        )

    def to_gensim(self) -> KeyedVectors:
        """The senses as gensim's `KeyedVectors`, by key, with their counts. Needs the package gensim."""
        from polyseme.model.gensim_vectors import keyed_vectors

        return keyed_vectors(self._data)

    @cached_property
    def _tagger(self) -> Tagger:
        from polyseme.model.tagging import Tagger  # imports Numba, which most queries do not need

        return Tagger(self._data)
