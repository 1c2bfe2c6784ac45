"""Agreement of graded senses: values worked out by hand, and plain B-cubed as a special case."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.evaluation.fuzzy_metrics import Weights, fuzzy_b_cubed, fuzzy_nmi

GRADED = np.array([[1, 0], [1, 0.5], [0.25, 1], [0, 1]])


def hard(labels: list[int]) -> Weights:
    return np.eye(max(labels) + 1)[labels]


def plain_b_cubed(truth: list[int], found: list[int]) -> float:
    """Precision of hard clusters, pair by pair: of the others in the cluster of each use, those of its class."""
    uses = range(len(truth))
    fellows = {i: [j for j in uses if j != i and found[j] == found[i]] for i in uses}
    return float(np.mean([np.mean([truth[i] == truth[j] for j in js]) if js else 0 for i, js in fellows.items()]))


@pytest.mark.parametrize("weights", [GRADED, hard([0, 0, 1, 1, 2, 2])])
def test_senses_agree_wholly_with_themselves_in_any_order(
    weights: Weights,
) -> None:
    assert fuzzy_nmi(weights, weights[:, ::-1]) == pytest.approx(1)
    assert fuzzy_b_cubed(weights, weights[:, ::-1]) == pytest.approx((1, 1))


def test_one_cluster_for_all_tells_nothing() -> None:
    assert fuzzy_nmi(GRADED, np.ones((4, 1))) == 0
    assert fuzzy_nmi(np.ones((4, 1)), np.ones((4, 1))) == 1


def test_one_cluster_a_use_has_no_pairs() -> None:
    assert fuzzy_b_cubed(hard([0, 0, 1, 1]), np.eye(4)) == (0, 0)


def test_mutual_information_of_hard_clusters_by_hand() -> None:
    # Two senses of 2 uses: H(X) = 1 + 1 bits. Clusters of 3 and 1: H(Y) = 2 H(1/4) = 2 * 0.811278.
    # Each sense is best told by the cluster that it overlaps: H(x, y) = H(1/2, 1/4, 1/4) = 1.5.
    # H(X | Y) = 2 (1.5 - 0.811278), H(Y | X) = 2 (1.5 - 1); half of what is shared is 0.622556, by H(X) = 2.
    assert fuzzy_nmi(hard([0, 0, 1, 1]), hard([0, 0, 0, 1])) == pytest.approx(0.622556 / 2, abs=1e-6)


def test_mutual_information_of_graded_clusters_by_hand() -> None:
    # The found weights of the first cluster are in the tenths 9, 9, 4, 0: H = 1.5; of the second in 0, 0, 9, 9: H = 1.
    # x_1 and y_1: (9, 9) twice, (0, 4), (0, 0): H = 1.5, so H(x_1 | y_1) = 0 and H(y_1 | x_1) = 0.5. y_2 is x_2 itself.
    # Shared: (2 - 0 + 2.5 - 0.5) / 2 = 2 of 2.5 bits.
    found = np.array([[1, 0], [1, 0], [0.5, 1], [0, 1]])
    assert fuzzy_nmi(hard([0, 0, 1, 1]), found) == pytest.approx(2 / 2.5)


def test_a_sense_that_is_the_opposite_of_another_does_not_tell_of_it() -> None:
    truth, found = np.array([[1.0], [1], [0], [0]]), np.array([[0.0], [0], [1], [1]])
    assert fuzzy_nmi(truth, found) == 0


def test_weights_at_an_edge_belong_to_the_lower_tenth() -> None:
    truth = hard([0, 0, 1, 1])[:, :1]
    assert fuzzy_nmi(truth, np.array([[1], [1], [0.1], [0]])) == pytest.approx(1)
    assert fuzzy_nmi(truth, np.array([[1], [1], [0.11], [0]])) < 1


def test_b_cubed_of_graded_senses_by_hand() -> None:
    # True: uses 1 and 2 share a sense, with 1 - |1 - 0.5| = 0.5 in common; use 3 stands alone.
    # Found: all three in one cluster, wholly. Precision: (0.5/1 + 0) / 2 for use 1 and 2, 0 for use 3. Recall: 1, 1, 0.
    truth = np.array([[1, 0], [0.5, 0], [0, 1]])
    precision, recall = fuzzy_b_cubed(truth, np.ones((3, 1)))
    assert precision == pytest.approx((0.25 + 0.25 + 0) / 3)
    assert recall == pytest.approx(2 / 3)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=12))
def test_b_cubed_of_hard_senses_is_the_plain_one(labels: list[tuple[int, int]]) -> None:
    truth, found = [a for a, _ in labels], [b for _, b in labels]
    precision, recall = fuzzy_b_cubed(hard(truth), hard(found))
    assert precision == pytest.approx(plain_b_cubed(truth, found))
    assert recall == pytest.approx(plain_b_cubed(found, truth))
