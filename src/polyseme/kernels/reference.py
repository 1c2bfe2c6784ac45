"""The training kernel, written for reading. Read this first.

`train_block` here gives the same numbers as `train_block` in `train/block.py`, which is written for speed; the tests
compare the two. This one processes one pair at a time in float64. It has no threads, so there are no hot rows.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.nearest_sense import AT_RANDOM, BELOW_ANY_COSINE, BY_VECTOR, ONE_SENSE, TIE
from polyseme.kernels.train.block import LOSS_EVERY, KernelConfig, Parameters, Tables
from polyseme.kernels.train.update import MAX_DOT, MIN_DELTA

MASK_64 = 2**64 - 1


def train_block(
    tokens: NDArray[np.int32],
    sentences: NDArray[np.int64],
    p: Parameters,
    tables: Tables,
    config: KernelConfig,
    seed: int,
    learning_rate: float,
) -> tuple[int, int, float]:
    """Train on a block of sentences; returns (tokens trained, pairs, estimated loss).

    Changes `p` in place; its vectors should be float64. The other arguments are those of the fast kernel.
    """
    random = SplitMix64(seed)
    num_negatives = min(2 * config.window * config.negatives, config.max_negatives)
    trained, pairs, measured_pairs, loss = 0, 0, 0, 0.0
    next_bits = [random.bits() for _ in range(num_negatives)]  # drawn one span ahead, as the fast kernel prefetches
    for start, end in pairwise(sentences.tolist()):
        known = [w for w in tokens[start:end].tolist() if w < len(tables.keep)]
        words = [w for w in known if random.upper_half() < tables.keep[w]]  # subsampling
        if len(words) < 2:
            continue
        for first in range(0, len(words), config.negative_sharing):  # a span of tokens that share negative samples
            span = range(first, min(first + config.negative_sharing, len(words)))
            negatives = [negative_word(bits, tables.negative_table) for bits in next_bits]
            next_bits = [random.bits() for _ in range(num_negatives)]

            chosen = []
            for t in span:
                window = 1 + (random.upper_half() * config.window >> 32)  # 1..config.window
                c_bar = find_context(words, t, window, tables, config)
                sense = choose_sense(words[t], c_bar, p, config, random)
                chosen.append((sense, context_words(words, t, window)))

            for sense, context in chosen:
                needed = len(context) * config.negatives
                drawn = negatives[:needed]
                examples = [Example(o, 1.0, 1.0) for o in context]
                examples += [Example(o, 0.0, needed / len(drawn)) for o in drawn]
                token_loss = train_token(sense, examples, p, tables, config, learning_rate)
                if trained % LOSS_EVERY == 0:
                    loss += token_loss
                    measured_pairs += len(context) + needed
                trained += 1
                pairs += len(context) + needed
    return trained, pairs, loss * (pairs / max(measured_pairs, 1))


def context_words(words: list[int], t: int, window: int) -> list[int]:
    """The words up to `window` positions to the left and right of position t."""
    return words[max(0, t - window) : t] + words[t + 1 : t + 1 + window]


def find_context(words: list[int], t: int, window: int, tables: Tables, config: KernelConfig) -> NDArray[Any]:
    """The context c_bar of the token at t.

    With sense_window = 0, as in the paper: the sum of the vectors in the window that is trained on, divided by 2R also
    where the sentence ends within the window. Otherwise: the sum of the vectors of `sense_window` words on each side,
    weighted by sense_decay^(distance - 1), scaled to length 1.
    """
    table = tables.context_table
    if config.sense_window == 0:
        return np.asarray(np.sum([table[o] for o in context_words(words, t, window)], axis=0) / (2 * window))
    left = words[max(0, t - config.sense_window) : t]
    right = words[t + 1 : t + 1 + config.sense_window]
    c = np.zeros(table.shape[1])
    for side in (reversed(left), right):  # nearest word first
        for distance, o in enumerate(side, start=1):
            c += config.sense_decay ** (distance - 1) * table[o]
    return c / (np.linalg.norm(c) or 1)


def choose_sense(word: int, c_bar: NDArray[Any], p: Parameters, config: KernelConfig, random: SplitMix64) -> int:
    """Choose the sense of a word in a context, and update its count and cluster center; returns its row.

    s_t = argmax_k cos(mu(w, k), c_bar)
    """
    first = int(p.sense_offsets[word])
    rows = range(first, first + int(p.num_senses[word]))
    if config.rule == ONE_SENSE:
        p.sense_counts[first] += 1
        return first
    if config.rule == BY_VECTOR:  # mssg-maxout: argmax_k v_s(w, k) . c_bar
        best = max(rows, key=lambda row: float(p.sense_vectors[row] @ c_bar))
        p.sense_counts[best] += 1
        return best

    empty = [row for row in rows if p.sense_counts[row] == 0]
    if config.rule == AT_RANDOM:
        best = first + (random.upper_half() * len(rows) >> 32)
    elif config.fill_empty and empty:
        best = empty[0]
    else:
        best, best_cosine = first, float(BELOW_ANY_COSINE)
        for row in rows:
            similarity = cosine(p.cluster_centers[row], c_bar)
            if similarity > best_cosine + float(TIE):
                best, best_cosine = row, similarity
        has_room = rows.stop < p.sense_offsets[word + 1]
        if best_cosine < config.new_sense_threshold and has_room:  # np-mssg: add a sense
            best = rows.stop
            p.num_senses[word] += 1
    p.sense_counts[best] += 1
    p.cluster_centers[best] += (c_bar - p.cluster_centers[best]) / p.sense_counts[best]  # the mean of its contexts
    p.center_inverse_norms[best] = 1 / (np.linalg.norm(p.cluster_centers[best]) or np.inf)
    return best


class Example(NamedTuple):
    """A context word or negative sample of a token."""

    word: int
    label: float  # 1 for a context word, 0 for a negative sample
    weight: float  # number of pairs it counts for


def train_token(
    sense: int, examples: list[Example], p: Parameters, tables: Tables, config: KernelConfig, learning_rate: float
) -> float:
    """Take a step along the gradient of the log-likelihood of the examples; returns the loss before the step.

    With x = v_s . v_g, the log-likelihood of an example is log sigmoid(x) for label 1 and log sigmoid(-x) for label 0;
    its derivative by x is label - sigmoid(x), and 1 - |label - sigmoid(x)| is the likelihood itself.
    """
    v = p.sense_vectors[sense].copy()
    residuals = [e.label - sigmoid(float(v @ p.global_vectors[e.word])) for e in examples]
    v_gradient = np.zeros_like(v)
    for e, residual in zip(examples, residuals, strict=True):
        g = e.weight * residual
        v_gradient += g * p.global_vectors[e.word]
        rate = learning_rate * rate_of(e.word, tables.global_rates)
        p.global_vectors[e.word] += step(g * v, p.global_squares, e.word, config, rate)
    rate = learning_rate * rate_of(sense, tables.sense_rates)
    p.sense_vectors[sense] += step(v_gradient, p.sense_squares, sense, config, rate)
    return -sum(e.weight * math.log(1 - abs(residual)) for e, residual in zip(examples, residuals, strict=True))


def step(
    gradient: NDArray[np.float64], squares: NDArray[np.float32], row: int, config: KernelConfig, learning_rate: float
) -> NDArray[np.float64]:
    """The change of a vector for its gradient g.

    SGD:      rate * g
    AdaGrad:  rate * g / (sqrt(sum of all g^2 so far) + delta), for each coordinate
    """
    if not config.adagrad:
        return learning_rate * gradient
    squares[row] += (gradient**2).astype(squares.dtype)
    return np.asarray(learning_rate * gradient / (np.sqrt(squares[row]) + max(config.adagrad_delta, MIN_DELTA)))


def rate_of(row: int, rates: NDArray[np.float32]) -> float:
    """The factor of the learning rate for a row, which is not 1 in continued training alone."""
    return float(rates[row]) if len(rates) else 1.0


def sigmoid(x: float) -> float:
    limit = float(MAX_DOT)
    return 1 / (1 + math.exp(-max(-limit, min(limit, x))))


def cosine(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    norms = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / norms if norms > 0 else 0.0


class SplitMix64:
    """The random generator of the kernels, in Python's integers."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def bits(self) -> int:
        """The next 64 random bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK_64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK_64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK_64
        return z ^ z >> 31

    def upper_half(self) -> int:
        """The upper 32 of the next 64 random bits: upper_half() * n >> 32 is a random integer in 0..n-1."""
        return self.bits() >> 32


def negative_word(bits: int, table: NDArray[np.uint32]) -> int:
    """The negative sample for 64 random bits: the upper half selects a slot, the lower half the slot or its alias."""
    slot = (bits >> 32) * len(table) >> 32
    threshold, alias = table[slot].tolist()
    return slot if bits & 0xFFFFFFFF < threshold else alias
