"""The gradient step of one token: its sense vector against the rows of its context and noise words, as one batch.

All dot products first, four rows at a time; then all sigmoids; then each row moves, and adds to what moves the sense.
Rows are whole lanes long (see `lanes`).
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import inline, internal
from polyseme.kernels.nearest_sense import ONE, ZERO, dot
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.vector import broadcast, load, reduce_add, sqrt, store

LIMIT = np.float32(16)  # dot products beyond are as certain
SMALLEST = 1e-8  # probability of a pair, as rounded; 1e-8^32 is still a float64
PAIRS_PER_LOG = 32
LEAST_DELTA = np.float32(1e-30)  # of AdaGrad: where a gradient was always 0, as behind the end of a row, so is the step


@inline
def dot_rows(vectors, row, table, rows, n, out):
    """out[j] = vectors[row] . table[rows[j]], four rows at a time to read the vector once for all."""
    whole = n - n % 4
    for j in range(0, whole, 4):
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        dot_a = dot_b = dot_c = dot_d = broadcast(ZERO)
        for i in range(0, table.shape[1], LANES):
            x = load(vectors, row, i)
            dot_a += x * load(table, a, i)
            dot_b += x * load(table, b, i)
            dot_c += x * load(table, c, i)
            dot_d += x * load(table, d, i)
        out[j] = reduce_add(dot_a)
        out[j + 1] = reduce_add(dot_b)
        out[j + 2] = reduce_add(dot_c)
        out[j + 3] = reduce_add(dot_d)
    for j in range(whole, n):
        out[j] = dot(vectors, row, table, rows[j])


@internal
def find_coefficients(context, n, coefficients):
    """Replace dot products x by g = y - sigmoid(x), where y is 1 for the context words, which come first.

    Made to be vectorised: exp(-x) is (a polynomial for exp(-x/64))^64, products only, and what is left over of a
    register behind the n numbers is computed along.
    coefficients  IN, OUT  float32 (n in whole lanes,)
    """
    for j in range((n + LANES - 1) // LANES * LANES):
        x = coefficients[j]
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
        coefficients[j] = -ONE / (ONE + e)
    for j in range(context):
        coefficients[j] += ONE


@internal
def log_loss(coefficients, first, last):
    """The sum of -log(1 - |g|) over coefficients[first:last]: the loss, since 1 - |g| is the probability of y.

    One logarithm serves as many pairs as cannot make their product too small for a float64.
    """
    loss = 0.0
    for start in range(first, last, PAIRS_PER_LOG):
        likelihood = 1.0
        for j in range(start, min(start + PAIRS_PER_LOG, last)):
            likelihood *= max(1.0 - abs(np.float64(coefficients[j])), SMALLEST)
        loss -= np.log(likelihood)
    return loss


@inline
def update_sgd(table, rows, coefficients, n, vectors, sense, learning_rate):
    """For each row u in turn: total += g u, and u += rate g v; then the sense vector v += rate total.

    All rows for some columns, then for the next, so that v and the total stay in registers.
    """
    rate = broadcast(learning_rate)
    width = table.shape[1]
    whole = width - width % (2 * LANES)
    for i in range(0, whole, 2 * LANES):
        k = i + LANES
        v_i, v_k = load(vectors, sense, i), load(vectors, sense, k)
        step_i, step_k = rate * v_i, rate * v_k
        total_i = total_k = broadcast(ZERO)
        for j in range(n):
            row, g = rows[j], broadcast(coefficients[j])
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
        total_i = broadcast(ZERO)
        for j in range(n):
            g, u = broadcast(coefficients[j]), load(table, rows[j], i)
            total_i += g * u
            store(table, rows[j], i, u + g * step)
        store(vectors, sense, i, v + rate * total_i)


@inline
def update_adagrad(table, squares, rows, coefficients, n, vectors, sense_squares, sense, learning_rate, adagrad_delta):
    """The same with a step for each coordinate: rate * g v / (sqrt(sum of all its squares so far) + delta)."""
    rate, delta = broadcast(learning_rate), broadcast(max(adagrad_delta, LEAST_DELTA))
    for i in range(0, table.shape[1], LANES):
        v = load(vectors, sense, i)
        pull = broadcast(ZERO)
        for j in range(n):
            g, u = broadcast(coefficients[j]), load(table, rows[j], i)
            square = load(squares, rows[j], i) + g * v * g * v
            pull += g * u
            store(squares, rows[j], i, square)
            store(table, rows[j], i, u + rate * g * v / (sqrt(square) + delta))
        square = load(sense_squares, sense, i) + pull * pull
        store(sense_squares, sense, i, square)
        store(vectors, sense, i, v + rate * pull / (sqrt(square) + delta))
