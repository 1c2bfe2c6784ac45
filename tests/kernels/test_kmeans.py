"""Clustering of contexts, on points whose clusters are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from polyseme.kernels.kmeans import cluster_words, merge_clusters, normalize_rows, separation
from polyseme.kernels.simd.padding import padded_rows

DIM = 16


def points(*sizes: int, spread: float = 0.15, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Unit vectors scattered around the axes, sizes[i] around axis i, in random order; and the axis of each."""
    random = np.random.default_rng(seed)
    truth = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows = np.eye(DIM)[truth] + spread * random.normal(size=(len(truth), DIM))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), truth


def run(
    rows: NDArray[np.float32], bounds: list[int], max_clusters: int, min_separation: float, min_size: int = 5
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int32]]:
    words = len(bounds) - 1
    centers = np.full((words, max_clusters, DIM), np.nan, np.float32)
    sizes, num_clusters = np.full((words, max_clusters), -1, np.int64), np.zeros(words, np.int32)
    min_sizes, seed, tightness = np.full(words, min_size), np.uint64(1), np.empty(words, np.float32)
    cluster_words(
        rows, np.array(bounds), max_clusters, min_separation, min_sizes, seed, centers, sizes, num_clusters, tightness
    )
    assert (tightness > 0.5).all()
    return centers, sizes, num_clusters


def test_rows_are_normalized_and_rows_of_zeros_removed() -> None:
    rows = padded_rows(np.array([[3, 4], [0, 0], [0, 2], [0, 0], [0, 0], [5, 0]], np.float32))
    counts = np.empty(3, np.int64)
    normalize_rows(rows, np.array([0, 3, 5, 6]), counts)
    assert counts.tolist() == [2, 0, 1]
    np.testing.assert_allclose(rows[:3, :2], np.array([[0.6, 0.8], [0, 1], [1, 0]]), rtol=1e-6)


def test_the_number_of_clusters_is_found_for_each_word() -> None:
    parts = [points(60, 40), points(100, seed=1), points(50, 30, 40, seed=2)]
    rows = np.concatenate([part for part, _ in parts])
    bounds = [0, *np.cumsum([len(part) for part, _ in parts]).tolist()]
    centers, sizes, num_clusters = run(rows, bounds, 4, min_separation=0.5)
    assert num_clusters.tolist() == [2, 1, 3]
    assert sizes.sum(axis=1).tolist() == [100, 100, 120]
    assert sorted(sizes[2, :3].tolist()) == [30, 40, 50]
    for word, (part, truth) in enumerate(parts):
        nearest = (part @ centers[word, : num_clusters[word]].T).argmax(axis=1)
        assert adjusted_rand_score(truth, nearest) == 1


def test_a_center_is_the_mean_of_its_contexts() -> None:
    rows, truth = points(30, 50)
    centers, sizes, num_clusters = run(rows, [0, 80], 3, min_separation=0.5)
    assert num_clusters[0] == 2
    for k in range(2):
        axis = 0 if sizes[0, k] == 30 else 1
        np.testing.assert_allclose(centers[0, k], rows[truth == axis].mean(axis=0), atol=1e-5)


def test_without_merging_the_number_of_clusters_is_the_maximum() -> None:
    rows, _ = points(100)
    centers, sizes, num_clusters = run(rows, [0, 100], 3, min_separation=0.0, min_size=0)
    assert num_clusters[0] == 3
    assert sizes.sum() == 100
    assert np.isfinite(centers).all()


def test_there_are_no_more_clusters_than_distinct_contexts() -> None:
    rows = np.repeat(np.eye(DIM, dtype=np.float32)[:2], 5, axis=0)
    _, sizes, num_clusters = run(rows, [0, 10], 4, min_separation=0.01, min_size=0)
    assert num_clusters[0] == 2
    assert sizes[0].tolist() == [5, 5, 0, 0]


def test_a_cluster_below_the_minimum_size_is_merged() -> None:
    rows, _ = points(95, 5)
    assert run(rows, [0, 100], 2, min_separation=0.5, min_size=10)[2][0] == 1
    assert run(rows, [0, 100], 2, min_separation=0.5, min_size=2)[2][0] == 2


@pytest.mark.parametrize(("min_separation", "remaining"), [(0.1, 3), (0.5, 2), (2.0, 1)])
def test_the_least_separated_clusters_are_merged_first(min_separation: float, remaining: int) -> None:
    sums = padded_rows(np.array([[10, 0], [8, 6], [0, 5]], np.float32))  # cosines 0.8, 0.6, 0
    sizes = np.array([10, 10, 5])
    assert merge_clusters(sums, sizes, np.float32(min_separation), 0) == remaining
    assert sizes.sum() == 25
    if remaining == 2:
        assert sizes.tolist() == [20, 5, 0]
        np.testing.assert_allclose(sums[0, :2], [18, 6])


def test_clusters_in_between_do_not_hide_the_separation_of_two_others() -> None:
    """Three directions 45 degrees apart: after the first merge, the centers alone would be less separated."""
    angles = np.deg2rad([0, 45, 90])
    sums = padded_rows(10 * np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32))
    sizes = np.array([10, 10, 10])
    outer = separation(sums, sizes, 2, 0)
    assert outer == pytest.approx(0.5**0.25, abs=1e-5)
    merged = sums.copy()
    merged[0] += merged[1]
    assert separation(merged, np.array([20, 10, 10]), 2, 0) < outer - 0.2
    assert merge_clusters(sums, sizes, np.float32(outer - 0.01), 0) == 2


def test_merged_clusters_are_the_sums_of_their_parts() -> None:
    angles = np.deg2rad([0, 90, 0, 5, 92, 180])
    sizes = np.array([10, 20, 0, 10, 10, 10])
    sums = padded_rows(np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32) * sizes[:, None])
    before = sums.copy()
    assert merge_clusters(sums, sizes, np.float32(0.5), 0) == 3
    assert sizes.tolist() == [20, 30, 10, 0, 0, 0]
    for cluster, members in enumerate([[0, 3], [1, 4], [5]]):
        np.testing.assert_allclose(sums[cluster], before[members].sum(axis=0), atol=1e-5)


def test_the_separation_is_the_cosine_distance_reduced_for_small_clusters() -> None:
    sums = padded_rows(np.array([[3, 0], [0.3, np.sqrt(1 - 0.3**2)]], np.float32))
    assert separation(sums, np.array([40, 40]), 1, 0) == pytest.approx(0.7 * 0.5**0.25, abs=1e-5)
    assert separation(sums, np.array([90, 10]), 1, 0) == pytest.approx(0.7 * 0.1**0.25, abs=1e-5)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_a_small_cluster_is_merged_with_the_least_separated_one(order: list[int]) -> None:
    sums = padded_rows(np.array([[3, 0], [30, 3], [0, 40]], np.float32)[order])  # a small cluster, near the second
    sizes = np.array([3, 31, 40])[order]
    assert merge_clusters(sums, sizes, np.float32(0.1), 10) == 2
    assert {size: tuple(row) for size, row in zip(sizes.tolist(), sums[:, :2].tolist(), strict=True) if size} == {
        34: (33, 3), 40: (0, 40),
    }  # fmt: skip
