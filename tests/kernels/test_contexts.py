"""The context vector: the direct form against NumPy, and the sliding form against the direct one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyseme.kernels.contexts import CHUNK, add_sides, gather_contexts, slide_to
from polyseme.kernels.jit import kernel
from polyseme.kernels.rows import copy_row
from polyseme.kernels.simd.padding import padded_rows, zero_padded_rows

NUM_WORDS = 9


@kernel
def slide_over_sentence(
    words: Any, window: Any, decay: Any, weights: Any, table: Any, left: Any, right: Any, out: Any
) -> None:
    """out[t] = context vector of words[t], by the sliding form."""
    context = np.empty((1, table.shape[1]), np.float32)
    for t in range(len(words)):
        slide_to(t, words, len(words), window, decay, weights, table, left, right)
        add_sides(left, right, t, context)
        copy_row(context, 0, out, t)


def gather(
    tokens: NDArray[np.int32], window: int, decay: float, weights: NDArray[np.float32], table: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The context vectors of all tokens of a sentence, by the direct form."""
    n = len(tokens)
    out = zero_padded_rows(n, table.shape[1])
    starts, ends = np.zeros(n, np.int64), np.full(n, n)
    gather_contexts(tokens, np.arange(n), starts, ends, window, np.float32(decay), weights, table, out)
    return out


def random_table(dim: int, seed: int = 0) -> NDArray[np.float32]:
    return padded_rows(np.random.default_rng(seed).normal(size=(NUM_WORDS, dim)).astype(np.float32))


@pytest.mark.parametrize("dim", [10, 64, 100])
def test_the_direct_form_is_the_weighted_sum_of_the_known_words_in_the_window(dim: int) -> None:
    random = np.random.default_rng(1)
    tokens = random.integers(-1, NUM_WORDS + 2, 60).astype(np.int32)
    weights, table = random.random(NUM_WORDS, np.float32), random_table(dim)
    contexts = gather(tokens, 4, 0.5, weights, table)
    for t in range(len(tokens)):
        expected = np.zeros(table.shape[1])
        for side in (tokens[:t][::-1], tokens[t + 1 :]):
            known = side[(side >= 0) & (side < NUM_WORDS)][:4]
            for d, word in enumerate(known.tolist(), start=1):
                expected += 0.5 ** (d - 1) * weights[word] * table[word].astype(np.float64)
        np.testing.assert_allclose(contexts[t], expected, atol=1e-5)


def test_a_context_does_not_cross_the_bounds_of_its_sentence() -> None:
    table, out = random_table(10), zero_padded_rows(2, 10)
    tokens, positions = np.arange(4, dtype=np.int32), np.array([1, 2])
    starts, ends = np.array([0, 2]), np.array([2, 4])
    gather_contexts(tokens, positions, starts, ends, 5, np.float32(1), np.ones(NUM_WORDS, np.float32), table, out)
    np.testing.assert_allclose(out, table[[0, 3]])


@pytest.mark.parametrize("weighted", [False, True], ids=["weights of 1", "weighted"])
@given(
    length=st.integers(1, 40) | st.sampled_from([CHUNK, CHUNK + 1, 2 * CHUNK + 7]),
    dim=st.integers(1, 70),
    window=st.integers(1, 50),
    decay=st.sampled_from([0.0, 0.5, 0.85, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=50, deadline=None)
def test_the_sliding_form_equals_the_direct_form(
    weighted: bool, length: int, dim: int, window: int, decay: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    words, table = random.integers(0, NUM_WORDS, length).astype(np.int32), random_table(dim, seed)
    weights = random.random(NUM_WORDS, np.float32) if weighted else np.ones(NUM_WORDS, np.float32)
    left, right, out = (zero_padded_rows(n, dim) for n in (1, CHUNK, length))
    slide_over_sentence(words, window, np.float32(decay), weights if weighted else None, table, left, right, out)
    np.testing.assert_allclose(out, gather(words, window, decay, weights, table), atol=1e-3)


def test_unpadded_rows_are_refused() -> None:
    weights = np.ones(NUM_WORDS, np.float32)
    with pytest.raises(ValueError, match="rows must be padded"):
        gather(np.zeros(2, np.int32), 1, 1.0, weights, np.ones((NUM_WORDS, 10), np.float32))


def test_tables_with_rows_of_different_lengths_are_refused() -> None:
    positions, table = np.zeros(1, np.int64), np.ones((3, 32), np.float32)
    with pytest.raises(ValueError, match="same length"):
        gather_contexts(
            np.zeros(1, np.int32), positions, positions, positions + 1, 1, np.float32(1), np.ones(3, np.float32), table,
            np.empty((1, 16), np.float32),
        )  # fmt: skip
