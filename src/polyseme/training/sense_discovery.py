"""Initial senses: clusters of a sample of each word's contexts, computed at the end of the warm-up.

np-mssg decides in three steps how many senses a word has:

1. Words of general use (the, which, however) have one sense. They occur in all kinds of contexts, whose clusters are as
   different as those of random contexts, so clusters cannot tell them from ambiguous words. But they occur everywhere
   in a text, while words with a topic come in bursts: a word needs a `Burstiness` that hardly any of the most frequent
   words of the corpus has. These are mostly words of general use, in any language.
2. The contexts of other words are clustered, and clusters that are too similar or too small are merged (see
   `polyseme.kernels.kmeans`).
3. After the training, senses are merged if their centers and sense vectors are too similar (see `group_senses` in
   `polyseme.kernels.linkage`). More is known then: the centers are means of all occurrences, and the sense vectors of a
   word with one meaning have learned nearly the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from polyseme._io.memory_map import release_pages
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.occurrences import Burstiness, Occurrences, burstiness, find_occurrences
from polyseme.kernels.contexts import gather_contexts
from polyseme.kernels.kmeans import cluster_words, normalize_rows
from polyseme.kernels.nearest_sense import inverse_norms
from polyseme.kernels.simd.padding import zero_padded_rows
from polyseme.training.config import TrainConfig
from polyseme.training.state import TrainState

# Contexts sampled per word. Finding the number of senses takes more than finding a given number.
SAMPLE, SAMPLE_PER_SENSE, DISCOVERY_SAMPLE = 100, 30, 500
# A cluster with a smaller share of its word's tokens, or with fewer tokens, is not a sense that np-mssg can discover.
MIN_SHARE, MIN_TOKENS = 0.05, 30
CHUNK_WORDS = 32  # words whose contexts a thread holds in memory

# The contexts of a word are clustered if it exceeds this percentile of the most frequent words: 100 of them, or 2% of a
# small vocabulary.
REFERENCE_WORDS, REFERENCE_SHARE, REFERENCE_PERCENTILE = 100, 0.02, 95
# If the median burstiness of these words is lower, most of them are words of general use, and none of them is split,
# because some come in bursts, such as pronouns in biographies. The median is higher in texts without stop words.
GENERAL_BURSTINESS = 0.5
# This much is enough, overall and locally. Without a limit, the most frequent words of a text without stop words would
# set a threshold for words with a topic.
ENOUGH_BURSTINESS = (1.0, 0.5)
# In a text whose words have a lower median, such as shuffled words, burstiness says nothing.
MIN_MEDIAN_BURSTINESS = 0.2

# The separation of clusters, where there are no sense vectors yet, must be higher than `min_separation` by this factor.
CLUSTER_SEPARATION = 1.2

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def discovers_senses(config: TrainConfig) -> bool:
    """Whether the number of senses of each word follows from clusters of its contexts."""
    return config.model == "np-mssg" and config.sense_init == "clusters" and config.warmup > 0


class Clusters(NamedTuple):
    """The clusters of the contexts of some words.

    words         int64 (w,)
    centers       float32 (w, k, c)  mean of the contexts of each cluster
    sizes         int64 (w, k)       contexts of each cluster
    num_clusters  int32 (w,)         the first clusters of a word are used
    tightness     float32 (w,)       mean cosine of the contexts and their centers, before merging
    num_contexts  int64 (w,)         sampled
    """

    words: Ints
    centers: NDArray[np.float32]
    sizes: Ints
    num_clusters: NDArray[np.int32]
    tightness: NDArray[np.float32]
    num_contexts: Ints


class ContextSource(Protocol):
    """Where the contexts of words come from: a corpus, or its shards on several machines."""

    @property
    def counts(self) -> Ints:
        """(V,) Tokens of each word."""
        ...

    def burstiness(self) -> Burstiness: ...

    def sample(self, words: Ints, max_occurrences: int) -> Callable[[Ints], tuple[NDArray[np.float32], Ints]]:
        """A function that returns contexts of some of `words`, as `ContextSample.contexts_of`."""
        ...


@dataclass(frozen=True)
class CorpusContexts:
    """The contexts of words in a corpus."""

    state: TrainState
    corpus: EncodedCorpus

    @property
    def counts(self) -> Ints:
        return self.corpus.counts[: len(self.state.vocabulary)]

    def burstiness(self) -> Burstiness:
        return burstiness(self.corpus.tokens, len(self.state.vocabulary))

    def sample(self, words: Ints, max_occurrences: int) -> Callable[[Ints], tuple[NDArray[np.float32], Ints]]:
        seed = self.state.config.seed
        occurrences = find_occurrences(
            self.corpus.tokens, self.counts, words, max_occurrences=max_occurrences, seed=seed
        )
        return ContextSample(self.state, self.corpus, occurrences).contexts_of


def init_from_clusters(state: TrainState, corpus: EncodedCorpus, among: NDArray[np.bool_] | None = None) -> None:
    """Set the senses of each word that can have several to clusters of its contexts in a corpus; see `set_senses`."""
    set_senses(state, CorpusContexts(state, corpus), among)
    release_pages(corpus.tokens)


def set_senses(state: TrainState, source: ContextSource, among: NDArray[np.bool_] | None = None) -> None:
    """Set the senses of each word that can have several to clusters of its contexts.

    mssg makes `senses` clusters; np-mssg makes up to `max_senses` and merges those that are too similar. A word with
    fewer contexts than clusters is skipped: its senses are filled during training.

    among  IN  bool (V,)  whether to set the senses of each word; by default of all words
    """
    p = state.parameters
    words, gated = candidates(state, source)
    if among is not None:
        words = words[among[words]]
    tightness = np.zeros(len(state.vocabulary), np.float32)

    def keep(clusters: Clusters) -> None:
        rows = p.sense_offsets[clusters.words][:, None] + np.arange(clusters.centers.shape[1])
        p.cluster_centers[rows] = clusters.centers
        p.center_inverse_norms[rows] = inverse_norms(clusters.centers)
        p.sense_counts[rows] = clusters.sizes
        p.num_senses[clusters.words] = clusters.num_clusters
        tightness[clusters.words] = clusters.tightness

    cluster_contexts(state, source, words, keep)
    if gated:
        threshold = specificity_threshold(tightness[most_frequent(source)], tightness[words], np.inf)
        if threshold is not None:
            _unsplit(state, words[tightness[words] < threshold])


def candidates(state: TrainState, source: ContextSource) -> tuple[Ints, bool]:
    """The words that can have several senses, without words of general use if these can be told by their burstiness.

    The second value says whether words of general use may be among them and have to be found by other means.
    """
    words = np.flatnonzero(np.diff(state.parameters.sense_offsets) > 1)
    if state.config.model != "np-mssg" or state.config.multi_sense_words is not None:  # a list is the user's decision
        return words, False
    scores = source.burstiness()
    specific = specific_words(scores, words, most_frequent(source))
    return (words, True) if specific is None else (specific, False)


def most_frequent(source: ContextSource) -> Ints:
    """The most frequent words of the corpus, as a reference. In continued training they need not have the first ids."""
    num_words = min(REFERENCE_WORDS, math.ceil(REFERENCE_SHARE * len(source.counts)))
    return np.argsort(-source.counts, kind="stable")[:num_words]


def cluster_contexts(state: TrainState, source: ContextSource, words: Ints, keep: Callable[[Clusters], None]) -> None:
    """Cluster a sample of the contexts of each word; `keep` is called by several threads, with some words each."""
    if not len(words):
        return
    config = state.config
    counts = source.counts
    discovers = config.model == "np-mssg"
    max_senses = config.max_senses if discovers else config.senses
    max_occurrences = DISCOVERY_SAMPLE if discovers else max(SAMPLE, SAMPLE_PER_SENSE * max_senses)
    min_separation = CLUSTER_SEPARATION * config.min_separation if discovers else 0.0
    contexts_of = source.sample(words, max_occurrences)

    def cluster(first: int) -> None:
        chunk = words[first : first + CHUNK_WORDS]
        contexts, num_contexts = contexts_of(chunk)
        enough = num_contexts >= max_senses
        if not enough.all():
            contexts = contexts[np.repeat(enough, num_contexts)]
        chunk, num_contexts = chunk[enough], num_contexts[enough]
        bounds = np.concatenate([[0], np.cumsum(num_contexts)])
        dim = contexts.shape[1]
        clusters = Clusters(
            words=chunk,
            centers=zero_padded_rows(len(chunk) * max_senses, dim).reshape(len(chunk), max_senses, dim),
            sizes=np.empty((len(chunk), max_senses), np.int64),
            num_clusters=np.empty(len(chunk), np.int32),
            tightness=np.empty(len(chunk), np.float32),
            num_contexts=num_contexts,
        )
        seed = np.uint64((config.seed * 1_000_003 + first) % 2**64)
        min_sizes = min_cluster_sizes(counts[chunk], num_contexts) * discovers
        cluster_words(
            contexts, bounds, max_senses, min_separation, min_sizes, seed, clusters.centers, clusters.sizes,
            clusters.num_clusters, clusters.tightness,
        )  # fmt: skip
        keep(clusters)

    with ThreadPoolExecutor(state.threads) as pool:
        list(pool.map(cluster, range(0, len(words), CHUNK_WORDS)))


def min_cluster_sizes(counts: Ints, num_contexts: Ints) -> Ints:
    """The number of contexts that a cluster needs to be a sense, of each word.

    counts        IN  int64 (w,)  tokens of each word
    num_contexts  IN  int64 (w,)  contexts in its sample
    """
    return np.ceil(np.maximum(MIN_SHARE, MIN_TOKENS / counts) * num_contexts).astype(np.int64)


def specific_words(scores: Burstiness, words: Ints, frequent: Ints) -> Ints | None:
    """Those of `words` that are not of general use, by their burstiness; None if it says nothing in this corpus.

    frequent  IN  int64 (n,)  the most frequent words
    """
    if not len(words) or np.median(scores.overall[words]) <= MIN_MEDIAN_BURSTINESS:
        return None
    specific = np.ones(len(words), np.bool_)
    for score, enough in zip(scores, ENOUGH_BURSTINESS, strict=True):
        threshold = specificity_threshold(score[frequent], score[words], enough)
        if threshold is None:
            return None
        specific &= score[words] >= threshold
    if np.median(scores.overall[frequent]) < GENERAL_BURSTINESS:
        specific &= ~np.isin(words, frequent)
    return words[specific]


def specificity_threshold(reference: NDArray[np.floating], words: NDArray[np.floating], enough: float) -> float | None:
    """The lowest score of words that are not of general use, from the scores of the most frequent words.

    None if fewer than a quarter of the words that can have several senses reach it: then the score says nothing in this
    corpus.
    """
    threshold = min(float(np.percentile(reference, REFERENCE_PERCENTILE)), enough)
    return threshold if len(words) and np.percentile(words, 75) > threshold else None


def _unsplit(state: TrainState, words: Ints) -> None:
    """Give words back a single sense: the union of their clusters."""
    p = state.parameters
    for word in words[p.num_senses[words] > 1].tolist():
        first, last = p.sense_offsets[word : word + 2]
        sizes = p.sense_counts[first:last]
        center = sizes @ p.cluster_centers[first:last] / max(sizes.sum(), 1)
        p.cluster_centers[first], p.cluster_centers[first + 1 : last] = center, 0
        p.center_inverse_norms[first:last] = inverse_norms(p.cluster_centers[first:last])
        p.sense_counts[first], p.sense_counts[first + 1 : last] = sizes.sum(), 0
        p.num_senses[word] = 1


class ContextSample:
    """The context vectors of a sample of occurrences."""

    def __init__(self, state: TrainState, corpus: EncodedCorpus, occurrences: Occurrences) -> None:
        self.tokens, self.sentences = np.asarray(corpus.tokens), np.asarray(corpus.sentences)
        self.occurrences = occurrences
        self.window = state.config.sense_window or state.config.window
        self.decay = np.float32(state.config.sense_decay)
        self.weights = (state.tables.keep / 2.0**32).astype(np.float32)
        self.context_table = state.tables.context_table

    def contexts_of(self, words: Ints) -> tuple[NDArray[np.float32], Ints]:
        """The context vectors of words, of unit length, and how many each word has. Empty windows are left out."""
        bounds = self.occurrences.offsets[np.append(words, words[-1] + 1)]
        positions = self.occurrences.positions[bounds[0] : bounds[-1]]
        sentence = np.searchsorted(self.sentences, positions, side="right") - 1
        starts, ends = self.sentences[sentence], self.sentences[sentence + 1]
        contexts = zero_padded_rows(len(positions), self.context_table.shape[1])
        gather_contexts(
            self.tokens, positions, starts, ends, self.window, self.decay, self.weights, self.context_table, contexts
        )
        num_contexts = np.empty(len(words), np.int64)
        normalize_rows(contexts, bounds - bounds[0], num_contexts)
        return contexts[: num_contexts.sum()], num_contexts
