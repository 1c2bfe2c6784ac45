"""Choosing the sense of a token by its context vector: the rule that training and sense assignment share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.jit import inline, internal
from polyseme.kernels.rows import FIRST, dot

# Rules for choosing a sense in training; AT_RANDOM is a control.
ONE_SENSE, BY_CENTER, BY_VECTOR, AT_RANDOM = 0, 1, 2, 3
# Scores that differ by less are equal, and the first sense wins: rounding errors must not decide.
TIE = np.float32(1e-5)
BELOW_ANY_COSINE = np.float32(-2)


@inline
def nearest_sense(context, context_inverse_norm, first, last, centers, center_inverse_norms, log_prior):
    """k = argmax over k = first..last-1 of cos(centers[k], context) + log_prior[k]; returns k and its cosine.

    context               IN  float32 (1, c)
    context_inverse_norm  IN  float32         1 / |context|, or 0 for the zero vector: its cosines are 0
    centers               IN  float32 (R, c)
    center_inverse_norms  IN  float32 (R,)    1 / |center|, or 0 for the zero vector
    log_prior             IN  float32 (R,)    or None for a uniform prior
    """
    best, best_cosine, best_score = first, BELOW_ANY_COSINE, np.float32(-np.inf)
    for row in range(first, last):
        cosine = dot(context, FIRST, centers, row) * (context_inverse_norm * center_inverse_norms[row])
        score = cosine
        if log_prior is not None:
            score += log_prior[row]
        if score > best_score + TIE:
            best, best_cosine, best_score = row, cosine, score
    return best, best_cosine


@internal
def largest_product(context, first, last, vectors):
    """k = argmax over k = first..last-1 of vectors[k] . context[0], the rule of mssg-maxout."""
    best = first
    best_product = dot(context, FIRST, vectors, first)
    for row in range(first + 1, last):
        product = dot(context, FIRST, vectors, row)
        if product > best_product:
            best, best_product = row, product
    return best


def inverse_norms(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """1 / |row| of each row, or 0 for rows of zeros, as `nearest_sense` takes them.  rows IN float32 (..., c)"""
    norms = np.sqrt(np.einsum("...i,...i->...", rows, rows))
    return np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)
