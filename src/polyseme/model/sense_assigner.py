"""Sense assignment for many tokens at once: for tagging, evaluation and selecting example sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.assign import assign_senses
from polyseme.kernels.nearest_sense import inverse_norms
from polyseme.kernels.simd.padding import padded_rows
from polyseme.model.data import ModelData
from polyseme.model.disambiguation import TEMPERATURE
from polyseme.model.rows import dense

ALL_TOKENS = np.uint64(2**32)
EXAMPLE_COMPONENTS = 64  # principal components in which contexts and senses are compared to select examples
FREQUENT_WORDS = 10_000  # whose vectors determine the principal components


@dataclass(frozen=True)
class SenseAssigner:
    """The arrays of a model in the form that the assignment kernel takes.

    With `components`, context vectors and centers are first projected onto that many principal components of the
    vectors of frequent words: nearly the same cosines in a fraction of the time and memory.
    """

    data: ModelData
    components: int | None = None

    def prepare(self) -> None:
        """Compute the tables now: threads that need them at the same time would each compute them."""
        _ = self._tables

    def assign(
        self, tokens: NDArray[np.int32], sentences: NDArray[np.int64], sample: NDArray[np.uint64], seed: int = 0
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The row of the sense of each token (-1 for tokens that are not sampled), and the cosine with its center.

        tokens     IN  int32 (n,)      word ids; ids outside the vocabulary are skipped
        sentences  IN  int64 (m + 1,)  index of the first token of each sentence, then n
        sample     IN  uint64 (V,)     share of each word's tokens to assign, out of 2^32
        """
        senses = np.full(len(tokens), -1, np.int32)
        cosines = np.zeros(len(tokens), np.float32)
        rng = np.array([seed], np.uint64)
        window, decay = self.data.sense_window, self.data.sense_decay
        assign_senses(tokens, sentences, window, decay, *self._tables, sample, rng, senses, cosines)
        return senses, cosines

    @cached_property
    def ambiguous(self) -> NDArray[np.uint64]:
        """The sample of all tokens of words with several senses, and of no others."""
        return np.where(self.data.num_visible_senses > 1, ALL_TOKENS, np.uint64(0))

    @cached_property
    def _tables(self) -> tuple[NDArray[np.generic], ...]:
        """The kernel's arguments from `weights` to `log_prior`. All are read-only, so that it is compiled only once."""
        table, centers = self._projected()
        tables: tuple[NDArray[np.generic], ...] = (
            self.data.context_weights,
            table,
            self.data.arrays.sense_offsets,
            self.data.num_visible_senses,
            centers,
            inverse_norms(centers),
            self._log_prior(),
        )
        views = tuple(array.view(np.ndarray) for array in tables)
        for view in views:
            view.flags.writeable = False
        return views

    def _projected(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The context table and the sense centers, projected if `components` says so."""
        table, centers = self.data.dense_context_table, dense(self.data.sense_centers)
        if self.components is None or table.shape[1] <= self.components:
            return padded_rows(table), padded_rows(centers)
        frequent = table[:FREQUENT_WORDS]
        weights = self.data.context_weights[:FREQUENT_WORDS] * self.data.vocabulary.counts[:FREQUENT_WORDS]
        _, basis = np.linalg.eigh((frequent.T * weights) @ frequent)  # ascending eigenvalues
        basis = basis[:, -self.components :].astype(np.float32)
        return padded_rows(table @ basis), padded_rows(centers @ basis)

    def _log_prior(self) -> NDArray[np.float32]:
        """With it, the assigned sense is the most probable one: TEMPERATURE log(share), or 0 with inverse distances.

        See `disambiguation` for the two posteriors.
        """
        if self.data.posterior == "inverse-distance":
            return np.zeros(len(self.data.arrays.sense_counts), np.float32)
        counts, offsets = self.data.arrays.sense_counts, self.data.arrays.sense_offsets
        totals = np.maximum(np.repeat(np.add.reduceat(counts, offsets[:-1]), np.diff(offsets)), 1)
        return np.asarray(TEMPERATURE * np.log(np.maximum(counts, 1e-3) / totals), np.float32)
