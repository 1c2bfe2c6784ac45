"""The training kernel: one loop for all models, with SGD or AdaGrad.

For each token w that survives subsampling, with R drawn from 1..N and c the R words on each side:

    context  c_bar = 1/2R times the sum of the rows of c in the context table; or, if sense_window > 0, the context
             vector (see `contexts`) of `sense_window` words on each side with decay `sense_decay`, scaled to length 1
    choose   k = argmax_k cos(mu[w, k], c_bar)         mssg; np-mssg adds a sense if this cosine is below a threshold
             k = argmax_k v_s[w, k] . c_bar            mssg-maxout
             k = uniformly random                      random-senses, a control
    center   mu[w, k] = mean of all c_bar assigned to k
    update   for each word o of c: label y = 1, weight a = 1; for each of m negative samples o: y = 0, a = |c| S / m
                 g = a (y - sigmoid(v_s[w, k] . v_g[o]))      from the vectors before the update
             v_s[w, k] += step(sum of g v_g[o]);   each v_g[o] += step(g v_s[w, k]), in turn
             In continued training, a step of SGD is multiplied by the rate of its row.

A window of |c| words needs |c| S negative samples. A token draws at most `max_negatives`; if it needs more, its pairs
share them, and each negative sample is weighted accordingly. `negative_sharing` consecutive tokens (a span) share one
draw. Both leave the expected gradient unchanged and read fewer rows of memory, which is the bottleneck of training.
The senses of a span are chosen before any of its tokens is trained on, so that their vectors can be prefetched.

Threads share all arrays and write without locks (Hogwild). Two threads rarely update the same row at the same time,
except for the rows of the most frequent words: there each write invalidates the cache line of the other cores, which
then wait for memory. So each thread has a private copy of these rows of v_g, the hot rows. It copies them at the start
of a block, trains on the copy, and at the end adds its changes, divided by the number of threads, to the shared rows.
There are no copies with one thread or with AdaGrad.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.contexts import CHUNK
from polyseme.kernels.jit import inline, internal, kernel_without_refcounts
from polyseme.kernels.rng import S32, alias_slot, draw, negative_word
from polyseme.kernels.rows import FIRST, ONE, check_padding
from polyseme.kernels.simd.padding import padded_width, zero_padded_rows
from polyseme.kernels.simd.prefetch import prefetch_row, prefetch_to_read
from polyseme.kernels.train.choose import choose_senses
from polyseme.kernels.train.update import (
    dot_rows,
    find_coefficients,
    log_loss,
    update_adagrad,
    update_sgd,
    update_sgd_at_rates,
)

PREFETCH_DISTANCE = 2  # tokens between the prefetching of a row of v_g and its first use in a window
LOSS_EVERY = 16  # the loss is computed for one token in 16, because logarithms are slow
NO_RATES = np.empty(0, np.float32)


class Parameters(NamedTuple):
    """The arrays that training changes, all SHARED. Rows are padded: d and c are padded widths.

    global_vectors        float32 (V + threads * hot_rows, d)  v_g; after the V words, the hot rows of each thread
    global_squares        float32 (V, d)                       AdaGrad's sums of squared gradients; no rows with SGD
    sense_vectors         float32 (R, d)                       v_s; senses of word w are rows offsets[w]:offsets[w + 1]
    sense_squares         float32 like sense_vectors           no rows with SGD
    cluster_centers       float32 (R, c)                       mu; no rows for models without centers
    center_inverse_norms  float32 (R,)                         1 / |mu|, or 0 where mu = 0; empty without centers
    sense_counts          int64   (R,)                         tokens per sense; threads may lose an increment
    sense_offsets         int64   (V + 1,)
    num_senses            int32   (V,)                         senses of each word so far; its other rows are unused
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
    """The arrays that training only reads.

    keep            IN  uint64  (V,)    subsampling, see `Vocabulary.keep_thresholds`
    negative_table  IN  uint32  (V, 2)  distribution of negative samples, see `Vocabulary.negative_table`
    context_table   IN  float32 (V, c)  vectors that contexts are the sum of: v_g itself, or a whitened copy
    global_rates    IN  float32         factor of the learning rate for each row of v_g; empty: 1 for all rows
    sense_rates     IN  float32         the same for v_s; empty if global_rates is
    """

    keep: NDArray[np.uint64]
    negative_table: NDArray[np.uint32]
    context_table: NDArray[np.float32]
    global_rates: NDArray[np.float32] = NO_RATES
    sense_rates: NDArray[np.float32] = NO_RATES


