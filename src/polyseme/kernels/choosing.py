"""Choosing the senses of the tokens that are trained on: their contexts, the choice, and the centers that it moves.

`training.py` has the equations, and says what `parameters`, `tables`, `settings` and `scratch` are.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.compiling import inlined
from polyseme.kernels.contexts import PIECE, add_sides, move_sides
from polyseme.kernels.lanes import load, spread, store, total
from polyseme.kernels.prefetching import prefetch_item, prefetch_row
from polyseme.kernels.randomness import below, draw
from polyseme.kernels.rows import LANES
from polyseme.kernels.senses import (
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


@inlined
def choose_senses(n, start, end, parameters, tables, settings, scratch):
    """Draw the reach of the window of each token of a span, and choose its sense, whose vector is fetched."""
    words = scratch.words
    span = end - start
    for t in range(start, end):
        if t + 2 * span < n:
            prefetch_item(parameters.sense_offsets, words[t + 2 * span])
            prefetch_item(parameters.sense_numbers, words[t + 2 * span])
        if t + span < n:
            prefetch_senses(words[t + span], parameters, settings)
        reach = 1 + below(draw(scratch.rng), settings.window)
        scale = find_context(n, t, reach, tables.choice, settings, scratch)
        sense = choose_sense(words[t], scale, parameters, settings, scratch.rng, scratch.context)
        prefetch_row(parameters.sense_vectors, sense)
        scratch.reaches[t - start] = reach
        scratch.senses[t - start] = sense


@inlined
def prefetch_senses(word, parameters, settings):
    """Fetch what the choice among the senses of a word reads."""
    row = parameters.sense_offsets[word]
    prefetch_item(parameters.sense_counts, row)
    if settings.rule == BY_CENTER:
        prefetch_item(parameters.center_scales, row)
        for sense in range(row, row + parameters.sense_numbers[word]):
            prefetch_row(parameters.cluster_centers, sense)


@inlined
def choose_sense(word, scale, parameters, settings, rng, context):
    """The row of the sense of a word in a context, given with its `unit_scale`; center and count take it in."""
    row = parameters.sense_offsets[word]
    end = row + parameters.sense_numbers[word]
    if settings.rule == BY_CENTER or settings.rule == AT_RANDOM:
        empty = first_empty(row, end, parameters.sense_counts) if settings.fill_empty else end
        if settings.rule == AT_RANDOM:
            row += below(draw(rng), end - row)
        elif empty < end:
            row = empty
        else:
            row, cosine = nearest_center(context, scale, row, end, parameters.cluster_centers, parameters.center_scales)
            if cosine < settings.new_sense_threshold and end < parameters.sense_offsets[word + 1]:
                row = end  # two threads may make it at once: then it is the same one
                parameters.sense_numbers[word] = end + 1 - parameters.sense_offsets[word]
        move_center(
            row, context, ONE if settings.choice_window == 0 else scale, parameters.sense_counts[row] + 1,
            parameters.cluster_centers, parameters.center_scales,
        )  # fmt: skip
    elif settings.rule == BY_VECTOR:
        row = strongest_vector(context, row, end, parameters.sense_vectors)
    parameters.sense_counts[row] += 1
    return row


@inlined
def find_context(n, t, reach, choice, settings, scratch):
    """The context by which the sense at t is chosen goes to `scratch.context`; returns its `unit_scale`.

    To be called for every t from 0 on.
    """
    words, context, wide = scratch.words, scratch.context, settings.choice_window
    if settings.rule == ONE_SENSE:
        return ZERO
    if wide == 0:
        return unit_scale(context_vector(words, max(0, t - reach), min(n, t + reach + 1), t, choice, context))
    fade = np.float32(settings.choice_fade)
    move_sides(words, n, t, wide, fade, None, choice, scratch.left, scratch.right)
    return unit_scale(add_sides(scratch.left, scratch.right, t % PIECE, context))


@inlined
def first_empty(first, last, counts):
    """The first row that no context has chosen, or `last`."""
    for row in range(first, last):
        if counts[row] == 0:
            return row
    return last


@inlined
def move_center(row, context, scale, count, centers, center_scales):
    """mu += (scale c - mu) / count, which keeps mu the mean of its contexts."""
    share, scale = spread(ONE / np.float32(count)), spread(scale)
    squares = spread(ZERO)
    for i in range(0, context.shape[1], LANES):
        old = load(centers, row, i)
        new = old + (scale * load(context, FIRST, i) - old) * share
        squares += new * new
        store(centers, row, i, new)
    center_scales[row] = unit_scale(total(squares))
