"""Continued training: the state of a run that starts from a finished model instead of random vectors.

Old words keep their sense vectors, cluster centers, counts and numbers; new words start at random. A word moves the
less, the more of its tokens the model has seen before. With n_old and n_new the tokens of a word in the old and in the
new text, its steps are multiplied by the rate

    r(w) = n_new / (n_old + n_new)

New words have the rate 1. Words that do not occur in the new text have the rate 0, so their vectors stay as they are,
also when they are drawn as negative samples. With `freeze`, all old words have the rate 0. Cluster centers are means of
all contexts of a sense, so new contexts change them by their share.

Whitened vectors stay as they are, because cluster centers depend on them. Those of new words are computed at the end of
the warm-up, by the linear map that fits the old words' vectors and whitened vectors best; until then, new words are not
part of the contexts that choose a sense.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.nearest_sense import BY_VECTOR, inverse_norms
from polyseme.kernels.simd.padding import zero_padded_rows
from polyseme.kernels.train.block import KernelConfig
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import default_numbers
from polyseme.training.config import TrainConfig
from polyseme.training.init_model import InitModel
from polyseme.training.state import RULES, Arrays, Floats, Ints, TrainState, context_dim, num_hot_rows, sense_capacity
from polyseme.training.whitening import whiten
from polyseme.vocabulary import Vocabulary

CHUNK_ROWS = 4096
Bools = NDArray[np.bool_]


@dataclass
class ContinuedState(TrainState):
    """The state of a continued run.

    new_counts  int64 (V,)  tokens of each word in the new text
    """

    init: InitModel
    new_counts: Ints

    @classmethod
    def from_model(
        cls, init: InitModel, config: TrainConfig, vocabulary: Vocabulary, new_counts: Ints, threads: int
    ) -> ContinuedState:
        """The state before training."""
        capacity = _capacity(init, config, vocabulary, new_counts)
        state = cls(**vars(TrainState.initial(config, vocabulary, threads, capacity)), init=init, new_counts=new_counts)
        state._copy_from_model()
        state._set_rates()
        return state

    @cached_property
    def old_words(self) -> Ints:
        """The id of each word of the initial model."""
        return old_words(self.init, self.vocabulary)

    @cached_property
    def is_old(self) -> Bools:
        """(V,) Whether the initial model has the word."""
        mask = np.zeros(len(self.vocabulary), np.bool_)
        mask[self.old_words] = True
        return mask

    @cached_property
    def old_rows(self) -> Ints:
        """The row of each sense of the initial model. A word's senses keep their order, and new ones follow."""
        arrays = self.init.data.arrays
        words = self.old_words[arrays.word_of_row]
        return self.parameters.sense_offsets[words] + default_numbers(arrays.sense_offsets) - 1

    @cached_property
    def undecided(self) -> Bools:
        """(V,) Words whose senses are still to be found: new ones, and old ones that could not have several so far."""
        mask = ~self.is_old
        if self.init.freeze:
            return mask
        data = self.init.data
        decided = data.multi_sense_mask | (np.diff(data.arrays.sense_offsets) > 1)
        mask[self.old_words] = ~decided if self.init.has_senses else True
        return mask

    @property
    def rates(self) -> Floats:
        """(V,) The factor of the learning rate for each word."""
        rates = self.new_counts / self.vocabulary.counts
        if self.init.freeze:
            rates[self.is_old] = 0
        return rates.astype(np.float32)

    @property
    def kernel_config(self) -> KernelConfig:
        """The settings of the training kernel. During the warm-up, old words have their senses already."""
        settings = super().kernel_config
        return settings._replace(rule=RULES[self.config.model]) if self.init.has_senses else settings

    def restore(self, arrays: Arrays, senses_split: bool) -> None:
        super().restore(arrays, senses_split)
        self._set_rates()

    def split_senses(self) -> None:
        """End the warm-up: make room for new senses, which start as copies of the vectors their words have.

        Old senses get their centers back. During the warm-up, they took the contexts of senses not discovered yet.
        """
        p, config = self.parameters, self.config
        self._copy_vectors_to_new_senses()
        if config.model != "skip-gram":
            p.sense_counts[:] = 0
            self._copy_clusters()
        if config.model not in ("skip-gram", "np-mssg"):
            p.num_senses[self.undecided] = np.diff(p.sense_offsets)[self.undecided]
        if self._is_whitened:
            self._whiten_new_words()
        elif config.whitening > 0 and config.model not in ("skip-gram", "mssg-maxout"):
            self._whiten_all_words()
        self.senses_split = True
        self._set_rates()

    def to_model_arrays(self) -> ModelArrays:
        """The arrays of the trained model. Words with the rate 0 have the same bits as in the initial model."""
        init, old = self.init, self.init.data.arrays
        self._keep_old_senses()
        fixed = self.rates[self.old_words] == 0
        order = self.sense_order()
        numbers = self._sense_numbers()[order]
        new_rows = np.empty(len(self._word_of_row), np.int64)
        new_rows[order] = np.arange(len(order))
        fixed_rows, target = fixed[old.word_of_row], new_rows[self.old_rows]
        arrays = self._arrays_in_order(order, init.vector_mean)
        assert isinstance(arrays.sense_vectors, np.ndarray)
        assert isinstance(arrays.global_vectors, np.ndarray)
        arrays.sense_vectors[target[fixed_rows]] = old.sense_vectors[fixed_rows]
        if not init.is_imported:
            arrays.global_vectors[self.old_words[fixed]] = init.data.global_vectors[fixed]
        default = default_numbers(arrays.sense_offsets)
        numbers = np.where(numbers == 0, default, numbers).astype(np.int32)
        return replace(arrays, sense_numbers=None if np.array_equal(numbers, default) else numbers)

    # The parts of the initial model

    def _copy_from_model(self) -> None:
        p, data, dim = self.parameters, self.init.data, self.config.dim
        old = data.arrays
        p.num_senses[self.old_words] = np.diff(old.sense_offsets)
        self._copy_clusters()
        # A file has no vectors for words as contexts. Zeros, as in word2vec: they are trained first.
        p.global_vectors[self.old_words, :dim] = 0 if self.init.is_imported else data.global_vectors
        for first in range(0, len(self.old_rows), CHUNK_ROWS):
            rows = slice(first, first + CHUNK_ROWS)
            p.sense_vectors[self.old_rows[rows], :dim] = trained_sense_vectors(self.init, rows)
        if self.init.has_senses and old.whitened_vectors is not None:
            width = old.whitened_vectors.shape[1]
            table = zero_padded_rows(len(self.vocabulary), width)
            table[self.old_words, :width] = old.whitened_vectors
            self.tables = self.tables._replace(context_table=table)

    def _copy_clusters(self) -> None:
        """Copy the counts and centers of old senses."""
        p, old, rows = self.parameters, self.init.data.arrays, self.old_rows
        p.sense_counts[rows] = old.sense_counts
        if self.init.has_senses and len(p.cluster_centers) and old.cluster_centers is not None:
            p.cluster_centers[rows, : old.cluster_centers.shape[1]] = old.cluster_centers
            p.center_inverse_norms[rows] = inverse_norms(p.cluster_centers[rows])

    def _set_rates(self) -> None:
        """Set the rates of all rows for the current part of the run."""
        words, threads, rates = len(self.vocabulary), self.threads, self.rates
        sense_rates = np.ones(len(self.parameters.sense_vectors), np.float32)
        sense_rates[self.old_rows] = rates[self.old_words][self.init.data.arrays.word_of_row]
        if self.init.is_imported:
            rates = np.ones(words, np.float32)
            if not self.senses_split:  # first train the global vectors that the file does not have
                sense_rates[self.old_rows] = 0
        hot_rates = np.tile(rates[: num_hot_rows(words, threads, self.config)], threads)
        self.tables = self.tables._replace(global_rates=np.concatenate([rates, hot_rates]), sense_rates=sense_rates)

    # The end of the warm-up

    def _copy_vectors_to_new_senses(self) -> None:
        """Set the vectors of senses that do not exist yet to the mean of their word's senses, weighted by count."""
        p = self.parameters
        can_grow = np.diff(p.sense_offsets) > p.num_senses
        if self.config.warmup == 0:
            can_grow &= self.is_old  # new words are not trained: their senses start at random, as in a new run
        for word in np.flatnonzero(can_grow).tolist():
            first, end = p.sense_offsets[word : word + 2]
            used = first + p.num_senses[word]
            weights = np.maximum(p.sense_counts[first:used], 1).astype(np.float32)
            p.sense_vectors[used:end] = weights @ p.sense_vectors[first:used] / weights.sum()

    def _whiten_new_words(self) -> None:
        """Compute the whitened vectors of new words from those of old words: W = [G 1] B, by least squares."""
        table, new = self.tables.context_table, np.flatnonzero(~self.is_old)
        vectors = self.parameters.global_vectors[: len(self.vocabulary), : self.config.dim]
        weights = (self.vocabulary.counts * (self.tables.keep / 2.0**32))[self.old_words]
        gram = np.zeros((self.config.dim + 1,) * 2)
        products = np.zeros((self.config.dim + 1, table.shape[1]))
        for first in range(0, len(self.old_words), CHUNK_ROWS):
            words = self.old_words[first : first + CHUNK_ROWS]
            inputs = _with_ones(vectors[words])
            weighted = inputs.T * weights[first : first + CHUNK_ROWS]
            gram += weighted @ inputs
            products += weighted @ table[words]
        solution = np.linalg.lstsq(gram, products, rcond=None)[0]
        for first in range(0, len(new), CHUNK_ROWS):
            words = new[first : first + CHUNK_ROWS]
            table[words] = _with_ones(vectors[words]) @ solution

    def _whiten_all_words(self) -> None:
        """Whiten the vectors of all words, if the initial model has no senses. Only the new text has weight."""
        vectors = self.parameters.global_vectors[: len(self.vocabulary), : self.config.dim]
        kept_tokens = self.new_counts * (self.tables.keep / 2.0**32)
        table = whiten(vectors, kept_tokens, self.config.whitening, context_dim(self.config))
        if self.init.is_imported:
            table[self.new_counts == 0] = 0  # not trained
        self.tables = self.tables._replace(context_table=table)

    # The finished model

    def _keep_old_senses(self) -> None:
        """Frozen words get their centers and counts back; senses that the model shows keep the share for that."""
        p, data = self.parameters, self.init.data
        if self.init.freeze:
            self._copy_clusters()
        if self.init.freeze or not self.init.has_senses:
            return
        old, min_share = data.arrays, self.config.min_share
        words = old.word_of_row
        visible = data.num_visible_senses[words]
        common = old.sense_counts >= min_share * np.add.reduceat(old.sense_counts, old.sense_offsets[:-1])[words]
        shown = np.zeros(len(p.sense_counts), np.bool_)
        shown[self.old_rows] = common & (default_numbers(old.sense_offsets) <= visible) & (visible > 1)
        totals = np.add.reduceat(p.sense_counts, p.sense_offsets[:-1])
        rare = shown & (p.sense_counts < np.maximum(min_share * totals[self._word_of_row], 1))
        for word in np.unique(self._word_of_row[rare]).tolist():
            rows = slice(*p.sense_offsets[word : word + 2])
            p.sense_counts[rows] = raised_counts(p.sense_counts[rows], shown[rows], min_share)

    def _sense_numbers(self) -> NDArray[np.int32]:
        """(R,) The number of each sense of an old word; 0 for new words, whose senses are numbered by frequency."""
        data, p = self.init.data, self.parameters
        num_senses, highest = np.diff(data.arrays.sense_offsets), data.highest_numbers
        numbers = np.zeros(len(self._word_of_row), np.int32)
        for word, old_senses, last in zip(self.old_words.tolist(), num_senses.tolist(), highest.tolist(), strict=True):
            first, end = p.sense_offsets[word : word + 2]
            numbers[first + old_senses : end] = np.arange(last + 1, last + 1 + end - first - old_senses)
        numbers[self.old_rows] = data.sense_numbers
        return numbers


