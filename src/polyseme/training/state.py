"""The arrays of a training run: their initial values, the split into senses after the warm-up, and the final model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ConfigError, shorten
from polyseme.kernels.nearest_sense import AT_RANDOM, BY_CENTER, BY_VECTOR, ONE_SENSE
from polyseme.kernels.simd.padding import padded_width, zero_padded_rows
from polyseme.kernels.train.block import KernelConfig, Parameters, Tables
from polyseme.model.arrays import ModelArrays
from polyseme.training.config import TrainConfig
from polyseme.training.whitening import whiten
from polyseme.vocabulary import Vocabulary

HOT_ROWS = 1024  # rows of v_g of which each thread has its own copy, see kernels/train/block.py
RULES = {
    "skip-gram": ONE_SENSE,
    "mssg": BY_CENTER,
    "np-mssg": BY_CENTER,
    "mssg-maxout": BY_VECTOR,
    "random-senses": AT_RANDOM,
}
CHUNK_WORDS = 4096
CHUNK_RANDOM_ROWS = 256  # few enough to stay in the processor's cache
MIN_KEPT_SHARE = 1e-3
NO_NEW_SENSES = -2.0  # a threshold below every cosine

Arrays = dict[str, NDArray[np.generic]]
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass
class TrainState:
    """Parameters and tables of a training run.

    Together with the number of blocks done, they are all that is needed to continue the run.
    """

    config: TrainConfig
    vocabulary: Vocabulary
    threads: int
    parameters: Parameters
    tables: Tables
    senses_split: bool  # whether the warm-up is over and words have their senses

    @classmethod
    def initial(
        cls, config: TrainConfig, vocabulary: Vocabulary, threads: int, capacity: Ints | None = None
    ) -> TrainState:
        """The state before training: random vectors, uniform in +-1/2d, and one sense per word.

        capacity  IN  int64 (V,)  number of senses that each word has room for; by default as the settings say
        """
        subsample_is_given = config.subsample is not None
        subsample = config.subsample_for(int(vocabulary.counts.sum()))
        config = replace(config, subsample=subsample)
        keep = vocabulary.keep_thresholds(subsample)
        if subsample_is_given:  # the automatic value suits the corpus, even a text of two words
            _refuse_empty_subsample(config, vocabulary, keep)
        capacity = sense_capacity(config, vocabulary) if capacity is None else capacity
        offsets = np.concatenate([[0], np.cumsum(capacity)]).astype(np.int64)
        rows, words, dim = int(offsets[-1]), len(vocabulary), config.dim
        random = np.random.default_rng(config.seed)
        adagrad, centers = config.optimizer == "adagrad", uses_cluster_centers(config)
        hot = num_hot_rows(words, threads, config)
        global_vectors, sense_vectors = zero_padded_rows(words + threads * hot, dim), zero_padded_rows(rows, dim)
        _fill_uniform(random, global_vectors[:words, :dim])
        _fill_uniform(random, sense_vectors[:, :dim])
        parameters = Parameters(
            global_vectors=global_vectors,
            global_squares=zero_padded_rows(words if adagrad else 0, dim),
            sense_vectors=sense_vectors,
            sense_squares=zero_padded_rows(rows if adagrad else 0, dim),
            cluster_centers=zero_padded_rows(rows if centers else 0, context_dim(config)),
            center_inverse_norms=np.zeros(rows if centers else 0, np.float32),
            sense_counts=np.zeros(rows, np.int64),
            sense_offsets=offsets,
            num_senses=np.ones(words, np.int32),
        )
        tables = Tables(keep, vocabulary.negative_table(), global_vectors)
        return cls(config, vocabulary, threads, parameters, tables, senses_split=False)

    @property
    def kernel_config(self) -> KernelConfig:
        """The settings of the training kernel for the current part of the run."""
        config = self.config
        discovers = config.model == "np-mssg"
        return KernelConfig(
            rule=RULES[config.model] if self.senses_split else ONE_SENSE,
            window=config.window,
            sense_window=config.sense_window if self._is_whitened else 0,
            sense_decay=config.sense_decay,
            negatives=config.negatives,
            max_negatives=config.max_negatives,
            negative_sharing=config.negative_sharing,
            new_sense_threshold=config.new_sense_threshold if discovers else NO_NEW_SENSES,
            fill_empty=discovers or config.sense_init != "zero",
            adagrad=config.optimizer == "adagrad",
            adagrad_delta=config.adagrad_delta,
            hot_rows=num_hot_rows(len(self.vocabulary), self.threads, config),
        )

    @property
    def _is_whitened(self) -> bool:
        """Whether contexts are made of a separate, whitened table; it stays constant while the global vectors train."""
        return self.tables.context_table is not self.parameters.global_vectors

    def split_senses(self) -> None:
        """End the warm-up: each sense of a word starts as a copy of the word's single sense vector."""
        p, offsets = self.parameters, self.parameters.sense_offsets
        capacity = np.diff(offsets)
        if p.sense_counts.any():  # there was a warm-up
            first_sense = np.repeat(offsets[:-1], capacity)
            _gather_in_place(p.sense_vectors, first_sense, offsets)
            if self.config.optimizer == "adagrad":
                _gather_in_place(p.sense_squares, first_sense, offsets)
        if self.config.model != "skip-gram":
            p.sense_counts[:] = 0
        if self.config.model != "np-mssg":
            p.num_senses[:] = capacity
        if uses_cluster_centers(self.config) and self.config.whitening > 0:
            vectors = p.global_vectors[: len(self.vocabulary), : self.config.dim]
            kept_tokens = self.vocabulary.counts * (self.tables.keep / 2.0**32)
            table = whiten(vectors, kept_tokens, self.config.whitening, context_dim(self.config))
            self.tables = self.tables._replace(context_table=table)
        self.senses_split = True

    @property
    def mean_senses(self) -> float:
        """Senses per word, averaged over the words that can have several."""
        several = np.diff(self.parameters.sense_offsets) > 1
        return float(self.parameters.num_senses[several].mean()) if several.any() else 1.0

    def to_model_arrays(self) -> ModelArrays:
        """The arrays of the trained model, with the senses of each word sorted from most to least frequent.

        They reuse the memory of the trained arrays, because both may not fit: training cannot continue afterwards.
        """
        return self._arrays_in_order(self.sense_order())

    def sense_order(self) -> Ints:
        """The rows that hold a sense, by word, and those of a word from most to least frequent."""
        p = self.parameters
        word_of_row = self._word_of_row
        number = np.arange(len(word_of_row)) - p.sense_offsets[word_of_row]
        used = np.flatnonzero(number < p.num_senses[word_of_row])
        return np.asarray(used[np.lexsort((number[used], -p.sense_counts[used], word_of_row[used]))])

    @property
    def _word_of_row(self) -> Ints:
        return np.repeat(np.arange(len(self.vocabulary)), np.diff(self.parameters.sense_offsets))

    def _arrays_in_order(self, order: Ints, vector_mean: Floats | None = None) -> ModelArrays:
        """The arrays of the model with the senses in this order.

        vector_mean  IN  float32 (d,)  what centers `sense+global` vectors; by default their mean
        """
        p, words, dim, width = self.parameters, len(self.vocabulary), self.config.dim, context_dim(self.config)
        word_of_row = self._word_of_row
        offsets = np.concatenate([[0], np.cumsum(p.num_senses)]).astype(np.int64)
        word_offsets = np.arange(words + 1)
        global_vectors = _gather_in_place(p.global_vectors, word_offsets[:-1], word_offsets, dim)
        vectors = _gather_in_place(p.sense_vectors, order, offsets, dim)
        centers = None
        if uses_cluster_centers(self.config):
            centers = _gather_in_place(p.cluster_centers, order, offsets, width)
        if self.config.output_vectors == "sense+global":
            if RULES[self.config.model] == BY_VECTOR:
                centers = vectors.copy()  # contexts are compared with the sense vectors as they were trained
            for rows in _chunks(offsets):
                vectors[rows] += global_vectors[word_of_row[order[rows]]]
            vector_mean = vectors.mean(axis=0) if vector_mean is None else vector_mean
            vectors -= vector_mean
        return ModelArrays(
            global_vectors=global_vectors,
            sense_vectors=vectors,
            sense_offsets=offsets,
            sense_counts=p.sense_counts[order],
            cluster_centers=centers,
            whitened_vectors=self.tables.context_table[:, :width] if self._is_whitened else None,
            vector_mean=vector_mean if self.config.output_vectors == "sense+global" else None,
        )

    def to_arrays(self) -> Arrays:
        """The arrays that a checkpoint stores: those that training changes, and the whitened table."""
        arrays: Arrays = {name: array for name, array in self.parameters._asdict().items() if len(array)}
        for name in arrays.keys() & {"global_vectors", "global_squares"}:
            arrays[name] = arrays[name][: len(self.vocabulary)]
        if self._is_whitened:
            arrays["whitened_vectors"] = self.tables.context_table
        return arrays

    def restore(self, arrays: Arrays, senses_split: bool) -> None:
        """Set the arrays to those that `to_arrays` returned; ValueError if they do not fit this state."""
        self._check(arrays, senses_split)
        whitened = arrays.pop("whitened_vectors", None)
        for name, array in arrays.items():
            getattr(self.parameters, name)[: len(array)] = array
        if whitened is not None:
            table = zero_padded_rows(*whitened.shape)
            table[:] = whitened
            self.tables = self.tables._replace(context_table=table)
        self.senses_split = senses_split

    def _check(self, arrays: Arrays, senses_split: bool) -> None:
        """Raise ValueError if kernels could read or write outside the arrays."""
        layout = {name: (array.shape, array.dtype) for name, array in self.to_arrays().items()}
        if senses_split and uses_cluster_centers(self.config) and self.config.whitening > 0:
            shape = (len(self.vocabulary), padded_width(context_dim(self.config)))
            layout["whitened_vectors"] = (shape, np.dtype(np.float32))
        if different := sorted(layout.keys() ^ arrays.keys()):
            raise ValueError(f"these arrays are missing or unknown: {shorten(', '.join(different))}")
        for name, (shape, dtype) in layout.items():
            if (arrays[name].shape, arrays[name].dtype) != (shape, dtype):
                raise ValueError(f"{name} is {arrays[name].dtype} {arrays[name].shape}, not {dtype} {shape}")
            if not np.isfinite(arrays[name]).all():
                raise ValueError(f"{name} has values that are not finite")
        offsets, num_senses = self.parameters.sense_offsets, np.asarray(arrays["num_senses"], np.int64)
        if not np.array_equal(arrays["sense_offsets"], offsets):
            raise ValueError("sense_offsets do not fit the settings and the vocabulary")
        if num_senses.min() < 1 or np.any(num_senses > np.diff(offsets)):
            raise ValueError("num_senses does not fit sense_offsets")
        if np.asarray(arrays["sense_counts"], np.int64).min() < 0:
            raise ValueError("a sense has a negative count")


