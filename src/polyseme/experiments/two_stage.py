"""Sense vectors in two stages, as by Huang et al. (2012): cluster contexts first, then learn vectors of the labels.

    words       skip-gram on the corpus
    clustering  of up to USES contexts of each word that may have several senses, by spherical k-means; a context is the
                mean of the global vectors of the REACH known words on each side, weighted by log(N / df)
    labelling   every token gets the nearest cluster of its word, and becomes a word of its own: bank#1, bank#2
    senses      skip-gram on the labelled corpus: its word vectors are the sense vectors

Global vectors and sense vectors are of two runs, and so of two spaces: a cosine between the one and the other, as in
`neighbours("bank#2", among="words")`, says nothing.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.blocks import block_bounds
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.experiments.tfidf import (
    USES,
    Surroundings,
    inverse_document_frequencies,
    spherical_k_means,
    tokenizer_of,
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
from polyseme.training.events import Listener, silent
from polyseme.training.run import train
from polyseme.training.trainer import num_threads

REACH = 5
CHUNK_TOKENS = 100_000
STAGES = ("words", "clustering", "labelling", "senses")

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Clusters:
    """The clusters of word w are rows offsets[w] to offsets[w + 1] of the centers; a single one is a row of zeros."""

    offsets: Ints  # (V + 1,)
    centers: Floats  # (R, d)

    @property
    def word_of(self) -> Ints:
        """The word of each cluster."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True)
class Labelled:
    """A corpus of labelled tokens; for each cluster the tokens that have its label, and its id as a word."""

    corpus: EncodedCorpus
    counts: Ints  # (R,)
    ids: Ints  # (R,)


def learn_two_stage(corpus: EncodedCorpus, out: Path, *, config: TrainConfig, listen: Listener = silent) -> SenseModel:
    """Learn a model and save it to `out`; a model that is there already is not learned again.

    A sense with fewer tokens than `config.min_count` is left out, as a word would be. `training` tells of the last
    stage, but for the seconds: they are those of all stages, and of each.
    """
    if storage.is_model(out):
        return SenseModel.load(out, tokenizer_of(corpus))
    storage.refuse_existing(out, force=False)
    marks = [time.monotonic()]
    words = _skip_gram(corpus, config, listen)
    marks.append(time.monotonic())
    idf = inverse_document_frequencies(corpus, len(words))
    clusters = cluster_contexts(corpus, words, idf, config)
    marks.append(time.monotonic())
    labelled = relabel(corpus, clusters, assign_clusters(corpus, words, idf, clusters, config))
    marks.append(time.monotonic())
    senses = _skip_gram(labelled.corpus, replace(config, max_vocabulary=None), listen)
    marks.append(time.monotonic())
    stages = {name: end - start for name, (start, end) in zip(STAGES, pairwise(marks), strict=True)}
    data = ModelData(
        vocabulary=words.vocabulary,
        arrays=_assembled(words, senses, clusters, labelled),
        tokenizer=words.tokenizer,
        config={**words.config, "model": "two-stage"},
        corpus=words.corpus,
        training={**senses.training, "seconds": marks[-1] - marks[0], "stages": stages},
    )
    data.arrays.check(len(words))
    storage.save(data, out)
    return SenseModel.load(out, data.tokenizer)


def _skip_gram(corpus: EncodedCorpus, config: TrainConfig, listen: Listener) -> SenseModel:
    config = replace(config, model="skip-gram", examples=0)
    return train(corpus, config=config, tokenizer=tokenizer_of(corpus), listen=listen)


def cluster_contexts(corpus: EncodedCorpus, words: SenseModel, idf: Floats, config: TrainConfig) -> Clusters:
    """Up to `config.senses` clusters for each word that may have several senses.

    So that one of them is sure to have `config.min_count` tokens, a word needs as many for each.
    """
    counts = words.vocabulary.counts
    several = config.may_have_several_senses(words.vocabulary) & (counts >= config.senses * config.min_count)
    around = Surroundings.of(corpus, words.vocabulary, np.flatnonzero(several), most=USES, seed=config.seed)
    weighted_vectors = idf[:, None] * words._data.arrays.global_vectors
    single = np.zeros((1, words._data.arrays.dim), np.float32)

    def centers(word: int) -> Floats:
        if not several[word]:
            return single
        contexts = unit_rows(around.counts(around.uses.of(word), REACH) @ weighted_vectors)
        return spherical_k_means(contexts, config.senses, np.random.default_rng([config.seed, word]))[1]

    with ThreadPoolExecutor(num_threads(config.threads, corpus)) as pool:
        every = list(pool.map(centers, range(len(words))))
    return Clusters(np.concatenate([[0], np.cumsum([len(rows) for rows in every])]), np.concatenate(every))