class KernelConfig(NamedTuple):
    """The scalars that the kernel needs."""

    rule: int  # how a sense is chosen, see `nearest_sense`
    window: int
    sense_window: int  # words on each side that choose the sense; 0: the window that is trained on
    sense_decay: float
    negatives: int
    max_negatives: int  # negative samples per token, at most
    negative_sharing: int  # consecutive tokens that share a draw of negative samples
    new_sense_threshold: float  # np-mssg adds a sense if the highest cosine is below this; -2: never
    fill_empty: bool  # whether a sense without tokens takes the next token of its word
    adagrad: bool
    adagrad_delta: float
    hot_rows: int  # rows of v_g of which each thread has a private copy; 0 with AdaGrad


class Scratch(NamedTuple):
    """Working memory of one thread."""

    rng: NDArray[np.uint64]
    words: NDArray[np.int32]
    rows: NDArray[np.int32]
    negative_rows: NDArray[np.int32]
    negative_bits: NDArray[np.uint64]
    windows: NDArray[np.int32]
    senses: NDArray[np.int64]
    coefficients: NDArray[np.float32]
    context: NDArray[np.float32]
    context_words: NDArray[np.int32]
    context_factors: NDArray[np.float32]
    left: NDArray[np.float32]
    right: NDArray[np.float32]
    hot_before: NDArray[np.float32]


def make_scratch(longest_sentence: int, dim: int, sense_dim: int, config: KernelConfig) -> Scratch:
    """Working memory for sentences of up to `longest_sentence` tokens."""
    context_size = 2 * config.window
    negatives = min(context_size * config.negatives, config.max_negatives)
    span = min(config.negative_sharing, longest_sentence)
    return Scratch(
        rng=np.zeros(1, np.uint64),
        words=np.empty(longest_sentence, np.int32),
        rows=np.empty(context_size + negatives, np.int32),
        negative_rows=np.empty(negatives, np.int32),
        negative_bits=np.empty(negatives, np.uint64),
        windows=np.empty(span, np.int32),
        senses=np.empty(span, np.int64),
        coefficients=np.zeros(padded_width(context_size + negatives), np.float32),
        context=zero_padded_rows(1, sense_dim),
        context_words=np.empty(context_size, np.int32),
        context_factors=np.empty(context_size, np.float32),
        left=zero_padded_rows(1, sense_dim),
        right=zero_padded_rows(CHUNK, sense_dim),
        hot_before=zero_padded_rows(config.hot_rows, dim),
    )


@kernel_without_refcounts
def train_block(tokens, sentences, parameters, tables, config, scratch, seed, learning_rate, thread, threads):
    """Train on a block of whole sentences.

    tokens     IN  int32 (n,)      ids; ids >= V are not in the vocabulary
    sentences  IN  int64 (m + 1,)  start of each sentence in tokens, and the end
    seed       IN  uint64          determines all random choices in this block
    Returns (tokens trained, pairs, estimated sum of the loss over pairs) as int64, int64, float64.
    """
    table = parameters.global_vectors
    check_padding(table)
    check_padding(tables.context_table)
    rng, words = scratch.rng, scratch.words
    rng[0] = seed
    hot_base = len(tables.keep) + thread * config.hot_rows
    copy_hot_rows(table, hot_base, scratch.hot_before)
    trained, pairs, measured, loss = 0, 0, 0, 0.0
    draw_negative_bits(tables.negative_table, rng, scratch.negative_bits)
    for s in range(len(sentences) - 1):
        n = keep_words(tokens, sentences[s], sentences[s + 1], tables.keep, rng, words)
        if n < 2:  # a single word has no context
            continue
        for start in range(0, n, config.negative_sharing):
            end = min(start + config.negative_sharing, n)
            find_negative_rows(tables.negative_table, config, hot_base, scratch, table)
            draw_negative_bits(tables.negative_table, rng, scratch.negative_bits)
            choose_senses(n, start, end, parameters, tables, config, scratch)
            for t in range(start, end):
                prefetch_next(n, t, parameters, config, scratch, hot_base)
                measure = trained % LOSS_EVERY == 0
                context_size, token_loss = train_token(
                    n, t, scratch.senses[t - start], scratch.windows[t - start], parameters, tables, config, scratch,
                    hot_base, learning_rate, measure,
                )  # fmt: skip
                trained += 1
                pairs += context_size * (1 + config.negatives)
                if measure:
                    measured += context_size * (1 + config.negatives)
                    loss += token_loss
    merge_hot_rows(table, hot_base, scratch.hot_before, ONE / np.float32(threads))
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
def prefetch_next(n, t, parameters, config, scratch, hot_base):
    """Prefetch the row of v_g of a word that is about to enter the window."""
    upcoming = t + config.window + PREFETCH_DISTANCE
    if upcoming < n:
        prefetch_row(parameters.global_vectors, global_row(scratch.words[upcoming], config.hot_rows, hot_base))