def uses_cluster_centers(config: TrainConfig) -> bool:
    """Whether the model keeps a cluster center per sense."""
    return RULES[config.model] in (BY_CENTER, AT_RANDOM)


def num_hot_rows(words: int, threads: int, config: TrainConfig) -> int:
    """The number of most frequent words whose global vectors each thread copies.

    A single thread needs no copies; without them it can be compared with the reference implementation. With AdaGrad
    they do harm: all squared gradients count, but only the mean of the threads' changes (docs/paper.md has figures).
    """
    return 0 if threads == 1 or config.optimizer == "adagrad" else min(HOT_ROWS, words)


def _chunks(offsets: Ints) -> Iterator[slice]:
    """The rows of a few thousand words at a time; the rows of word w are offsets[w] to offsets[w + 1]."""
    for first in range(0, len(offsets) - 1, CHUNK_WORDS):
        yield slice(offsets[first], offsets[min(first + CHUNK_WORDS, len(offsets) - 1)])


def _gather_in_place(array: Floats, order: Ints, offsets: Ints, width: int | None = None) -> Floats:
    """array[order, :width], written to the beginning of the memory of `array`.

    This is safe because a row moves only among the rows of its word, or towards the beginning.
    """
    width = width or array.shape[1]
    out = array.reshape(-1)[: len(order) * width].reshape(-1, width)
    for rows in _chunks(offsets):
        out[rows] = array[order[rows], :width]
    return out


