"""The start of the senses: clusters of a sample of each word's contexts, made when the warm-up ends."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from polyseme._io.memory_map import release_pages
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.occurrences import find_occurrences
from polyseme.kernels.contexts import gather_contexts
from polyseme.kernels.kmeans import cluster_words, normalize_rows
from polyseme.kernels.nearest_sense import inverse_norms
from polyseme.kernels.simd.padding import zero_padded_rows
from polyseme.training.state import TrainState

USES, USES_TO_DISCOVER = 100, 300  # contexts looked at for each word; it takes more to tell how many senses it has
USES_PER_SENSE = 30  # at least, where their number is given
LEAST_SHARE, LEAST_USES = 0.05, 30  # of a word's uses: a smaller cluster is no sense that could be discovered
WORDS_AT_ONCE = 32  # whose contexts a thread holds in memory


def init_from_clusters(state: TrainState, corpus: EncodedCorpus) -> None:
    """Give each word that may have several senses the clusters of its contexts as senses.

    mssg takes `senses` clusters, np-mssg up to `max_senses`, of which those hardly apart are one.
    """
    config, p = state.config, state.parameters
    room = np.diff(p.sense_offsets)
    most = int(room.max())
    words = np.flatnonzero(room > 1)
    weights = (state.tables.keep / 2.0**32).astype(np.float32)
    tokens, sentences = np.asarray(corpus.tokens), np.asarray(corpus.sentences)
    choice = state.tables.context_table
    window, decay = config.sense_window or config.window, np.float32(config.sense_decay)
    discovers = config.model == "np-mssg"
    looked_at = USES_TO_DISCOVER if discovers else max(USES, USES_PER_SENSE * most)
    uses = find_occurrences(corpus.tokens, state.vocabulary.counts, words, max_occurrences=looked_at, seed=config.seed)
    apart = config.min_separation if discovers else 0.0

    def cluster(first: int) -> None:
        some = words[first : first + WORDS_AT_ONCE]
        contexts, numbers = contexts_of(some)
        enough = numbers >= most  # a word with fewer keeps what it has, and takes its senses as they come
        if not enough.all():
            contexts = contexts[np.repeat(enough, numbers)]
        some, numbers = some[enough], numbers[enough]
        bounds = np.concatenate([[0], np.cumsum(numbers)])
        centers = zero_padded_rows(len(some) * most, choice.shape[1]).reshape(len(some), most, choice.shape[1])
        sizes, found = np.empty((len(some), most), np.int64), np.empty(len(some), np.int32)
        seed = np.uint64((config.seed * 1_000_003 + first) % 2**64)
        shares = np.maximum(LEAST_SHARE, LEAST_USES / state.vocabulary.counts[some])
        smallest = np.ceil(shares * numbers * discovers).astype(np.int64)
        cluster_words(contexts, bounds, most, apart, smallest, seed, centers, sizes, found)
        rows = p.sense_offsets[some][:, None] + np.arange(most)
        p.cluster_centers[rows] = centers
        p.center_inverse_norms[rows] = inverse_norms(centers)
        p.sense_counts[rows] = sizes
        p.num_senses[some] = found

    def contexts_of(some: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The unit vectors of the contexts of some words, and how many each word has; an empty window is none."""
        bounds = uses.offsets[np.append(some, some[-1] + 1)]
        places = uses.positions[bounds[0] : bounds[-1]]
        inside = np.searchsorted(sentences, places, side="right") - 1
        contexts, numbers = zero_padded_rows(len(places), choice.shape[1]), np.empty(len(some), np.int64)
        gather_contexts(
            tokens, places, sentences[inside], sentences[inside + 1], window, decay, weights, choice, contexts
        )
        normalize_rows(contexts, bounds - bounds[0], numbers)
        return contexts[: numbers.sum()], numbers

    with ThreadPoolExecutor(state.threads) as pool:
        list(pool.map(cluster, range(0, len(words), WORDS_AT_ONCE)))
    release_pages(corpus.tokens)
