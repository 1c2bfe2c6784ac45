"""The context vector: a weighted sum of the vectors of the words around a token.

With w[t] the word at position t, x its row in the context table, a its weight, r the window and f the decay:

    c[t] = left[t] + right[t]
    left[t]  = sum over d = 1..r of f^(d-1) a[w[t-d]] x[w[t-d]]
    right[t] = sum over d = 1..r of f^(d-1) a[w[t+d]] x[w[t+d]]

Sentences bound the window. Words outside the vocabulary are skipped and do not count as one of the r words.

There are two ways to compute it, and a test that they agree:

    direct    `list_context` and `sum_context`, for any position; reads up to 2r rows
    sliding   `slide_to` and `add_sides`, for consecutive tokens; reads four rows, however wide the window:
              left[t]  = f left[t-1]  + a[w[t-1]] x[w[t-1]] - f^r a[w[t-1-r]] x[w[t-1-r]]
              right[t] = f right[t+1] + a[w[t+1]] x[w[t+1]] - f^r a[w[t+1+r]] x[w[t+1+r]]

Since right[t] depends on right[t+1], it is computed for a chunk of tokens at a time, last token first.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import inline, kernel
from polyseme.kernels.rows import FIRST, ONE, ZERO, check_padding, check_same_width, clear_row
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.prefetch import prefetch_item, prefetch_row_to_read
from polyseme.kernels.simd.vector import broadcast, load, reduce_add, store

CHUNK = 256  # tokens whose right sums are computed together
PREFETCH_DISTANCE = 6  # tokens between the prefetching of a row and its use
BATCH = 8  # positions whose rows are prefetched together
TOKENS_PER_LINE = 16  # int32 ids in a cache line


# Direct form


@kernel
def gather_contexts(tokens, positions, starts, ends, window, decay, weights, context_table, out):
    """out[i] = context vector at positions[i].

    tokens         IN   int32 (n,)      ids; ids outside 0..V-1 are unknown words
    positions      IN   int64 (k,)
    starts         IN   int64 (k,)      start of the sentence of each position
    ends           IN   int64 (k,)      end of the sentence of each position
    weights        IN   float32 (V,)
    context_table  IN   float32 (V, c)
    out            OUT  float32 (k, c)
    """
    check_padding(context_table)
    check_same_width(context_table, out)
    words, factors = np.empty((BATCH, 2 * window), np.int32), np.empty((BATCH, 2 * window), np.float32)
    sizes = np.empty(BATCH, np.int64)
    for first in range(0, len(positions), BATCH):
        last = min(first + BATCH, len(positions))
        for i in range(last, min(last + BATCH, len(positions))):
            for t in range(positions[i] - window, positions[i] + window + TOKENS_PER_LINE, TOKENS_PER_LINE):
                prefetch_item(tokens, t)
        for i in range(first, last):
            k = i - first
            sizes[k] = list_context(
                tokens, positions[i], starts[i], ends[i], window, decay, weights, len(weights), words[k], factors[k]
            )
            for j in range(sizes[k]):
                prefetch_row_to_read(context_table, words[k, j])
        for i in range(first, last):
            k = i - first
            sum_context(words[k], factors[k], sizes[k], context_table, out, i)


@inline
def list_context(tokens, position, start, end, window, decay, weights, num_words, words, factors):
    """List the words in the window of a position, left side first, nearest first; returns how many there are.

    tokens   IN   int32 (n,)        ids; ids outside 0..num_words-1 are unknown and skipped
    start    IN   int64             start of the sentence of the position
    end      IN   int64             end of the sentence of the position
    weights  IN   float32 (V,)      or None for weights of 1
    words    OUT  int32 (2r,)       w[t-d], w[t+d]
    factors  OUT  float32 (2r,)     f^(d-1) a
    """
    n = 0
    for step in (-1, 1):
        t, side_size, factor = position + step, 0, ONE
        while start <= t < end and side_size < window:
            word = tokens[t]
            if 0 <= word < num_words:
                words[n] = word
                factors[n] = factor
                if weights is not None:
                    factors[n] *= weights[word]
                n += 1
                side_size += 1
                factor *= decay
            t += step
    return n


@inline
def sum_context(words, factors, n, context_table, out, row):
    """out[row] = sum over j < n of factors[j] context_table[words[j]]; returns its squared norm."""
    width = context_table.shape[1]
    whole = width - width % (4 * LANES)
    squares = broadcast(ZERO)
    for i in range(0, whole, 4 * LANES):  # four vectors at a time, so that their additions overlap
        a = b = c = d = broadcast(ZERO)
        for j in range(n):
            word, factor = words[j], broadcast(factors[j])
            a += factor * load(context_table, word, i)
            b += factor * load(context_table, word, i + LANES)
            c += factor * load(context_table, word, i + 2 * LANES)
            d += factor * load(context_table, word, i + 3 * LANES)
        store(out, row, i, a)
        store(out, row, i + LANES, b)
        store(out, row, i + 2 * LANES, c)
        store(out, row, i + 3 * LANES, d)
        squares += a * a + b * b + c * c + d * d
    for i in range(whole, width, LANES):
        a = broadcast(ZERO)
        for j in range(n):
            a += broadcast(factors[j]) * load(context_table, words[j], i)
        store(out, row, i, a)
        squares += a * a
    return reduce_add(squares)


# Sliding form


@inline
def slide_to(t, words, n, window, decay, weights, context_table, left, right):
    """Bring the sums of both sides to position t of a sentence; to be called for t = 0, 1, 2, ... in turn.

    words          IN      int32 (n,)          the sentence, known words only
    weights        IN      float32 (V,)        or None for weights of 1
    context_table  IN      float32 (V, c)      must not change within a sentence
    left           SHARED  float32 (1, c)      left[t]
    right          SHARED  float32 (CHUNK, c)  right[t] of the chunk that contains t, at row t % CHUNK
    """
    edge_factor = np.float32(decay**window)
    if t % CHUNK == 0:
        sum_right_sides(t, words, n, window, decay, edge_factor, weights, context_table, right)
    if t == 0:
        clear_row(left, FIRST)
    else:
        slide_side(t - 1, t - 1 - window, words, n, decay, edge_factor, weights, context_table, left, FIRST, FIRST)


@inline
def add_sides(left, right, t, context):
    """context[0] = left[t] + right[t]; returns its squared norm.  context OUT float32 (1, c)"""
    squares = broadcast(ZERO)
    for i in range(0, left.shape[1], LANES):
        x = load(left, FIRST, i) + load(right, t % CHUNK, i)
        squares += x * x
        store(context, FIRST, i, x)
    return reduce_add(squares)


@inline
def sum_right_sides(first, words, n, window, decay, edge_factor, weights, context_table, right):
    """Fill `right` for the chunk of positions that starts at `first`."""
    last = min(first + CHUNK, n) - 1
    row = last - first
    clear_row(right, row)
    for t in range(min(last + window, n - 1), last, -1):  # right[last], one word at a time from the far end
        slide_side(t, n, words, n, decay, edge_factor, weights, context_table, right, row, row)
    for t in range(last - 1, first - 1, -1):
        row = t - first
        if t > first + PREFETCH_DISTANCE:
            prefetch_row_to_read(context_table, words[t - PREFETCH_DISTANCE])
        slide_side(t + 1, t + 1 + window, words, n, decay, edge_factor, weights, context_table, right, row + 1, row)


@inline
def slide_side(enter, leave, words, n, decay, edge_factor, weights, context_table, side, old, new):
    """side[new] = f side[old] + a x of the word that enters the window - f^r a x of the word that leaves it.

    enter  IN  int64  position of the word that enters
    leave  IN  int64  position of the word that leaves; none does if it is outside 0..n-1
    """
    entering, leaving = words[enter], words[enter]
    enter_factor, leave_factor = ONE, ZERO
    if weights is not None:
        enter_factor = weights[entering]
    if 0 <= leave < n:
        leaving = words[leave]
        leave_factor = edge_factor
        if weights is not None:
            leave_factor = edge_factor * weights[leaving]
    f, a, b = broadcast(decay), broadcast(enter_factor), broadcast(leave_factor)
    for i in range(0, context_table.shape[1], LANES):
        x, y = load(context_table, entering, i), load(context_table, leaving, i)
        store(side, new, i, f * load(side, old, i) + a * x - b * y)