def _fill_uniform(random: np.random.Generator, vectors: Floats) -> None:
    """Fill (n, d) with random numbers between -1/2d and 1/2d."""
    scale = np.float32(1 / vectors.shape[1])
    for first in range(0, len(vectors), CHUNK_RANDOM_ROWS):
        chunk = vectors[first : first + CHUNK_RANDOM_ROWS]
        chunk[:] = random.random(chunk.shape, np.float32)
        chunk -= np.float32(0.5)
        chunk *= scale


def _refuse_empty_subsample(config: TrainConfig, vocabulary: Vocabulary, keep: NDArray[np.uint64]) -> None:
    """Raise ConfigError if subsampling is expected to keep less than one token in all epochs.

    A tiny corpus is accepted: there the usual values, which keep 1% of a word's tokens or more, have the same effect.

    keep  IN  uint64 (V,)  as from `Vocabulary.keep_thresholds`
    """
    tokens = int(vocabulary.counts.sum())
    kept_tokens = float(vocabulary.counts @ (keep / 2.0**32))
    if config.epochs * kept_tokens < 1 and kept_tokens < MIN_KEPT_SHARE * tokens:
        raise ConfigError(
            f"--subsample {config.subsample} drops all of the {tokens:,} tokens; "
            f"give a larger value such as 1e-4, or 0 to keep all."
        )


def context_dim(config: TrainConfig) -> int:
    """The number of dimensions in which contexts are compared."""
    return min(config.sense_dim, config.dim) if config.whitening > 0 else config.dim


def sense_capacity(config: TrainConfig, vocabulary: Vocabulary) -> Ints:
    """(V,) The number of senses that each word can have."""
    max_senses = {"skip-gram": 1, "np-mssg": config.max_senses}.get(config.model, config.senses)
    return np.where(config.may_have_several_senses(vocabulary), max_senses, 1)
