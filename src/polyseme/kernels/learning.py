"""The gradient step of one token: its sense vector against the rows of its context and noise words, as one batch.

All dot products first, four rows at a time; then all sigmoids; then each row moves, and adds to what moves the sense.
Rows are whole lanes long (see `lanes`).
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.compiling import inlined, inner
from polyseme.kernels.lanes import load, root, spread, store, total
from polyseme.kernels.rows import LANES
from polyseme.kernels.senses import ONE, ZERO, dot

LIMIT = np.float32(16)  # dot products beyond are as certain
SMALLEST = 1e-8  # probability of a pair, as rounded; 1e-8^32 is still a float64
PAIRS_PER_LOG = 32
LEAST_DELTA = np.float32(1e-30)  # of AdaGrad: where a gradient was always 0, as behind the end of a row, so is the step


@inlined
def dot_rows(vectors, row, table, rows, n, out):
    """out[j] = vectors[row] . table[rows[j]], four rows at a time to read the vector once for all."""
    whole = n - n % 4
    for j in range(0, whole, 4):
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        dot_a = dot_b = dot_c = dot_d = spread(ZERO)
        for i in range(0, table.shape[1], LANES):
            x = load(vectors, row, i)
            dot_a += x * load(table, a, i)
            dot_b += x * load(table, b, i)
            dot_c += x * load(table, c, i)
            dot_d += x * load(table, d, i)
        out[j] = total(dot_a)
        out[j + 1] = total(dot_b)
        out[j + 2] = total(dot_c)
        out[j + 3] = total(dot_d)
    for j in range(whole, n):
        out[j] = dot(vectors, row, table, rows[j])


@inner
def find_pulls(context, n, pulls):
    """Replace dot products x by g = y - sigmoid(x), where y is 1 for the context words, which come first.

    Made to be vectorised: exp(-x) is (a polynomial for exp(-x/64))^64, products only, and what is left over of a
    register behind the n numbers is computed along.
    pulls  IN, OUT  float32 (n in whole lanes,)
    """
    for j in range((n + LANES - 1) // LANES * LANES):
        x = pulls[j]
        if x > LIMIT:
            x = LIMIT
        elif x < -LIMIT:
            x = -LIMIT
        r = x * np.float32(-1 / 64)
        e = ONE + r * (ONE + r * (np.float32(1 / 2) + r * (np.float32(1 / 6) + r * np.float32(1 / 24))))
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        pulls[j] = -ONE / (ONE + e)
    for j in range(context):
        pulls[j] += ONE


@inner
def log_loss(pulls, first, last):
    """The sum of -log(1 - |g|) over pulls[first:last]: the loss, since 1 - |g| is the probability of y.

    One logarithm serves as many pairs as cannot make their product too small for a float64.
    """
    loss = 0.0
    for start in range(first, last, PAIRS_PER_LOG):
        likelihood = 1.0
        for j in range(start, min(start + PAIRS_PER_LOG, last)):
            likelihood *= max(1.0 - abs(np.float64(pulls[j])), SMALLEST)
        loss -= np.log(likelihood)
    return loss


@inlined
def move_sgd(table, rows, pulls, n, vectors, sense, learning_rate):
    """For each row u in turn: total += g u, and u += rate g v; then the sense vector v += rate total.

    All rows for some columns, then for the next, so that v and the total stay in registers.
    """
    rate = spread(learning_rate)
    width = table.shape[1]
    whole = width - width % (2 * LANES)
    for i in range(0, whole, 2 * LANES):
        k = i + LANES
        v_i, v_k = load(vectors, sense, i), load(vectors, sense, k)
        step_i, step_k = rate * v_i, rate * v_k
        total_i = total_k = spread(ZERO)
        for j in range(n):
            row, g = rows[j], spread(pulls[j])
            u_i, u_k = load(table, row, i), load(table, row, k)
            total_i += g * u_i
            total_k += g * u_k
            store(table, row, i, u_i + g * step_i)
            store(table, row, k, u_k + g * step_k)
        store(vectors, sense, i, v_i + rate * total_i)
        store(vectors, sense, k, v_k + rate * total_k)
    for i in range(whole, width, LANES):
        v = load(vectors, sense, i)
        step = rate * v
        total_i = spread(ZERO)
        for j in range(n):
            g, u = spread(pulls[j]), load(table, rows[j], i)
            total_i += g * u
            store(table, rows[j], i, u + g * step)
        store(vectors, sense, i, v + rate * total_i)


@inlined
def move_adagrad(table, squares, rows, pulls, n, vectors, sense_squares, sense, learning_rate, adagrad_delta):
    """The same with a step for each coordinate: rate * g v / (sqrt(sum of all its squares so far) + delta)."""
    rate, delta = spread(learning_rate), spread(max(adagrad_delta, LEAST_DELTA))
    for i in range(0, table.shape[1], LANES):
        v = load(vectors, sense, i)
        pull = spread(ZERO)
        for j in range(n):
            g, u = spread(pulls[j]), load(table, rows[j], i)
            square = load(squares, rows[j], i) + g * v * g * v
            pull += g * u
            store(squares, rows[j], i, square)
            store(table, rows[j], i, u + rate * g * v / (root(square) + delta))
        square = load(sense_squares, sense, i) + pull * pull
        store(sense_squares, sense, i, square)
        store(vectors, sense, i, v + rate * pull / (root(square) + delta))
