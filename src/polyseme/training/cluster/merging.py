"""Merging what workers have learned: the changes of rows, when they are sent, and how they are combined.

Each worker trains its own copy of all parameters, from the last merged values on. At the end of a round it sends the
changes of some rows to the driver, which combines them and sends the new values back:

    move     = f * (sum of the workers' changes) + (1 - f) * move of the last merge
    row     += move,                                   f = (1 - e^(-m x)) / (m (1 - e^(-x)))
    count   += sum of changes
    center   = (sum of contexts before + sum of the workers' contexts) / count

m is the number of workers that changed the row, and x says how far one worker's training has moved it towards its
optimum: x = DAMPING * learning rate * expected number of pairs of the row since it was last merged. A vector that
moves towards an optimum by a fraction x/n in each of n steps is then where it would be after m n steps. If a row has
few pairs, x is small and f is 1: the changes are added. If it has many, all workers come near the same optimum and f
is 1/m: the changes are averaged.

But vectors also move together, slowly, while each is near its own optimum. An average would slow that down m times. So
the row keeps a part of its last move (momentum): if the changes stay the same from merge to merge, the moves grow to
their sum. docs/cluster.md has measurements of this rule and others.

Frequent words change in each round, and rare ones seldom. So after round n, the rows of the FIRST_WORDS * GROWTH^z
most frequent words are merged, with z the number of trailing zero bits of n, as in pWord2Vec (Ji et al., 2016).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.nearest_sense import inverse_norms
from polyseme.kernels.row_changes import (
    add_changes,
    add_contexts,
    apply_moves,
    collect_changes,
    scale_rows,
    store_rows,
    subtract_contexts,
)
from polyseme.kernels.train.block import Parameters
from polyseme.training.state import Arrays, TrainState
from polyseme.training.trainer import TrainingTotals

FIRST_WORDS = 1024
GROWTH = 4
DAMPING = 0.1

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


class Rows(NamedTuple):
    """Some rows of a table: their numbers, int32 (k,), ascending, and values or changes, float32 (k, d)."""

    rows: NDArray[np.int32]
    values: Floats


class Clusters(NamedTuple):
    """Some senses: their rows, int32 (k,); counts, int64 (k,); and centers, or sums of contexts, float32 (k, c)."""

    rows: NDArray[np.int32]
    counts: Ints
    values: Floats


class Update(NamedTuple):
    """What a worker has learned since its rows were last merged. It is applied once: (worker, round) identifies it."""

    worker: int
    round: int
    totals: TrainingTotals
    global_vectors: Rows
    sense_vectors: Rows
    clusters: Clusters


class Merged(NamedTuple):
    """The new values of the rows that were merged in a round. Applying them twice does no harm."""

    round: int
    global_vectors: Rows
    sense_vectors: Rows
    clusters: Clusters


def num_bytes(message: Update | Merged) -> int:
    """The size of the arrays of a message."""
    return sum(a.nbytes for part in message if isinstance(part, Rows | Clusters) for a in part)


def words_due(round_number: int, num_words: int) -> int:
    """The number of most frequent words whose rows are merged after a round, counted from 1.

    >>> [words_due(n, 5000) for n in range(1, 9)]
    [1024, 4096, 1024, 5000, 1024, 4096, 1024, 5000]
    """
    trailing_zeros = (round_number & -round_number).bit_length() - 1
    return min(FIRST_WORDS * int(GROWTH**trailing_zeros), num_words)


class Replica:
    """A worker's copy of the parameters, with the values that were last merged."""

    def __init__(self, state: TrainState) -> None:
        self.state = state
        p, words, dim = state.parameters, len(state.vocabulary), state.config.dim
        # Allocated once: the system takes as long to provide new memory as the kernels to fill it.
        self.global_before = np.empty((words, p.global_vectors.shape[1]), np.float32)
        self.sense_before, self.centers_before = np.empty_like(p.sense_vectors), np.empty_like(p.cluster_centers)
        self.counts_before = np.empty_like(p.sense_counts)
        self.global_changes = np.empty((words, dim), np.float32)
        self.sense_changes = np.empty((len(p.sense_vectors), dim), np.float32)

    def load(self, arrays: Arrays, senses_split: bool) -> None:
        """Take over the state of the driver."""
        self.state.restore(dict(arrays), senses_split)
        p = self.state.parameters
        self.global_before[:] = p.global_vectors[: len(self.global_before)]
        self.sense_before[:] = p.sense_vectors
        self.centers_before[:] = p.cluster_centers
        self.counts_before[:] = p.sense_counts
        self.has_choice = np.repeat(p.num_senses > 1, np.diff(p.sense_offsets))  # by row: its word has several senses

    def update(self, worker: int, round_number: int, words: int, totals: TrainingTotals) -> Update:
        """The changes of the rows of the most frequent words since they were last merged.

        They are valid until the next call, which reuses their memory.
        """
        p = self.state.parameters
        senses = int(p.sense_offsets[words])
        return Update(
            worker,
            round_number,
            totals,
            _changes(p.global_vectors, self.global_before, self.global_changes[:words]),
            _changes(p.sense_vectors, self.sense_before, self.sense_changes[:senses]),
            self._cluster_changes(senses),
        )

    def _cluster_changes(self, senses: int) -> Clusters:
        """Words with one sense have no sense to choose: their centers are sent only with the rows of all words."""
        p = self.state.parameters
        changed = p.sense_counts[:senses] != self.counts_before[:senses]
        if senses < len(self.has_choice):
            changed &= self.has_choice[:senses]
        rows = np.flatnonzero(changed).astype(np.int32)
        has_centers = self.state.senses_split and len(p.cluster_centers)
        sums = np.empty((len(rows), p.cluster_centers.shape[1] if has_centers else 0), np.float32)
        subtract_contexts(p.cluster_centers, p.sense_counts, self.centers_before, self.counts_before, rows, sums)
        return Clusters(rows, p.sense_counts[rows] - self.counts_before[rows], sums)

    def apply(self, merged: Merged) -> None:
        """Take over the merged rows."""
        p = self.state.parameters
        for (rows, values), table, before in (
            (merged.global_vectors, p.global_vectors, self.global_before),
            (merged.sense_vectors, p.sense_vectors, self.sense_before),
        ):
            store_rows(values, rows, table, before)
        rows, counts, centers = merged.clusters
        p.sense_counts[rows] = self.counts_before[rows] = counts
        if centers.shape[1]:
            store_rows(centers, rows, p.cluster_centers, self.centers_before)
            p.center_inverse_norms[rows] = inverse_norms(centers)