@inline
def train_token(n, t, sense, window, parameters, tables, config, scratch, hot_base, learning_rate, measure):
    """Take the gradient step of the token at t; returns the size of its context and, if `measure`, its loss."""
    vectors, table = parameters.sense_vectors, parameters.global_vectors
    rows, coefficients = scratch.rows, scratch.coefficients
    first, last = max(0, t - window), min(n, t + window + 1)
    context_size = last - first - 1
    num_rows = list_rows(scratch.words, t, first, last, config, hot_base, scratch.negative_rows, rows)
    dot_rows(vectors, sense, table, rows, num_rows, coefficients)
    find_coefficients(context_size, num_rows, coefficients)
    negative_weight = np.float32(context_size * config.negatives) / np.float32(num_rows - context_size)
    loss = 0.0
    if measure:
        loss = log_loss(coefficients, 0, context_size)
        loss += np.float64(negative_weight) * log_loss(coefficients, context_size, num_rows)
    for j in range(context_size, num_rows):
        coefficients[j] *= negative_weight
    if config.adagrad:
        update_adagrad(
            table, parameters.global_squares, rows, coefficients, num_rows, vectors, parameters.sense_squares, sense,
            learning_rate, np.float32(config.adagrad_delta),
        )  # fmt: skip
    elif len(tables.global_rates) > 0:
        update_sgd_at_rates(
            table, tables.global_rates, rows, coefficients, num_rows, vectors, tables.sense_rates, sense, learning_rate
        )
    else:
        update_sgd(table, rows, coefficients, num_rows, vectors, sense, learning_rate)
    return context_size, loss


@inline
def global_row(word, hot_rows, hot_base):
    """Row of v_g of a word: in this thread's copy if the word is one of the `hot_rows` most frequent."""
    return np.int64(word) if word >= hot_rows else hot_base + np.int64(word)


@inline
def draw_negative_bits(negative_table, rng, negative_bits):
    """Draw the random bits for the next span's negative samples, and prefetch their slots of the alias table."""
    for j in range(len(negative_bits)):
        negative_bits[j] = draw(rng)
        prefetch_to_read(negative_table, alias_slot(negative_bits[j], negative_table), FIRST)


@inline
def find_negative_rows(negative_table, config, hot_base, scratch, table):
    """Turn `scratch.negative_bits` into rows of v_g, in `scratch.negative_rows`, and prefetch these rows."""
    negative_bits, negative_rows = scratch.negative_bits, scratch.negative_rows
    for j in range(len(negative_rows)):
        negative_rows[j] = global_row(negative_word(negative_bits[j], negative_table), config.hot_rows, hot_base)
        prefetch_row(table, negative_rows[j])


@inline
def list_rows(words, center, first, last, config, hot_base, negative_rows, rows):
    """Fill `rows` with the rows of the context words, then of the negative samples; returns their number."""
    n = 0
    for t in range(first, last):
        if t != center:
            rows[n] = global_row(words[t], config.hot_rows, hot_base)
            n += 1
    negatives = min(n * config.negatives, config.max_negatives)
    for j in range(negatives):
        rows[n + j] = negative_rows[j]
    return n + negatives


@internal
def copy_hot_rows(table, hot_base, before):
    """Copy the hot rows to this thread's private rows and to `before`.  before OUT float32 (hot_rows, d)"""
    for row in range(len(before)):
        for i in range(before.shape[1]):
            before[row, i] = table[row, i]
            table[hot_base + row, i] = before[row, i]


@internal
def merge_hot_rows(table, hot_base, before, share):
    """Add this share of the changes of this thread's private rows to the hot rows."""
    for row in range(len(before)):
        for i in range(before.shape[1]):
            table[row, i] += share * (table[hot_base + row, i] - before[row, i])
