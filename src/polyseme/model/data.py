"""ModelData: everything a model consists of, and the lookups that queries share. Private to polyseme's own modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.phrases import JOINER, Phrases
from polyseme.corpus.tokenizers import AnyTokenizer
from polyseme.errors import ModelError, UnknownWord, check_str, shorten
from polyseme.examples.store import ExampleReader, no_examples
from polyseme.model.arrays import ModelArrays
from polyseme.model.rows import Dtype, Floats, Rows, blocks, dense
from polyseme.vocabulary import Vocabulary

QUERY_WINDOWS = 2  # window of a query, in training windows, for models without the setting sense_window
MIN_SHARE = 0.01  # a sense with a smaller share of its word's tokens is not shown; for models without this setting
MAX_KEY_DIGITS = 9  # of the number in a sense key
MAX_LISTED = 200  # characters of a list of sense keys in a message


@dataclass(frozen=True, eq=False)
class ModelData:
    """The contents of a model folder, with derived arrays that are computed on first access.

    config          the hyper-parameters, see `TrainConfig`
    corpus          size and fingerprint of the training corpus
    training        loss, tokens, seconds and threads of the training run
    labels          names that users gave to senses, by key
    last_numbers    by word, the highest number of its senses so far, if that sense was removed: it is not used again
    refinements     the options of each `refine` since the training
    continued_from  the models that training was continued from, oldest first: fingerprint, corpus, training and
                    refinements of each
    dtype           how vectors are stored when the model is saved
    phrases         sequences of words that are words of the vocabulary; None if none were joined in the training corpus
    """

    vocabulary: Vocabulary
    arrays: ModelArrays
    tokenizer: AnyTokenizer
    config: dict[str, Any]
    corpus: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    read_examples: ExampleReader = no_examples
    labels: dict[str, str] = field(default_factory=dict)
    last_numbers: dict[str, int] = field(default_factory=dict)
    refinements: tuple[str, ...] = ()
    continued_from: tuple[dict[str, Any], ...] = ()
    dtype: Dtype = "float32"
    phrases: Phrases | None = None

    def tokenize(self, text: str) -> list[str]:
        """The words and phrases of a text."""
        tokens = self.tokenizer(text)
        return tokens if self.phrases is None else self.phrases.join(tokens)

    @property
    def min_share(self) -> float:
        """The share of its word's tokens that a sense needs to be visible."""
        return float(self.config.get("min_share", MIN_SHARE))

    @cached_property
    def num_visible_senses(self) -> NDArray[np.int32]:
        """(V,) The number of senses of each word with a share of at least `min_share`, and at least one.

        A `min_share` of 0 shows all senses, also those without tokens.
        """
        offsets, counts = self.arrays.sense_offsets, self.arrays.sense_counts
        if self.min_share == 0:
            return np.diff(offsets).astype(np.int32)
        totals = np.add.reduceat(counts, offsets[:-1])
        visible = counts >= np.maximum(np.repeat(totals, np.diff(offsets)) * self.min_share, 1)
        return np.maximum(np.add.reduceat(visible.astype(np.int32), offsets[:-1]), 1).astype(np.int32)

    @cached_property
    def sense_numbers(self) -> NDArray[np.int32]:
        """(R,) The number of each sense in its key: 2 for `bank#2`."""
        arrays = self.arrays
        return default_numbers(arrays.sense_offsets) if arrays.sense_numbers is None else arrays.sense_numbers

    @cached_property
    def highest_numbers(self) -> NDArray[np.int32]:
        """(V,) The highest number that a sense of each word has ever had."""
        highest = np.maximum.reduceat(self.sense_numbers, self.arrays.sense_offsets[:-1])
        for name, number in self.last_numbers.items():
            word = self.vocabulary.index.get(name)
            if word is not None:
                highest[word] = max(int(highest[word]), number)
        return highest

    @cached_property
    def multi_sense_mask(self) -> NDArray[np.bool_]:
        """(V,) Whether the settings allow a word several senses; for imported vectors, whether it has several."""
        config = self.config
        if "multi_sense_top" not in config:
            return np.diff(self.arrays.sense_offsets) > 1
        return self.vocabulary.multi_sense_mask(
            top=config["multi_sense_top"],
            min_count=config["multi_sense_min_count"],
            listed=config["multi_sense_words"],
        )

    @property
    def sense_window(self) -> int:
        """Context words on each side that determine the sense of a word in a query."""
        default = QUERY_WINDOWS * self.config["window"]
        return int(self.config.get("sense_window", default) or self.config["window"])

    @property
    def posterior(self) -> str:
        """How the probabilities of senses are computed in queries that do not say so, see `disambiguation`."""
        return str(self.config.get("posterior", "softmax"))

    @property
    def sense_decay(self) -> np.float32:
        """Decay of a context word's weight per position; 1 for models without the setting."""
        return np.float32(self.config.get("sense_decay", 1))

    @cached_property
    def context_weights(self) -> NDArray[np.float32]:
        """(V,) Weight of each word in a context vector: the probability that subsampling keeps it.

        The weights are 1 for models that choose senses by the mean of the training window, as in the paper.
        """
        if self.config.get("sense_window") == 0:
            return np.ones(len(self.vocabulary), np.float32)
        return (self.vocabulary.keep_thresholds(float(self.config["subsample"])) / 2.0**32).astype(np.float32)

    @property
    def missing(self) -> list[str]:
        """What the file of an imported model did not have: counts, shares, global_vectors, cluster_centers."""
        return str(self.config.get("missing", "")).split(", ")

    @property
    def context_table(self) -> Rows:
        """(V, c) The vectors that context vectors are computed from."""
        whitened = self.arrays.whitened_vectors
        return self.global_vectors if whitened is None else whitened

    @property
    def global_vectors(self) -> Rows:
        """(V, d) The global vectors. ModelError if the model was saved without them."""
        if self.arrays.global_vectors is None:
            raise ModelError(
                "this small model has no global vectors; ask the model that it was made from, or export it again with "
                "--global-vectors."
            )
        return self.arrays.global_vectors

    @cached_property
    def dense_context_table(self) -> Floats:
        """(V, c) The same as one float32 array, for kernels."""
        return dense(self.context_table)

    @property
    def sense_centers(self) -> Rows:
        """(R, c) The vectors that context vectors are compared with: cluster centers, or else sense vectors."""
        centers = self.arrays.cluster_centers
        return self.arrays.sense_vectors if centers is None else centers

    def rows(self, word: int) -> range:
        """The rows of the visible senses of a word."""
        first = int(self.arrays.sense_offsets[word])
        return range(first, first + int(self.num_visible_senses[word]))

    def shares(self, word: int) -> NDArray[np.float64]:
        """The shares of the visible senses of a word; they sum to 1."""
        rows = self.rows(word)
        counts = self.arrays.sense_counts[rows.start : rows.stop].astype(np.float64)
        return np.asarray(counts / counts.sum() if counts.sum() else np.full(len(counts), 1 / len(counts)))

    def word_of(self, row: int) -> int:
        """The id of the word that a sense belongs to."""
        return int(np.searchsorted(self.arrays.sense_offsets, row, side="right")) - 1

    def key(self, row: int) -> str:
        """The key of a sense: `bank#2`, or the word itself if it has one sense."""
        word = self.word_of(row)
        name = self.vocabulary.words[word]
        return name if self.num_visible_senses[word] == 1 else f"{name}#{self.sense_numbers[row]}"

    @cached_property
    def visible_rows(self) -> NDArray[np.int64]:
        """The rows of the visible senses of all words, in order."""
        first, num_senses = self.arrays.sense_offsets[:-1], self.num_visible_senses
        return np.repeat(first, num_senses) + default_numbers(np.concatenate([[0], np.cumsum(num_senses)])) - 1

    @cached_property
    def visible_keys(self) -> list[str]:
        """The keys of the `visible_rows`."""
        several = np.repeat(self.num_visible_senses > 1, self.num_visible_senses).tolist()
        words = [self.vocabulary.words[word] for word in self.arrays.word_of_row[self.visible_rows].tolist()]
        numbers = self.sense_numbers[self.visible_rows].tolist()
        keys = zip(words, numbers, several, strict=True)
        return [f"{word}#{number}" if has_number else word for word, number, has_number in keys]

    def find(self, word_or_key: str) -> tuple[int, int | None]:
        """The id of a word, and the row of the sense if a sense was named (`bank#2`). UnknownWord if there is none."""
        check_str(word_or_key, "a word or key")
        match = self.lookup(word_or_key)
        if match is not None:
            return match
        word = self.word_id(word_or_key.rpartition("#")[0])
        if word is not None:
            raise UnknownWord(f"{self.describe_senses(word)}.")
        raise self.vocabulary.unknown(word_or_key, "counts" not in self.missing)

    def describe_senses(self, word: int) -> str:
        """The number of senses of a word and their keys, for error messages."""
        keys = [self.key(row) for row in self.rows(word)]
        plural = "s" if len(keys) > 1 else ""
        name, listed = shorten(self.vocabulary.words[word]), shorten(", ".join(keys), MAX_LISTED)
        return f"'{name}' has {len(keys)} sense{plural}: {listed}"

    def lookup(self, word_or_key: str) -> tuple[int, int | None] | None:
        """The same as `find`, but None for an unknown word or sense."""
        word = self.word_id(word_or_key)
        if word is not None:
            return word, None
        name, _, number = word_or_key.rpartition("#")
        word = self.word_id(name)
        if word is None or not (number.isdecimal() and number.isascii() and len(number) <= MAX_KEY_DIGITS):
            return None
        row = next((row for row in self.rows(word) if self.sense_numbers[row] == int(number)), None)
        return None if row is None else (word, row)

    def word_id(self, word: str) -> int | None:
        """The id of a word, as spelled or else as the tokenizer normalizes it; None if unknown.

        'Bank' is 'bank', and 'New York' is 'new_york'.
        """
        index = self.vocabulary.index
        if word in index:
            return index[word]
        tokens = [] if "#" in word else self.tokenizer(word)  # a tokenizer may drop the # of `bank#`
        spellings = (JOINER.join(tokens), word.lower())
        return next((index[spelling] for spelling in spellings if spelling in index), None)

    def known_ids(self, tokens: Sequence[str]) -> list[int]:
        """The ids of the tokens that are in the vocabulary."""
        index = self.vocabulary.index
        return [index[token] for token in tokens if token in index]

    def vector(self, word: int, row: int | None) -> NDArray[np.float32]:
        """The vector of a sense or, without a row, the mean of the word's senses weighted by their shares."""
        if row is not None:
            return np.array(self.arrays.sense_vectors[row])
        rows = self.rows(word)
        return np.asarray(self.shares(word).astype(np.float32) @ self.arrays.sense_vectors[rows.start : rows.stop])

    @cached_property
    def unit_sense_vectors(self) -> NDArray[np.float32]:
        return unit_rows(self.arrays.sense_vectors)

    @cached_property
    def unit_global_vectors(self) -> NDArray[np.float32]:
        return unit_rows(self.global_vectors)

    @cached_property
    def sense_norms(self) -> NDArray[np.float32]:
        return _finite_norms(self.arrays.sense_vectors, "sense_vectors")

    @cached_property
    def global_norms(self) -> NDArray[np.float32]:
        return _finite_norms(self.global_vectors, "global_vectors")


