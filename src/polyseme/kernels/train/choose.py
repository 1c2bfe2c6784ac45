"""Choosing the sense of each training token: its context vector, the choice, and the update of the cluster center.

See `block` for the equations and for the meaning of `parameters`, `tables`, `config` and `scratch`.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.contexts import add_sides, list_context, slide_to, sum_context
from polyseme.kernels.jit import inline
from polyseme.kernels.nearest_sense import (
    AT_RANDOM,
    BY_CENTER,
    BY_VECTOR,
    ONE_SENSE,
    largest_product,
    nearest_sense,
)
from polyseme.kernels.rng import below, draw
from polyseme.kernels.rows import FIRST, ONE, ZERO, inverse_norm
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.prefetch import prefetch_item, prefetch_row
from polyseme.kernels.simd.vector import broadcast, load, reduce_add, store


@inline
def choose_senses(n, start, end, parameters, tables, config, scratch):
    """Draw the window and choose the sense of each token of a span, into `scratch.windows` and `scratch.senses`."""
    words = scratch.words
    span = end - start
    for t in range(start, end):
        if t + 2 * span < n:
            prefetch_item(parameters.sense_offsets, words[t + 2 * span])
            prefetch_item(parameters.num_senses, words[t + 2 * span])
        if t + span < n:
            prefetch_senses(words[t + span], parameters, config)
        window = 1 + below(draw(scratch.rng), config.window)
        to_unit, to_center = find_context(n, t, window, tables.context_table, config, scratch)
        sense = choose_sense(words[t], to_unit, to_center, parameters, config, scratch.rng, scratch.context)
        prefetch_row(parameters.sense_vectors, sense)
        scratch.windows[t - start] = window
        scratch.senses[t - start] = sense


@inline
def prefetch_senses(word, parameters, config):
    """Prefetch what `choose_sense` reads for a word."""
    row = parameters.sense_offsets[word]
    prefetch_item(parameters.sense_counts, row)
    if config.rule == BY_CENTER:
        prefetch_item(parameters.center_inverse_norms, row)
        for sense in range(row, row + parameters.num_senses[word]):
            prefetch_row(parameters.cluster_centers, sense)


@inline
def find_context(n, t, window, context_table, config, scratch):
    """Write the context vector of the token at t to `scratch.context`; to be called for t = 0, 1, 2, ... in turn.

    Returns two factors for it: the one that makes it a unit vector, and the one that makes it what cluster centers are
    means of (1/2R times the sum of the window's rows if sense_window = 0, as in the paper, else the unit vector).
    """
    words, context = scratch.words, scratch.context
    if config.rule == ONE_SENSE:
        return ZERO, ZERO
    if config.sense_window == 0:
        size = list_context(
            words, t, FIRST, n, window, ONE, None, len(context_table), scratch.context_words, scratch.context_factors
        )
        square = sum_context(scratch.context_words, scratch.context_factors, size, context_table, context, FIRST)
        return inverse_norm(square), ONE / np.float32(2 * window)
    decay = np.float32(config.sense_decay)
    slide_to(t, words, n, config.sense_window, decay, None, context_table, scratch.left, scratch.right)
    to_unit = inverse_norm(add_sides(scratch.left, scratch.right, t, context))
    return to_unit, to_unit


@inline
def choose_sense(word, to_unit, to_center, parameters, config, rng, context):
    """Choose the sense of a word, update its count and its center; returns its row.

    context             IN  float32 (1, c)
    to_unit, to_center  IN  float32         factors, as from `find_context`
    """
    row = parameters.sense_offsets[word]
    end = row + parameters.num_senses[word]
    if config.rule == BY_CENTER or config.rule == AT_RANDOM:
        centers, inverse_norms = parameters.cluster_centers, parameters.center_inverse_norms
        empty = first_empty(row, end, parameters.sense_counts) if config.fill_empty else end
        if config.rule == AT_RANDOM:
            row += below(draw(rng), end - row)
        elif empty < end:
            row = empty
        else:
            row, cosine = nearest_sense(context, to_unit, row, end, centers, inverse_norms, None)
            if cosine < config.new_sense_threshold and end < parameters.sense_offsets[word + 1]:
                row = end  # if two threads add a sense at once, they add the same one
                parameters.num_senses[word] = end + 1 - parameters.sense_offsets[word]
        update_center(row, context, to_center, parameters.sense_counts[row] + 1, centers, inverse_norms)
    elif config.rule == BY_VECTOR:
        row = largest_product(context, row, end, parameters.sense_vectors)
    parameters.sense_counts[row] += 1
    return row


@inline
def first_empty(first, last, counts):
    """The first row of first..last-1 with a count of 0, or `last`."""
    for row in range(first, last):
        if counts[row] == 0:
            return row
    return last


@inline
def update_center(row, context, scale, count, centers, center_inverse_norms):
    """mu += (scale c - mu) / count, so that mu stays the mean of the contexts assigned to it."""
    share, scale = broadcast(ONE / np.float32(count)), broadcast(scale)
    squares = broadcast(ZERO)
    for i in range(0, context.shape[1], LANES):
        old = load(centers, row, i)
        new = old + (scale * load(context, FIRST, i) - old) * share
        squares += new * new
        store(centers, row, i, new)
    center_inverse_norms[row] = inverse_norm(reduce_add(squares))
