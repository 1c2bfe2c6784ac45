"""Choosing the senses of the tokens that are trained on: their contexts, the choice, and the centers that it moves.

`block.py` has the equations, and says what `parameters`, `tables`, `settings` and `scratch` are.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.contexts import PIECE, add_sides, move_sides
from polyseme.kernels.jit import inline
from polyseme.kernels.nearest_sense import (
    AT_RANDOM,
    BY_CENTER,
    BY_VECTOR,
    FIRST,
    ONE,
    ONE_SENSE,
    ZERO,
    context_vector,
    nearest_center,
    strongest_vector,
    unit_scale,
)
from polyseme.kernels.rng import below, draw
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.prefetch import prefetch_item, prefetch_row
from polyseme.kernels.simd.vector import broadcast, load, reduce_add, store


@inline
def choose_senses(n, start, end, parameters, tables, settings, scratch):
    """Draw the reach of the window of each token of a span, and choose its sense, whose vector is fetched."""
    words = scratch.words
    span = end - start
    for t in range(start, end):
        if t + 2 * span < n:
            prefetch_item(parameters.sense_offsets, words[t + 2 * span])
            prefetch_item(parameters.num_senses, words[t + 2 * span])
        if t + span < n:
            prefetch_senses(words[t + span], parameters, settings)
        reach = 1 + below(draw(scratch.rng), settings.window)
        scale = find_context(n, t, reach, tables.context_table, settings, scratch)
        sense = choose_sense(words[t], scale, parameters, settings, scratch.rng, scratch.context)
        prefetch_row(parameters.sense_vectors, sense)
        scratch.reaches[t - start] = reach
        scratch.senses[t - start] = sense


@inline
def prefetch_senses(word, parameters, settings):
    """Fetch what the context_table among the senses of a word reads."""
    row = parameters.sense_offsets[word]
    prefetch_item(parameters.sense_counts, row)
    if settings.rule == BY_CENTER:
        prefetch_item(parameters.center_inverse_norms, row)
        for sense in range(row, row + parameters.num_senses[word]):
            prefetch_row(parameters.cluster_centers, sense)


@inline
def choose_sense(word, scale, parameters, settings, rng, context):
    """The row of the sense of a word in a context, given with its `unit_scale`; center and count take it in."""
    row = parameters.sense_offsets[word]
    end = row + parameters.num_senses[word]
    if settings.rule == BY_CENTER or settings.rule == AT_RANDOM:
        empty = first_empty(row, end, parameters.sense_counts) if settings.fill_empty else end
        if settings.rule == AT_RANDOM:
            row += below(draw(rng), end - row)
        elif empty < end:
            row = empty
        else:
            row, cosine = nearest_center(
                context, scale, row, end, parameters.cluster_centers, parameters.center_inverse_norms
            )
            if cosine < settings.new_sense_threshold and end < parameters.sense_offsets[word + 1]:
                row = end  # two threads may make it at once: then it is the same one
                parameters.num_senses[word] = end + 1 - parameters.sense_offsets[word]
        move_center(
            row, context, ONE if settings.sense_window == 0 else scale, parameters.sense_counts[row] + 1,
            parameters.cluster_centers, parameters.center_inverse_norms,
        )  # fmt: skip
    elif settings.rule == BY_VECTOR:
        row = strongest_vector(context, row, end, parameters.sense_vectors)
    parameters.sense_counts[row] += 1
    return row


@inline
def find_context(n, t, reach, context_table, settings, scratch):
    """The context by which the sense at t is chosen goes to `scratch.context`; returns its `unit_scale`.

    To be called for every t from 0 on.
    """
    words, context, wide = scratch.words, scratch.context, settings.sense_window
    if settings.rule == ONE_SENSE:
        return ZERO
    if wide == 0:
        return unit_scale(context_vector(words, max(0, t - reach), min(n, t + reach + 1), t, context_table, context))
    fade = np.float32(settings.sense_decay)
    move_sides(words, n, t, wide, fade, None, context_table, scratch.left, scratch.right)
    return unit_scale(add_sides(scratch.left, scratch.right, t % PIECE, context))


@inline
def first_empty(first, last, counts):
    """The first row that no context has chosen, or `last`."""
    for row in range(first, last):
        if counts[row] == 0:
            return row
    return last


@inline
def move_center(row, context, scale, count, centers, center_inverse_norms):
    """mu += (scale c - mu) / count, which keeps mu the mean of its contexts."""
    share, scale = broadcast(ONE / np.float32(count)), broadcast(scale)
    squares = broadcast(ZERO)
    for i in range(0, context.shape[1], LANES):
        old = load(centers, row, i)
        new = old + (scale * load(context, FIRST, i) - old) * share
        squares += new * new
        store(centers, row, i, new)
    center_inverse_norms[row] = unit_scale(reduce_add(squares))
