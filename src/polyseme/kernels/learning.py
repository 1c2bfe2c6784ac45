"""The gradient step of one token: its sense vector against the rows of its context and noise words, as one batch.

All dot products first, four rows at a time; then all sigmoids; then each row moves, and adds to what moves the sense.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.compiling import inner, kernel
from polyseme.kernels.senses import ZERO, dot

ONE = np.float32(1)
LIMIT = np.float32(16)  # dot products beyond are as certain
SMALLEST = 1e-8  # probability of a pair, as rounded; 1e-8^32 is still a float64
PAIRS_PER_LOG = 32
LANES = 16  # numbers in the widest vector register


@inner
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


@inner
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


@inner
def move_sgd(table, rows, pulls, n, vectors, sense, learning_rate, total):
    """For each row u in turn: total += g u, the gradient of the sense vector v; then u += rate g v.

    Two rows at a time, to read v and write the total once for both.
    total  OUT  float32 (d,)
    """
    dim = table.shape[1]
    for i in range(dim):
        total[i] = ZERO
    whole = n - n % 2
    for j in range(0, whole, 2):
        a, b, g_a, g_b = rows[j], rows[j + 1], pulls[j], pulls[j + 1]
        step_a, step_b = learning_rate * g_a, learning_rate * g_b
        if a != b:
            for i in range(dim):
                v, u_a, u_b = vectors[sense, i], table[a, i], table[b, i]
                total[i] += g_a * u_a + g_b * u_b
                table[a, i] = u_a + step_a * v
                table[b, i] = u_b + step_b * v
        else:
            move_row(table, a, g_a, vectors, sense, step_a, total)
            move_row(table, b, g_b, vectors, sense, step_b, total)
    for j in range(whole, n):
        move_row(table, rows[j], pulls[j], vectors, sense, learning_rate * pulls[j], total)


@inner
def move_row(table, row, g, vectors, sense, step, total):
    """The same for one row."""
    for i in range(table.shape[1]):
        u = table[row, i]
        total[i] += g * u
        table[row, i] = u + step * vectors[sense, i]


@inner
def move_one_sgd(vectors, row, gradient, learning_rate):
    for i in range(vectors.shape[1]):
        vectors[row, i] += learning_rate * gradient[i]


@inner
def move_adagrad(table, squares, rows, pulls, n, vectors, sense, learning_rate, delta, total):
    """The same with a step for each coordinate: rate * g v / (sqrt(sum of all its squares so far) + delta)."""
    dim = table.shape[1]
    for i in range(dim):
        total[i] = ZERO
    for j in range(n):
        row, g = rows[j], pulls[j]
        for i in range(dim):
            u, pull = table[row, i], g * vectors[sense, i]
            square = squares[row, i] + pull * pull
            squares[row, i] = square
            total[i] += g * u
            table[row, i] = u + learning_rate * pull / (np.sqrt(square) + delta)


@inner
def move_one_adagrad(vectors, squares, row, gradient, learning_rate, delta):
    for i in range(vectors.shape[1]):
        square = squares[row, i] + gradient[i] * gradient[i]
        squares[row, i] = square
        vectors[row, i] += learning_rate * gradient[i] / (np.sqrt(square) + delta)
