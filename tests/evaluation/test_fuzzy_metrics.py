"""Agreement of graded senses: values computed by hand, and plain B-cubed as a special case."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.evaluation.fuzzy_metrics import Weights, fuzzy_b_cubed, fuzzy_nmi

GRADED = np.array([[1, 0], [1, 0.5], [0.25, 1], [0, 1]])


def hard(labels: list[int]) -> Weights:
    return np.eye(max(labels) + 1)[labels]


def b_cubed_precision(truth: list[int], predicted: list[int]) -> float:
    """Mean over instances of the share of the other instances in the same cluster that have the same class."""
    instances = range(len(truth))
    others = {i: [j for j in instances if j != i and predicted[j] == predicted[i]] for i in instances}
    return float(np.mean([np.mean([truth[i] == truth[j] for j in js]) if js else 0 for i, js in others.items()]))


@pytest.mark.parametrize("weights", [GRADED, hard([0, 0, 1, 1, 2, 2])])
def test_senses_agree_perfectly_with_themselves_in_any_order(weights: Weights) -> None:
    assert fuzzy_nmi(weights, weights[:, ::-1]) == pytest.approx(1)
    assert fuzzy_b_cubed(weights, weights[:, ::-1]) == pytest.approx((1, 1))


def test_a_single_cluster_has_no_mutual_information() -> None:
    assert fuzzy_nmi(GRADED, np.ones((4, 1))) == 0
    assert fuzzy_nmi(np.ones((4, 1)), np.ones((4, 1))) == 1


def test_one_cluster_per_instance_has_a_b_cubed_of_0() -> None:
    assert fuzzy_b_cubed(hard([0, 0, 1, 1]), np.eye(4)) == (0, 0)


def test_mutual_information_of_hard_clusters() -> None:
    # Two senses with 2 instances: H(X) = 1 + 1 bits. Clusters of 3 and 1: H(Y) = 2 H(1/4) = 2 * 0.811278.
    # Of each sense and the cluster that overlaps with it: H(x, y) = H(1/2, 1/4, 1/4) = 1.5.
    # H(X | Y) = 2 (1.5 - 0.811278), H(Y | X) = 2 (1.5 - 1). The mutual information is 0.622556, divided by H(X) = 2.
    assert fuzzy_nmi(hard([0, 0, 1, 1]), hard([0, 0, 0, 1])) == pytest.approx(0.622556 / 2, abs=1e-6)


def test_mutual_information_of_graded_clusters() -> None:
    # The weights of the first cluster are in the bins 9, 9, 4, 0: H = 1.5; of the second in 0, 0, 9, 9: H = 1.
    # x_1 and y_1: (9, 9) twice, (0, 4), (0, 0): H = 1.5, so H(x_1 | y_1) = 0 and H(y_1 | x_1) = 0.5. y_2 equals x_2.
    # Mutual information: (2 - 0 + 2.5 - 0.5) / 2 = 2 of 2.5 bits.
    predicted = np.array([[1, 0], [1, 0], [0.5, 1], [0, 1]])
    assert fuzzy_nmi(hard([0, 0, 1, 1]), predicted) == pytest.approx(2 / 2.5)


def test_the_complement_of_a_sense_has_no_mutual_information_with_it() -> None:
    truth, predicted = np.array([[1.0], [1], [0], [0]]), np.array([[0.0], [0], [1], [1]])
    assert fuzzy_nmi(truth, predicted) == 0


def test_weights_at_an_edge_belong_to_the_lower_bin() -> None:
    truth = hard([0, 0, 1, 1])[:, :1]
    assert fuzzy_nmi(truth, np.array([[1], [1], [0.1], [0]])) == pytest.approx(1)
    assert fuzzy_nmi(truth, np.array([[1], [1], [0.11], [0]])) < 1


def test_b_cubed_of_graded_senses() -> None:
    # True: instances 1 and 2 share a sense, with an overlap of 1 - |1 - 0.5| = 0.5; instance 3 shares none.
    # Predicted: all three in one cluster, with weight 1.
    # Precision: (0.5/1 + 0) / 2 for instances 1 and 2, 0 for instance 3. Recall: 1, 1, 0.
    truth = np.array([[1, 0], [0.5, 0], [0, 1]])
    precision, recall = fuzzy_b_cubed(truth, np.ones((3, 1)))
    assert precision == pytest.approx((0.25 + 0.25 + 0) / 3)
    assert recall == pytest.approx(2 / 3)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=12))
def test_b_cubed_of_hard_senses_is_plain_b_cubed(labels: list[tuple[int, int]]) -> None:
    truth, predicted = [a for a, _ in labels], [b for _, b in labels]
    precision, recall = fuzzy_b_cubed(hard(truth), hard(predicted))
    assert precision == pytest.approx(b_cubed_precision(truth, predicted))
    assert recall == pytest.approx(b_cubed_precision(predicted, truth))
