"""Agreement of partitions: values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.evaluation.cluster_metrics import adjusted_rand_index, contingency, purity


def test_the_contingency_table_counts_meetings() -> None:
    assert contingency(["a", "a", "b"], [1, 2, 2]).tolist() == [[1, 1], [0, 1]]


def test_the_adjusted_rand_index_of_an_example_by_hand() -> None:
    # Table [[2, 1], [0, 3]]: together 1 + 3 = 4 pairs; rows 3 + 3 = 6; columns 1 + 6 = 7; 15 pairs in all.
    # Expected 6 * 7 / 15 = 2.8, at most 6.5, so (4 - 2.8) / (6.5 - 2.8).
    assert adjusted_rand_index([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]) == pytest.approx(1.2 / 3.7)


def test_one_cluster_alone_agrees_by_chance() -> None:
    assert adjusted_rand_index([0, 0, 1, 1], [5, 5, 5, 5]) == 0


@given(st.lists(st.integers(0, 3), min_size=1))
def test_a_partition_agrees_wholly_with_itself(labels: list[int]) -> None:
    assert adjusted_rand_index(labels, [f"name {i}" for i in labels]) == pytest.approx(1)
    assert purity(labels, labels) == 1


def test_purity_of_one_cluster_is_the_share_of_the_largest_class() -> None:
    assert purity(["a", "a", "a", "b"], [0, 0, 0, 0]) == 0.75
