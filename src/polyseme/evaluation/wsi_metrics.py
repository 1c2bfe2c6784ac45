"""Agreement of predicted senses with labelled senses: the measures of a word, and their means over words.

    ari            adjusted Rand index                                            mean over words
    v_measure      harmonic mean of homogeneity and completeness                  mean weighted by number of instances
    paired_f       F1 of the pairs of instances with the same sense (2010)        mean weighted by number of instances
    b_cubed        F1 of B-cubed precision and recall (Amigo et al. 2009)         mean over words
    clusters       number of predicted senses                                     mean over words
    fuzzy_nmi      for graded labels, see `polyseme.evaluation.fuzzy_metrics`     mean over words
    fuzzy_b_cubed  for graded labels, the same                                    F1 of mean precision and mean recall

Senses are given as weights, float64 (instances, senses), with 1 for the best sense of each instance. Measures that
compare partitions use the best sense. (2010): as in SemEval-2010 task 14.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyseme.evaluation.cluster_metrics import adjusted_rand_index, b_cubed, pair_counts
from polyseme.evaluation.fuzzy_metrics import Weights, fuzzy_b_cubed, fuzzy_nmi

Floats = NDArray[np.float64]
Agreement = dict[str, Floats]  # by measure: (words, 1), or (words, 2) for fuzzy_b_cubed

WEIGHTED_BY_INSTANCES = ("v_measure", "paired_f")


def agreement(truths: Sequence[Weights], predictions: Sequence[Weights], *, graded: bool) -> Agreement:
    """The measures of each word."""
    words = [_word_agreement(truth, predicted, graded) for truth, predicted in zip(truths, predictions, strict=True)]
    return {name: np.array([word[name] for word in words]) for name in words[0]}


def mean_over_words(name: str, values: Floats, num_instances: NDArray[np.int64]) -> Floats:
    """The mean of a measure.

    values         IN  float64 (..., words, 1), or (..., words, 2) for precision and recall
    num_instances  IN  int64 (..., words)
    """
    if name in WEIGHTED_BY_INSTANCES:
        return np.asarray((values[..., 0] * num_instances).sum(axis=-1) / num_instances.sum(axis=-1))
    means = values.mean(axis=-2)
    if means.shape[-1] == 1:
        return np.asarray(means[..., 0])
    return np.asarray(2 * means.prod(axis=-1) / np.maximum(means.sum(axis=-1), 1e-12))


def paired_f(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """F1 of the predicted pairs against the true pairs; 1 if there are none in either.

    >>> paired_f([0, 0, 1, 1], [0, 0, 0, 1])  # 3 predicted pairs, 2 true pairs, 1 in common
    0.4
    """
    both, true, pred, _ = pair_counts(labels_true, labels_pred)
    return 2 * both / (true + pred) if true + pred else 1.0


def _word_agreement(truth: Weights, predicted: Weights, graded: bool) -> dict[str, tuple[float, ...]]:
    from sklearn.metrics import v_measure_score

    labels_true, labels_pred = truth.argmax(axis=1), predicted.argmax(axis=1)
    measures: dict[str, tuple[float, ...]] = {
        "ari": (adjusted_rand_index(labels_true, labels_pred),),
        "v_measure": (v_measure_score(labels_true, labels_pred),),
        "paired_f": (paired_f(labels_true, labels_pred),),
        "b_cubed": (b_cubed(labels_true, labels_pred),),
        "clusters": (len(np.unique(labels_pred)),),
    }
    if graded:
        measures |= {"fuzzy_nmi": (fuzzy_nmi(truth, predicted),), "fuzzy_b_cubed": fuzzy_b_cubed(truth, predicted)}
    return measures
