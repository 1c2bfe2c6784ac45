"""Sense assignment over many tokens at once, for tagging and for example sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.assign import assign_senses
from polyseme.kernels.nearest_sense import inverse_norms
from polyseme.kernels.simd.padding import padded_rows
from polyseme.model.disambiguation import TEMPERATURE, context_table, sense_directions

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

ALL = np.uint64(2**32)
FREQUENT = 10_000  # words whose vectors tell directions


@dataclass(frozen=True)
class SenseAssigner:
    """A model made ready for the kernel.

    With `directions`, contexts and senses of more numbers are compared in so many alone, those in which the vectors of
    frequent words vary most: nearly the same cosines, in a fraction of the time and the memory.
    """

    model: SenseModel
    directions: int | None = None

    def make_ready(self) -> None:
        """Make the tables now: several threads that need them at once would each make them."""
        _ = self._tables

    @cached_property
    def _tables(self) -> tuple[NDArray[np.generic], ...]:
        """From `weights` to `log_prior`, as the kernel takes them: read-only, so that it is compiled once."""
        choice, rows = self._compared()
        tables: tuple[NDArray[np.generic], ...] = (
            self.model.context_weights,
            choice,
            self.model.arrays.sense_offsets,
            self.model.visible_senses,
            rows,
            inverse_norms(rows),
            self._bonus(),
        )
        views = tuple(table.view(np.ndarray) for table in tables)
        for view in views:
            view.flags.writeable = False
        return views

    def _compared(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The vectors from which contexts are made, and those that they are compared with."""
        table, senses = context_table(self.model), sense_directions(self.model)
        if self.directions is None or table.shape[1] <= self.directions:
            return self.model.context_rows, padded_rows(senses)
        frequent = table[:FREQUENT]
        running = self.model.context_weights[:FREQUENT] * self.model.vocabulary.counts[:FREQUENT]
        _, basis = np.linalg.eigh((frequent.T * running) @ frequent)  # those in which they vary least come first
        basis = basis[:, -self.directions :].astype(np.float32)
        return padded_rows(table @ basis), padded_rows(senses @ basis)

    def _bonus(self) -> NDArray[np.float32]:
        """TEMPERATURE log(share): with it, the best sense is the most probable one (see `disambiguation`)."""
        counts, offsets = self.model.arrays.sense_counts, self.model.arrays.sense_offsets
        totals = np.maximum(np.repeat(np.add.reduceat(counts, offsets[:-1]), np.diff(offsets)), 1)
        return np.asarray(TEMPERATURE * np.log(np.maximum(counts, 1e-3) / totals), np.float32)

    def assign(
        self, tokens: NDArray[np.int32], sentences: NDArray[np.int64], sample: NDArray[np.uint64], seed: int = 0
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """For each token the row of its sense (-1 for tokens not looked at), and the cosine with it."""
        senses = np.full(len(tokens), -1, np.int32)
        cosines = np.zeros(len(tokens), np.float32)
        rng = np.array([seed], np.uint64)
        assign_senses(tokens, sentences, self.model.reach, self.model.fade, *self._tables, sample, rng, senses, cosines)
        return senses, cosines

    @cached_property
    def ambiguous(self) -> NDArray[np.uint64]:
        """A sample of every token of a word with several senses, and of no other."""
        return np.where(self.model.visible_senses > 1, ALL, np.uint64(0))