def old_words(init: InitModel, vocabulary: Vocabulary) -> Ints:
    """The id in a vocabulary of each word of the initial model."""
    return np.array([vocabulary.index[word] for word in init.data.vocabulary.words], np.int64)


def trained_sense_vectors(init: InitModel, rows: slice) -> Floats:
    """The sense vectors as they were trained: a model may store them with the global vector added, and centered."""
    data = init.data
    arrays = data.arrays
    if data.config.get("output_vectors") != "sense+global":
        return arrays.sense_vectors[rows]
    if RULES[data.config["model"]] == BY_VECTOR:
        assert arrays.cluster_centers is not None
        return arrays.cluster_centers[rows]
    return np.asarray(arrays.sense_vectors[rows] - data.global_vectors[arrays.word_of_row[rows]] + init.vector_mean)


def raised_counts(counts: Ints, shown: Bools, min_share: float) -> Ints:
    """(n,) The counts of a word's senses, those of shown ones raised to 1 and to the share `min_share` of the total.

    counts  IN  int64 (n,)
    shown   IN  bool (n,)

    >>> raised_counts(np.array([900, 10, 90]), np.array([True, True, False]), 0.1).tolist()
    [900, 111, 90]
    """
    counts, raised = counts.copy(), np.zeros(len(counts), np.bool_)
    while (rare := shown & ~raised & (counts < np.maximum(min_share * counts.sum(), 1))).any():
        raised |= rare
        others, left = counts[~raised].sum(), 1 - min_share * np.count_nonzero(raised)
        enough = min_share * others / left if left > 1e-9 else counts.max()  # of the total after raising
        counts[raised] = int(enough) + 1
    return counts


def _capacity(init: InitModel, config: TrainConfig, vocabulary: Vocabulary, new_counts: Ints) -> Ints:
    """(V,) The number of senses that each word has room for.

    Only np-mssg discovers further senses of words that have some. Senses of words that do not have any yet are clusters
    of contexts in the new text, so these words need as many tokens there as words in a new run.
    """
    capacity = sense_capacity(config, vocabulary)
    words, num_senses = old_words(init, vocabulary), np.diff(init.data.arrays.sense_offsets)
    min_count = 1 if config.multi_sense_words is not None else config.multi_sense_min_count
    can_grow = np.zeros(len(words), np.bool_) if init.freeze else new_counts[words] >= min_count
    if init.has_senses:
        can_grow &= config.model == "np-mssg"
        if not init.freeze and config.model == "np-mssg":
            can_grow |= (new_counts[words] > 0) & init.data.multi_sense_mask
    capacity[words] = np.where(can_grow, np.maximum(capacity[words], num_senses), num_senses)
    return capacity


def _with_ones(vectors: Floats) -> NDArray[np.float64]:
    return np.hstack([vectors, np.ones((len(vectors), 1))])
