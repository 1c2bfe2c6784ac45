"""The random generator of the kernels."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.reference import SplitMix64
from polyseme.kernels.rng import below, draw, negative_word
from polyseme.vocabulary import Vocabulary


def test_the_generator_is_splitmix64() -> None:
    # First outputs for the seed 1234567, as published with the algorithm.
    state = np.array([1234567], np.uint64)
    assert [int(draw(state)) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_kernel_and_reference_draw_the_same_bits() -> None:
    state, reference = np.array([2**63], np.uint64), SplitMix64(2**63)
    assert [int(draw(state)) for _ in range(100)] == [reference.bits() for _ in range(100)]


def test_integers_below_n_are_uniform() -> None:
    state = np.array([5], np.uint64)
    counts = np.bincount([below(np.uint64(draw(state)), 7) for _ in range(70_000)], minlength=7)
    assert np.abs(counts / 10_000 - 1).max() < 0.05


def test_negative_samples_follow_the_unigram_distribution_to_the_power_of_three_quarters() -> None:
    counts = np.array([1000, 100, 10, 1], np.int64)
    table = Vocabulary(list("abcd"), counts).negative_table()
    state = np.array([9], np.uint64)
    drawn = np.bincount([negative_word(np.uint64(draw(state)), table) for _ in range(100_000)], minlength=4) / 100_000
    np.testing.assert_allclose(drawn, counts**0.75 / (counts**0.75).sum(), atol=0.005)
