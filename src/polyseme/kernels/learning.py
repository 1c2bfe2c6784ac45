"""The gradient step of one token: its sense vector against the rows of its context and noise words, as one batch.

All dot products first, four rows at a time; then all sigmoids; then the sum for the sense vector; then all rows.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.compiling import kernel
from polyseme.kernels.senses import ZERO, dot

ONE = np.float32(1)
LIMIT = np.float32(16)  # dot products beyond are as certain
SMALLEST = 1e-8  # probability of a pair, as rounded; 1e-8^32 is still a float64
PAIRS_PER_LOG = 32
LANES = 16  # numbers in the widest vector register


@kernel
def dot_rows(vectors, row, table, rows, n, out):
    """out[j] = vectors[row] . table[rows[j]], four rows at a time to read the vector once for all."""
    dim = table.shape[1]
    whole = n - n % 4
    for j in range(0, whole, 4):
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        dot_a = dot_b = dot_c = dot_d = ZERO
        for i in range(dim):
            x = vectors[row, i]
            dot_a += x * table[a, i]
            dot_b += x * table[b, i]
            dot_c += x * table[c, i]
            dot_d += x * table[d, i]
        out[j] = dot_a
        out[j + 1] = dot_b
        out[j + 2] = dot_c
        out[j + 3] = dot_d
    for j in range(whole, n):
        out[j] = dot(vectors, row, table, rows[j])


@kernel
def whole_lanes(n):
    """n rounded up to whole vector registers."""
    return (n + LANES - 1) // LANES * LANES


@kernel
def find_pulls(context, n, pulls):
    """Replace dot products x by g = y - sigmoid(x), where y is 1 for the context words, which come first.

    Made to be vectorised: exp(-x) is (a polynomial for exp(-x/64))^64, products only, and what is left over of a
    register behind the n numbers is computed along.
    pulls  IN, OUT  float32 (whole_lanes(n),)
    """
    for j in range(whole_lanes(n)):
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


@kernel
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


@kernel
def sum_rows(table, rows, pulls, n, total):
    """total = sum of pulls[j] table[rows[j]], four rows at a time.  total OUT float32 (d,)"""
    dim = table.shape[1]
    for i in range(dim):
        total[i] = ZERO
    whole = n - n % 4
    for j in range(0, whole, 4):
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        g_a, g_b, g_c, g_d = pulls[j], pulls[j + 1], pulls[j + 2], pulls[j + 3]
        for i in range(dim):
            total[i] += g_a * table[a, i] + g_b * table[b, i] + g_c * table[c, i] + g_d * table[d, i]
    for j in range(whole, n):
        row, g = rows[j], pulls[j]
        for i in range(dim):
            total[i] += g * table[row, i]


@kernel
def move_sgd(table, rows, pulls, n, vectors, sense, learning_rate):
    """v_g[o] += rate g v_s"""
    dim = table.shape[1]
    for j in range(n):
        row, step = rows[j], learning_rate * pulls[j]
        for i in range(dim):
            table[row, i] += step * vectors[sense, i]


@kernel
def move_one_sgd(vectors, row, gradient, learning_rate):
    for i in range(vectors.shape[1]):
        vectors[row, i] += learning_rate * gradient[i]


@kernel
def move_adagrad(table, squares, rows, pulls, n, vectors, sense, learning_rate, delta):
    """The same with a step for each coordinate: rate * g / (sqrt(sum of all g^2 so far) + delta)."""
    dim = table.shape[1]
    for j in range(n):
        row, g = rows[j], pulls[j]
        for i in range(dim):
            pull = g * vectors[sense, i]
            square = squares[row, i] + pull * pull
            squares[row, i] = square
            table[row, i] += learning_rate * pull / (np.sqrt(square) + delta)


@kernel
def move_one_adagrad(vectors, squares, row, gradient, learning_rate, delta):
    for i in range(vectors.shape[1]):
        square = squares[row, i] + gradient[i] * gradient[i]
        squares[row, i] = square
        vectors[row, i] += learning_rate * gradient[i] / (np.sqrt(square) + delta)
