"""A training run on a Ray cluster: the steps of `polyseme.training.run.Run`, done by workers."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polyseme._io.thread_pool import available_cores
from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import EncodingProgress
from polyseme.corpus.inputs import CorpusInput
from polyseme.corpus.sources import Source
from polyseme.corpus.tokenizers import AnyTokenizer, CallableTokenizer
from polyseme.errors import TrainingError
from polyseme.examples.store import ExampleReader
from polyseme.model.data import ModelData
from polyseme.model.unfinished import CHECKPOINT, CORPUS
from polyseme.training.cluster.discovery import discover_on
from polyseme.training.cluster.examples import collect_examples
from polyseme.training.cluster.pool import AllWorkersLost, LocalPool, Pool
from polyseme.training.cluster.ray_pool import RayPool, running_ray
from polyseme.training.cluster.shards import (
    ShardedCorpus,
    ShardedText,
    ShardedTokens,
    can_be_sharded,
    part_bytes,
    text_shards,
)
from polyseme.training.cluster.trainer import Cluster, ClusterTrainer
from polyseme.training.cluster.worker import ShardSummary
from polyseme.training.events import ClusterStarted
from polyseme.training.run import Run
from polyseme.training.state import TrainState
from polyseme.training.trainer import Trainer
from polyseme.vocabulary import Vocabulary

MARK = "run-"  # a file in the folder of shards, by which a worker knows that it sees the same folder as the driver


@contextmanager
def cluster_run(run: Run, workers: int, ray_address: str | None) -> Iterator[Run]:
    """The run on a cluster, whose workers end with the block."""
    folder = run.folder / CORPUS
    with _explained_loss(run.folder), running_ray(ray_address, workers) as ray:
        cpus = 1 if ray_address is None else max(run.config.threads, 1)
        pool = RayPool(ray, (str(folder), _make_mark(folder)), cpus, run.raise_if_stopped, run.listen)
        try:
            pool.start(workers)
            yield ClusterRun(**vars(run), pool=pool)
        finally:
            pool.close()


@contextmanager
def local_run(run: Run, workers: int, make_pool: type[LocalPool] = LocalPool) -> Iterator[Run]:
    """The run with workers in this process, one after the other, without Ray: for tests and experiments."""
    folder = run.folder / CORPUS
    with _explained_loss(run.folder):
        pool = make_pool((str(folder), _make_mark(folder)), run.raise_if_stopped, run.listen)
        pool.start(workers)
        yield ClusterRun(**vars(run), pool=pool)


@contextmanager
def _explained_loss(folder: Path) -> Iterator[None]:
    """Add to the message of AllWorkersLost how to go on: without a checkpoint, the working folder is removed."""
    try:
        yield
    except AllWorkersLost as error:
        how = "continue with --resume" if (folder / CHECKPOINT).exists() else "start again"
        raise TrainingError(f"{error}, then {how}.") from error


def _make_mark(folder: Path) -> str:
    """The name of the mark in a folder, which is created if necessary."""
    folder.mkdir(parents=True, exist_ok=True)
    marks = sorted(path.name for path in folder.glob(f"{MARK}*"))
    if not marks:
        marks = [f"{MARK}{secrets.token_hex(8)}"]
        (folder / marks[0]).touch()
    return marks[0]


@dataclass(frozen=True)
class ClusterRun(Run):
    """The steps of a run with workers."""

    pool: Pool
    clusters: list[Cluster] = field(default_factory=list)  # the one that trains, once there is one
    owners: list[int] = field(default_factory=list)  # the worker that has encoded each shard

    def encode(self, corpus: CorpusInput, tokenizer: AnyTokenizer) -> EncodedCorpus:
        """The corpus in shards: those that workers encode, if they can read the text, else parts of an encoded one."""
        folder = self.folder / CORPUS
        by_driver = self.config.phrases or isinstance(tokenizer, CallableTokenizer) or is_encoded(folder)
        if not by_driver and corpus.open_encoded() is None and can_be_sharded(sources := corpus.sources()):
            shards = text_shards(sources)
            if len(shards) >= len(self.pool.numbers) or any(folder.glob("shard-*")):
                return self._encode_shards(shards, tokenizer.name)
        return ShardedTokens.divide(super().encode(corpus, tokenizer))

    def _encode_shards(self, parts: list[list[Source]], tokenizer: str) -> ShardedCorpus:
        """Let the workers encode the parts of a text."""
        summaries: dict[int, ShardSummary] = {}
        owners: dict[int, int] = {}
        while len(owners) < len(parts):
            todo = [part for part in range(len(parts)) if part not in owners]
            wave = dict(zip(self.pool.numbers, todo, strict=False))
            calls = {n: (part, parts[part], tokenizer) for n, part in wave.items()}
            for n, summary in self.pool.each("encode", calls).items():
                owners[wave[n]] = n
                if summary is not None:
                    summaries[wave[n]] = summary
            self._report(parts, owners, summaries)
        self.owners.extend(owners[part] for part in sorted(summaries))
        return ShardedText.merge(parts, summaries, tokenizer)

    def _report(self, parts: list[list[Source]], done: Iterable[int], summaries: dict[int, ShardSummary]) -> None:
        """Report the progress of encoding. The number of distinct words is that of the shard that has most."""
        tokens = sum(summary.tokens for summary in summaries.values())
        words = max((len(summary.counts) for summary in summaries.values()), default=0)
        bad_bytes = sum(summary.bad_bytes for summary in summaries.values())
        sizes = [sum(part_bytes(source) for source in part) for part in parts]
        self.listen(EncodingProgress(sum(sizes[part] for part in done), sum(sizes), tokens, words, bad_bytes))

    def make_trainer(self, encoded: EncodedCorpus, vocabulary: Vocabulary) -> Trainer:
        assert isinstance(encoded, ShardedCorpus)
        self.pool.tick = lambda: None  # a round is not interrupted
        state = TrainState.initial(self.config, vocabulary, self.config.threads or available_cores())
        cluster = Cluster(self.pool, encoded, state, self.owners)
        self.clusters.append(cluster)
        hosts = len({place.host for place in self.pool.places.values()})
        self.listen(ClusterStarted(len(self.pool.numbers), hosts, cluster.threads))
        return ClusterTrainer(state, encoded, discover=discover_on(cluster), cluster=cluster)

    def described(self) -> dict[str, Any]:
        return {"workers": len(self.pool.numbers)}

    def collect_examples(self, data: ModelData, encoded: EncodedCorpus, threads: int) -> ExampleReader:
        self.pool.tick = self.raise_if_stopped
        if isinstance(encoded, ShardedTokens):
            return super().collect_examples(data, encoded, threads)
        return collect_examples(self.clusters[0], data, self.config.examples, self.config.seed, self.folder)
