"""Assigning senses to the tokens of a text with a trained model: for tagging and for example sentences."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.contexts import CHUNK, PREFETCH_DISTANCE, add_sides, slide_to
from polyseme.kernels.jit import inline, internal, kernel
from polyseme.kernels.nearest_sense import nearest_sense
from polyseme.kernels.rng import S32, draw
from polyseme.kernels.rows import check_padding, check_same_width, inverse_norm
from polyseme.kernels.simd.prefetch import prefetch_item, prefetch_row_to_read

UNASSIGNED = -1
NO_COSINE, NO_POSITION = np.float32(-2), -1


@kernel
def assign_senses(
    tokens, sentences, window, decay, weights, context_table,
    offsets, num_senses, centers, center_inverse_norms, log_prior, sample, rng, senses, cosines,
):  # fmt: skip
    """Assign a sense to tokens by their context vector c (see `contexts`).

    k = argmax_k cos(centers[w, k], c) + log_prior[w, k]

    tokens                IN      int32 (n,)      ids; ids outside 0..V-1 are unknown and not part of any context
    sentences             IN      int64 (m + 1,)  start of each sentence in tokens, and the end
    weights               IN      float32 (V,)    weight in contexts: probability that subsampling keeps the word
    context_table         IN      float32 (V, c)  vectors that contexts are the sum of
    offsets               IN      int64 (V + 1,)  the senses of word w are the rows from offsets[w] ...
    num_senses            IN      int32 (V,)      ... to offsets[w] + num_senses[w]
    centers               IN      float32 (R, c)  vectors that contexts are compared with
    center_inverse_norms  IN      float32 (R,)    as from `inverse_norms`
    log_prior             IN      float32 (R,)
    sample                IN      uint64 (V,)     share of a word's tokens that are assigned, out of 2^32
    rng                   SHARED  uint64 (1,)
    senses                OUT     int32 (n,)      row of the assigned sense, or UNASSIGNED
    cosines               OUT     float32 (n,)    cosine of that row and the context; not written where UNASSIGNED
    """
    check_padding(context_table)
    check_same_width(context_table, centers)
    width, longest = context_table.shape[1], 0
    for s in range(len(sentences) - 1):
        longest = max(longest, sentences[s + 1] - sentences[s])
    words, positions = np.empty(longest, np.int32), np.empty(longest, np.int64)
    sampled = np.empty(longest, np.bool_)
    left, right = np.empty((1, width), np.float32), np.empty((CHUNK, width), np.float32)
    context = np.empty((1, width), np.float32)
    for s in range(len(sentences) - 1):
        n = np.int64(0)
        for t in range(sentences[s], sentences[s + 1]):
            senses[t] = UNASSIGNED
            if 0 <= tokens[t] < len(weights):
                words[n] = tokens[t]
                positions[n] = t
                sampled[n] = draw(rng) >> S32 < sample[tokens[t]]
                n += 1
        for i in range(n):
            upcoming = i + PREFETCH_DISTANCE
            if upcoming < n and sampled[upcoming]:
                prefetch_senses(words[upcoming], offsets, num_senses, centers, center_inverse_norms)
            slide_to(i, words, n, window, decay, weights, context_table, left, right)
            if sampled[i]:
                first = offsets[words[i]]
                scale = inverse_norm(add_sides(left, right, i, context))
                row, cosine = nearest_sense(
                    context, scale, first, first + num_senses[words[i]], centers, center_inverse_norms, log_prior
                )
                senses[positions[i]] = row
                cosines[positions[i]] = cosine


@inline
def prefetch_senses(word, offsets, num_senses, centers, center_inverse_norms):
    """Prefetch what `nearest_sense` reads for a word."""
    prefetch_item(center_inverse_norms, offsets[word])
    for row in range(offsets[word], offsets[word] + num_senses[word]):
        prefetch_row_to_read(centers, row)


@kernel
def keep_best(senses, cosines, first_position, min_distance, best_cosines, best_positions):
    """Update the k positions with the highest cosines of each sense, best first.

    Of two positions of a sense less than `min_distance` tokens apart, only the better one is kept.

    senses, cosines  IN      (n,)            as from `assign_senses`
    first_position   IN      int64           position of senses[0] in the corpus
    min_distance     IN      int64
    best_cosines     SHARED  float32 (R, k)  -2 where empty
    best_positions   SHARED  int64   (R, k)  -1 where empty
    """
    last = best_cosines.shape[1] - 1
    for t in range(len(senses)):
        row, cosine, position = senses[t], cosines[t], first_position + t
        if row == UNASSIGNED or cosine <= best_cosines[row, last]:
            continue
        close = rank_of_close_position(best_positions[row], position, min_distance)
        if close >= 0 and cosine <= best_cosines[row, close]:
            continue
        while close >= 0:  # one on each side can be close
            remove_rank(close, best_cosines[row], best_positions[row])
            close = rank_of_close_position(best_positions[row], position, min_distance)
        rank = last
        while rank > 0 and best_cosines[row, rank - 1] < cosine:
            best_cosines[row, rank] = best_cosines[row, rank - 1]
            best_positions[row, rank] = best_positions[row, rank - 1]
            rank -= 1
        best_cosines[row, rank] = cosine
        best_positions[row, rank] = position


@internal
def remove_rank(rank, cosines, positions):
    """Remove a position, and move those after it up.  cosines, positions SHARED (k,)"""
    for i in range(rank, len(cosines) - 1):
        cosines[i], positions[i] = cosines[i + 1], positions[i + 1]
    cosines[-1], positions[-1] = NO_COSINE, NO_POSITION


@internal
def rank_of_close_position(positions, position, min_distance):
    """Index of the first of `positions` closer than min_distance to a position, or -1.

    positions  IN  int64 (k,)  -1 where empty
    """
    for rank in range(len(positions)):
        if positions[rank] >= 0 and abs(positions[rank] - position) < min_distance:
            return rank
    return -1
