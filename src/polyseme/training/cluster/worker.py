"""A worker: keeps some shards of the corpus and a replica of the parameters, and does what the driver asks for.

It runs as a Ray actor, but does not know it. All it has can be made again: shards from their sources, parameters from
the driver. So a worker that dies is replaced by a new one.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme._io.thread_pool import available_cores
from polyseme.corpus.blocks import block_bounds, block_seed
from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import NoWords, encode
from polyseme.corpus.occurrences import Gaps, find_gaps, find_occurrences
from polyseme.corpus.sources import Source
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import CorpusError, TrainingError
from polyseme.examples.extraction import extract_snippets
from polyseme.examples.selection import SNIPPET_WINDOW, best_occurrences
from polyseme.examples.snippets import Snippets, join
from polyseme.kernels.occurrences import count_tokens
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import EXAMPLE_COMPONENTS, SenseAssigner
from polyseme.training.cluster.merging import Merged, Replica, Update
from polyseme.training.config import TrainConfig
from polyseme.training.events import silent
from polyseme.training.init_model import renumbered
from polyseme.training.sense_discovery import ContextSample
from polyseme.training.state import Arrays, TrainState
from polyseme.training.trainer import BLOCK_TOKENS, Reporter, Trainer, TrainingTotals
from polyseme.vocabulary import Vocabulary

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

NO_INTS = np.empty(0, np.int64)


class Place(NamedTuple):
    """Where a worker runs."""

    host: str
    process: int
    cores: int


class Piece(NamedTuple):
    """Consecutive blocks of a shard, to be trained in a round.

    first, last  numbers of the first block and of the one after the last, in the shard
    number       of the first block among all blocks of all epochs, which determines its random numbers
    rates        learning rates of the first block and of the one after the last
    """

    shard: int
    first: int
    last: int
    number: int
    rates: tuple[float, float]


class ShardSummary(NamedTuple):
    """What the driver needs to know of a shard that a worker has encoded."""

    words: bytes  # joined by line ends
    counts: Ints
    tokens: int
    sentences: int
    blocks: int
    bad_bytes: int
    bad_rows: int
    first_bad_row: str


class ShardTrainer(Trainer):
    """Trains pieces of a shard: a Trainer whose random numbers and learning rates are those of the whole run."""

    piece: Piece

    def train(self, piece: Piece) -> TrainingTotals:
        self.piece, self.totals, self.blocks_done = piece, TrainingTotals(), piece.first
        self._run_threads(piece.last, Reporter(self, silent), lambda: False)
        return self.totals

    def _seed_of(self, block: int) -> int:
        return block_seed(self.state.config.seed, self.piece.number + block - self.piece.first)

    def _learning_rate_of(self, block: int) -> float:
        first, last = self.piece.rates
        return first + (last - first) * (block - self.piece.first) / (self.piece.last - self.piece.first)


class Worker:
    """A worker. The driver calls one method at a time."""

    def __init__(self, number: int, folder: str, mark: str) -> None:
        """folder  of the run, where shards are kept if this machine has it; it has a file `mark` then"""
        self.number = number
        shared = Path(folder)
        self.is_shared = (shared / mark).exists()
        self.folder = shared if self.is_shared else Path(tempfile.gettempdir()) / f"polyseme-{mark}"
        self.trainers: dict[int, ShardTrainer] = {}
        self.parts: dict[int, int] = {}  # of the corpus, which are the shards
        self.contexts: dict[int, Callable[[Ints], tuple[Floats, Ints]]] = {}

    def place(self) -> Place:
        return Place(socket.gethostname(), os.getpid(), available_cores())

    # Shards

    def encode(self, part: int, sources: list[Source], tokenizer: str) -> ShardSummary | None:
        """Encode the text of a part of the corpus, unless that was done before; None if it has no words."""
        try:
            encoded = self._encoded(part, sources, tokenizer)
        except NoWords:
            return None
        about = encoded.description
        return ShardSummary(
            "\n".join(encoded.words).encode(), encoded.counts, encoded.num_tokens, encoded.num_sentences,
            len(block_bounds(encoded.sentences, BLOCK_TOKENS)) - 1, about["bad_bytes"], about["bad_rows"],
            about["first_bad_row"],
        )  # fmt: skip

    def _encoded(self, part: int, sources: list[Source], tokenizer: str) -> EncodedCorpus:
        folder = self._folder_of(part)
        if is_encoded(folder):
            encoded = EncodedCorpus.open(folder)
            if encoded.sources != sources:
                raise TrainingError(
                    f"the unfinished run read {encoded.sources[0].path}, which is another text or has changed since; "
                    f"resume it with the same corpus, or start again with --force."
                )
            return encoded
        missing = [source.path for source in sources if not Path(source.path).exists()]
        if missing:
            raise CorpusError(
                f"{missing[0]} does not exist on {socket.gethostname()}; put the corpus where all machines can read "
                f"it, or encode it first (polyseme encode): an encoded corpus is sent to the workers."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        return encode(sources, get_tokenizer(tokenizer), folder)

    def _folder_of(self, part: int) -> Path:
        return self.folder / f"shard-{part:05}"

    def start(self, config: TrainConfig, vocabulary: Vocabulary, threads: int) -> None:
        """Prepare for training with this vocabulary."""
        self.replica = Replica(TrainState.initial(config, vocabulary, threads))
        self.trainers.clear()

    def open_text(self, shard: int, part: int, sources: list[Source], tokenizer: str) -> None:
        """Take over a shard of text, which is this part of the corpus."""
        encoded = self._encoded(part, sources, tokenizer)
        self.parts[shard] = part
        self._add(shard, renumbered(encoded, self.replica.state.vocabulary, self.folder))

    def open_tokens(self, shard: int, tokens: NDArray[np.int32], sentences: Ints) -> None:
        """Take over a shard of a corpus that the driver has encoded. The tokens go to a temporary file without name."""
        with tempfile.TemporaryFile() as file:
            file.write(tokens.tobytes())
            file.flush()
            mapped = np.memmap(file, np.int32, "r", shape=(len(tokens),))
        self._add(shard, EncodedCorpus(mapped, sentences.copy(), NO_INTS, [], NO_INTS, {}))

    def _add(self, shard: int, corpus: EncodedCorpus) -> None:
        # Without words and counts: together, those of many shards would need more memory than the parameters.
        self.trainers[shard] = ShardTrainer(self.replica.state, replace(corpus, words=[], counts=NO_INTS))

    # Training

    def load(self, arrays: Arrays, senses_split: bool) -> None:
        self.replica.load(arrays, senses_split)
        self.contexts.clear()

    def train(self, round_number: int, merged: Merged | None, pieces: list[Piece], words: int) -> Update:
        """Take over what was merged in the last round, train, and return the changes of the most frequent words."""
        if merged is not None:
            self.replica.apply(merged)
        totals = TrainingTotals()
        for piece in pieces:
            totals.add(**vars(self.trainers[piece.shard].train(piece)))
        return self.replica.update(self.number, round_number, words, totals)

    def on_shards(self, method: str, shards: list[int], *arguments: Any) -> list[Any]:
        """The results of a method for several shards."""
        return [getattr(self, method)(shard, *arguments) for shard in shards]

    # Sense discovery

    def gaps(self, shard: int) -> tuple[NDArray[np.int32], Gaps, int]:
        """For the burstiness of words: those that occur in a shard, their gaps there, and its number of tokens."""
        tokens = self.trainers[shard].corpus.tokens
        gaps = find_gaps(tokens, len(self.replica.state.vocabulary))
        words = np.flatnonzero(gaps.first_positions >= 0)
        return words.astype(np.int32), gaps.of(words), len(tokens)

    def contexts_of(self, shard: int, sample: tuple[Ints, int], words: Ints) -> tuple[Floats, Ints]:
        """The sampled contexts of words in a shard, and how many each word has.

        sample  all words that contexts are sampled of, and how many of each in all shards; drawn at the first call
        """
        if shard not in self.contexts:
            self.contexts[shard] = self._sample_contexts(shard, *sample)
        return self.contexts[shard](words)

    def _sample_contexts(self, shard: int, words: Ints, max_occurrences: int) -> Callable[[Ints], tuple[Floats, Ints]]:
        state, corpus = self.replica.state, self.trainers[shard].corpus
        totals = state.vocabulary.counts
        counts = np.zeros_like(totals)
        count_tokens(np.asarray(corpus.tokens), counts)
        random = np.random.default_rng([state.config.seed, shard])
        expected = counts[words] * np.minimum(max_occurrences / totals[words], 1)
        sizes = np.floor(expected + random.random(len(words))).astype(np.int64)
        seed = block_seed(state.config.seed, shard)
        occurrences = find_occurrences(corpus.tokens, counts, words, max_occurrences=sizes, seed=seed)
        return ContextSample(state, corpus, occurrences).contexts_of

    # Example sentences

    def best_occurrences(self, shard: int, data: ModelData, per_sense: int, seed: int) -> tuple[Ints, Floats, Ints]:
        """The best occurrences of each sense in a shard: slots (row * per_sense + rank), cosines and positions."""
        assigner = SenseAssigner(data, EXAMPLE_COMPONENTS)
        assigner.prepare()
        cosines, positions = best_occurrences(
            assigner, self.trainers[shard].corpus, data.vocabulary.counts, len(data.arrays.sense_counts), per_sense,
            block_seed(seed, shard), self.replica.state.threads, lambda: None,
        )  # fmt: skip
        slots = np.flatnonzero(positions >= 0)
        return slots, cosines.ravel()[slots], positions.ravel()[slots]

    def snippets(self, shard: int, data: ModelData, positions: dict[int, Ints]) -> Snippets:
        """The snippets at these positions of a shard.  positions  by shard, ascending"""
        corpus = EncodedCorpus.open(self._folder_of(self.parts[shard]))
        threads = self.replica.state.threads
        return join(extract_snippets(corpus, data.tokenizer, positions[shard], SNIPPET_WINDOW, threads))

    # The end

    def close(self) -> None:
        """Remove the shards that only this machine has."""
        if not self.is_shared:
            shutil.rmtree(self.folder, ignore_errors=True)
