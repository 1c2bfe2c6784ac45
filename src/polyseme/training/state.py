"""The arrays of a run: how they start, how one sense becomes several, and what is kept of them at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.senses import AT_RANDOM, BY_CENTER, BY_VECTOR, ONE_SENSE
from polyseme.kernels.training import Parameters, Settings, Tables
from polyseme.model.arrays import ModelArrays
from polyseme.training.config import TrainConfig
from polyseme.training.whitening import whitened
from polyseme.vocabulary import Vocabulary

HOT_ROWS = 1024  # the rows of v_g of which each thread has a copy, see kernels/training.py
RULES = {
    "skip-gram": ONE_SENSE,
    "mssg": BY_CENTER,
    "np-mssg": BY_CENTER,
    "mssg-maxout": BY_VECTOR,
    "random-senses": AT_RANDOM,
}
WORDS_AT_ONCE = 4096
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
        choice_dim = min(config.choice_dim, dim) if config.whitening > 0 else dim
        random = np.random.default_rng(config.seed)
        adagrad, centers = config.optimizer == "adagrad", has_centers(config)
        hot = hot_rows(words, threads)
        global_vectors = np.zeros((words + threads * hot, dim), np.float32)
        _fill_uniform(random, global_vectors[:words])
        parameters = Parameters(
            global_vectors=global_vectors,
            global_squares=np.zeros(global_vectors.shape if adagrad else (1, 1), np.float32),
            sense_vectors=_fill_uniform(random, np.empty((rows, dim), np.float32)),
            sense_squares=np.zeros((rows, dim) if adagrad else (1, 1), np.float32),
            cluster_centers=np.zeros((rows, choice_dim) if centers else (1, 1), np.float32),
            center_squares=np.zeros(rows if centers else 1, np.float32),
            sense_counts=np.zeros(rows, np.int64),
            sense_offsets=offsets,
            sense_numbers=np.ones(words, np.int32),
        )
        tables = Tables(vocabulary.keep_thresholds(subsample), vocabulary.noise_table(), global_vectors)
        return cls(config, vocabulary, threads, parameters, tables, split=False)

    @property
    def settings(self) -> Settings:
        """What the kernel is told, now."""
        config = self.config
        discovers = config.model == "np-mssg"
        return Settings(
            rule=RULES[config.model] if self.split else ONE_SENSE,
            window=config.window,
            choice_window=config.choice_window if self._whitened else 0,
            choice_fade=config.choice_fade,
            negatives=config.negatives,
            noise_words=config.noise_words,
            noise_span=config.noise_span,
            new_sense_threshold=config.new_sense_threshold if discovers else NEVER,
            fill_empty=discovers or config.center_start != "zero",
            adagrad=config.optimizer == "adagrad",
            adagrad_delta=config.adagrad_delta,
            hot=hot_rows(len(self.vocabulary), self.threads),
        )

    @property
    def _whitened(self) -> bool:
        """Whether senses are chosen by a table of its own, which stays as it is."""
        return self.tables.choice is not self.parameters.global_vectors

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
            p.sense_numbers[:] = room
        if has_centers(self.config) and self.config.whitening > 0:
            words = len(self.vocabulary)
            running = self.vocabulary.counts * (self.tables.keep / 2.0**32)
            table = whitened(p.global_vectors[:words], running, self.config.whitening, p.cluster_centers.shape[1])
            self.tables = self.tables._replace(choice=table)
        self.split = True

    @property
    def mean_senses(self) -> float:
        """Senses per word, over the words that may have several."""
        several = np.diff(self.parameters.sense_offsets) > 1
        return float(self.parameters.sense_numbers[several].mean()) if several.any() else 1.0

    def learned(self) -> ModelArrays:
        """What a model keeps: the senses that each word has, most frequent first.

        It is made in the place of the arrays that were trained, which cannot go on from there: there is no room for
        both when they are large.
        """
        p, words = self.parameters, len(self.vocabulary)
        room = np.diff(p.sense_offsets)
        word_of = np.repeat(np.arange(words), room)
        number = np.arange(len(word_of)) - p.sense_offsets[word_of]
        used = np.flatnonzero(number < p.sense_numbers[word_of])
        order = used[np.lexsort((number[used], -p.sense_counts[used], word_of[used]))]
        offsets = np.concatenate([[0], np.cumsum(p.sense_numbers)]).astype(np.int64)
        vectors = _taken(p.sense_vectors, order, offsets)
        centers = _taken(p.cluster_centers, order, offsets) if has_centers(self.config) else None
        if self.config.kept_vectors == "sum":
            if RULES[self.config.model] == BY_VECTOR:
                centers = vectors.copy()  # contexts are compared with what was learned
            for rows in _row_slices(offsets):
                vectors[rows] += p.global_vectors[word_of[order[rows]]]
            vectors -= vectors.mean(axis=0)
        return ModelArrays(
            global_vectors=p.global_vectors[:words],
            sense_vectors=vectors,
            sense_offsets=offsets,
            sense_counts=p.sense_counts[order],
            cluster_centers=centers,
            choice_vectors=self.tables.choice if self._whitened else None,
        )

    def to_arrays(self) -> Arrays:
        """All that changes, for a checkpoint."""
        words = len(self.vocabulary)
        arrays: Arrays = {name: array for name, array in self.parameters._asdict().items() if array.shape != (1, 1)}
        for name in ("global_vectors", "global_squares"):
            if name in arrays:
                arrays[name] = arrays[name][:words]
        if self._whitened:
            arrays["choice_vectors"] = self.tables.choice
        return arrays

    def restore(self, arrays: Arrays, split: bool) -> None:
        """Take back what `to_arrays` gave."""
        choice = arrays.pop("choice_vectors", None)
        for name, array in arrays.items():
            getattr(self.parameters, name)[: len(array)] = array
        if choice is not None:
            self.tables = self.tables._replace(choice=np.array(choice, np.float32))
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


def _taken(array: NDArray[np.float32], order: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.float32]:
    """array[order] in place: rows move only among those of their word, or to where earlier words left room."""
    for rows in _row_slices(offsets):
        array[rows] = array[order[rows]]
    return array[: len(order)]


def _fill_uniform(random: np.random.Generator, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    random.random(dtype=np.float32, out=vectors)
    vectors -= np.float32(0.5)
    vectors /= np.float32(vectors.shape[1])
    return vectors


def _sense_offsets(config: TrainConfig, vocabulary: Vocabulary) -> NDArray[np.int64]:
    """Room for the senses of each word."""
    most = {"skip-gram": 1, "np-mssg": config.max_senses}.get(config.model, config.senses)
    room = np.where(config.may_have_several_senses(vocabulary), most, 1)
    return np.concatenate([[0], np.cumsum(room)]).astype(np.int64)
