"""Measures of word sense induction and their means over words, compared with scikit-learn's."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, completeness_score, homogeneity_score

from polyseme.evaluation.wsi_metrics import agreement, mean_over_words, paired_f

TRUE, PREDICTED = [0, 0, 1, 1, 2], [1, 1, 1, 0, 0]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=12))
def test_paired_f_is_the_f1_of_pairs(labels: list[tuple[int, int]]) -> None:
    pairs = list(combinations(labels, 2))
    true, predicted = [a[0] == b[0] for a, b in pairs], [a[1] == b[1] for a, b in pairs]
    both = sum(t and p for t, p in zip(true, predicted, strict=True))
    expected = 2 * both / (sum(true) + sum(predicted)) if any(true + predicted) else 1
    assert paired_f(*zip(*labels, strict=True)) == pytest.approx(expected)


def test_partitions_are_the_best_senses_of_the_instances() -> None:
    truth, predicted = np.eye(3)[TRUE], np.where(np.eye(2)[PREDICTED] == 1, 1, 0.4)
    measures = agreement([truth], [predicted], graded=False)
    homogeneity, completeness = homogeneity_score(TRUE, PREDICTED), completeness_score(TRUE, PREDICTED)
    assert {name: values.shape for name, values in measures.items()} == dict.fromkeys(
        ("ari", "v_measure", "paired_f", "b_cubed", "clusters"), (1, 1)
    )
    assert measures["ari"].item() == pytest.approx(adjusted_rand_score(TRUE, PREDICTED))
    assert measures["v_measure"].item() == pytest.approx(2 / (1 / homogeneity + 1 / completeness))
    assert measures["paired_f"].item() == pytest.approx(2 * 1 / (2 + 4))
    # Items 0 and 1: precision 2/3, recall 1. Item 2: 1/3 and 1/2. Item 3: 1/2 and 1/2. Item 4: 1/2 and 1.
    precision, recall = (2 / 3 + 2 / 3 + 1 / 3 + 1 / 2 + 1 / 2) / 5, (1 + 1 + 1 / 2 + 1 / 2 + 1) / 5
    assert measures["b_cubed"].item() == pytest.approx(2 / (1 / precision + 1 / recall))
    assert measures["clusters"].item() == 2


def test_graded_labels_have_two_more_measures() -> None:
    measures = agreement([np.eye(3)[TRUE]], [np.eye(2)[PREDICTED]], graded=True)
    assert measures["fuzzy_nmi"].shape == (1, 1)
    assert measures["fuzzy_b_cubed"].shape == (1, 2)


def test_means_over_words() -> None:
    values, num_instances = np.array([[0.2], [0.8]]), np.array([30, 10])
    assert mean_over_words("ari", values, num_instances) == pytest.approx(0.5)
    assert mean_over_words("b_cubed", values, num_instances) == pytest.approx(0.5)
    assert mean_over_words("v_measure", values, num_instances) == pytest.approx((0.2 * 30 + 0.8 * 10) / 40)
    precision_recall = np.array([[0.4, 0.1], [0.8, 0.5]])
    assert mean_over_words("fuzzy_b_cubed", precision_recall, num_instances) == pytest.approx(2 * 0.6 * 0.3 / 0.9)


def test_means_of_several_samples_of_words() -> None:
    values, num_instances = np.array([[0.2], [0.8]]), np.array([30, 10])
    samples = np.array([[0, 0], [0, 1]])
    assert mean_over_words("v_measure", values[samples], num_instances[samples]) == pytest.approx([0.2, 0.35])
    assert mean_over_words("ari", values[samples], num_instances[samples]) == pytest.approx([0.2, 0.5])