def assign_clusters(
    corpus: EncodedCorpus, words: SenseModel, idf: Floats, clusters: Clusters, config: TrainConfig
) -> NDArray[np.int32]:
    """For each token the row of the cluster of its word that is nearest to its context; -1 for unknown words."""
    centers = padded_rows(clusters.centers)
    tables = (
        idf,
        np.asarray(padded_rows(words._data.arrays.global_vectors)),
        clusters.offsets,
        np.diff(clusters.offsets).astype(np.int32),
        centers,
        inverse_norms(centers),
        np.zeros(len(centers), np.float32),
        np.full(len(words), ALL_TOKENS),
    )
    chosen = np.empty(len(corpus.tokens), np.int32)
    bounds = block_bounds(corpus.sentences, CHUNK_TOKENS)

    def assign(block: int) -> None:
        sentences = np.array(corpus.sentences[bounds[block] : bounds[block + 1] + 1])
        inside = slice(int(sentences[0]), int(sentences[-1]))
        tokens = np.array(corpus.tokens[inside])
        cosines = np.empty(len(tokens), np.float32)
        rng = np.zeros(1, np.uint64)
        assign_senses(tokens, sentences - sentences[0], REACH, np.float32(1), *tables, rng, chosen[inside], cosines)

    with ThreadPoolExecutor(num_threads(config.threads, corpus)) as pool:
        list(pool.map(assign, range(len(bounds) - 1)))
    return chosen


def relabel(corpus: EncodedCorpus, clusters: Clusters, chosen: NDArray[np.int32]) -> Labelled:
    """The corpus with each cluster as a word, `bank#1` the most frequent of `bank`; unknown words stay as they are.

    chosen  IN  int32 (n,)  the cluster of each token, -1 for unknown words
    """
    rows, known = len(clusters.centers), len(clusters.offsets) - 1
    labels = np.where(chosen >= 0, chosen, corpus.tokens + (rows - known))
    counts = np.bincount(labels, minlength=rows + len(corpus.words) - known)
    names = _keys(corpus.words[:known], clusters, counts[:rows]) + corpus.words[known:]
    order = np.argsort(-counts, kind="stable")
    ids = np.empty(len(order), np.int32)
    ids[order] = np.arange(len(order), dtype=np.int32)
    seen = order[: np.count_nonzero(counts)]
    labelled = replace(corpus, tokens=ids[labels], words=[names[i] for i in seen.tolist()], counts=counts[seen])
    return Labelled(labelled, counts[:rows], ids[:rows].astype(np.int64))


def _keys(words: list[str], clusters: Clusters, counts: Ints) -> list[str]:
    """The name of each cluster, numbered from the most frequent of its word down; the word if it is the only one."""
    word_of = clusters.word_of
    numbers = np.empty(len(counts), np.int64)
    numbers[_most_frequent_first(word_of, counts)] = np.arange(len(counts)) - clusters.offsets[word_of] + 1
    alone = np.diff(clusters.offsets)[word_of] == 1
    return [
        words[w] if one else f"{words[w]}#{k}"
        for w, k, one in zip(word_of.tolist(), numbers.tolist(), alone.tolist(), strict=True)
    ]


def _most_frequent_first(word_of: Ints, counts: Ints) -> Ints:
    """Clusters by their word, and within it by falling count."""
    return np.lexsort((-counts, word_of))


def _assembled(words: SenseModel, senses: SenseModel, clusters: Clusters, labelled: Labelled) -> ModelArrays:
    """Global vectors of the words; of the clusters that the second run has a word for, vectors, counts and centers."""
    word_of = clusters.word_of
    order = _most_frequent_first(word_of, labelled.counts)
    kept = order[labelled.ids[order] < len(senses)]
    numbers = np.bincount(word_of[kept], minlength=len(words))
    return ModelArrays(
        global_vectors=words._data.arrays.global_vectors,
        sense_vectors=senses._data.arrays.sense_vectors[labelled.ids[kept]],
        sense_offsets=np.concatenate([[0], np.cumsum(numbers)]),
        sense_counts=labelled.counts[kept],
        cluster_centers=clusters.centers[kept],
    )
