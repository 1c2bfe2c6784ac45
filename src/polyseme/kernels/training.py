"""The training kernel: one loop for all models, with SGD or AdaGrad.

For each kept token w, with R drawn from 1..N and the window c of R words on each side:

    context  c_bar = mean of the choice table's rows of c; or of a wider window of `choice_window` words on each side,
             in which a word counts `choice_fade` times as much as the next nearer one, brought to length 1
    choose   k = argmax_k cos(mu[w, k], c_bar)             mssg; np-mssg makes a new sense if even that is too low
             k = argmax_k v_s[w, k] . c_bar                mssg-maxout
             k = any, with equal chances                   random-senses, a control
    center   mu[w, k] = mean of all contexts that chose k
    learn    for each word o of c, y = 1 and weight a = 1; for m noise words, y = 0 and a = |c| S / m
                 g   = a (y - sigmoid(v_s[w, k] . v_g[o]))     all with the vectors as they are before this token
             v_s[w, k] += step(sum of g v_g[o]);   each v_g[o] += step(g v_s[w, k]), one after the other

A window of |c| words asks for |c| S noise words. Up to `noise_words` it gets them; beyond, its pairs share so many,
and each counts for several. A span of `noise_span` tokens in a row shares one draw. Both keep the gradient on average
the same, and take it from fewer rows of memory, which is what training waits for. The senses of a span are chosen
before any of its tokens is learned from: so their vectors are on the way while the others are chosen.

Threads share the arrays and write without locks (Hogwild). Rows rarely collide, but those of the most frequent words
do, and then two cores fight for the same cache lines. So each thread works on a copy of its own of the `hot` most
frequent rows of v_g, kept behind the others in the same array, and brings in its mean share after each block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.choosing import choose_senses
from polyseme.kernels.compiling import inlined, inner, uncounted
from polyseme.kernels.contexts import PIECE
from polyseme.kernels.lanes import refuse_parts
from polyseme.kernels.learning import dot_rows, find_pulls, log_loss, move_adagrad, move_sgd
from polyseme.kernels.prefetching import prefetch_row, prefetch_to_read
from polyseme.kernels.randomness import S32, draw, noise_slot, noise_word
from polyseme.kernels.rows import whole_lanes, zero_rows
from polyseme.kernels.senses import FIRST, ONE

AHEAD = 2  # tokens by which rows of a window are fetched before they are needed
LOSS_EVERY = 16  # the loss is measured on one token of so many: the logarithms take time


class Parameters(NamedTuple):
    """What is learned. All SHARED: threads write without locks. Rows are whole lanes (see `rows`), as d and c are here.

    global_vectors   float32 (V + threads * hot, d)  v_g; behind the V words, each thread's copy of the hot rows
    global_squares   float32 the same, or no rows    AdaGrad's sums of squared gradients
    sense_vectors    float32 (R, d)                  v_s; senses of word w are rows offsets[w] to offsets[w + 1]
    sense_squares    float32 the same, or no rows
    cluster_centers  float32 (R, c), or no rows      mu
    center_scales    float32 (R,), or none           1 / |mu|, or 0, kept up to date
    sense_counts     int64   (R,)                    tokens that chose the sense; a lost increment slows a center
    sense_offsets    int64   (V + 1,)
    sense_numbers    int32   (V,)                    senses that the word has now, of those it has room for
    """

    global_vectors: NDArray[np.float32]
    global_squares: NDArray[np.float32]
    sense_vectors: NDArray[np.float32]
    sense_squares: NDArray[np.float32]
    cluster_centers: NDArray[np.float32]
    center_scales: NDArray[np.float32]
    sense_counts: NDArray[np.int64]
    sense_offsets: NDArray[np.int64]
    sense_numbers: NDArray[np.int32]


class Tables(NamedTuple):
    """What is only read.

    keep    IN  uint64  (V,)    subsampling, see `Vocabulary.keep_thresholds`
    noise   IN  uint32  (V, 2)  negatives, see `Vocabulary.noise_table`
    choice  IN  float32 (V, c)  the vectors from which contexts are made: v_g itself, or a whitened copy
    """

    keep: NDArray[np.uint64]
    noise: NDArray[np.uint32]
    choice: NDArray[np.float32]


class Settings(NamedTuple):
    """Scalars of a run. `rule` is how a sense is chosen (see `kernels.senses`)."""

    rule: int
    window: int
    choice_window: int  # words on each side that choose the sense; 0 for those of the window that is learned from
    choice_fade: float
    negatives: int
    noise_words: int  # most that a token gets
    noise_span: int  # tokens of a span, which share a draw of noise words
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
    noise_rows: NDArray[np.int32]
    noise_bits: NDArray[np.uint64]
    reaches: NDArray[np.int32]
    senses: NDArray[np.int64]
    pulls: NDArray[np.float32]
    context: NDArray[np.float32]
    left: NDArray[np.float32]
    right: NDArray[np.float32]
    hot_before: NDArray[np.float32]
    hot_squares_before: NDArray[np.float32]


def make_scratch(longest_sentence: int, dim: int, choice_dim: int, settings: Settings) -> Scratch:
    """Working space for sentences up to a length."""
    most = 2 * settings.window
    noise = min(most * settings.negatives, settings.noise_words)
    span = min(settings.noise_span, longest_sentence)
    return Scratch(
        rng=np.zeros(1, np.uint64),
        words=np.empty(longest_sentence, np.int32),
        rows=np.empty(most + noise, np.int32),
        noise_rows=np.empty(noise, np.int32),
        noise_bits=np.empty(noise, np.uint64),
        reaches=np.empty(span, np.int32),
        senses=np.empty(span, np.int64),
        pulls=np.zeros(whole_lanes(most + noise), np.float32),
        context=zero_rows(1, choice_dim),
        left=zero_rows(1, choice_dim),
        right=zero_rows(PIECE, choice_dim),
        hot_before=zero_rows(settings.hot, dim),
        hot_squares_before=zero_rows(settings.hot if settings.adagrad else 0, dim),
    )


@uncounted
def train_block(tokens, sentences, parameters, tables, settings, scratch, seed, learning_rate, thread, threads):
    """Train on a block of whole sentences.

    tokens     IN  int32 (n,)      ids; those of V or more are not in the vocabulary
    sentences  IN  int64 (m + 1,)  where each sentence begins in tokens, and the end
    seed       IN  uint64          all that is random in this block follows from it
    Returns (tokens trained, pairs, sum of the loss over pairs, estimated) as int64, int64, float64.
    """
    table, table_squares = parameters.global_vectors, parameters.global_squares
    refuse_parts(table)
    refuse_parts(tables.choice)
    rng, words = scratch.rng, scratch.words
    rng[0] = seed
    hot_base = len(tables.keep) + thread * settings.hot
    take_hot_rows(table, hot_base, scratch.hot_before)
    take_hot_rows(table_squares, hot_base, scratch.hot_squares_before)
    trained, pairs, measured, loss = 0, 0, 0, 0.0
    draw_noise_bits(tables.noise, rng, scratch.noise_bits)
    for s in range(len(sentences) - 1):
        n = keep_words(tokens, sentences[s], sentences[s + 1], tables.keep, rng, words)
        if n < 2:  # a word alone has no context
            continue
        for start in range(0, n, settings.noise_span):
            end = min(start + settings.noise_span, n)
            find_noise_rows(tables.noise, settings, hot_base, scratch.noise_bits, scratch.noise_rows, table)
            draw_noise_bits(tables.noise, rng, scratch.noise_bits)
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


@inner
def keep_words(tokens, start, end, keep, rng, words):
    """Copy into `words` the tokens that are in the vocabulary and survive subsampling; returns their number."""
    n = 0
    for t in range(start, end):
        token = tokens[t]
        if token < len(keep):
            words[n] = token
            n += draw(rng) >> S32 < keep[token]
    return n


@inlined
def prefetch_next(n, t, parameters, settings, scratch, hot_base):
    """Fetch a row that is about to come into the window."""
    if t + settings.window + AHEAD < n:
        word = scratch.words[t + settings.window + AHEAD]
        prefetch_row(parameters.global_vectors, global_row(word, settings.hot, hot_base))


@inlined
def learn(n, t, sense, reach, parameters, settings, scratch, hot_base, learning_rate, measure):
    """The gradient step of the token at t; returns the words in its window and, if it is to be measured, the loss."""
    vectors, table = parameters.sense_vectors, parameters.global_vectors
    rows, pulls = scratch.rows, scratch.pulls
    first, last = max(0, t - reach), min(n, t + reach + 1)
    context = last - first - 1
    used = list_rows(scratch.words, t, first, last, settings, hot_base, scratch.noise_rows, rows)
    dot_rows(vectors, sense, table, rows, used, pulls)
    find_pulls(context, used, pulls)
    weight = np.float32(context * settings.negatives) / np.float32(used - context)
    loss = 0.0
    if measure:
        loss = log_loss(pulls, 0, context) + np.float64(weight) * log_loss(pulls, context, used)
    for j in range(context, used):
        pulls[j] *= weight
    if settings.adagrad:
        move_adagrad(
            table, parameters.global_squares, rows, pulls, used, vectors, parameters.sense_squares, sense,
            learning_rate, np.float32(settings.adagrad_delta),
        )  # fmt: skip
    else:
        move_sgd(table, rows, pulls, used, vectors, sense, learning_rate)
    return context, loss


@inlined
def global_row(word, hot, hot_base):
    """Where this thread has v_g of a word."""
    return np.int64(word) if word >= hot else hot_base + np.int64(word)


@inlined
def draw_noise_bits(noise, rng, noise_bits):
    """Draw what the noise words of the next span follow from, and fetch where they stand in their table."""
    for j in range(len(noise_bits)):
        noise_bits[j] = draw(rng)
        prefetch_to_read(noise, noise_slot(noise_bits[j], noise), FIRST)


@inlined
def find_noise_rows(noise, settings, hot_base, noise_bits, noise_rows, table):
    """Fill `noise_rows` with those of the noise words that follow from what was drawn before."""
    for j in range(len(noise_rows)):
        noise_rows[j] = global_row(noise_word(noise_bits[j], noise), settings.hot, hot_base)
        prefetch_row(table, noise_rows[j])


@inlined
def list_rows(words, center, first, last, settings, hot_base, noise_rows, rows):
    """Fill `rows` with those of the context words and, after them, of their noise words; returns how many rows."""
    n = 0
    for t in range(first, last):
        if t != center:
            rows[n] = global_row(words[t], settings.hot, hot_base)
            n += 1
    noise = min(n * settings.negatives, settings.noise_words)
    for j in range(noise):
        rows[n + j] = noise_rows[j]
    return n + noise


@inner
def take_hot_rows(table, hot_base, before):
    """Copy the hot rows to this thread's place, and remember them.  before OUT float32 (hot, d)"""
    for row in range(len(before)):
        for i in range(before.shape[1]):
            before[row, i] = table[row, i]
            table[hot_base + row, i] = before[row, i]


@inner
def give_hot_rows(table, hot_base, before, share):
    """Add to the hot rows this share of what the thread's own copy has changed by."""
    for row in range(len(before)):
        for i in range(before.shape[1]):
            table[row, i] += share * (table[hot_base + row, i] - before[row, i])
