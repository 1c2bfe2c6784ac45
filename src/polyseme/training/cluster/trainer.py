"""The training loop of the driver: a Trainer whose blocks are trained by workers, in rounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.training.cluster.merging import Merger, Update, num_bytes, words_due
from polyseme.training.cluster.pool import AllWorkersLost, Pool
from polyseme.training.cluster.shards import ShardedCorpus
from polyseme.training.cluster.worker import Piece
from polyseme.training.events import RoundsMerged
from polyseme.training.state import TrainState
from polyseme.training.trainer import BLOCK_TOKENS, BLOCKS_PER_THREAD, Reporter, Trainer

ROUND_SHARE = 1 / 64  # length of a round, relative to all that was trained before
MIN_BLOCKS = 8  # in the first rounds; longer ones let the training diverge

Ints = NDArray[np.int64]


class Cluster:
    """The workers of a run, the shards that each of them owns, and what each has been given so far."""

    def __init__(self, pool: Pool, corpus: ShardedCorpus, state: TrainState, owners: list[int] | None = None) -> None:
        self.pool, self.corpus, self.state = pool, corpus, state
        self.owners = owners or [-1] * len(corpus.blocks)
        self.version = 0  # of the state; it grows when a worker cannot follow by merged rows alone
        self._started: dict[int, int] = {}  # generation of each worker that has settings and vocabulary
        self._loaded: dict[int, int] = {}  # version of its state
        self._held: dict[int, set[int]] = {}  # its shards
        self._vocabulary = pool.share(state.vocabulary)

    def threads_of(self, worker: int) -> int:
        """The threads of a worker: as the settings say, or its part of the cores of its machine."""
        places = self.pool.places
        on_host = sum(place.host == places[worker].host for place in places.values())
        most = int(self.corpus.blocks.sum()) // (BLOCKS_PER_THREAD * len(places))
        return min(self.state.config.threads or max(places[worker].cores // on_host, 1), max(most, 1))

    @property
    def threads(self) -> int:
        return sum(self.threads_of(worker) for worker in self.pool.numbers)

    def shards_of(self, worker: int) -> list[int]:
        return [shard for shard, owner in enumerate(self.owners) if owner == worker]

    def prepare(self) -> None:
        """Give the workers what they lack. A worker can be lost meanwhile, so this is repeated until none lacks."""
        pool = self.pool
        while True:
            self._deal_shards()
            new = [n for n in pool.numbers if self._started.get(n) != pool.generation[n]]
            outdated = [n for n in pool.numbers if n in new or self._loaded.get(n) != self.version]
            lacking = {n: set(self.shards_of(n)) - self._held.get(n, set()) for n in pool.numbers}
            missing = {n: min(shards) for n, shards in lacking.items() if shards}
            if new:
                config = self.state.config
                for n in pool.each("start", {n: (config, self._vocabulary, self.threads_of(n)) for n in new}):
                    self._started[n], self._held[n] = pool.generation[n], set()
                    self._loaded.pop(n, None)
            elif outdated:
                arrays = pool.share(self.state.to_arrays())
                for n in pool.each("load", dict.fromkeys(outdated, (arrays, self.state.senses_split))):
                    self._loaded[n] = self.version
            elif missing:
                self._open(missing)
            else:
                return

    def _open(self, shards: dict[int, int]) -> None:
        """Let each worker take over a shard."""
        calls = {n: self.corpus.opening(shard) for n, shard in shards.items()}
        for n in self.pool.each(next(iter(calls.values()))[0], {n: arguments for n, (_, arguments) in calls.items()}):
            self._held[n].add(shards[n])

    def _deal_shards(self) -> None:
        """Give each shard without owner to the worker with the fewest blocks."""
        numbers = self.pool.numbers
        load = {n: sum(int(self.corpus.blocks[s]) for s in self.shards_of(n)) for n in numbers}
        for shard, owner in enumerate(self.owners):
            if owner not in load:
                self.owners[shard] = min(numbers, key=lambda n: (load[n], n))
                load[self.owners[shard]] += int(self.corpus.blocks[shard])

    def on_shards(self, method: str, *arguments: Any, at_once: int = 1) -> list[Any]:
        """The results of a method for each shard, called by its owner; by another worker if the owner is lost.

        at_once  shards of a worker whose results are sent together
        """
        results: dict[int, Any] = {}
        while len(results) < len(self.owners):
            self.prepare()
            todo = {n: [s for s in self.shards_of(n) if s not in results][:at_once] for n in self.pool.numbers}
            calls = {n: (method, shards, *arguments) for n, shards in todo.items() if shards}
            for n, done in self.pool.each("on_shards", calls).items():
                results.update(zip(todo[n], done, strict=True))
        return [results[shard] for shard in range(len(self.owners))]


@dataclass(kw_only=True)
class ClusterTrainer(Trainer):
    """Trains a TrainState, that of the driver, by means of workers."""

    cluster: Cluster

    def __post_init__(self) -> None:
        super().__post_init__()
        self.blocks = self.cluster.corpus.blocks
        self.shards_done = [0] * len(self.blocks)
        self.merger = Merger(self.state)
        self.round = 0
        self.traffic = {"sent": 0, "received": 0}
        self.waiting = self.merging = 0.0
        self._merged: Any = None
        self._loaded_split: bool | None = None
        self._checkpoint: Callable[[], None] = lambda: None

    def _find_blocks(self) -> int:
        return int(self.cluster.corpus.blocks.sum())

    def run(self, *, checkpoint: Callable[[], None] = lambda: None, **options: Any) -> None:
        """Train all remaining blocks.

        checkpoint  called in the cases of Trainer.run, before the senses are split, and when all workers are lost
        """
        self._checkpoint = checkpoint
        super().run(checkpoint=checkpoint, **options)

    def _split_senses(self) -> None:
        """End the warm-up, after a checkpoint: if all workers are lost meanwhile, the senses are incomplete."""
        if self.blocks_done:
            self._checkpoint()
        super()._split_senses()

    def _run_threads(self, end: int, reporter: Reporter, pause: Callable[[], bool]) -> None:
        """Train the blocks before `end`, or until `pause` returns True, then merge the rows of all words.

        If all workers are lost, the state has what was merged before, and only the blocks of these rounds are counted.
        """
        try:
            self._run_rounds(end, reporter, pause)
        except AllWorkersLost:
            self._checkpoint()
            raise

    def _run_rounds(self, end: int, reporter: Reporter, pause: Callable[[], bool]) -> None:
        started = time.monotonic()
        if self._loaded_split != self.state.senses_split:  # the senses were just split
            self.cluster.version += 1
            self._loaded_split, self._merged = self.state.senses_split, None
        try:
            paused = False
            while self.blocks_done < end and not paused:
                self._train_round(end)
                reporter.report_if_due(self.seconds + time.monotonic() - started)
                paused = pause()  # after a round, so that there is progress however short the time between checkpoints
            self._train_round(self.blocks_done)
        finally:
            self.seconds += time.monotonic() - started
        reporter.listen(
            RoundsMerged(
                self.round, len(self.cluster.pool.numbers), self.traffic["sent"], self.traffic["received"],
                self.waiting, self.merging,
            )
        )  # fmt: skip

    def _train_round(self, end: int) -> None:
        """Train some blocks before `end` and merge the rows that are due; with no blocks, merge all rows."""
        self.cluster.prepare()
        self.round += 1
        num_words, pool = len(self.state.vocabulary), self.cluster.pool
        rate, budget = self.learning_rate, self._budget(end)
        pieces = self._plan(budget)
        words = words_due(self.round, num_words) if budget else num_words
        started = time.monotonic()
        updates = pool.each("train", {n: (self.round, self._merged, pieces[n], words) for n in pool.numbers})
        self.waiting += time.monotonic() - started
        applied = [update for n, update in updates.items() if self._count(n, update, pieces[n])]
        if applied:
            started = time.monotonic()
            trained = sum(bool(pieces[update.worker]) for update in applied)
            merged = self.merger.merge(applied, words, rate, budget * BLOCK_TOKENS / max(trained, 1))
            self._merged = pool.share(merged)
            self.traffic["sent"] += sum(map(num_bytes, applied))
            self.traffic["received"] += num_bytes(merged) * len(pool.numbers)
            self.merging += time.monotonic() - started

    def _count(self, worker: int, update: Update, pieces: list[Piece]) -> bool:
        """Count the blocks of an update as done; False if it is not of this worker and round."""
        if (update.worker, update.round) != (worker, self.round):
            return False
        self.totals.add(**vars(update.totals))
        for piece in pieces:
            self.shards_done[piece.shard] += piece.last - piece.first
            self.blocks_done += piece.last - piece.first
        return True

    def _budget(self, end: int) -> int:
        """The number of blocks of all workers in the next round. It does not cross the end of an epoch.

        It grows with what is done: the longer the training, the more slowly vectors change, and the less is lost.
        """
        most = max(int(ROUND_SHARE * self.blocks_done), min(self.cluster.threads, MIN_BLOCKS))
        left_in_epoch = self.blocks_per_epoch - self.blocks_done % self.blocks_per_epoch
        return min(most, left_in_epoch, end - self.blocks_done)

    def _plan(self, budget: int) -> dict[int, list[Piece]]:
        """The pieces of each worker in a round: a share of its blocks such that all finish the epoch together."""
        cluster, total = self.cluster, int(self.blocks.sum())
        epoch, done = divmod(self.blocks_done, total)
        if done == 0:
            self.shards_done = [0] * len(self.blocks)
        left = {
            n: sum(int(self.blocks[s]) - self.shards_done[s] for s in cluster.shards_of(n))
            for n in cluster.pool.numbers
        }
        rates = self.learning_rate, self._learning_rate_of(self.blocks_done + budget)
        pieces: dict[int, list[Piece]] = {}
        before = 0
        for n, blocks in left.items():
            first, last = (budget * x // (total - done) for x in (before, before + blocks))
            pieces[n] = self._pieces_of(n, last - first, epoch * total, rates)
            before += blocks
        return pieces

    def _pieces_of(self, worker: int, num_blocks: int, number: int, rates: tuple[float, float]) -> list[Piece]:
        """The next blocks of the shards of a worker.  number  of the first block of the epoch"""
        pieces: list[Piece] = []
        done = 0
        first_blocks = np.cumsum(self.blocks) - self.blocks
        for shard in self.cluster.shards_of(worker):
            first = self.shards_done[shard]
            last = min(first + num_blocks - done, int(self.blocks[shard]))
            if first < last:
                shares = done / num_blocks, (done + last - first) / num_blocks
                start, end = (rates[0] + (rates[1] - rates[0]) * share for share in shares)
                pieces.append(Piece(shard, first, last, number + int(first_blocks[shard]) + first, (start, end)))
                done += last - first
        return pieces
