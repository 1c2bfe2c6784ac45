"""Agreement of graded, overlapping senses, as in SemEval-2013 task 13 (Jurgens and Klapaftis 2013).

Instance i belongs to sense a with a weight x_ia from 0 to 1, and may belong to several senses. Both measures compare
the true weights X (n, senses) with the predicted weights Y (n, clusters) of the same n instances.

Fuzzy normalized mutual information extends the measure of Lancichinetti et al. (2009) for overlapping clusters. The
weights of each sense are discretized into ten bins, [0, .1], (.1, .2], ... (.9, 1], and H is the entropy of the bins:

    H(X)     = sum over a of H(x_a)
    H(X | Y) = sum over a of min over b of H(x_a, y_b) - H(y_b), over the b that may be compared with a;
               H(x_a) if there is none
    FNMI     = (H(X) - H(X | Y) + H(Y) - H(Y | X)) / 2 / max(H(X), H(Y))

A cluster that is the complement of a sense determines it, but is not the same sense. So y_b may be compared with x_a
only if h(both) + h(neither) >= h(x_a only) + h(y_b only), where h(p) = -p log p and p is the share of instances.

Fuzzy B-cubed extends the measure of Amigo et al. (2009). The overlap of two instances is

    C(i, j, X) = sum over the senses a that both have of 1 - |x_ia - x_ja|
    precision  = mean over i of mean over the j != i that share a cluster with i of min(C(i,j,X), C(i,j,Y)) / C(i,j,Y)
    recall     = the same with X and Y exchanged

An instance that shares no cluster with any other counts as 0, as in the task's own scorer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]
Ints = NDArray[np.int64]

BINS = 10


def fuzzy_nmi(truth: Weights, predicted: Weights) -> float:
    """1 for the same senses, 0 for independent ones; 1 if the entropy of both is 0."""
    x, y = _bins(truth), _bins(predicted)
    h_x, h_y = (sum(_entropy(column) for column in bins.T) for bins in (x, y))
    if max(h_x, h_y) == 0:
        return 1.0
    comparable = _comparable(truth > 0, predicted > 0)
    mutual = h_x - _conditional_entropy(x, y, comparable) + h_y - _conditional_entropy(y, x, comparable.T)
    return float(mutual / 2 / max(h_x, h_y))


def fuzzy_b_cubed(truth: Weights, predicted: Weights) -> tuple[float, float]:
    """Precision and recall."""
    overlap_true, overlap_predicted = _overlaps(truth), _overlaps(predicted)
    return _mean_ratio(overlap_predicted, overlap_true), _mean_ratio(overlap_true, overlap_predicted)


def _bins(weights: Weights) -> Ints:
    """The bin of each weight; a bin includes its upper edge."""
    return np.searchsorted(np.arange(1, BINS) / BINS, weights, side="left").astype(np.int64)


def _entropy(labels: Ints) -> float:
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return float(-(shares * np.log2(shares)).sum())


def _conditional_entropy(x: Ints, y: Ints, comparable: NDArray[np.bool_]) -> float:
    """H(X | Y)."""
    h_y = [_entropy(column) for column in y.T]
    total = 0.0
    for a, column in enumerate(x.T):
        given_y = [_entropy(column * BINS + y[:, b]) - h_y[b] for b in np.flatnonzero(comparable[a])]
        total += min(given_y, default=_entropy(column))
    return total


def _comparable(x: NDArray[np.bool_], y: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(senses, clusters) Whether a cluster may be compared with a sense.

    x, y  (n, senses) and (n, clusters)  whether an instance has a weight above 0
    """
    a, b = x.astype(np.float64), y.astype(np.float64)
    same, different = _h(a, b) + _h(1 - a, 1 - b), _h(a, 1 - b) + _h(1 - a, b)
    return np.asarray(same >= different)


def _h(a: Weights, b: Weights) -> Weights:
    """-p log p, with p the share of instances that are in both a sense (column of a) and a cluster (column of b)."""
    share = a.T @ b / len(a)
    return np.asarray(-share * np.log2(share, out=np.zeros_like(share), where=share > 0))


def _overlaps(weights: Weights) -> Weights:
    """(n, n) C(i, j) of all pairs of instances; 0 on the diagonal."""
    overlaps = np.zeros((len(weights), len(weights)))
    for column in weights.T:
        members = np.flatnonzero(column > 0)
        overlaps[np.ix_(members, members)] += 1 - np.abs(column[members, None] - column[members])
    np.fill_diagonal(overlaps, 0)
    return overlaps


def _mean_ratio(overlaps: Weights, other: Weights) -> float:
    """The mean over i of the mean over j of min(overlaps, other) / overlaps, where overlaps > 0."""
    partners = (overlaps > 0).sum(axis=1)
    ratios = np.divide(np.minimum(overlaps, other), overlaps, out=np.zeros_like(overlaps), where=overlaps > 0)
    return float(np.mean(ratios.sum(axis=1) / np.maximum(partners, 1)))
