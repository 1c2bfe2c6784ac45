"""Sense assignment over many tokens at once, for tagging and for example sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.assignment import assign_senses
from polyseme.kernels.rows import whole_rows
from polyseme.model.disambiguation import TEMPERATURE, sense_directions

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

ALL = np.uint64(2**32)


@dataclass(frozen=True)
class Assigner:
    """A model made ready for the kernel."""

    model: SenseModel

    def make_ready(self) -> None:
        """Make the tables now: several threads that need them at once would each make them."""
        _ = self._tables

    @cached_property
    def _tables(self) -> tuple[NDArray[np.generic], ...]:
        """From `weights` to `bonus`, as the kernel takes them: read-only, so that it is compiled once."""
        rows = whole_rows(sense_directions(self.model))
        tables: tuple[NDArray[np.generic], ...] = (
            self.model.context_weights,
            self.model.context_rows,
            self.model.arrays.sense_offsets,
            self.model.shown_numbers,
            rows,
            np.einsum("ij,ij->i", rows, rows),
            self._bonus(),
        )
        views = tuple(table.view(np.ndarray) for table in tables)
        for view in views:
            view.flags.writeable = False
        return views

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
        return np.where(self.model.shown_numbers > 1, ALL, np.uint64(0))
