"""The training kernel: one loop for all models, with SGD or AdaGrad.

For each kept token w, with R drawn from 1..N and the window c of R words on each side:

    context  c_bar = mean of the context table's rows of c; or of a wider window of `sense_window` words on each side,
             in which a word counts `sense_decay` times as much as the next nearer one, brought to length 1
    choose   k = argmax_k cos(mu[w, k], c_bar)             mssg; np-mssg makes a new sense if even that is too low
             k = argmax_k v_s[w, k] . c_bar                mssg-maxout
             k = any, with equal chances                   random-senses, a control
    center   mu[w, k] = mean of all contexts that chose k
    learn    for each word o of c, y = 1 and weight a = 1; for m noise words, y = 0 and a = |c| S / m
                 g   = a (y - sigmoid(v_s[w, k] . v_g[o]))     all with the vectors as they are before this token
             v_s[w, k] += step(sum of g v_g[o]);   each v_g[o] += step(g v_s[w, k]), one after the other

A window of |c| words needs |c| S negative samples. A token draws at most `max_negatives`; if it needs more, its pairs
share them, and each negative sample is weighted accordingly. `negative_sharing` consecutive tokens (a span) share one
draw. Both leave the expected gradient unchanged and read fewer rows of memory, which is the bottleneck of training.
The senses of a span are chosen before any of its tokens is trained on, so that their vectors can be prefetched.

Threads share the arrays and write without locks (Hogwild). Rows rarely collide, but those of the most frequent words
do, and then two cores fight for the same cache lines. So each thread works on a copy of its own of the `hot` most
frequent rows of v_g, kept behind the others in the same array, and brings in its mean share after each block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.contexts import PIECE
from polyseme.kernels.jit import inline, internal, kernel_without_refcounts
from polyseme.kernels.nearest_sense import FIRST, ONE
from polyseme.kernels.rng import S32, alias_slot, draw, negative_word
from polyseme.kernels.simd.padding import padded_width, zero_padded_rows
from polyseme.kernels.simd.prefetch import prefetch_row, prefetch_to_read
from polyseme.kernels.simd.vector import check_padding
from polyseme.kernels.train.choose import choose_senses
from polyseme.kernels.train.update import dot_rows, find_coefficients, log_loss, update_adagrad, update_sgd

AHEAD = 2  # tokens by which rows of a window are fetched before they are needed
LOSS_EVERY = 16  # the loss is measured on one token of so many: the logarithms take time


class Parameters(NamedTuple):
    """What is learned. All SHARED: threads write without locks. Rows are whole lanes (see `rows`), as d and c are here.

    global_vectors   float32 (V + threads * hot, d)  v_g; behind the V words, each thread's copy of the hot rows
    global_squares   float32 the same, or no rows    AdaGrad's sums of squared gradients
    sense_vectors    float32 (R, d)                  v_s; senses of word w are rows offsets[w] to offsets[w + 1]
    sense_squares    float32 the same, or no rows
    cluster_centers  float32 (R, c), or no rows      mu
    center_inverse_norms    float32 (R,), or none           1 / |mu|, or 0, kept up to date
    sense_counts     int64   (R,)                    tokens that chose the sense; a lost increment slows a center
    sense_offsets    int64   (V + 1,)
    num_senses    int32   (V,)                    senses that the word has now, of those it has room for
    """

    global_vectors: NDArray[np.float32]
    global_squares: NDArray[np.float32]
    sense_vectors: NDArray[np.float32]
    sense_squares: NDArray[np.float32]
    cluster_centers: NDArray[np.float32]
    center_inverse_norms: NDArray[np.float32]
    sense_counts: NDArray[np.int64]
    sense_offsets: NDArray[np.int64]
    num_senses: NDArray[np.int32]


class Tables(NamedTuple):
    """What is only read.

    keep    IN  uint64  (V,)    subsampling, see `Vocabulary.keep_thresholds`
    noise   IN  uint32  (V, 2)  negatives, see `Vocabulary.negative_table`
    context_table  IN  float32 (V, c)  the vectors from which contexts are made: v_g itself, or a whitened copy
    """

    keep: NDArray[np.uint64]
    noise: NDArray[np.uint32]
    context_table: NDArray[np.float32]


class Settings(NamedTuple):
    """Scalars of a run. `rule` is how a sense is chosen (see `kernels.senses`)."""

    rule: int
    window: int
    sense_window: int  # words on each side that choose the sense; 0 for those of the window that is learned from
    sense_decay: float
    negatives: int
    max_negatives: int  # most that a token gets
    negative_sharing: int  # tokens of a span, which share a draw of noise words
    new_sense_threshold: float  # below this best cosine np-mssg makes a sense; -2 for never
    fill_empty: bool  # a sense that no context has chosen yet takes the next one
    adagrad: bool
    adagrad_delta: float
    hot: int


class Scratch(NamedTuple):
    """Working space of one thread; see `make_scratch` for the sizes."""

    rng: NDArray[np.uint64]
    words: NDArray[np.int32]
    rows: NDArray[np.int32]
    negative_rows: NDArray[np.int32]
    negative_bits: NDArray[np.uint64]
    reaches: NDArray[np.int32]
    senses: NDArray[np.int64]
    coefficients: NDArray[np.float32]
    context: NDArray[np.float32]
    left: NDArray[np.float32]
    right: NDArray[np.float32]
    hot_before: NDArray[np.float32]
    hot_squares_before: NDArray[np.float32]


def make_scratch(longest_sentence: int, dim: int, sense_dim: int, settings: Settings) -> Scratch:
    """Working space for sentences up to a length."""
    most = 2 * settings.window
    noise = min(most * settings.negatives, settings.max_negatives)
    span = min(settings.negative_sharing, longest_sentence)
    return Scratch(
        rng=np.zeros(1, np.uint64),
        words=np.empty(longest_sentence, np.int32),
        rows=np.empty(most + noise, np.int32),
        negative_rows=np.empty(noise, np.int32),
        negative_bits=np.empty(noise, np.uint64),
        reaches=np.empty(span, np.int32),
        senses=np.empty(span, np.int64),
        coefficients=np.zeros(padded_width(most + noise), np.float32),
        context=zero_padded_rows(1, sense_dim),
        left=zero_padded_rows(1, sense_dim),
        right=zero_padded_rows(PIECE, sense_dim),
        hot_before=zero_padded_rows(settings.hot, dim),
        hot_squares_before=zero_padded_rows(settings.hot if settings.adagrad else 0, dim),
    )


@kernel_without_refcounts
def train_block(tokens, sentences, parameters, tables, settings, scratch, seed, learning_rate, thread, threads):
    """Train on a block of whole sentences.

    tokens     IN  int32 (n,)      ids; those of V or more are not in the vocabulary
    sentences  IN  int64 (m + 1,)  where each sentence begins in tokens, and the end
    seed       IN  uint64          all that is random in this block follows from it
    Returns (tokens trained, pairs, sum of the loss over pairs, estimated) as int64, int64, float64.
    """
    table, table_squares = parameters.global_vectors, parameters.global_squares
    check_padding(table)
    check_padding(tables.context_table)
    rng, words = scratch.rng, scratch.words
    rng[0] = seed
    hot_base = len(tables.keep) + thread * settings.hot
    take_hot_rows(table, hot_base, scratch.hot_before)
    take_hot_rows(table_squares, hot_base, scratch.hot_squares_before)
    trained, pairs, measured, loss = 0, 0, 0, 0.0
    draw_negative_bits(tables.noise, rng, scratch.negative_bits)
    for s in range(len(sentences) - 1):
        n = keep_words(tokens, sentences[s], sentences[s + 1], tables.keep, rng, words)
        if n < 2:  # a word alone has no context
            continue
        for start in range(0, n, settings.negative_sharing):
            end = min(start + settings.negative_sharing, n)
            find_negative_rows(tables.noise, settings, hot_base, scratch.negative_bits, scratch.negative_rows, table)
            draw_negative_bits(tables.noise, rng, scratch.negative_bits)
            choose_senses(n, start, end, parameters, tables, settings, scratch)
            for t in range(start, end):
                prefetch_next(n, t, parameters, settings, scratch, hot_base)
                measure = trained % LOSS_EVERY == 0
                context, token_loss = learn(
                    n, t, scratch.senses[t - start], scratch.reaches[t - start], parameters, settings, scratch,
                    hot_base, learning_rate, measure,
                )  # fmt: skip
                trained += 1
                pairs += context * (1 + settings.negatives)
                if measure:
                    measured += context * (1 + settings.negatives)
                    loss += token_loss
    give_hot_rows(table, hot_base, scratch.hot_before, ONE / np.float32(threads))
    give_hot_rows(table_squares, hot_base, scratch.hot_squares_before, ONE)
    return trained, pairs, loss * (pairs / max(measured, 1))


@internal
def keep_words(tokens, start, end, keep, rng, words):
    """Copy into `words` the tokens that are in the vocabulary and survive subsampling; returns their number."""
    n = 0
    for t in range(start, end):
        token = tokens[t]
        if token < len(keep):
            words[n] = token
            n += draw(rng) >> S32 < keep[token]
    return n


@inline
def prefetch_next(n, t, parameters, settings, scratch, hot_base):
    """Fetch a row that is about to come into the window."""
    if t + settings.window + AHEAD < n:
        word = scratch.words[t + settings.window + AHEAD]
        prefetch_row(parameters.global_vectors, global_row(word, settings.hot, hot_base))


@inline
def learn(n, t, sense, reach, parameters, settings, scratch, hot_base, learning_rate, measure):
    """The gradient step of the token at t; returns the words in its window and, if it is to be measured, the loss."""
    vectors, table = parameters.sense_vectors, parameters.global_vectors
    rows, coefficients = scratch.rows, scratch.coefficients
    first, last = max(0, t - reach), min(n, t + reach + 1)
    context = last - first - 1
    used = list_rows(scratch.words, t, first, last, settings, hot_base, scratch.negative_rows, rows)
    dot_rows(vectors, sense, table, rows, used, coefficients)
    find_coefficients(context, used, coefficients)
    weight = np.float32(context * settings.negatives) / np.float32(used - context)
    loss = 0.0
    if measure:
        loss = log_loss(coefficients, 0, context) + np.float64(weight) * log_loss(coefficients, context, used)
    for j in range(context, used):
        coefficients[j] *= weight
    if settings.adagrad:
        update_adagrad(
            table, parameters.global_squares, rows, coefficients, used, vectors, parameters.sense_squares, sense,
            learning_rate, np.float32(settings.adagrad_delta),
        )  # fmt: skip
    else:
        update_sgd(table, rows, coefficients, used, vectors, sense, learning_rate)
    return context, loss


@inline
def global_row(word, hot, hot_base):
    """Where this thread has v_g of a word."""
    return np.int64(word) if word >= hot else hot_base + np.int64(word)


@inline
def draw_negative_bits(noise, rng, negative_bits):
    """Draw what the noise words of the next span follow from, and fetch where they stand in their table."""
    for j in range(len(negative_bits)):
        negative_bits[j] = draw(rng)
        prefetch_to_read(noise, alias_slot(negative_bits[j], noise), FIRST)


@inline
def find_negative_rows(noise, settings, hot_base, negative_bits, negative_rows, table):
    """Fill `negative_rows` with those of the noise words that follow from what was drawn before."""
    for j in range(len(negative_rows)):
        negative_rows[j] = global_row(negative_word(negative_bits[j], noise), settings.hot, hot_base)
        prefetch_row(table, negative_rows[j])


@inline
def list_rows(words, center, first, last, settings, hot_base, negative_rows, rows):
    """Fill `rows` with those of the context words and, after them, of their noise words; returns how many rows."""
    n = 0
    for t in range(first, last):
        if t != center:
            rows[n] = global_row(words[t], settings.hot, hot_base)
            n += 1
    noise = min(n * settings.negatives, settings.max_negatives)
    for j in range(noise):
        rows[n + j] = negative_rows[j]
    return n + noise


@internal
def take_hot_rows(table, hot_base, before):
    """Copy the hot rows to this thread's place, and remember them.  before OUT float32 (hot, d)"""
    for row in range(len(before)):
        for i in range(before.shape[1]):
            before[row, i] = table[row, i]
            table[hot_base + row, i] = before[row, i]


@internal
def give_hot_rows(table, hot_base, before, share):
    """Add to the hot rows this share of what the thread's own copy has changed by."""
    for row in range(len(before)):
        for i in range(before.shape[1]):
            table[row, i] += share * (table[hot_base + row, i] - before[row, i])
