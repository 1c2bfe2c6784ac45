"""The arrays of a run: how they start, how one sense becomes several, and what is kept of them at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.nearest_sense import AT_RANDOM, BY_CENTER, BY_VECTOR, ONE_SENSE
from polyseme.kernels.simd.padding import zero_padded_rows
from polyseme.kernels.train.block import KernelConfig, Parameters, Tables
from polyseme.model.arrays import ModelArrays
from polyseme.training.config import TrainConfig
from polyseme.training.whitening import whitened
from polyseme.vocabulary import Vocabulary

HOT_ROWS = 1024  # the rows of v_g of which each thread has a copy, see kernels/train/block.py
RULES = {
    "skip-gram": ONE_SENSE,
    "mssg": BY_CENTER,
    "np-mssg": BY_CENTER,
    "mssg-maxout": BY_VECTOR,
    "random-senses": AT_RANDOM,
}
WORDS_AT_ONCE = 4096
FILLED_AT_ONCE = 256  # rows with random numbers: they stay in the cache
NEVER = -2.0  # a cosine below every cosine

Arrays = dict[str, NDArray[np.generic]]


@dataclass
class TrainState:
    """Parameters, tables and settings of a run; what it needs beyond them to go on is the number of blocks done."""

    config: TrainConfig
    vocabulary: Vocabulary
    threads: int
    parameters: Parameters
    tables: Tables
    split: bool  # whether words have their several senses by now

    @classmethod
    def fresh(cls, config: TrainConfig, vocabulary: Vocabulary, threads: int) -> TrainState:
        """Random vectors, uniform in +-1/2d, and no contexts yet."""
        subsample = config.subsample_for(int(vocabulary.counts.sum()))
        config = replace(config, subsample=subsample)
        offsets = _sense_offsets(config, vocabulary)
        rows, words, dim = int(offsets[-1]), len(vocabulary), config.dim
        random = np.random.default_rng(config.seed)
        adagrad, centers = config.optimizer == "adagrad", has_centers(config)
        hot = hot_rows(words, threads)
        global_vectors, sense_vectors = zero_padded_rows(words + threads * hot, dim), zero_padded_rows(rows, dim)
        _fill_uniform(random, global_vectors[:words, :dim])
        _fill_uniform(random, sense_vectors[:, :dim])
        parameters = Parameters(
            global_vectors=global_vectors,
            global_squares=zero_padded_rows(len(global_vectors) if adagrad else 0, dim),
            sense_vectors=sense_vectors,
            sense_squares=zero_padded_rows(rows if adagrad else 0, dim),
            cluster_centers=zero_padded_rows(rows if centers else 0, _choice_dim(config)),
            center_inverse_norms=np.zeros(rows if centers else 0, np.float32),
            sense_counts=np.zeros(rows, np.int64),
            sense_offsets=offsets,
            num_senses=np.ones(words, np.int32),
        )
        tables = Tables(vocabulary.keep_thresholds(subsample), vocabulary.negative_table(), global_vectors)
        return cls(config, vocabulary, threads, parameters, tables, split=False)

    @property
    def settings(self) -> KernelConfig:
        """What the kernel is told, now."""
        config = self.config
        discovers = config.model == "np-mssg"
        return KernelConfig(
            rule=RULES[config.model] if self.split else ONE_SENSE,
            window=config.window,
            sense_window=config.sense_window if self._whitened else 0,
            sense_decay=config.sense_decay,
            negatives=config.negatives,
            max_negatives=config.max_negatives,
            negative_sharing=config.negative_sharing,
            new_sense_threshold=config.new_sense_threshold if discovers else NEVER,
            fill_empty=discovers or config.sense_init != "zero",
            adagrad=config.optimizer == "adagrad",
            adagrad_delta=config.adagrad_delta,
            hot_rows=hot_rows(len(self.vocabulary), self.threads),
        )

    @property
    def _whitened(self) -> bool:
        """Whether senses are chosen by a table of its own, which stays as it is."""
        return self.tables.context_table is not self.parameters.global_vectors

    def split_senses(self) -> None:
        """End the warm-up: each word gets its senses, which start from what its one vector has learned."""
        p, offsets = self.parameters, self.parameters.sense_offsets
        room = np.diff(offsets)
        if p.sense_counts.any():  # there was a warm-up
            own = np.repeat(offsets[:-1], room)
            _taken(p.sense_vectors, own, offsets)
            if self.settings.adagrad:
                _taken(p.sense_squares, own, offsets)
        if self.config.model != "skip-gram":
            p.sense_counts[:] = 0
        if self.config.model != "np-mssg":
            p.num_senses[:] = room
        if has_centers(self.config) and self.config.whitening > 0:
            vectors = p.global_vectors[: len(self.vocabulary), : self.config.dim]
            running = self.vocabulary.counts * (self.tables.keep / 2.0**32)
            table = whitened(vectors, running, self.config.whitening, _choice_dim(self.config))
            self.tables = self.tables._replace(context_table=table)
        self.split = True

    @property
    def mean_senses(self) -> float:
        """Senses per word, over the words that may have several."""
        several = np.diff(self.parameters.sense_offsets) > 1
        return float(self.parameters.num_senses[several].mean()) if several.any() else 1.0

    def learned(self) -> ModelArrays:
        """What a model keeps: the senses that each word has, most frequent first.

        It is made in the place of the arrays that were trained, which cannot go on from there: there is no room for
        both when they are large.
        """
        p, words, dim, sense_dim = self.parameters, len(self.vocabulary), self.config.dim, _choice_dim(self.config)
        room = np.diff(p.sense_offsets)
        word_of = np.repeat(np.arange(words), room)
        number = np.arange(len(word_of)) - p.sense_offsets[word_of]
        used = np.flatnonzero(number < p.num_senses[word_of])
        order = used[np.lexsort((number[used], -p.sense_counts[used], word_of[used]))]
        offsets = np.concatenate([[0], np.cumsum(p.num_senses)]).astype(np.int64)
        every = np.arange(words + 1)
        global_vectors = _taken(p.global_vectors, every[:-1], every, dim)
        vectors = _taken(p.sense_vectors, order, offsets, dim)
        centers = _taken(p.cluster_centers, order, offsets, sense_dim) if has_centers(self.config) else None
        if self.config.output_vectors == "sense+global":
            if RULES[self.config.model] == BY_VECTOR:
                centers = vectors.copy()  # contexts are compared with what was learned
            for rows in _row_slices(offsets):
                vectors[rows] += global_vectors[word_of[order[rows]]]
            vectors -= vectors.mean(axis=0)
        return ModelArrays(
            global_vectors=global_vectors,
            sense_vectors=vectors,
            sense_offsets=offsets,
            sense_counts=p.sense_counts[order],
            cluster_centers=centers,
            whitened_vectors=self.tables.context_table[:, :sense_dim] if self._whitened else None,
        )

    def to_arrays(self) -> Arrays:
        """All that changes, for a checkpoint."""
        arrays: Arrays = {name: array for name, array in self.parameters._asdict().items() if len(array)}
        for name in arrays.keys() & {"global_vectors", "global_squares"}:
            arrays[name] = arrays[name][: len(self.vocabulary)]
        if self._whitened:
            arrays["whitened_vectors"] = self.tables.context_table
        return arrays

    def restore(self, arrays: Arrays, split: bool) -> None:
        """Take back what `to_arrays` gave."""
        choice = arrays.pop("whitened_vectors", None)
        for name, array in arrays.items():
            getattr(self.parameters, name)[: len(array)] = array
        if choice is not None:
            table = zero_padded_rows(*choice.shape)
            table[:] = choice
            self.tables = self.tables._replace(context_table=table)
        self.split = split


def has_centers(config: TrainConfig) -> bool:
    return RULES[config.model] in (BY_CENTER, AT_RANDOM)


def hot_rows(words: int, threads: int) -> int:
    """One thread has no one to fight with, and must give the same bits as the twin."""
    return 0 if threads == 1 else min(HOT_ROWS, words)


def _row_slices(offsets: NDArray[np.int64]) -> Iterator[slice]:
    """The rows of some thousand words at a time."""
    for first in range(0, len(offsets) - 1, WORDS_AT_ONCE):
        yield slice(offsets[first], offsets[min(first + WORDS_AT_ONCE, len(offsets) - 1)])


def _taken(
    array: NDArray[np.float32], order: NDArray[np.int64], offsets: NDArray[np.int64], width: int | None = None
) -> NDArray[np.float32]:
    """array[order, :width] in place: rows move only among those of their word, or to where there is room before."""
    width = width or array.shape[1]
    out = array.reshape(-1)[: len(order) * width].reshape(-1, width)
    for rows in _row_slices(offsets):
        out[rows] = array[order[rows], :width]
    return out


def _fill_uniform(random: np.random.Generator, vectors: NDArray[np.float32]) -> None:
    scale = np.float32(1 / vectors.shape[1])
    for first in range(0, len(vectors), FILLED_AT_ONCE):
        some = vectors[first : first + FILLED_AT_ONCE]
        some[:] = random.random(some.shape, np.float32)
        some -= np.float32(0.5)
        some *= scale


def _choice_dim(config: TrainConfig) -> int:
    """How long contexts are."""
    return min(config.sense_dim, config.dim) if config.whitening > 0 else config.dim


def _sense_offsets(config: TrainConfig, vocabulary: Vocabulary) -> NDArray[np.int64]:
    """Room for the senses of each word."""
    most = {"skip-gram": 1, "np-mssg": config.max_senses}.get(config.model, config.senses)
    room = np.where(config.may_have_several_senses(vocabulary), most, 1)
    return np.concatenate([[0], np.cumsum(room)]).astype(np.int64)
