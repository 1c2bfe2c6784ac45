"""Sense vectors in two stages, as in Huang et al. (2012): cluster contexts, then train on a corpus of cluster labels.

    words       skip-gram on the corpus
    clustering  spherical k-means of up to MAX_OCCURRENCES contexts of each word that may have several senses; a context
                is the mean of the global vectors of the WINDOW known words on each side, weighted by log(N / df)
    labelling   each token is replaced by the label of its word's nearest cluster: bank#1, bank#2
    senses      skip-gram on the labelled corpus: its word vectors are the sense vectors

Global vectors and sense vectors come from different training runs, so a cosine between a global vector and a sense
vector, as in `neighbours("bank#2", among="words")`, is meaningless.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.blocks import block_bounds
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.experiments.tfidf import (
    MAX_OCCURRENCES,
    ContextCounter,
    corpus_tokenizer,
    inverse_document_frequencies,
    spherical_k_means,
)
from polyseme.kernels.assign import assign_senses
from polyseme.kernels.nearest_sense import inverse_norms
from polyseme.kernels.simd.padding import padded_rows
from polyseme.model import storage
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData, unit_rows
from polyseme.model.sense_assigner import ALL_TOKENS
from polyseme.model.sense_model import SenseModel
from polyseme.training.config import TrainConfig
from polyseme.training.events import Listener, raise_if_stopped, silent
from polyseme.training.run import train
from polyseme.training.trainer import num_threads

WINDOW = 5
NO_DECAY = np.float32(1)
BLOCK_TOKENS = 100_000
STAGES = ("words", "clustering", "labelling", "senses")

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Clusters:
    """The clusters of word w are rows offsets[w] to offsets[w + 1]; the center of a single cluster is zero."""

    offsets: Ints  # (V + 1,)
    centers: Floats  # (R, d)

    @property
    def word_of(self) -> Ints:
        """(R,) The word id of each cluster."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True)
class LabelledCorpus:
    """A corpus in which each word is a cluster."""

    corpus: EncodedCorpus
    counts: Ints  # (R,) tokens of each cluster
    ids: Ints  # (R,) word id of each cluster in the corpus


def train_two_stage(
    corpus: EncodedCorpus,
    out: Path,
    *,
    config: TrainConfig,
    listen: Listener = silent,
    stop: Callable[[], bool] = lambda: False,
) -> SenseModel:
    """Train a model and save it to `out`; if `out` is a model already, load it.

    Senses with fewer than `config.min_count` tokens are dropped, as rare words are. The model's `training` describes
    the last stage, except for `seconds`, the time of all stages, and `stages`, the time of each.
    """
    if storage.is_model(out):
        return SenseModel.load(out, corpus_tokenizer(corpus))
    storage.refuse_existing(out, force=False)
    times = [time.monotonic()]
    words = _skip_gram(corpus, config, listen, stop)
    times.append(time.monotonic())
    idf = inverse_document_frequencies(corpus, len(words))
    clusters = cluster_contexts(corpus, words, idf, config, stop)
    times.append(time.monotonic())
    labelled = label_corpus(corpus, clusters, assign_clusters(corpus, words, idf, clusters, config, stop))
    times.append(time.monotonic())
    senses = _skip_gram(labelled.corpus, replace(config, max_vocabulary=None), listen, stop)
    times.append(time.monotonic())
    stages = {name: end - start for name, (start, end) in zip(STAGES, pairwise(times), strict=True)}
    data = ModelData(
        vocabulary=words.vocabulary,
        arrays=_assemble_arrays(words, senses, clusters, labelled),
        tokenizer=words.tokenizer,
        config={**words.config, "model": "two-stage", "senses": config.senses, "min_share": 0.0},
        corpus=words.corpus,
        training={**senses.training, "seconds": times[-1] - times[0], "stages": stages},
    )
    data.arrays.check(len(words))
    storage.save(data, out)
    return SenseModel.load(out, data.tokenizer)


def _skip_gram(corpus: EncodedCorpus, config: TrainConfig, listen: Listener, stop: Callable[[], bool]) -> SenseModel:
    skip_gram = replace(config, model="skip-gram", examples=0)
    return train(corpus, config=skip_gram, tokenizer=corpus_tokenizer(corpus), listen=listen, stop=stop)


def cluster_contexts(
    corpus: EncodedCorpus,
    words: SenseModel,
    idf: Floats,
    config: TrainConfig,
    stop: Callable[[], bool] = lambda: False,
) -> Clusters:
    """Up to `config.senses` clusters of the contexts of each word that may have several senses, and one of other words.

    A word needs `config.senses * config.min_count` tokens, so that at least one of its senses is not dropped.
    """
    frequent = words.vocabulary.counts >= config.senses * config.min_count
    multi_sense = config.may_have_several_senses(words.vocabulary) & frequent
    sample = ContextCounter.of(
        corpus, words.vocabulary, np.flatnonzero(multi_sense), max_occurrences=MAX_OCCURRENCES, seed=config.seed
    )
    weighted_vectors = idf[:, None] * words.global_vectors
    zero_center = np.zeros((1, words.dim), np.float32)

    def centers(word: int) -> Floats:
        raise_if_stopped(stop)
        if not multi_sense[word]:
            return zero_center
        contexts = unit_rows(sample.counts(sample.occurrences.of(word), WINDOW) @ weighted_vectors)
        return spherical_k_means(contexts, config.senses, np.random.default_rng([config.seed, word]))[1]

    with ThreadPoolExecutor(num_threads(config.threads, corpus)) as pool:
        word_centers = list(pool.map(centers, range(len(words))))
    offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in word_centers])])
    return Clusters(offsets, np.concatenate(word_centers))


