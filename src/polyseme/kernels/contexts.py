"""Contexts: the words around a place, of which the nearer ones count for more.

With x the row of a word in the choice table, a its weight, r the reach and f the fade, the context at place t is

    c = left + right,     right = sum over d = 1..r of f^(d - 1) a x[t + d],     left the same to the other side

As t moves on, left follows from the one before, and right, from the end of a piece of text backwards, from the one
after: a row comes in, the others fade, and one goes out at the far end. So a token costs the same however wide the
window is.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.compiling import inlined, kernel
from polyseme.kernels.lanes import load, refuse_parts, refuse_unlike, spread, store, total
from polyseme.kernels.prefetching import prefetch_item, prefetch_row_to_read
from polyseme.kernels.rows import LANES
from polyseme.kernels.senses import FIRST, ZERO

PIECE = 256  # words whose right sides are found at once
AHEAD = 6  # words by which a row is fetched before it is needed
PLACES = 8  # whose contexts are gathered at once
TOKENS_PER_LINE = 16


@inlined
def move_sides(words, n, t, reach, fade, weights, choice, left, right):
    """Bring both sides to place t of words[:n]; to be called for every t from 0 on.

    weights  IN      float32 (V,), or None where each word counts the same
    choice   IN      float32 (V, c)      must not change meanwhile
    left     SHARED  float32 (1, c)      of t
    right    SHARED  float32 (PIECE, c)  of the piece of text in which t stands; row t % PIECE is that of t
    """
    gone = np.float32(fade**reach)
    if t % PIECE == 0:
        find_right_sides(words, n, t, reach, fade, gone, weights, choice, right)
    if t == 0:
        clear_row(left, FIRST)
    else:
        move_side(words, n, t - 1, t - 1 - reach, fade, gone, weights, choice, left, FIRST, FIRST)


@inlined
def find_right_sides(words, n, first, reach, fade, gone, weights, choice, right):
    """right[t - first] is that of place t, for the PIECE places from `first` on."""
    last = min(first + PIECE, n) - 1
    clear_row(right, last - first)
    for t in range(min(last + reach, n - 1), last, -1):
        move_side(words, n, t, n, fade, gone, weights, choice, right, last - first, last - first)
    for t in range(last - 1, first - 1, -1):
        if t > first + AHEAD:
            prefetch_row_to_read(choice, words[t - AHEAD])
        move_side(words, n, t + 1, t + 1 + reach, fade, gone, weights, choice, right, t + 1 - first, t - first)


@inlined
def move_side(words, n, come, go, fade, gone, weights, choice, sides, old, new):
    """sides[new] = fade sides[old] + row of word at `come` - gone times row of word at `go`, if there is one."""
    inward, outward = words[come], words[come]
    a, b = np.float32(1), ZERO
    if weights is not None:
        a = weights[inward]
    if 0 <= go < n:
        outward = words[go]
        b = gone
        if weights is not None:
            b = gone * weights[outward]
    fading, coming, going = spread(fade), spread(a), spread(b)
    for i in range(0, choice.shape[1], LANES):
        side = fading * load(sides, old, i) + coming * load(choice, inward, i) - going * load(choice, outward, i)
        store(sides, new, i, side)


@inlined
def add_sides(left, right, row, context):
    """context = left[0] + right[row]; returns its squared length.  context OUT float32 (1, c)"""
    squares = spread(ZERO)
    for i in range(0, left.shape[1], LANES):
        x = load(left, FIRST, i) + load(right, row, i)
        squares += x * x
        store(context, FIRST, i, x)
    return total(squares)


@inlined
def clear_row(table, row):
    for i in range(0, table.shape[1], LANES):
        store(table, row, i, spread(ZERO))


@kernel
def gather_contexts(tokens, positions, starts, ends, reach, fade, weights, choice, out):
    """out[i] = context of tokens[positions[i]], a row at a time: for places far from each other.

    tokens     IN   int32 (n,)      ids; below 0 or V and more: not in the vocabulary, and passed over
    positions  IN   int64 (k,)
    starts     IN   int64 (k,)      where the sentence of each position begins ...
    ends       IN   int64 (k,)      ... and ends
    weights    IN   float32 (V,)
    choice     IN   float32 (V, c)
    out        OUT  float32 (k, c)
    """
    refuse_parts(choice)
    refuse_unlike(choice, out)
    words, amounts = np.empty((PLACES, 2 * reach), np.int32), np.empty((PLACES, 2 * reach), np.float32)
    numbers = np.empty(PLACES, np.int64)
    for first in range(0, len(positions), PLACES):
        last = min(first + PLACES, len(positions))
        for i in range(last, min(last + PLACES, len(positions))):
            for t in range(positions[i] - reach, positions[i] + reach + TOKENS_PER_LINE, TOKENS_PER_LINE):
                prefetch_item(tokens, t)
        for i in range(first, last):  # the rows of all of them are on the way before one is needed
            k = i - first
            numbers[k] = list_context(
                tokens, positions[i], starts[i], ends[i], reach, fade, weights, choice, words[k], amounts[k]
            )
        for i in range(first, last):
            sum_rows(choice, words, amounts, i - first, numbers[i - first], out, i)


@inlined
def sum_rows(choice, words, amounts, k, n, out, i):
    """out[i] = sum of amounts[k, m] choice[words[k, m]] over the first n; four lanes at a time, then one."""
    width = choice.shape[1]
    whole = width - width % (4 * LANES)
    for j in range(0, whole, 4 * LANES):
        a = b = c = d = spread(ZERO)
        for m in range(n):
            row, amount = words[k, m], spread(amounts[k, m])
            a += amount * load(choice, row, j)
            b += amount * load(choice, row, j + LANES)
            c += amount * load(choice, row, j + 2 * LANES)
            d += amount * load(choice, row, j + 3 * LANES)
        store(out, i, j, a)
        store(out, i, j + LANES, b)
        store(out, i, j + 2 * LANES, c)
        store(out, i, j + 3 * LANES, d)
    for j in range(whole, width, LANES):
        a = spread(ZERO)
        for m in range(n):
            a += spread(amounts[k, m]) * load(choice, words[k, m], j)
        store(out, i, j, a)


@inlined
def list_context(tokens, position, start, end, reach, fade, weights, choice, words, amounts):
    """The known words around a position, how much each counts, and their number; their rows are fetched."""
    n = 0
    for step in (-1, 1):
        t, found, near = position + step, 0, np.float32(1)
        while start <= t < end and found < reach:
            word = tokens[t]
            if 0 <= word < len(weights):
                prefetch_row_to_read(choice, word)
                words[n] = word
                amounts[n] = near * weights[word]
                n += 1
                found += 1
                near *= fade
            t += step
    return n
