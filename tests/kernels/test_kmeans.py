"""Clusters of contexts, on points whose clusters are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from polyseme.kernels.kmeans import cluster_words, merge_alike, separation, unit_rows
from polyseme.kernels.simd.padding import padded_rows

DIM = 16


def points(*sizes: int, spread: float = 0.15, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Unit vectors around the axes, so many around each, in random order; and the axis of each."""
    random = np.random.default_rng(seed)
    truth = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows = np.eye(DIM)[truth] + spread * random.normal(size=(len(truth), DIM))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), truth


def run(
    rows: NDArray[np.float32], bounds: list[int], most: int, apart: float, smallest: int = 5
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int32]]:
    words = len(bounds) - 1
    centers = np.full((words, most, DIM), np.nan, np.float32)
    sizes, numbers = np.full((words, most), -1, np.int64), np.zeros(words, np.int32)
    cluster_words(rows, np.array(bounds), most, apart, np.full(words, smallest), np.uint64(1), centers, sizes, numbers)
    return centers, sizes, numbers


def test_rows_get_length_one_and_those_of_none_are_left_out() -> None:
    rows = padded_rows(np.array([[3, 4], [0, 0], [0, 2], [0, 0], [0, 0], [5, 0]], np.float32))
    numbers = np.empty(3, np.int64)
    unit_rows(rows, np.array([0, 3, 5, 6]), numbers)
    assert numbers.tolist() == [2, 0, 1]
    np.testing.assert_allclose(rows[:3, :2], np.array([[0.6, 0.8], [0, 1], [1, 0]]), rtol=1e-6)


def test_the_number_of_clusters_is_found_for_each_word() -> None:
    parts = [points(60, 40), points(100, seed=1), points(50, 30, 40, seed=2)]
    rows = np.concatenate([part for part, _ in parts])
    bounds = [0, *np.cumsum([len(part) for part, _ in parts]).tolist()]
    centers, sizes, numbers = run(rows, bounds, 4, apart=0.5)
    assert numbers.tolist() == [2, 1, 3]
    assert sizes.sum(axis=1).tolist() == [100, 100, 120]
    assert sorted(sizes[2, :3].tolist()) == [30, 40, 50]
    for word, (part, truth) in enumerate(parts):
        nearest = (part @ centers[word, : numbers[word]].T).argmax(axis=1)
        assert adjusted_rand_score(truth, nearest) == 1


def test_a_center_is_the_mean_of_its_contexts() -> None:
    rows, truth = points(30, 50)
    centers, sizes, numbers = run(rows, [0, 80], 3, apart=0.5)
    assert numbers[0] == 2
    for k in range(2):
        axis = 0 if sizes[0, k] == 30 else 1
        np.testing.assert_allclose(centers[0, k], rows[truth == axis].mean(axis=0), atol=1e-5)


def test_without_merging_there_are_as_many_clusters_as_asked_for() -> None:
    rows, _ = points(100)
    centers, sizes, numbers = run(rows, [0, 100], 3, apart=0.0, smallest=0)
    assert numbers[0] == 3
    assert sizes.sum() == 100
    assert np.isfinite(centers).all()


def test_fewer_different_contexts_than_clusters_give_fewer() -> None:
    rows = np.repeat(np.eye(DIM, dtype=np.float32)[:2], 5, axis=0)
    _, sizes, numbers = run(rows, [0, 10], 4, apart=0.01, smallest=0)
    assert numbers[0] == 2
    assert sizes[0].tolist() == [5, 5, 0, 0]


def test_a_cluster_too_small_joins_the_nearest() -> None:
    rows, _ = points(95, 5)
    assert run(rows, [0, 100], 2, apart=0.5, smallest=10)[2][0] == 1
    assert run(rows, [0, 100], 2, apart=0.5, smallest=2)[2][0] == 2


@pytest.mark.parametrize(("apart", "left"), [(0.01, 3), (0.1, 2), (4.0, 1)])
def test_the_least_apart_are_merged_first(apart: float, left: int) -> None:
    sums = padded_rows(np.array([[10, 0], [8, 6], [0, 5]], np.float32))  # cosines 0.8, 0.6, 0
    sizes = np.array([10, 10, 5])
    assert merge_alike(sums, sizes, np.float32(apart), 0) == left
    assert sizes.sum() == 25
    if left == 2:
        assert sizes.tolist() == [20, 5, 0]
        np.testing.assert_allclose(sums[0, :2], [18, 6])


def test_of_two_pairs_with_the_same_cosine_the_closer_clusters_are_more_apart() -> None:
    directions = padded_rows(np.array([[1, 0], [0.3, np.sqrt(1 - 0.3**2)]], np.float32))
    sizes = np.array([40, 10])
    close, loose = (
        separation(length * sizes[:, None].astype(np.float32) * directions, sizes, 1, 0) for length in (0.9, 0.2)
    )
    assert close == pytest.approx(0.7**2 * 0.9, abs=1e-5)
    assert loose == pytest.approx(0.7**2 * 0.2, abs=1e-5)