def _changes(table: Floats, before: Floats, changes: Floats) -> Rows:
    """The changes of the first rows of a table, in the memory of `changes`."""
    rows = np.empty(len(changes), np.int32)
    found = collect_changes(table, before, rows, changes)
    return Rows(rows[:found], changes[:found])


class Merger:
    """Combines updates in the parameters of the driver."""

    def __init__(self, state: TrainState) -> None:
        self.state = state
        config, counts = state.config, state.vocabulary.counts
        context_words = config.window + 1  # on average
        kept = counts * (state.tables.keep / 2.0**32) / counts.sum()
        negative = counts**0.75 / (counts**0.75).sum()
        # Expected number of pairs per token of the text: of each word's global vector, and of its sense vectors.
        self.global_pairs = context_words * (kept + config.negatives * kept.sum() * negative)
        self.sense_pairs = context_words * (1 + config.negatives) * kept
        self.steps = np.zeros(len(counts))  # learning rate times tokens of a worker since each word was last merged
        # The last move of each row.
        self.global_moves = np.zeros((len(counts), config.dim), np.float32)
        self.sense_moves = np.zeros((len(state.parameters.sense_vectors), config.dim), np.float32)
        # The new values of rows, allocated once as in Replica.
        self.global_values, self.sense_values = np.empty_like(self.global_moves), np.empty_like(self.sense_moves)

    def merge(self, updates: list[Update], words: int, learning_rate: float, tokens: float) -> Merged:
        """Apply the updates of a round, at most one of each worker, in this order.

        The result is valid until the next call, which reuses its memory.

        words   number of most frequent words whose rows they have
        tokens  number of tokens of a worker in the round
        """
        p = self.state.parameters
        self.steps += DAMPING * learning_rate * tokens
        steps = self.steps[:words]
        sense_steps = steps * self.sense_pairs[:words] / p.num_senses[:words]
        sense_steps = np.repeat(sense_steps, np.diff(p.sense_offsets[: words + 1]))
        merged = Merged(
            updates[0].round,
            _merge_rows(
                p.global_vectors,
                self.global_moves,
                [u.global_vectors for u in updates],
                steps * self.global_pairs[:words],
                self.global_values,
            ),
            _merge_rows(
                p.sense_vectors,
                self.sense_moves,
                [u.sense_vectors for u in updates],
                sense_steps,
                self.sense_values,
            ),
            _merge_clusters(p, [u.clusters for u in updates]),
        )
        steps[:] = 0
        return merged


def _merge_rows(table: Floats, moves: Floats, updates: list[Rows], steps: NDArray[np.float64], values: Floats) -> Rows:
    """Add the combined changes to a table; returns the new values, in the memory of `values`.

    moves   IN, OUT  float32 (n, d)  last move of each row
    steps   IN       float64 (k,)    x of the first rows
    values  OUT      float32 (n, d)
    """
    workers = np.zeros(len(steps), np.int32)
    for rows, _ in updates:
        workers[rows] += 1
    changed = np.flatnonzero(workers).astype(np.int32)
    shares = combined_share(steps, workers).astype(np.float32)
    scale_rows(moves, changed, 1 - shares)
    for rows, changes in updates:
        add_changes(changes, rows, shares, moves)
    apply_moves(moves, changed, table, values)
    return Rows(changed, values[: len(changed)])


def combined_share(steps: NDArray[np.float64], workers: NDArray[np.int32]) -> NDArray[np.float64]:
    """f of the equation above.

    >>> combined_share(np.array([1e-9, 0.5, 50]), np.array([4, 4, 4])).round(2).tolist()
    [1.0, 0.55, 0.25]
    """
    x, m = np.maximum(steps, 1e-6), np.maximum(workers, 1)
    return np.asarray(np.expm1(-m * x) / (m * np.expm1(-x)))


def _merge_clusters(p: Parameters, updates: list[Clusters]) -> Clusters:
    """Add counts and sums of contexts; returns the new counts and centers.

    The sums have no columns during the warm-up, and in models without centers.
    """
    for update in updates:
        add_contexts(update.values, update.counts, update.rows, p.cluster_centers, p.sense_counts)
    has_changed = np.zeros(len(p.sense_counts), np.bool_)
    for update in updates:
        has_changed[update.rows] = True
    rows = np.flatnonzero(has_changed).astype(np.int32)
    counts = p.sense_counts[rows]
    if not updates[0].values.shape[1]:
        return Clusters(rows, counts, np.empty((len(rows), 0), np.float32))
    centers = p.cluster_centers[rows]
    p.center_inverse_norms[rows] = inverse_norms(centers)
    return Clusters(rows, counts, centers)
