"""Assigning senses to the tokens of a text with a learned model: for tagging, and for choosing example sentences."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.contexts import AHEAD, PIECE, add_sides, move_sides
from polyseme.kernels.jit import inline, internal, kernel
from polyseme.kernels.nearest_sense import FIRST, ZERO, dot
from polyseme.kernels.rng import S32, draw
from polyseme.kernels.simd.prefetch import prefetch_item, prefetch_row_to_read
from polyseme.kernels.simd.vector import check_padding, check_same_width

UNASSIGNED = -1


@kernel
def assign_senses(
    tokens, sentences, window, decay, weights, context_table,
    offsets, numbers, rows, row_squares, log_prior, sample, rng, senses, cosines,
):  # fmt: skip
    """Choose a sense for tokens by their context c (see `contexts`), of the known words on each side.

    k = argmax_k cos(row[w, k], c) + log_prior[w, k]

    tokens       IN   int32 (n,)      ids; below 0 or V and more: not in the vocabulary, and skipped by windows
    sentences    IN   int64 (m + 1,)  where each sentence begins in tokens, and the end
    weights      IN   float32 (V,)    of a word in a context: the chance that training kept it
    context_table       IN   float32 (V, c)  the vectors from which contexts are made
    offsets      IN   int64 (V + 1,)  senses of word w are rows offsets[w] to ...
    numbers      IN   int32 (V,)      ... offsets[w] + numbers[w]
    rows         IN   float32 (R, c)  what a context is compared with
    row_squares  IN   float32 (R,)    their squared lengths
    log_prior        IN   float32 (R,)    for senses that are frequent
    sample       IN   uint64 (V,)     out of 2^32, how many of a word's tokens to look at
    senses       OUT  int32 (n,)      the row chosen, or UNASSIGNED
    cosines      OUT  float32 (n,)    of the row and the context
    """
    check_padding(context_table)
    check_same_width(context_table, rows)
    size = len(weights)
    longest = 0
    for s in range(len(sentences) - 1):
        longest = max(longest, sentences[s + 1] - sentences[s])
    known = np.empty(longest, np.int32)
    at = np.empty(longest, np.int64)
    asked = np.empty(longest, np.bool_)  # whether to look at it
    left, right = (
        np.empty((1, context_table.shape[1]), np.float32),
        np.empty((PIECE, context_table.shape[1]), np.float32),
    )
    context = np.empty((1, context_table.shape[1]), np.float32)
    for s in range(len(sentences) - 1):
        n = np.int64(0)
        for t in range(sentences[s], sentences[s + 1]):
            senses[t] = UNASSIGNED
            if 0 <= tokens[t] < size:
                known[n] = tokens[t]
                at[n] = t
                asked[n] = draw(rng) >> S32 < sample[tokens[t]]
                n += 1
        for k in range(n):
            t, word = at[k], known[k]
            if k + AHEAD < n and asked[k + AHEAD]:
                fetch_senses(known[k + AHEAD], offsets, numbers, rows, row_squares)
            move_sides(known, n, k, window, decay, weights, context_table, left, right)
            if not asked[k]:
                continue
            square = add_sides(left, right, k % PIECE, context)
            best = np.float32(-np.inf)
            for row in range(offsets[word], offsets[word] + numbers[word]):
                squares = square * row_squares[row]
                cosine = ZERO
                if squares > 0:
                    cosine = dot(context, FIRST, rows, row) / np.sqrt(squares)
                if cosine + log_prior[row] > best:
                    best = cosine + log_prior[row]
                    senses[t] = row
                    cosines[t] = cosine


@inline
def fetch_senses(word, offsets, numbers, rows, row_squares):
    """Fetch what the context_table among the senses of a word reads."""
    prefetch_item(row_squares, offsets[word])
    for row in range(offsets[word], offsets[word] + numbers[word]):
        prefetch_row_to_read(rows, row)


@kernel
def keep_best(senses, cosines, first_position, apart, best_cosines, best_positions):
    """Keep for each sense the positions with the highest cosines, best first, of two that are near only the better.

    senses, cosines  IN      (n,)           as from `assign_senses`
    first_position   IN      int64          position of senses[0] in the corpus
    apart            IN      int64          two positions that are nearer than this are near
    best_cosines     SHARED  float32 (R, k) -2 where there is none yet
    best_positions   SHARED  int64   (R, k) -1 where there is none yet
    """
    last = best_cosines.shape[1] - 1
    for t in range(len(senses)):
        row, cosine, position = senses[t], cosines[t], first_position + t
        if row == UNASSIGNED or cosine <= best_cosines[row, last]:
            continue
        place = near_position(best_positions[row], position, apart)
        if place < 0:
            place = last
        elif cosine <= best_cosines[row, place]:
            continue
        while place > 0 and best_cosines[row, place - 1] < cosine:
            best_cosines[row, place] = best_cosines[row, place - 1]
            best_positions[row, place] = best_positions[row, place - 1]
            place -= 1
        best_cosines[row, place] = cosine
        best_positions[row, place] = position


@internal
def near_position(positions, position, apart):
    """The place in a list of a position that is near, or -1.  positions IN int64 (k,), -1 for none"""
    for place in range(len(positions)):
        if positions[place] >= 0 and abs(positions[place] - position) < apart:
            return place
    return -1
