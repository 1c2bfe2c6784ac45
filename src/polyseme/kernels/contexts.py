"""Contexts: the words around a place, of which the nearer ones count for more.

With x the row of a word in the context table, a its weight, r the window and f the decay, the context at place t is

    c = left + right,     right = sum over d = 1..r of f^(d - 1) a x[t + d],     left the same to the other side

As t moves on, left follows from the one before, and right, from the end of a piece of text backwards, from the one
after: a row comes in, the others decay, and one goes out at the far end. So a token costs the same however wide the
window is.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import inline, kernel
from polyseme.kernels.nearest_sense import FIRST, ZERO
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.prefetch import prefetch_item, prefetch_row_to_read
from polyseme.kernels.simd.vector import broadcast, check_padding, check_same_width, load, reduce_add, store

PIECE = 256  # words whose right sides are found at once
AHEAD = 6  # words by which a row is fetched before it is needed
BYTE_OFFSETS = 8  # whose contexts are gathered at once
TOKENS_PER_LINE = 16


@inline
def move_sides(words, n, t, window, decay, weights, context_table, left, right):
    """Bring both sides to place t of words[:n]; to be called for every t from 0 on.

    weights  IN      float32 (V,), or None where each word counts the same
    context_table   IN      float32 (V, c)      must not change meanwhile
    left     SHARED  float32 (1, c)      of t
    right    SHARED  float32 (PIECE, c)  of the piece of text in which t stands; row t % PIECE is that of t
    """
    gone = np.float32(decay**window)
    if t % PIECE == 0:
        find_right_sides(words, n, t, window, decay, gone, weights, context_table, right)
    if t == 0:
        clear_row(left, FIRST)
    else:
        move_side(words, n, t - 1, t - 1 - window, decay, gone, weights, context_table, left, FIRST, FIRST)


@inline
def find_right_sides(words, n, first, window, decay, gone, weights, context_table, right):
    """right[t - first] is that of place t, for the PIECE places from `first` on."""
    last = min(first + PIECE, n) - 1
    clear_row(right, last - first)
    for t in range(min(last + window, n - 1), last, -1):
        move_side(words, n, t, n, decay, gone, weights, context_table, right, last - first, last - first)
    for t in range(last - 1, first - 1, -1):
        if t > first + AHEAD:
            prefetch_row_to_read(context_table, words[t - AHEAD])
        move_side(words, n, t + 1, t + 1 + window, decay, gone, weights, context_table, right, t + 1 - first, t - first)


@inline
def move_side(words, n, come, go, decay, gone, weights, context_table, sides, old, new):
    """sides[new] = decay sides[old] + row of word at `come` - gone times row of word at `go`, if there is one."""
    inward, outward = words[come], words[come]
    a, b = np.float32(1), ZERO
    if weights is not None:
        a = weights[inward]
    if 0 <= go < n:
        outward = words[go]
        b = gone
        if weights is not None:
            b = gone * weights[outward]
    fading, coming, going = broadcast(decay), broadcast(a), broadcast(b)
    for i in range(0, context_table.shape[1], LANES):
        side = (
            fading * load(sides, old, i)
            + coming * load(context_table, inward, i)
            - going * load(context_table, outward, i)
        )
        store(sides, new, i, side)


@inline
def add_sides(left, right, row, context):
    """context = left[0] + right[row]; returns its squared length.  context OUT float32 (1, c)"""
    squares = broadcast(ZERO)
    for i in range(0, left.shape[1], LANES):
        x = load(left, FIRST, i) + load(right, row, i)
        squares += x * x
        store(context, FIRST, i, x)
    return reduce_add(squares)


@inline
def clear_row(table, row):
    for i in range(0, table.shape[1], LANES):
        store(table, row, i, broadcast(ZERO))


@kernel
def gather_contexts(tokens, positions, starts, ends, window, decay, weights, context_table, out):
    """out[i] = context of tokens[positions[i]], a row at a time: for places far from each other.

    tokens     IN   int32 (n,)      ids; below 0 or V and more: not in the vocabulary, and passed over
    positions  IN   int64 (k,)
    starts     IN   int64 (k,)      where the sentence of each position begins ...
    ends       IN   int64 (k,)      ... and ends
    weights    IN   float32 (V,)
    context_table     IN   float32 (V, c)
    out        OUT  float32 (k, c)
    """
    check_padding(context_table)
    check_same_width(context_table, out)
    words, amounts = np.empty((BYTE_OFFSETS, 2 * window), np.int32), np.empty((BYTE_OFFSETS, 2 * window), np.float32)
    numbers = np.empty(BYTE_OFFSETS, np.int64)
    for first in range(0, len(positions), BYTE_OFFSETS):
        last = min(first + BYTE_OFFSETS, len(positions))
        for i in range(last, min(last + BYTE_OFFSETS, len(positions))):
            for t in range(positions[i] - window, positions[i] + window + TOKENS_PER_LINE, TOKENS_PER_LINE):
                prefetch_item(tokens, t)
        for i in range(first, last):  # the rows of all of them are on the way before one is needed
            k = i - first
            numbers[k] = list_context(
                tokens, positions[i], starts[i], ends[i], window, decay, weights, context_table, words[k], amounts[k]
            )
        for i in range(first, last):
            sum_rows(context_table, words, amounts, i - first, numbers[i - first], out, i)


@inline
def sum_rows(context_table, words, amounts, k, n, out, i):
    """out[i] = sum of amounts[k, m] context_table[words[k, m]] over the first n; four lanes at a time, then one."""
    width = context_table.shape[1]
    whole = width - width % (4 * LANES)
    for j in range(0, whole, 4 * LANES):
        a = b = c = d = broadcast(ZERO)
        for m in range(n):
            row, amount = words[k, m], broadcast(amounts[k, m])
            a += amount * load(context_table, row, j)
            b += amount * load(context_table, row, j + LANES)
            c += amount * load(context_table, row, j + 2 * LANES)
            d += amount * load(context_table, row, j + 3 * LANES)
        store(out, i, j, a)
        store(out, i, j + LANES, b)
        store(out, i, j + 2 * LANES, c)
        store(out, i, j + 3 * LANES, d)
    for j in range(whole, width, LANES):
        a = broadcast(ZERO)
        for m in range(n):
            a += broadcast(amounts[k, m]) * load(context_table, words[k, m], j)
        store(out, i, j, a)


@inline
def list_context(tokens, position, start, end, window, decay, weights, context_table, words, amounts):
    """The known words around a position, how much each counts, and their number; their rows are fetched."""
    n = 0
    for step in (-1, 1):
        t, found, near = position + step, 0, np.float32(1)
        while start <= t < end and found < window:
            word = tokens[t]
            if 0 <= word < len(weights):
                prefetch_row_to_read(context_table, word)
                words[n] = word
                amounts[n] = near * weights[word]
                n += 1
                found += 1
                near *= decay
            t += step
    return n
