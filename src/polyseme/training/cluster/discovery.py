"""Sense discovery on a cluster: workers send contexts from their shards, and the driver clusters them once.

So a sense has the same number on all workers. The sample is the same for any number of workers: it is drawn for each
shard, and joined in the order of the shards.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.occurrences import Burstiness, Gaps
from polyseme.training.cluster.trainer import Cluster
from polyseme.training.sense_discovery import set_senses
from polyseme.training.state import TrainState

MANY = 1 << 20
GAPS_AT_ONCE = 4  # shards of a worker; 68 bytes for each word that occurs in a shard
GROUP_WORDS = 256  # whose contexts workers send at a time

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Contexts = tuple[Floats, Ints]


@dataclass(frozen=True)
class ShardContexts:
    """The contexts of words in the shards of all workers: a ContextSource."""

    cluster: Cluster

    @property
    def counts(self) -> Ints:
        return self.cluster.state.vocabulary.counts

    def burstiness(self) -> Burstiness:
        joined, num_tokens = Gaps.of_empty_text(len(self.counts)), 0
        for words, gaps, tokens in self.cluster.on_shards("gaps", at_once=GAPS_AT_ONCE):
            joined.append(words, gaps, num_tokens)
            num_tokens += tokens
        return joined.burstiness

    def sample(self, words: Ints, max_occurrences: int) -> Callable[[Ints], Contexts]:
        """As in ContextSource. The contexts of the next words are fetched together: a call takes milliseconds."""
        sample = self.cluster.pool.share((words, max_occurrences))
        groups: dict[int, Contexts] = {}
        lock = threading.Lock()

        def contexts_of(chunk: Ints) -> Contexts:
            """chunk  some consecutive ones of `words`, all in the same group; groups are asked for in order"""
            first, last = np.searchsorted(words, (chunk[0], chunk[-1] + 1)).tolist()
            number = first // GROUP_WORDS
            with lock:
                if number not in groups:
                    groups.pop(number - 2, None)
                    groups[number] = self._fetch(sample, words[number * GROUP_WORDS :][:GROUP_WORDS])
                contexts, num_contexts = groups[number]
            ends = np.concatenate([[0], np.cumsum(num_contexts)])
            first, last = first - number * GROUP_WORDS, last - number * GROUP_WORDS
            return contexts[ends[first] : ends[last]], num_contexts[first:last]

        return contexts_of

    def _fetch(self, sample: Any, words: Ints) -> Contexts:
        """The contexts of words, by word and shard, and how many each word has."""
        parts = self.cluster.on_shards("contexts_of", sample, words, at_once=MANY)
        word_of_context = np.concatenate([np.repeat(np.arange(len(words)), sizes) for _, sizes in parts])
        order = np.argsort(word_of_context, kind="stable")
        return np.concatenate([contexts for contexts, _ in parts])[order], sum(sizes for _, sizes in parts)


def discover_on(cluster: Cluster) -> Callable[[TrainState, EncodedCorpus], None]:
    """What sets the senses after the warm-up, for a Trainer."""

    def discover(state: TrainState, _: EncodedCorpus) -> None:
        cluster.version += 1  # the workers need the whitened table
        set_senses(state, ShardContexts(cluster))

    return discover
