"""Initial senses: clusters of a sample of each word's contexts, computed at the end of the warm-up.

np-mssg decides in two steps how many senses a word has:

1. Words of general use (the, which, however) have one sense. They occur in all kinds of contexts, whose clusters are as
   different as those of random contexts, so clusters cannot tell them from ambiguous words. But they occur everywhere
   in a text, while words with a topic come in bursts: a word needs a `burstiness` that hardly any of the most frequent
   words of the corpus has. These are mostly words of general use, in any language.
2. The contexts of other words are clustered, and clusters that are too similar or too small are merged (see
   `polyseme.kernels.kmeans`).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from polyseme._io.memory_map import release_pages
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.occurrences import Occurrences, burstiness, find_occurrences
from polyseme.kernels.contexts import gather_contexts
from polyseme.kernels.kmeans import cluster_words, normalize_rows
from polyseme.kernels.nearest_sense import inverse_norms
from polyseme.kernels.simd.padding import zero_padded_rows
from polyseme.training.state import TrainState

# Contexts sampled per word. Finding the number of senses takes more than finding a given number.
SAMPLE, SAMPLE_PER_SENSE, DISCOVERY_SAMPLE = 100, 30, 500
# A cluster with a smaller share of its word's tokens, or with fewer tokens, is not a sense that np-mssg can discover.
MIN_SHARE, MIN_TOKENS = 0.05, 30
CHUNK_WORDS = 32  # words whose contexts a thread holds in memory

# A word can have several senses if it exceeds this percentile of the most frequent words.
REFERENCE_WORDS, REFERENCE_PERCENTILE = 100, 90
# If the median of these words is lower, most of them are words of general use, and none of them is split (in a small
# vocabulary: of 1% of the words), because some come in bursts, such as pronouns in biographies. The median is higher in
# texts without stop words.
GENERAL_BURSTINESS = 0.5
# A burstiness of 1 is enough: the geometric mean of the distances is then e times shorter than for random positions.
# Without this limit, the most frequent words of a text without stop words would set a threshold for words with a topic.
ENOUGH_BURSTINESS = 1.0
# In a text whose words have a lower median, such as shuffled sentences, burstiness says nothing.
MIN_MEDIAN_BURSTINESS = 0.2

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def init_from_clusters(state: TrainState, corpus: EncodedCorpus) -> None:
    """Set the senses of each word that can have several to clusters of its contexts.

    mssg makes `senses` clusters; np-mssg makes up to `max_senses` and merges those with a separation below
    `min_separation`. A word with fewer contexts than clusters is skipped: its senses are filled during training.
    """
    config, p = state.config, state.parameters
    counts = state.vocabulary.counts
    capacity = np.diff(p.sense_offsets)
    max_senses = int(capacity.max())
    words = np.flatnonzero(capacity > 1)
    discovers = config.model == "np-mssg"
    gated = discovers and config.multi_sense_words is None  # a list of words is the user's decision
    if gated:
        scores = burstiness(corpus.tokens, len(counts))
        threshold = specificity_threshold(scores[:REFERENCE_WORDS], scores[words], ENOUGH_BURSTINESS)
        if threshold is not None and np.median(scores[words]) > MIN_MEDIAN_BURSTINESS:
            if np.median(scores[:REFERENCE_WORDS]) < GENERAL_BURSTINESS:
                words = words[words >= min(REFERENCE_WORDS, len(counts) // 100)]
            words, gated = words[scores[words] >= threshold], False
    max_occurrences = DISCOVERY_SAMPLE if discovers else max(SAMPLE, SAMPLE_PER_SENSE * max_senses)
    min_separation = config.min_separation if discovers else 0.0
    occurrences = find_occurrences(corpus.tokens, counts, words, max_occurrences=max_occurrences, seed=config.seed)
    sample = _ContextSample(state, corpus, occurrences)
    tightness = np.zeros(len(counts), np.float32)

    def cluster(first: int) -> None:
        chunk = words[first : first + CHUNK_WORDS]
        contexts, num_contexts = sample.contexts_of(chunk)
        enough = num_contexts >= max_senses
        if not enough.all():
            contexts = contexts[np.repeat(enough, num_contexts)]
        chunk, num_contexts = chunk[enough], num_contexts[enough]
        bounds = np.concatenate([[0], np.cumsum(num_contexts)])
        dim = contexts.shape[1]
        centers = zero_padded_rows(len(chunk) * max_senses, dim).reshape(len(chunk), max_senses, dim)
        cluster_sizes, num_clusters = np.empty((len(chunk), max_senses), np.int64), np.empty(len(chunk), np.int32)
        chunk_tightness = np.empty(len(chunk), np.float32)
        seed = np.uint64((config.seed * 1_000_003 + first) % 2**64)
        min_shares = np.maximum(MIN_SHARE, MIN_TOKENS / counts[chunk])
        min_sizes = np.ceil(min_shares * num_contexts * discovers).astype(np.int64)
        cluster_words(
            contexts, bounds, max_senses, min_separation, min_sizes, seed, centers, cluster_sizes, num_clusters,
            chunk_tightness,
        )  # fmt: skip
        rows = p.sense_offsets[chunk][:, None] + np.arange(max_senses)
        p.cluster_centers[rows] = centers
        p.center_inverse_norms[rows] = inverse_norms(centers)
        p.sense_counts[rows] = cluster_sizes
        p.num_senses[chunk] = num_clusters
        tightness[chunk] = chunk_tightness

    with ThreadPoolExecutor(state.threads) as pool:
        list(pool.map(cluster, range(0, len(words), CHUNK_WORDS)))
    release_pages(corpus.tokens)
    if gated:
        threshold = specificity_threshold(tightness[:REFERENCE_WORDS], tightness[words], np.inf)
        if threshold is not None:
            _unsplit(state, words[tightness[words] < threshold])


def specificity_threshold(reference: NDArray[np.floating], words: NDArray[np.floating], enough: float) -> float | None:
    """The lowest score of words that are not of general use, from the scores of the most frequent words.

    None if half of the words that can have several senses do not reach it: then the score says nothing in this corpus,
    as burstiness in a corpus of shuffled sentences.
    """
    threshold = min(float(np.percentile(reference, REFERENCE_PERCENTILE)), enough)
    return threshold if len(words) and np.median(words) > threshold else None


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


class _ContextSample:
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
