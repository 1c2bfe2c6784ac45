"""Agreement of partitions: values computed by hand, and scikit-learn's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from polyseme.evaluation.cluster_metrics import adjusted_rand_index, contingency, purity


def test_the_contingency_table_counts_pairs_of_labels() -> None:
    assert contingency(["a", "a", "b"], [1, 2, 2]).tolist() == [[1, 1], [0, 1]]


def test_the_adjusted_rand_index_of_an_example() -> None:
    # Table [[2, 1], [0, 3]]: 1 + 3 = 4 pairs have the same label in both, 3 + 3 = 6 in rows, 1 + 6 = 7 in columns.
    # There are 15 pairs. Expected: 6 * 7 / 15 = 2.8. Maximum: 6.5. ARI: (4 - 2.8) / (6.5 - 2.8).
    assert adjusted_rand_index([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]) == pytest.approx(1.2 / 3.7)


def test_a_single_cluster_has_an_adjusted_rand_index_of_0() -> None:
    assert adjusted_rand_index([0, 0, 1, 1], [5, 5, 5, 5]) == 0


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1))
def test_the_adjusted_rand_index_equals_that_of_scikit_learn(labels: list[tuple[int, int]]) -> None:
    labels_true, labels_pred = zip(*labels, strict=True)
    assert adjusted_rand_index(labels_true, labels_pred) == pytest.approx(adjusted_rand_score(labels_true, labels_pred))


@given(st.lists(st.integers(0, 3), min_size=1))
def test_a_partition_agrees_perfectly_with_itself(labels: list[int]) -> None:
    assert adjusted_rand_index(labels, [f"name {i}" for i in labels]) == pytest.approx(1)
    assert purity(labels, labels) == 1


def test_the_purity_of_a_single_cluster_is_the_share_of_the_largest_class() -> None:
    assert purity(["a", "a", "a", "b"], [0, 0, 0, 0]) == 0.75
