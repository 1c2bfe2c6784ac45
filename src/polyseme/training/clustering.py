"""The start of the senses: clusters of a sample of each word's contexts, made when the warm-up ends."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from polyseme.corpus.encoded import EncodedCorpus
from polyseme.corpus.uses import find_uses
from polyseme.kernels.clustering import cluster_words
from polyseme.kernels.contexts import gather_contexts
from polyseme.training.state import TrainState

USES = 300  # contexts looked at for each word
LEAST_SHARE, LEAST_USES = 0.05, 10  # a smaller cluster of them is no sense that could be discovered
ALL_APART = 2.0  # a cosine above every cosine
WORDS_AT_ONCE = 256


def start_from_clusters(state: TrainState, corpus: EncodedCorpus) -> None:
    """Give each word that may have several senses the clusters of its contexts as senses.

    mssg takes `senses` clusters, np-mssg up to `max_senses`, of which those alike are one.
    """
    config, p = state.config, state.parameters
    discover = config.model == "np-mssg"
    room = np.diff(p.sense_offsets)
    words = np.flatnonzero(room > 1)
    weights = (state.tables.keep / 2.0**32).astype(np.float32)
    uses = find_uses(corpus.tokens, state.vocabulary.counts, words, most=USES, seed=config.seed)
    tokens, sentences = np.asarray(corpus.tokens), np.asarray(corpus.sentences)
    choice = state.tables.choice

    def cluster(first: int) -> None:
        some = words[first : first + WORDS_AT_ONCE]
        bounds = uses.offsets[np.append(some, some[-1] + 1)]
        places = uses.positions[bounds[0] : bounds[-1]]
        inside = np.searchsorted(sentences, places, side="right") - 1
        contexts = np.empty((len(places), config.dim), np.float32)
        reach = config.choice_window or config.window
        gather_contexts(tokens, places, sentences[inside], sentences[inside + 1], reach, weights, choice, contexts)
        contexts /= np.maximum(np.linalg.norm(contexts, axis=1, keepdims=True), 1e-9)
        most = int(room[some[0]])
        centers = np.empty((len(some), most, config.dim), np.float32)
        sizes, numbers = np.empty((len(some), most), np.int64), np.empty(len(some), np.int32)
        same, share, least = (config.same_sense_cosine, LEAST_SHARE, LEAST_USES) if discover else (ALL_APART, 0.0, 0)
        seed = np.uint64(config.seed * 1_000_003 + first)
        cluster_words(contexts, bounds - bounds[0], most, same, share, least, seed, centers, sizes, numbers)
        rows = p.sense_offsets[some][:, None] + np.arange(most)
        p.cluster_centers[rows] = centers
        p.center_squares[rows] = np.einsum("wkd,wkd->wk", centers, centers)
        p.sense_counts[rows] = sizes
        p.sense_numbers[some] = numbers

    with ThreadPoolExecutor(state.threads) as pool:
        list(pool.map(cluster, range(0, len(words), WORDS_AT_ONCE)))
