"""Choosing the senses of the tokens that are trained on: their contexts, the choice, and the centers that it moves.

`training.py` has the equations, and says what `parameters`, `tables`, `settings` and `scratch` are.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.compiling import inlined
from polyseme.kernels.prefetching import prefetch_item, prefetch_row
from polyseme.kernels.randomness import below, draw
from polyseme.kernels.senses import (
    AT_RANDOM,
    BY_CENTER,
    BY_VECTOR,
    ONE_SENSE,
    ZERO,
    context_vector,
    nearest_center,
    strongest_vector,
)

ONE = np.float32(1)


@inlined
def choose_senses(n, start, end, parameters, tables, settings, scratch):
    """Draw the reach of the window of each token of a span, and choose its sense, whose vector is fetched."""
    words = scratch.words
    span = end - start
    for t in range(start, end):
        if settings.rule == BY_CENTER and t + span < n:
            prefetch_centers(words[t + span], parameters)
        reach = 1 + below(draw(scratch.rng), settings.window)
        square = find_context(n, t, reach, span, tables.choice, settings, scratch)
        sense = choose_sense(words[t], square, parameters, settings, scratch.rng, scratch.context)
        prefetch_row(parameters.sense_vectors, sense)
        scratch.reaches[t - start] = reach
        scratch.senses[t - start] = sense


@inlined
def prefetch_centers(word, parameters):
    """Fetch what the choice among the senses of a word reads."""
    row = parameters.sense_offsets[word]
    prefetch_item(parameters.center_squares, row)
    prefetch_item(parameters.sense_counts, row)
    for sense in range(row, row + parameters.sense_numbers[word]):
        prefetch_row(parameters.cluster_centers, sense)


@inlined
def choose_sense(word, square, parameters, settings, rng, context):
    """The row of the sense of a word in a context, given with its squared length; center and count take it in."""
    row = parameters.sense_offsets[word]
    end = row + parameters.sense_numbers[word]
    if settings.rule == BY_CENTER or settings.rule == AT_RANDOM:
        empty = first_empty(row, end, parameters.sense_counts) if settings.fill_empty else end
        if settings.rule == AT_RANDOM:
            row += below(draw(rng), end - row)
        elif empty < end:
            row = empty
        else:
            row, cosine = nearest_center(
                context, square, row, end, parameters.cluster_centers, parameters.center_squares
            )
            if cosine < settings.new_sense_threshold and end < parameters.sense_offsets[word + 1]:
                row = end  # two threads may make it at once: then it is the same one
                parameters.sense_numbers[word] = end + 1 - parameters.sense_offsets[word]
        move_center(
            row, context, parameters.sense_counts[row] + 1, parameters.cluster_centers, parameters.center_squares
        )
    elif settings.rule == BY_VECTOR:
        row = strongest_vector(context, row, end, parameters.sense_vectors)
    parameters.sense_counts[row] += 1
    return row


@inlined
def find_context(n, t, reach, ahead, choice, settings, scratch):
    """The context by which the sense at t is chosen goes to `scratch.context`; returns its squared length.

    A row that comes in `ahead` tokens later is fetched.
    """
    square = ZERO
    words, wide = scratch.words, settings.choice_window
    if settings.rule != ONE_SENSE:
        if wide == 0:
            square = context_vector(words, max(0, t - reach), min(n, t + reach + 1), t, choice, scratch.context)
        else:
            if t + wide + ahead < n:
                prefetch_row(choice, words[t + wide + ahead])
            slide_window(words, n, t, wide, choice, scratch.running)
            others = min(n, t + wide + 1) - max(0, t - wide) - 1
            square = context_of_window(scratch.running, choice, words[t], others, scratch.context)
    return square


@inlined
def slide_window(words, n, t, reach, choice, running):
    """Move the sum of the rows of words[t - reach : t + reach + 1] on to t: one row comes in, one goes out.

    choice   IN      float32 (V, c)  must not change meanwhile
    running  SHARED  float32 (1, c)
    """
    dim = choice.shape[1]
    if t == 0:
        for i in range(dim):
            running[0, i] = ZERO
        for other in range(min(reach, n)):
            for i in range(dim):
                running[0, i] += choice[words[other], i]
    if t + reach < n:
        for i in range(dim):
            running[0, i] += choice[words[t + reach], i]
    if t > reach:
        for i in range(dim):
            running[0, i] -= choice[words[t - reach - 1], i]


@inlined
def context_of_window(running, choice, word, others, context):
    """The context is the mean of a window's other words, its sum without the word; returns its squared length."""
    scale = ONE / np.float32(max(others, 1))
    square = ZERO
    for i in range(choice.shape[1]):
        x = (running[0, i] - choice[word, i]) * scale
        context[0, i] = x
        square += x * x
    return square


@inlined
def first_empty(first, last, counts):
    """The first row that no context has chosen, or `last`."""
    for row in range(first, last):
        if counts[row] == 0:
            return row
    return last


@inlined
def move_center(row, context, count, centers, center_squares):
    """mu += (c - mu) / count, which keeps mu the mean of its contexts."""
    share = ONE / np.float32(count)
    square = ZERO
    for i in range(context.shape[1]):
        old = centers[row, i]
        new = old + (context[0, i] - old) * share
        centers[row, i] = new
        square += new * new
    center_squares[row] = square
