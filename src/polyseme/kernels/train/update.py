"""The gradient step of one token: its sense vector v against the rows u of its context words and negative samples.

The rows are processed as one batch: all dot products, then all gradient coefficients, then all updates.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import inline, internal
from polyseme.kernels.rows import ONE, ZERO, dot
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.vector import broadcast, load, reduce_add, sqrt, store

MAX_DOT = np.float32(16)  # dot products are clipped to +-16, where the sigmoid is within 2e-7 of 0 or 1
MIN_PROBABILITY = 1e-8  # of a pair, in the loss
PAIRS_PER_LOG = 32  # MIN_PROBABILITY ** PAIRS_PER_LOG is still a normal float64
# Lower bound of AdaGrad's delta: the padding of a row has gradients of 0 only, and 0 / 0 would make it NaN.
MIN_DELTA = np.float32(1e-30)


@inline
def dot_rows(vectors, row, table, rows, n, out):
    """out[j] = vectors[row] . table[rows[j]] for j < n. Four rows at a time: vectors[row] is read less often."""
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
def find_coefficients(context_size, n, coefficients):
    """Replace dot products x by gradient coefficients g = y - sigmoid(x); y = 1 for the first `context_size`, else 0.

    Written so that LLVM vectorises it: exp(-x) = exp(-x / 64)^64, by a polynomial and six squarings, and n is rounded
    up to whole vectors.

    coefficients  IN, OUT  float32 (n rounded up to a multiple of LANES,)
    """
    for j in range((n + LANES - 1) // LANES * LANES):
        x = coefficients[j]
        if x > MAX_DOT:
            x = MAX_DOT
        elif x < -MAX_DOT:
            x = -MAX_DOT
        r = x * np.float32(-1 / 64)
        e = ONE + r * (ONE + r * (np.float32(1 / 2) + r * (np.float32(1 / 6) + r * np.float32(1 / 24))))
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        coefficients[j] = -ONE / (ONE + e)
    for j in range(context_size):
        coefficients[j] += ONE


@internal
def log_loss(coefficients, first, last):
    """Sum of -log p over coefficients[first:last], where p = 1 - |g| is the probability of the label y.

    Takes one logarithm of the product of PAIRS_PER_LOG probabilities instead of one for each: logarithms are slow.
    """
    loss = 0.0
    for start in range(first, last, PAIRS_PER_LOG):
        likelihood = 1.0
        for j in range(start, min(start + PAIRS_PER_LOG, last)):
            likelihood *= max(1.0 - abs(np.float64(coefficients[j])), MIN_PROBABILITY)
        loss -= np.log(likelihood)
    return loss


@inline
def update_sgd(table, rows, coefficients, n, vectors, sense, learning_rate):
    """SGD step: for each row u in turn, gradient += g u and u += rate g v; finally v += rate gradient.

    The outer loop is over columns, so that v and the gradient stay in registers.
    """
    rate = broadcast(learning_rate)
    width = table.shape[1]
    whole = width - width % (2 * LANES)
    for i in range(0, whole, 2 * LANES):
        k = i + LANES
        v_i, v_k = load(vectors, sense, i), load(vectors, sense, k)
        step_i, step_k = rate * v_i, rate * v_k
        gradient_i = gradient_k = broadcast(ZERO)
        for j in range(n):
            row, g = rows[j], broadcast(coefficients[j])
            u_i, u_k = load(table, row, i), load(table, row, k)
            gradient_i += g * u_i
            gradient_k += g * u_k
            store(table, row, i, u_i + g * step_i)
            store(table, row, k, u_k + g * step_k)
        store(vectors, sense, i, v_i + rate * gradient_i)
        store(vectors, sense, k, v_k + rate * gradient_k)
    for i in range(whole, width, LANES):
        v = load(vectors, sense, i)
        step = rate * v
        gradient = broadcast(ZERO)
        for j in range(n):
            g, u = broadcast(coefficients[j]), load(table, rows[j], i)
            gradient += g * u
            store(table, rows[j], i, u + g * step)
        store(vectors, sense, i, v + rate * gradient)


@inline
def update_sgd_at_rates(table, global_rates, rows, coefficients, n, vectors, sense_rates, sense, learning_rate):
    """SGD step like `update_sgd`, with the learning rate multiplied by the rate of each row of u and of v."""
    sense_rate = broadcast(learning_rate * sense_rates[sense])
    for i in range(0, table.shape[1], LANES):
        v = load(vectors, sense, i)
        gradient = broadcast(ZERO)
        for j in range(n):
            row, u = rows[j], load(table, rows[j], i)
            gradient += broadcast(coefficients[j]) * u
            store(table, row, i, u + broadcast(coefficients[j] * learning_rate * global_rates[row]) * v)
        store(vectors, sense, i, v + sense_rate * gradient)


@inline
def update_adagrad(table, squares, rows, coefficients, n, vectors, sense_squares, sense, learning_rate, adagrad_delta):
    """AdaGrad step: like `update_sgd`, with rate / (sqrt(sum of squared gradients so far) + delta) per coordinate."""
    rate, delta = broadcast(learning_rate), broadcast(max(adagrad_delta, MIN_DELTA))
    for i in range(0, table.shape[1], LANES):
        v = load(vectors, sense, i)
        gradient = broadcast(ZERO)
        for j in range(n):
            g, u = broadcast(coefficients[j]), load(table, rows[j], i)
            square = load(squares, rows[j], i) + g * v * g * v
            gradient += g * u
            store(squares, rows[j], i, square)
            store(table, rows[j], i, u + rate * g * v / (sqrt(square) + delta))
        square = load(sense_squares, sense, i) + gradient * gradient
        store(sense_squares, sense, i, square)
        store(vectors, sense, i, v + rate * gradient / (sqrt(square) + delta))
