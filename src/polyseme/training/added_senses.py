"""Sense discovery in continued training.

New words, and old words that could not have several senses so far, get theirs as in a new run (`sense_discovery`), from
their contexts in the new text. An old word that could is treated with more care: its contexts in the new text are
clustered, and a cluster becomes a new sense of the word only if its separation from every old sense is at least
`min_separation`. As in a new run, a cluster with a small share needs a larger distance (see
`polyseme.kernels.kmeans.separation`), and here tokens of the old text count as well: a sense of the new text needs the
share that it would need if a new model were trained on both texts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.kernels.nearest_sense import inverse_norms
from polyseme.model.data import unit_rows
from polyseme.training.continued import ContinuedState
from polyseme.training.sense_discovery import (
    Clusters,
    CorpusContexts,
    candidates,
    cluster_contexts,
    init_from_clusters,
    min_cluster_sizes,
)
from polyseme.training.state import TrainState

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


def discover_senses(state: TrainState, corpus: EncodedCorpus) -> None:
    """Set the senses of words that have none yet, and add senses to old words if np-mssg finds new ones."""
    assert isinstance(state, ContinuedState)
    init_from_clusters(state, corpus, state.undecided)
    _match_old_senses(state)
    if state.config.model == "np-mssg" and state.init.has_senses and not state.init.freeze:
        _add_senses(state, corpus)


def _match_old_senses(state: ContinuedState) -> None:
    """The sense of an old word that was just split comes first: the one nearest to it, else the most frequent.

    An old word that was not split keeps its center and count.
    """
    p, data = state.parameters, state.init.data
    old_centers = data.arrays.cluster_centers if state.init.has_senses else None
    first_rows = data.arrays.sense_offsets
    several = state.undecided & (np.diff(p.sense_offsets) > 1)
    for old in np.flatnonzero(several[state.old_words]).tolist():
        word = state.old_words[old]
        first, used = p.sense_offsets[word], p.sense_offsets[word] + p.num_senses[word]
        if p.num_senses[word] == 1:
            p.sense_counts[first] = data.arrays.sense_counts[first_rows[old]]
            if old_centers is not None:
                p.cluster_centers[first, : old_centers.shape[1]] = old_centers[first_rows[old]]
        else:
            rank = p.sense_counts[first:used].astype(np.float64)
            if old_centers is not None:
                width = old_centers.shape[1]
                cosines = unit_rows(p.cluster_centers[first:used, :width]) @ old_centers[first_rows[old]]
                rank[cosines.argmax()] = np.inf
            order = first + np.argsort(-rank, kind="stable")
            p.cluster_centers[first:used] = p.cluster_centers[order]
            p.sense_counts[first:used] = p.sense_counts[order]
        p.center_inverse_norms[first:used] = inverse_norms(p.cluster_centers[first:used])


def _add_senses(state: ContinuedState, corpus: EncodedCorpus) -> None:
    p = state.parameters
    words, _ = candidates(state, CorpusContexts(state, corpus))
    words = words[~state.undecided[words] & (p.num_senses[words] < np.diff(p.sense_offsets)[words])]
    old_counts = state.vocabulary.counts - state.new_counts

    def keep(clusters: Clusters) -> None:
        min_sizes = min_cluster_sizes(state.new_counts[clusters.words], clusters.num_contexts)
        for i, word in enumerate(clusters.words.tolist()):
            first, used, end = (
                p.sense_offsets[word],
                p.sense_offsets[word] + p.num_senses[word],
                p.sense_offsets[word + 1],
            )
            n = int(clusters.num_clusters[i])
            centers, sizes = clusters.centers[i, :n], clusters.sizes[i, :n]
            shares = p.sense_counts[first:used] / max(p.sense_counts[first:used].sum(), 1)
            separations = separation_from_old(
                centers,
                sizes / clusters.num_contexts[i] * state.new_counts[word],
                p.cluster_centers[first:used],
                shares * old_counts[word],
            )
            new = np.flatnonzero((separations >= state.config.min_separation) & (sizes >= min_sizes[i]))
            new = new[np.argsort(-sizes[new], kind="stable")][: end - used]
            rows = slice(used, used + len(new))
            p.cluster_centers[rows] = centers[new]
            p.center_inverse_norms[rows] = inverse_norms(np.ascontiguousarray(p.cluster_centers[rows]))
            p.sense_counts[rows] = sizes[new]
            p.num_senses[word] += len(new)

    cluster_contexts(state, CorpusContexts(state, corpus), words, keep)


def separation_from_old(
    centers: Floats, tokens: NDArray[np.float64], old_centers: Floats, old_tokens: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(k,) The separation of each cluster from the old sense from which it is least separated.

    centers      IN  float32 (k, c)
    tokens       IN  float64 (k,)    estimated tokens of each cluster in the new text
    old_centers  IN  float32 (m, c)
    old_tokens   IN  float64 (m,)    tokens of each old sense in the old text

    The tokens of an old sense include those of the other clusters that are nearest to it.
    """
    cosines = unit_rows(centers).astype(np.float64) @ unit_rows(old_centers).T
    nearest = cosines.argmax(axis=1)
    of_sense = old_tokens + np.bincount(nearest, tokens, len(old_tokens))
    others = of_sense[None] - tokens[:, None] * (nearest[:, None] == np.arange(len(old_tokens)))
    shares = np.minimum(tokens[:, None] / (tokens[:, None] + others), 0.5)  # a rare old sense is a sense nevertheless
    return np.asarray(((1 - cosines) * shares**0.25).min(axis=1))
