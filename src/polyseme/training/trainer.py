"""The training loop: threads take blocks of sentences in order and run the kernel on shared arrays.

Blocks are numbered consecutively over all epochs. The random numbers of a block depend only on the seed and its number,
the learning rate only on its number. So the arrays and `blocks_done` are all that is needed to continue a run. For a
checkpoint, or to stop, the threads pause between blocks: then exactly the blocks before `blocks_done` are done.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from polyseme._io.thread_pool import available_cores
from polyseme.corpus.blocks import block_bounds, block_seed
from polyseme.corpus.encoded_corpus import MAX_SENTENCE_TOKENS, EncodedCorpus
from polyseme.errors import Interrupted, TrainingError
from polyseme.kernels.nearest_sense import BY_CENTER
from polyseme.kernels.train.block import make_scratch, train_block
from polyseme.training.events import Listener, TrainingFinished, TrainingProgress, silent
from polyseme.training.sense_discovery import init_from_clusters
from polyseme.training.state import TrainState

BLOCK_TOKENS = 10_000
BLOCKS_PER_THREAD = 4  # per epoch, at least
MIN_RATE = 1e-4  # relative to the initial learning rate
REPORT_SECONDS = 0.5
PAUSE_SECONDS = 0.001  # between looks at threads that finish their blocks


@dataclass
class TrainingTotals:
    """Sums over the blocks done."""

    tokens: int = 0
    pairs: int = 0
    loss: float = 0.0

    def add(self, tokens: int, pairs: int, loss: float) -> None:
        self.tokens += tokens
        self.pairs += pairs
        self.loss += loss


@dataclass
class Trainer:
    """Trains a TrainState on a corpus."""

    state: TrainState
    corpus: EncodedCorpus
    blocks_done: int = 0
    seconds: float = 0.0
    totals: TrainingTotals = field(default_factory=TrainingTotals)
    discover: Callable[[TrainState, EncodedCorpus], None] = init_from_clusters  # sets the senses after the warm-up
    shards_done: list[int] = field(default_factory=list)  # on a cluster, blocks done of each shard in this epoch

    def __post_init__(self) -> None:
        self.blocks_per_epoch = self._find_blocks()
        self.num_blocks = self.blocks_per_epoch * self.state.config.epochs
        self.warmup_blocks = int(self.state.config.warmup * self.num_blocks)
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._leave = threading.Event()
        self._blocks_in_progress = 0

    def _find_blocks(self) -> int:
        """Divide the corpus into blocks; returns their number."""
        self.bounds = block_bounds(self.corpus.sentences, BLOCK_TOKENS)
        return len(self.bounds) - 1

    def run(
        self,
        *,
        listen: Listener = silent,
        stop: Callable[[], bool] = lambda: False,
        checkpoint: Callable[[], None] = lambda: None,
        checkpoint_seconds: float = math.inf,
    ) -> None:
        """Train all remaining blocks.

        checkpoint  called every `checkpoint_seconds`, and before Interrupted is raised because of `stop`
        """
        reporter = Reporter(self, listen)
        due = time.monotonic() + checkpoint_seconds

        def pause() -> bool:
            return stop() or time.monotonic() > due

        while self.blocks_done < self.num_blocks:
            if not self.state.senses_split and self.blocks_done >= self.warmup_blocks:
                self._split_senses()
            end = self.num_blocks if self.state.senses_split else self.warmup_blocks
            try:
                self._run_threads(end, reporter, pause)
                stopped = stop()
            except KeyboardInterrupt:
                stopped = True
            self._pause()  # again: Ctrl-C may have come in the middle of it, and a checkpoint needs resting arrays
            if stopped or time.monotonic() > due:
                checkpoint()
                due = time.monotonic() + checkpoint_seconds
            if stopped and self.blocks_done < self.num_blocks:
                raise Interrupted(f"stopped at {self.progress:.1%} of the training.")
        if not self.state.senses_split:
            self._split_senses()
        listen(TrainingFinished(self.totals.tokens, self.seconds, self.totals.loss / max(self.totals.pairs, 1)))

    def _split_senses(self) -> None:
        """End the warm-up. Clusters need trained vectors, so there are none without a warm-up."""
        started = time.monotonic()
        state = self.state
        state.split_senses()
        if self.blocks_done and state.config.sense_init == "clusters" and state.kernel_config.rule == BY_CENTER:
            self.discover(state, self.corpus)
        self.seconds += time.monotonic() - started

    @property
    def progress(self) -> float:
        return self.blocks_done / self.num_blocks

    @property
    def learning_rate(self) -> float:
        return self._learning_rate_of(self.blocks_done)

    def _learning_rate_of(self, block: int) -> float:
        config = self.state.config
        decay = 1.0 if config.optimizer == "adagrad" else max(1 - block / self.num_blocks, MIN_RATE)
        return config.learning_rate * decay

    def _seed_of(self, block: int) -> int:
        return block_seed(self.state.config.seed, block)

    def _run_threads(self, end: int, reporter: Reporter, pause: Callable[[], bool]) -> None:
        """Train the blocks before `end`, or until `pause` returns True. No block is left unfinished, even on errors."""
        self._leave = threading.Event()
        started = time.monotonic()
        workers = [
            threading.Thread(target=self._work, args=(thread, end, self._leave), daemon=True)
            for thread in range(self.state.threads)
        ]
        try:
            for worker in workers:
                _start(worker)
            for worker in workers:
                while worker.is_alive():
                    worker.join(REPORT_SECONDS / 5)
                    reporter.report_if_due(self.seconds + time.monotonic() - started)
                    if pause():
                        self._leave.set()
        finally:
            self._pause()
            self.seconds += time.monotonic() - started
        if self._error is not None:
            raise self._error

    def _pause(self) -> None:
        """Wait until no thread trains a block, which takes little time; ignore Ctrl-C meanwhile.

        Blocks are counted, because joined threads may still run: in Python 3.11 and 3.12, Ctrl-C during `join` marks a
        thread as stopped that is not.
        """
        self._leave.set()
        while self._blocks_in_progress:
            with suppress(KeyboardInterrupt):
                time.sleep(PAUSE_SECONDS)

    def _take_block(self, end: int, leave: threading.Event) -> int | None:
        """The number of the next block; None if there is none before `end`, or the threads are asked to leave."""
        with self._lock:
            if leave.is_set() or self.blocks_done >= end:
                return None
            self.blocks_done += 1
            self._blocks_in_progress += 1
            return self.blocks_done - 1

    def _work(self, thread: int, end: int, leave: threading.Event) -> None:
        """Train block after block, in one thread."""
        state = self.state
        try:
            width = state.tables.context_table.shape[1]
            scratch = make_scratch(MAX_SENTENCE_TOKENS, state.config.dim, width, state.kernel_config)
            while (block := self._take_block(end, leave)) is not None:
                try:
                    self._train(block, thread, scratch)
                finally:
                    with self._lock:
                        self._blocks_in_progress -= 1
        except BaseException as error:  # `_run_threads` raises it in the main thread
            self._error = error
            leave.set()

    def _train(self, block: int, thread: int, scratch: Any) -> None:
        """Train a block; TrainingError if the loss is not finite."""
        state = self.state
        counts = train_block(
            *self.corpus.read(*self._sentences_of(block)),
            state.parameters,
            state.tables,
            state.kernel_config,
            scratch,
            np.uint64(self._seed_of(block)),
            np.float32(self._learning_rate_of(block)),
            thread,
            state.threads,
        )
        with self._lock:
            self.totals.add(*counts)
        if not math.isfinite(counts[2]):
            raise TrainingError(
                f"training diverged at {self.progress:.1%}: the loss is not a number. "
                f"Try a lower --learning-rate than {state.config.learning_rate}."
            )

    def _sentences_of(self, block: int) -> tuple[int, int]:
        """The numbers of the first sentence of a block and of the first after it."""
        i = block % self.blocks_per_epoch
        return int(self.bounds[i]), int(self.bounds[i + 1])


class Reporter:
    """Sends a TrainingProgress event every REPORT_SECONDS."""

    def __init__(self, trainer: Trainer, listen: Listener) -> None:
        self.trainer = trainer
        self.listen = listen
        self.last = (trainer.seconds, trainer.blocks_done, trainer.totals.pairs, trainer.totals.loss)
        self.measured_split: bool | None = None  # state.senses_split when the measured interval began

    def report_if_due(self, seconds: float) -> None:
        trainer = self.trainer
        last_seconds, last_done, last_pairs, last_loss = self.last
        done, pairs, loss = trainer.blocks_done, trainer.totals.pairs, trainer.totals.loss
        split = trainer.state.senses_split
        if split != self.measured_split and pairs > last_pairs:  # kernels were compiled, or senses discovered
            self.measured_split, self.last = split, (seconds, done, pairs, loss)
            return
        if seconds - last_seconds < REPORT_SECONDS or pairs == last_pairs or done == last_done:
            return
        tokens_per_block = trainer.corpus.num_tokens / trainer.blocks_per_epoch
        speed = (done - last_done) / (seconds - last_seconds)
        self.listen(
            TrainingProgress(
                epoch=min(done // trainer.blocks_per_epoch + 1, trainer.state.config.epochs),
                epochs=trainer.state.config.epochs,
                progress=done / trainer.num_blocks,
                tokens_per_second=speed * tokens_per_block,
                loss=(loss - last_loss) / (pairs - last_pairs),
                learning_rate=trainer.learning_rate,
                senses_per_word=trainer.state.mean_senses,
                seconds=seconds,
                eta=(trainer.num_blocks - done) / speed,
            )
        )
        self.last = (seconds, done, pairs, loss)


def _start(worker: threading.Thread) -> None:
    try:
        worker.start()
    except RuntimeError as error:
        raise TrainingError(f"a thread could not be started ({error}); try fewer --threads.") from error


def num_threads(threads: int, corpus: EncodedCorpus) -> int:
    """The number of threads to train a corpus with, where 0 threads stand for one per core.

    A small corpus gets fewer. Each thread trains its own copy of the most frequent words' vectors and the copies are
    averaged after each block (see kernels/train/block.py): with few blocks per thread they would learn too little.
    """
    blocks = len(block_bounds(corpus.sentences, BLOCK_TOKENS)) - 1
    return min(threads or available_cores(), max(blocks // BLOCKS_PER_THREAD, 1))