def default_numbers(sense_offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """(R,) The numbers of senses that are numbered from 1 in each word.  sense_offsets IN int64 (V + 1,)

    >>> default_numbers(np.array([0, 3, 4])).tolist()
    [1, 2, 3, 1]
    """
    first_rows = np.repeat(sense_offsets[:-1], np.diff(sense_offsets))
    return (np.arange(1, len(first_rows) + 1) - first_rows).astype(np.int32)


def row_norms(rows: Rows) -> Floats:
    """The Euclidean norm of each row, at least 1e-12 so that it can be a divisor."""
    squares = np.empty(len(rows), np.float32)
    for first, block in blocks(rows):
        np.einsum("ij,ij->i", block, block, out=squares[first : first + len(block)])
    return np.asarray(np.maximum(np.sqrt(squares), np.float32(1e-12)))


def _finite_norms(rows: Rows, name: str) -> Floats:
    """The norms of the vectors of a model; ModelError if they are not finite."""
    norms = row_norms(rows)
    if not np.isfinite(norms).all():
        raise ModelError(f"{name} has numbers that are too large, NaN or infinite; train the model again.")
    return norms


def unit_rows(rows: Rows) -> Floats:
    """Rows scaled to norm 1; zero rows stay zero."""
    return np.asarray(dense(rows) / row_norms(rows)[:, None])
