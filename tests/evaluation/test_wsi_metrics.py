"""Measures of induced senses and their means over words, with scikit-learn's figures beside them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, completeness_score, homogeneity_score

from polyseme.evaluation.wsi_metrics import agreement, over_words, paired_f

TRUE, FOUND = [0, 0, 1, 1, 2], [1, 1, 1, 0, 0]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=12))
def test_paired_f_counts_pairs(labels: list[tuple[int, int]]) -> None:
    pairs = list(combinations(labels, 2))
    true, found = [a[0] == b[0] for a, b in pairs], [a[1] == b[1] for a, b in pairs]
    both = sum(t and f for t, f in zip(true, found, strict=True))
    expected = 2 * both / (sum(true) + sum(found)) if any(true + found) else 1
    assert paired_f(*zip(*labels, strict=True)) == pytest.approx(expected)


def test_the_measures_of_a_word_take_the_best_sense_of_each_use() -> None:
    truth, found = np.eye(3)[TRUE], np.where(np.eye(2)[FOUND] == 1, 1, 0.4)
    measures = agreement([truth], [found], graded=False)
    homogeneity, completeness = homogeneity_score(TRUE, FOUND), completeness_score(TRUE, FOUND)
    assert {name: values.shape for name, values in measures.items()} == dict.fromkeys(
        ("ari", "v_measure", "paired_f", "clusters"), (1, 1)
    )
    assert measures["ari"].item() == pytest.approx(adjusted_rand_score(TRUE, FOUND))
    assert measures["v_measure"].item() == pytest.approx(2 / (1 / homogeneity + 1 / completeness))
    assert measures["paired_f"].item() == pytest.approx(2 * 1 / (2 + 4))
    assert measures["clusters"].item() == 2


def test_graded_labels_have_two_measures_more() -> None:
    measures = agreement([np.eye(3)[TRUE]], [np.eye(2)[FOUND]], graded=True)
    assert measures["fuzzy_nmi"].shape == (1, 1)
    assert measures["fuzzy_b_cubed"].shape == (1, 2)


def test_means_over_words_by_hand() -> None:
    values, uses = np.array([[0.2], [0.8]]), np.array([30, 10])
    assert over_words("ari", values, uses) == pytest.approx(0.5)
    assert over_words("v_measure", values, uses) == pytest.approx((0.2 * 30 + 0.8 * 10) / 40)
    precision_recall = np.array([[0.4, 0.1], [0.8, 0.5]])
    assert over_words("fuzzy_b_cubed", precision_recall, uses) == pytest.approx(2 * 0.6 * 0.3 / 0.9)


def test_means_of_many_samples_of_words_at_once() -> None:
    values, uses = np.array([[0.2], [0.8]]), np.array([30, 10])
    samples = np.array([[0, 0], [0, 1]])
    assert over_words("v_measure", values[samples], uses[samples]) == pytest.approx([0.2, 0.35])
    assert over_words("ari", values[samples], uses[samples]) == pytest.approx([0.2, 0.5])
