"""Example sentences on a cluster: workers find the best occurrences in their shards, the driver the best of all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme.examples.snippets import Snippets, line_reader, write_spool
from polyseme.examples.store import ExampleReader
from polyseme.model.data import ModelData
from polyseme.training.cluster.trainer import Cluster

Ints = NDArray[np.int64]


def collect_examples(cluster: Cluster, data: ModelData, per_sense: int, seed: int, folder: Path) -> ExampleReader:
    """As `polyseme.examples.selection.collect_examples`, from the shards of all workers."""
    offsets = data.arrays.sense_offsets
    shape = int(offsets[-1]), per_sense
    model = cluster.pool.share(data)
    cosines, shard_of, positions = np.full(shape, -2, np.float32), np.full(shape, -1), np.full(shape, -1)
    for shard, (slots, found, at) in enumerate(cluster.on_shards("best_occurrences", model, per_sense, seed)):
        _keep_best(shard, slots, found, at, cosines, shard_of, positions)
    shards, slots = shard_of.ravel(), np.arange(shard_of.size)
    order = slots[shards >= 0]
    order = order[np.lexsort((positions.ravel()[order], shards[order]))]  # by shard, then in text order
    chosen = {shard: positions.ravel()[order[shards[order] == shard]] for shard in range(len(cluster.owners))}
    wanted = cluster.pool.share(chosen)

    def snippets() -> Iterator[Snippets]:
        yield from cluster.on_shards("snippets", model, wanted)

    spool = write_spool(snippets(), order, shard_of.size, folder)
    return line_reader(spool, data.vocabulary.words, offsets, data.num_visible_senses)


def _keep_best(
    shard: int,
    slots: Ints,
    found: NDArray[np.float32],
    at: Ints,
    cosines: NDArray[np.float32],
    shards: Ints,
    positions: Ints,
) -> None:
    """Add the best occurrences of a shard to those of the shards before it, in rows with the best first."""
    rows = np.unique(slots // cosines.shape[1])
    size = cosines.shape[1]
    new = np.full((len(rows), size), -2, np.float32)
    where = np.searchsorted(rows, slots // size), slots % size
    new[where] = found
    new_positions = np.full_like(new, -1, np.int64)
    new_positions[where] = at
    all_cosines = np.hstack([cosines[rows], new])
    best = np.argsort(-all_cosines, axis=1, kind="stable")[:, :size]
    all_shards = np.hstack([shards[rows], np.where(new_positions >= 0, shard, -1)])
    all_positions = np.hstack([positions[rows], new_positions])
    for table, values in ((cosines, all_cosines), (shards, all_shards), (positions, all_positions)):
        table[rows] = np.take_along_axis(values, best, axis=1)
