"""The twin of the training kernel: the same numbers, written for reading. One pair at a time, in float64, slow.

Read this first. `train_block` takes the same arguments as its twin in `training.py` and changes the same arrays;
it knows nothing of threads, so `thread`, `threads` and the hot rows play no part.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.nearest_sense import AT_RANDOM, BY_VECTOR, ONE_SENSE
from polyseme.kernels.train.block import LOSS_EVERY, Parameters, Settings, Tables
from polyseme.kernels.train.update import LEAST_DELTA

TIE = 1e-5
LIMIT = 16
MASK = 2**64 - 1


class Randomness:
    """SplitMix64 in Python's integers."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def bits(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31

    def high(self) -> int:
        return self.bits() >> 32


def train_block(
    tokens: NDArray[np.int32],
    sentences: NDArray[np.int64],
    p: Parameters,
    tables: Tables,
    settings: Settings,
    seed: int,
    learning_rate: float,
) -> tuple[int, int, float]:
    """Train on a block; the parameters should be float64 arrays. Returns (tokens trained, pairs, loss)."""
    random = Randomness(seed)
    most = min(2 * settings.window * settings.negatives, settings.max_negatives)
    trained, pairs, measured, loss = 0, 0, 0, 0.0
    drawn = [random.bits() for _ in range(most)]  # a span ahead
    for start, end in pairwise(sentences.tolist()):
        known = [w for w in tokens[start:end].tolist() if w < len(tables.keep)]
        words = [w for w in known if random.high() < tables.keep[w]]
        if len(words) < 2:
            continue
        for first in range(0, len(words), settings.negative_sharing):
            noise = [negative_word(bits, tables.noise) for bits in drawn]
            drawn = [random.bits() for _ in range(most)]
            chosen = []
            for t in range(first, min(first + settings.negative_sharing, len(words))):
                reach = 1 + (random.high() * settings.window >> 32)
                c_bar = find_context(words, t, reach, tables, settings)
                sense = choose_sense(words[t], c_bar, p, settings, random)
                chosen.append((sense, around(words, t, reach)))
            for sense, window in chosen:
                asked = len(window) * settings.negatives
                got = noise[:asked]
                examples = [(o, 1.0, 1.0) for o in window] + [(o, 0.0, asked / len(got)) for o in got]
                token_loss = learn(sense, examples, p, settings, learning_rate)
                if trained % LOSS_EVERY == 0:
                    loss += token_loss
                    measured += len(window) + asked
                trained += 1
                pairs += len(window) + asked
    return trained, pairs, loss * (pairs / max(measured, 1))


def negative_word(bits: int, table: NDArray[np.uint32]) -> int:
    slot = (bits >> 32) * len(table) >> 32
    threshold, alias = table[slot].tolist()
    return slot if bits & 0xFFFFFFFF < threshold else alias


def around(words: list[int], t: int, reach: int) -> list[int]:
    return words[max(0, t - reach) : t] + words[t + 1 : t + 1 + reach]


def find_context(words: list[int], t: int, reach: int, tables: Tables, settings: Settings) -> NDArray[Any]:
    """c_bar: the mean of the window that is learned from, or the direction of a wider one whose words fade."""
    if settings.sense_window == 0:
        return np.asarray(np.mean([tables.context_table[o] for o in around(words, t, reach)], axis=0))
    left, right = words[max(0, t - settings.sense_window) : t][::-1], words[t + 1 : t + 1 + settings.sense_window]
    c = np.zeros(tables.context_table.shape[1])
    for side in (left, right):
        for d, o in enumerate(side):
            c += settings.sense_decay**d * tables.context_table[o]
    return c / (np.linalg.norm(c) or 1)


def choose_sense(word: int, c_bar: NDArray[Any], p: Parameters, settings: Settings, random: Randomness) -> int:
    """s_t = argmax_k cos(mu(w, k), c_bar), or a new sense; mu takes c_bar in."""
    first = int(p.sense_offsets[word])
    rows = range(first, first + int(p.num_senses[word]))
    if settings.rule == ONE_SENSE:
        p.sense_counts[first] += 1
        return first
    if settings.rule == BY_VECTOR:  # maxout: argmax_k v_s(w, k) . c_bar
        best = max(rows, key=lambda row: float(p.sense_vectors[row] @ c_bar))
        p.sense_counts[best] += 1
        return best

    empty = [row for row in rows if p.sense_counts[row] == 0]
    if settings.rule == AT_RANDOM:
        best = first + (random.high() * len(rows) >> 32)
    elif settings.fill_empty and empty:
        best = empty[0]
    else:
        best, best_cosine = first, -2.0
        for row in rows:
            similarity = cosine(p.cluster_centers[row], c_bar)
            if similarity > best_cosine + TIE:
                best, best_cosine = row, similarity
        if best_cosine < settings.new_sense_threshold and rows.stop < p.sense_offsets[word + 1]:
            best = rows.stop
            p.num_senses[word] += 1
    p.sense_counts[best] += 1
    p.cluster_centers[best] += (c_bar - p.cluster_centers[best]) / p.sense_counts[best]
    p.center_inverse_norms[best] = 1 / (np.linalg.norm(p.cluster_centers[best]) or np.inf)
    return best


def learn(
    sense: int, examples: list[tuple[int, float, float]], p: Parameters, settings: Settings, rate: float
) -> float:
    """One step on log p = sum of a log sigmoid(x) over positives and a log sigmoid(-x) over negatives, x = v_s . v_g.

    examples  of (word, y: 1 for a positive, a: how many pairs it counts for)
    """
    v = p.sense_vectors[sense].copy()
    g = [y - sigmoid(float(v @ p.global_vectors[o])) for o, y, _ in examples]
    v_gradient = np.zeros_like(v)
    for (o, _, a), g_o in zip(examples, g, strict=True):
        v_gradient += a * g_o * p.global_vectors[o]
        p.global_vectors[o] += step(a * g_o * v, p.global_squares, o, settings, rate)
    p.sense_vectors[sense] += step(v_gradient, p.sense_squares, sense, settings, rate)
    return -sum(a * math.log(1 - abs(g_o)) for (_, _, a), g_o in zip(examples, g, strict=True))


def step(
    gradient: NDArray[np.float64], squares: NDArray[np.float32], row: int, settings: Settings, rate: float
) -> NDArray[np.float64]:
    """SGD: rate * g.  AdaGrad: rate * g / (sqrt(sum of all g^2 so far) + delta), for each coordinate."""
    if not settings.adagrad:
        return rate * gradient
    squares[row] += (gradient**2).astype(squares.dtype)
    return np.asarray(rate * gradient / (np.sqrt(squares[row]) + max(settings.adagrad_delta, LEAST_DELTA)))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-max(-LIMIT, min(LIMIT, x))))


def cosine(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    lengths = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / lengths if lengths > 0 else 0.0
