"""The training loop: threads take blocks of sentences in order and run the kernel on shared arrays.

Blocks are numbered through all epochs. All that is random in a block follows from the seed and its number, and the
learning rate from its number alone; so `done`, the number of blocks done, is all that a run must remember besides its
arrays. Threads pause between blocks for a checkpoint, or to stop: then exactly the blocks before `done` are done.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from polyseme.corpus.blocks import block_bounds, block_seed
from polyseme.corpus.encoded_corpus import MAX_SENTENCE_TOKENS, EncodedCorpus
from polyseme.errors import Interrupted, TrainingError
from polyseme.kernels.nearest_sense import BY_CENTER
from polyseme.kernels.train.block import make_scratch, train_block
from polyseme.training.events import Listener, TrainingFinished, TrainingProgress, silent
from polyseme.training.sense_discovery import init_from_clusters
from polyseme.training.state import TrainState

BLOCK_TOKENS = 10_000
BLOCKS_PER_THREAD = 4
SMALLEST_RATE = 1e-4  # of the first
REPORT_SECONDS = 0.5


@dataclass
class Totals:
    """Sums over blocks."""

    tokens: int = 0
    pairs: int = 0
    loss: float = 0.0

    def add(self, tokens: int, pairs: int, loss: float) -> None:
        self.tokens += tokens
        self.pairs += pairs
        self.loss += loss


@dataclass
class Trainer:
    """Runs a TrainState over a corpus; `done` blocks of `total` are behind it."""

    state: TrainState
    corpus: EncodedCorpus
    done: int = 0
    seconds: float = 0.0
    totals: Totals = field(default_factory=Totals)

    def __post_init__(self) -> None:
        self.bounds = block_bounds(self.corpus.sentences, BLOCK_TOKENS)
        self.per_epoch = len(self.bounds) - 1
        self.total = self.per_epoch * self.state.config.epochs
        self.split_at = int(self.state.config.warmup * self.total)
        self._lock = threading.Lock()
        self._problem: BaseException | None = None

    def run(
        self,
        *,
        listen: Listener = silent,
        stop: Callable[[], bool] = lambda: False,
        checkpoint: Callable[[], None] = lambda: None,
        checkpoint_seconds: float = math.inf,
    ) -> None:
        """Train to the end, with checkpoints. When told to stop, write one more and raise Interrupted."""
        reports = _Reports(self, listen)
        due = time.monotonic() + checkpoint_seconds

        def pause() -> bool:
            return stop() or time.monotonic() > due

        while self.done < self.total:
            if not self.state.split and self.done >= self.split_at:
                self._split()
            until = self.total if self.state.split else self.split_at
            try:
                self._run_threads(until, reports, pause)
                stopped = stop()
            except KeyboardInterrupt:
                stopped = True
            if stopped or time.monotonic() > due:
                checkpoint()
                due = time.monotonic() + checkpoint_seconds
            if stopped and self.done < self.total:
                raise Interrupted(f"stopped at {self.progress:.1%} of the training.")
        if not self.state.split:
            self._split()
        listen(TrainingFinished(self.totals.tokens, self.seconds, self.totals.loss / max(self.totals.pairs, 1)))

    def _split(self) -> None:
        started = time.monotonic()
        self.state.split_senses()
        if self.done and self.state.config.sense_init == "clusters" and self.state.settings.rule == BY_CENTER:
            init_from_clusters(self.state, self.corpus)
        self.seconds += time.monotonic() - started

    @property
    def progress(self) -> float:
        return self.done / self.total

    @property
    def learning_rate(self) -> float:
        return self._rate(self.done)

    def _rate(self, block: int) -> float:
        config = self.state.config
        left = 1.0 if config.optimizer == "adagrad" else max(1 - block / self.total, SMALLEST_RATE)
        return config.learning_rate * left

    def _run_threads(self, until: int, reports: _Reports, pause: Callable[[], bool]) -> None:
        """Run blocks up to number `until`, or until `pause`; returns (or raises) with every begun block finished."""
        leave = threading.Event()
        started = time.monotonic()
        workers = [
            threading.Thread(target=self._work, args=(thread, until, leave), daemon=True)
            for thread in range(self.state.threads)
        ]
        try:
            for worker in workers:
                _start(worker)
            for worker in workers:
                while worker.is_alive():
                    worker.join(REPORT_SECONDS / 5)
                    reports.maybe(self.seconds + time.monotonic() - started)
                    if pause():
                        leave.set()
        finally:
            leave.set()
            for worker in workers:
                _wait_for(worker)
            self.seconds += time.monotonic() - started
        if self._problem is not None:
            raise self._problem

    def _work(self, thread: int, until: int, leave: threading.Event) -> None:
        """One thread: take the next block, train on it, again."""
        state, settings = self.state, self.state.settings
        try:
            scratch = make_scratch(MAX_SENTENCE_TOKENS, state.config.dim, state.tables.context_table.shape[1], settings)
            while not leave.is_set():
                with self._lock:
                    block = self.done
                    if block >= until:
                        return
                    self.done += 1
                counted = train_block(
                    *self.corpus.read(*self._sentences_of(block)),
                    state.parameters,
                    state.tables,
                    settings,
                    scratch,
                    np.uint64(block_seed(state.config.seed, block)),
                    np.float32(self._rate(block)),
                    thread,
                    state.threads,
                )
                with self._lock:
                    self.totals.add(*counted)
                if not math.isfinite(counted[2]):
                    raise TrainingError(
                        f"training diverged at {self.progress:.1%}: the loss is not a number. "
                        f"Try a lower --learning-rate than {state.config.learning_rate}."
                    )
        except BaseException as problem:  # handed to the thread that waits
            self._problem = problem
            leave.set()

    def _sentences_of(self, block: int) -> tuple[int, int]:
        place = block % self.per_epoch
        return int(self.bounds[place]), int(self.bounds[place + 1])


class _Reports:
    """Sends a Training event every half second."""

    def __init__(self, trainer: Trainer, listen: Listener) -> None:
        self.trainer = trainer
        self.listen = listen
        self.last = (trainer.seconds, trainer.done, trainer.totals.pairs, trainer.totals.loss)

    def maybe(self, seconds: float) -> None:
        trainer = self.trainer
        last_seconds, last_done, last_pairs, last_loss = self.last
        if seconds - last_seconds < REPORT_SECONDS or trainer.totals.pairs == last_pairs or trainer.done == last_done:
            return
        done, pairs, loss = trainer.done, trainer.totals.pairs, trainer.totals.loss
        tokens_per_block = len(trainer.corpus.tokens) / trainer.per_epoch
        speed = (done - last_done) / (seconds - last_seconds)
        self.listen(
            TrainingProgress(
                epoch=min(done // trainer.per_epoch + 1, trainer.state.config.epochs),
                epochs=trainer.state.config.epochs,
                progress=trainer.progress,
                tokens_per_second=speed * tokens_per_block,
                loss=(loss - last_loss) / (pairs - last_pairs),
                learning_rate=trainer.learning_rate,
                senses_per_word=trainer.state.mean_senses,
                seconds=seconds,
                eta=(trainer.total - done) / speed,
            )
        )
        self.last = (seconds, done, pairs, loss)


def _start(worker: threading.Thread) -> None:
    try:
        worker.start()
    except RuntimeError as error:
        raise TrainingError(f"a thread could not be started ({error}); try fewer --threads.") from error


def _wait_for(worker: threading.Thread) -> None:
    """Wait for a thread that is about to leave, whatever is pressed meanwhile: a block takes little time."""
    while worker.is_alive():
        with suppress(KeyboardInterrupt):
            worker.join()


def num_threads(threads: int, corpus: EncodedCorpus) -> int:
    """The number of threads meant: 0 is one for each core this process may use.

    A small corpus gets fewer: each thread needs several blocks an epoch, or the rows that threads have copies of
    (see kernels/train/block.py) would learn too little before their mean is taken.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    blocks = len(block_bounds(corpus.sentences, BLOCK_TOKENS)) - 1
    return min(threads or cores, max(blocks // BLOCKS_PER_THREAD, 1))
