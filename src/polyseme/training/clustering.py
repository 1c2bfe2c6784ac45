"""The start of the senses: clusters of a sample of each word's contexts, made when the warm-up ends."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.encoded import EncodedCorpus
from polyseme.kernels.clustering import cluster_words
from polyseme.kernels.contexts import gather_contexts
from polyseme.kernels.counting import sample_uses
from polyseme.training.state import TrainState
from polyseme.vocabulary import Vocabulary

USES = 300  # contexts looked at for each word
LEAST_SHARE, LEAST_USES = 0.05, 10  # a smaller cluster of them is no sense that could be discovered
ALL_APART = 2.0  # a cosine above every cosine
WORDS_AT_ONCE = 256

Ints = NDArray[np.int64]


def start_from_clusters(state: TrainState, corpus: EncodedCorpus) -> None:
    """Give each word that may have several senses the clusters of its contexts as senses.

    mssg takes `senses` clusters, np-mssg up to `max_senses`, of which those alike are one.
    """
    config, p = state.config, state.parameters
    discover = config.model == "np-mssg"
    room = np.diff(p.sense_offsets)
    words = np.flatnonzero(room > 1)
    weights = (state.tables.keep / 2.0**32).astype(np.float32)
    positions, offsets = sample_positions(corpus, state.vocabulary, words, config.seed)
    tokens, sentences = np.asarray(corpus.tokens), np.asarray(corpus.sentences)
    choice = state.tables.choice

    def cluster(first: int) -> None:
        some = words[first : first + WORDS_AT_ONCE]
        bounds = offsets[np.append(some, some[-1] + 1)] - offsets[some[0]]
        places = positions[offsets[some[0]] : offsets[some[-1] + 1]]
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
        cluster_words(contexts, bounds, most, same, share, least, seed, centers, sizes, numbers)
        rows = p.sense_offsets[some][:, None] + np.arange(most)
        p.cluster_centers[rows] = centers
        p.center_squares[rows] = np.einsum("wkd,wkd->wk", centers, centers)
        p.sense_counts[rows] = sizes
        p.sense_numbers[some] = numbers

    with ThreadPoolExecutor(state.threads) as pool:
        list(pool.map(cluster, range(0, len(words), WORDS_AT_ONCE)))


def sample_positions(corpus: EncodedCorpus, vocabulary: Vocabulary, words: Ints, seed: int) -> tuple[Ints, Ints]:
    """Up to USES positions of each of the words, those of word w at positions[offsets[w] : offsets[w + 1]]."""
    room = np.zeros(len(vocabulary), np.int64)
    room[words] = np.minimum(vocabulary.counts[words], USES)
    offsets = np.concatenate([[0], np.cumsum(room)])
    positions = np.empty(offsets[-1], np.int64)
    seen = np.zeros(len(vocabulary), np.int64)
    sample_uses(np.asarray(corpus.tokens), offsets, np.array([seed], np.uint64), seen, positions)
    return positions, offsets
