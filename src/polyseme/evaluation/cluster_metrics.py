"""Agreement of two partitions of the same items: true labels and predicted clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def contingency(labels_true: ArrayLike, labels_pred: ArrayLike) -> NDArray[np.int64]:
    """The number of items with each pair of labels: a row per true label, a column per predicted label."""
    true_labels, rows = np.unique(np.asarray(labels_true), return_inverse=True)
    pred_labels, columns = np.unique(np.asarray(labels_pred), return_inverse=True)
    table = np.zeros((len(true_labels), len(pred_labels)), np.int64)
    np.add.at(table, (rows, columns), 1)
    return table


def adjusted_rand_index(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Rand index adjusted for chance (Hubert and Arabie 1985): 1 for equal partitions, 0 on average for random ones.

    >>> adjusted_rand_index([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    both, true, pred, total = pair_counts(labels_true, labels_pred)
    expected = true * pred / total if total else 0.0
    maximum = (true + pred) / 2
    return 1.0 if maximum == expected else (both - expected) / (maximum - expected)


def pair_counts(labels_true: ArrayLike, labels_pred: ArrayLike) -> tuple[float, float, float, float]:
    """The number of pairs of items with the same label in both partitions, in the true, in the predicted; all pairs."""
    table = contingency(labels_true, labels_pred).astype(np.float64)
    both, true, pred, total = (
        float((n * (n - 1) / 2).sum()) for n in (table, table.sum(axis=1), table.sum(axis=0), table.sum())
    )
    return both, true, pred, total


def b_cubed(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """B-cubed F1 (Amigo et al. 2009): the harmonic mean of B-cubed precision and recall.

    The precision of an item is the share of its cluster that has its true label, its recall the share of its true label
    that is in its cluster, both including the item itself. Precision and recall are the means over items.

    >>> b_cubed([0, 0, 1, 1], [0, 0, 0, 0])  # precision 1/2, recall 1
    0.6666666666666666
    """
    table = contingency(labels_true, labels_pred).astype(np.float64)
    precision = (table**2 / table.sum(axis=0)).sum() / table.sum()
    recall = (table**2 / table.sum(axis=1, keepdims=True)).sum() / table.sum()
    return float(2 * precision * recall / (precision + recall))


def purity(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """The share of items with the most frequent true label of their cluster.

    >>> purity([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    table = contingency(labels_true, labels_pred)
    return float(table.max(axis=0).sum() / table.sum())
