"""Choosing the sense of a word in its context: shared by training and by questions to a model."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import inline, internal
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.vector import broadcast, load, reduce_add, store

# How a sense is chosen; at random for a control.
ONE_SENSE, BY_CENTER, BY_VECTOR, AT_RANDOM = 0, 1, 2, 3
# Cosines closer than this are equal, and the older sense wins: rounding must not decide.
TIE = np.float32(1e-5)
ZERO, ONE = np.float32(0), np.float32(1)
# The first row, or the only one. What is called with a literal 0 would be compiled once more, for that.
FIRST = np.int64(0)


@inline
def dot(a, row_a, b, row_b):
    """a[row_a] . b[row_b]"""
    products = broadcast(ZERO)
    for i in range(0, a.shape[1], LANES):
        products += load(a, row_a, i) * load(b, row_b, i)
    return reduce_add(products)


@internal
def context_vector(words, first, last, center, table, context):
    """Mean of the rows of words[first:last], without words[center]; returns its squared length.

    words    IN   int32 (n,)
    table    IN   float32 (V, d)
    context  OUT  float32 (1, d)
    """
    others = last - first - (1 if first <= center < last else 0)
    scale = broadcast(ONE / np.float32(max(others, 1)))
    squares = broadcast(ZERO)
    for i in range(0, table.shape[1], LANES):
        mean = broadcast(ZERO)
        for t in range(first, last):
            if t != center:
                mean += load(table, words[t], i)
        mean = mean * scale
        squares += mean * mean
        store(context, FIRST, i, mean)
    return reduce_add(squares)


@inline
def nearest_center(context, scale, first, last, centers, center_inverse_norms):
    """The row among first..last-1 whose center has the highest cosine with the context, and that cosine.

    context        IN  float32 (1, d)
    scale          IN  float32         what brings the context to length 1; 0 if it has none
    centers        IN  float32 (R, d)
    center_inverse_norms  IN  float32 (R,)    the same of each center: a cosine with one of length 0 is 0
    """
    best = first
    best_cosine = np.float32(-2)
    for row in range(first, last):
        cosine = dot(context, FIRST, centers, row) * (scale * center_inverse_norms[row])
        if cosine > best_cosine + TIE:
            best, best_cosine = row, cosine
    return best, best_cosine


@inline
def unit_scale(square):
    """What brings a vector of this squared length to length 1, if it has any."""
    return ONE / np.sqrt(square) if square > ZERO else ZERO


@internal
def strongest_vector(context, first, last, vectors):
    """The row among first..last-1 whose vector has the largest dot product with the context (maxout)."""
    best = first
    best_product = dot(context, FIRST, vectors, first)
    for row in range(first + 1, last):
        product = dot(context, FIRST, vectors, row)
        if product > best_product:
            best, best_product = row, product
    return best