def assign_clusters(
    corpus: EncodedCorpus,
    words: SenseModel,
    idf: Floats,
    clusters: Clusters,
    config: TrainConfig,
    stop: Callable[[], bool] = lambda: False,
) -> NDArray[np.int32]:
    """(n,) For each token, the row of the cluster of its word that is nearest to its context; -1 for unknown words."""
    centers = padded_rows(clusters.centers)
    tables = (
        idf,
        np.asarray(padded_rows(words.global_vectors)),
        clusters.offsets,
        np.diff(clusters.offsets).astype(np.int32),
        centers,
        inverse_norms(centers),
        np.zeros(len(centers), np.float32),
        np.full(len(words), ALL_TOKENS),
    )
    rows = np.empty(len(corpus.tokens), np.int32)
    bounds = block_bounds(corpus.sentences, BLOCK_TOKENS)

    def assign(block: int) -> None:
        raise_if_stopped(stop)
        first = int(corpus.sentences[bounds[block]])
        tokens, sentences = corpus.read(bounds[block], bounds[block + 1])
        block_rows, cosines = rows[first : first + len(tokens)], np.empty(len(tokens), np.float32)
        rng = np.zeros(1, np.uint64)
        assign_senses(tokens, sentences, WINDOW, NO_DECAY, *tables, rng, block_rows, cosines)

    with ThreadPoolExecutor(num_threads(config.threads, corpus)) as pool:
        list(pool.map(assign, range(len(bounds) - 1)))
    return rows


def label_corpus(corpus: EncodedCorpus, clusters: Clusters, token_clusters: NDArray[np.int32]) -> LabelledCorpus:
    """The corpus with clusters as words: `bank#1` is the most frequent cluster of `bank`. Unknown words are unchanged.

    token_clusters  IN  int32 (n,)  the cluster of each token, -1 for unknown words
    """
    num_clusters, num_known = len(clusters.centers), len(clusters.offsets) - 1
    labels = np.where(token_clusters >= 0, token_clusters, corpus.tokens + (num_clusters - num_known))
    counts = np.bincount(labels, minlength=num_clusters + len(corpus.words) - num_known)
    names = _cluster_keys(corpus.words[:num_known], clusters, counts[:num_clusters]) + corpus.words[num_known:]
    order = np.argsort(-counts, kind="stable")
    ids = np.empty(len(order), np.int32)
    ids[order] = np.arange(len(order), dtype=np.int32)
    present = order[: np.count_nonzero(counts)]
    labelled = replace(corpus, tokens=ids[labels], words=[names[i] for i in present.tolist()], counts=counts[present])
    return LabelledCorpus(labelled, counts[:num_clusters], ids[:num_clusters].astype(np.int64))


def _cluster_keys(words: list[str], clusters: Clusters, counts: Ints) -> list[str]:
    """The key of each cluster, numbered from the most frequent of its word; the word itself if it has one cluster."""
    word_of = clusters.word_of
    numbers = np.empty(len(counts), np.int64)
    numbers[_sorted_by_frequency(word_of, counts)] = np.arange(len(counts)) - clusters.offsets[word_of] + 1
    unsplit = np.diff(clusters.offsets)[word_of] == 1
    return [
        words[w] if single else f"{words[w]}#{k}"
        for w, k, single in zip(word_of.tolist(), numbers.tolist(), unsplit.tolist(), strict=True)
    ]


def _sorted_by_frequency(word_of: Ints, counts: Ints) -> Ints:
    """The clusters sorted by word, then by descending count."""
    return np.lexsort((-counts, word_of))


def _assemble_arrays(
    words: SenseModel, senses: SenseModel, clusters: Clusters, labelled: LabelledCorpus
) -> ModelArrays:
    """The arrays of the model. Clusters that are not in the vocabulary of the second training run are dropped."""
    word_of = clusters.word_of
    order = _sorted_by_frequency(word_of, labelled.counts)
    kept = order[labelled.ids[order] < len(senses)]
    num_senses = np.bincount(word_of[kept], minlength=len(words))
    return ModelArrays(
        global_vectors=words.global_vectors,
        sense_vectors=senses.sense_vectors[labelled.ids[kept]],
        sense_offsets=np.concatenate([[0], np.cumsum(num_senses)]),
        sense_counts=labelled.counts[kept],
        cluster_centers=clusters.centers[kept],
    )
