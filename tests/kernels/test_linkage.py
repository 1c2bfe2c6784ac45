"""Grouping similar senses, compared with a plain implementation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme.kernels.linkage import MERGE_RATIO, RELATIVE_RATIO, group_senses, largest_distances, sense_separation

Floats = NDArray[np.float32]
TYPICAL = 0.7  # cosine distance of the sense vectors of a word


def grouped(centers: Floats, vectors: Floats, counts: list[int], min_separation: float) -> list[int]:
    first_members = np.full(len(counts), -9)
    offsets = np.array([0, len(counts)])
    group_senses(centers, vectors, offsets, np.array(counts), TYPICAL, min_separation, first_members)
    return first_members.tolist()


def plain_groups(centers: Floats, vectors: Floats, counts: list[int], min_separation: float) -> list[int]:
    """Complete linkage by its definition."""

    def distance(x: Floats, y: Floats) -> float:
        return float(1 - x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))

    def separation(k: int, m: int) -> float:
        share = min(counts[k], counts[m]) / (counts[k] + counts[m])
        return float(
            distance(centers[k], centers[m]) * np.sqrt(distance(vectors[k], vectors[m]) / TYPICAL) * share**0.25
        )

    groups = [{k} for k in range(len(counts))]
    highest = max(separation(k, m) for k, m in combinations(range(len(counts)), 2))
    threshold = max(MERGE_RATIO * min_separation, RELATIVE_RATIO * highest) if highest >= min_separation else np.inf
    while len(groups) > 1:
        lowest, a, b = min(
            (max(separation(k, m) for k in groups[a] for m in groups[b]), a, b)
            for a, b in combinations(range(len(groups)), 2)
        )
        if lowest >= threshold:
            break
        groups[a] |= groups.pop(b)
    return [min(next(g for g in groups if k in g)) for k in range(len(counts))]


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_those_of_complete_linkage(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    centers, vectors = (rng.normal(0.5, 1, (n, 3)).astype(np.float32) for _ in range(2))
    counts = rng.integers(1, 100, n).tolist()
    for min_separation in (0.1, 0.4, 0.8, 1.5):
        expected = plain_groups(centers, vectors, counts, min_separation)
        assert grouped(centers, vectors, counts, min_separation) == expected


def test_senses_with_the_same_vectors_or_the_same_centers_are_merged() -> None:
    apart, same = np.eye(2, dtype=np.float32), np.ones((2, 2), np.float32)
    assert grouped(apart, apart, [50, 50], 0.5) == [0, 1]
    assert grouped(apart, same, [50, 50], 0.5) == [0, 0]
    assert grouped(same, apart, [50, 50], 0.5) == [0, 0]
    assert sense_separation(apart, apart, np.array([50, 50]), 0.25, 0, 1) == pytest.approx(2 * 0.5**0.25)
    assert sense_separation(apart, apart, np.array([90, 10]), 0.25, 0, 1) == pytest.approx(2 * 0.1**0.25)


def test_senses_without_tokens_join_the_first_group() -> None:
    rows = np.eye(3, dtype=np.float32)
    assert grouped(rows, rows, [0, 50, 50], 0.5) == [1, 1, 2]
    assert grouped(rows, rows, [0, 0, 0], 0.5) == [0, 1, 2]


def test_zero_and_nan_vectors_do_not_break_the_grouping() -> None:
    rows = np.eye(3, dtype=np.float32)
    rows[1], rows[2] = 0, np.nan
    assert len(grouped(rows, rows, [10, 10, 10], 0.5)) == 3


def test_the_largest_distance_is_that_of_senses_with_tokens() -> None:
    vectors = np.array([[1, 0], [0, 1], [-1, 0], [1, 1], [1, 0]], np.float32)
    distances = np.empty(2)
    largest_distances(vectors, np.array([0, 4, 5]), np.array([5, 5, 0, 5, 5]), distances)
    np.testing.assert_allclose(distances, [1, 0], atol=1e-6)
