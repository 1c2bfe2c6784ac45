"""Agreement of graded, overlapping senses, as in SemEval-2013 task 13 (Jurgens and Klapaftis 2013).

Use i belongs to sense a with a weight x_ia from 0 to 1, and to several senses at once. Both measures take the true
weights X (n, senses) and the found ones Y (n, clusters) of the same uses.

Fuzzy normalised mutual information extends that of overlapping clusters (Lancichinetti et al. 2009). The weights of a
sense over the uses are cut into tenths, [0, .1], (.1, .2], ... (.9, 1], and H is the entropy of these:

    H(X)     = sum over a of H(x_a)
    H(X | Y) = sum over a of min over b of H(x_a, y_b) - H(y_b), but H(x_a) where no y_b is allowed
    FNMI     = (H(X) - H(X | Y) + H(Y) - H(Y | X)) / 2 / max(H(X), H(Y))

A sense that is present where the other is absent tells much about it and yet is not the same sense. So y_b is allowed
for x_a only if h(both) + h(neither) >= h(x alone) + h(y alone), where h(p) = -p log p of the share p of the uses.

Fuzzy B-cubed extends that of Amigo et al. (2009). How much two uses have in common is

    C(i, j, X) = sum over the senses a of both of 1 - |x_ia - x_ja|
    precision  = mean over i of mean over the j != i that share a cluster with i of min(C(i,j,X), C(i,j,Y)) / C(i,j,Y)
    recall     = the same with X and Y exchanged

A use that shares no cluster with any other counts as 0, as it does in the task's own scorer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]
Ints = NDArray[np.int64]

PARTS = 10  # the tenths that weights are cut into


def fuzzy_nmi(truth: Weights, found: Weights) -> float:
    """1 for the same senses, 0 where the one tells nothing of the other; 1 if neither tells anything at all."""
    x, y = _tenths(truth), _tenths(found)
    h_x, h_y = (sum(_entropy(column) for column in cut.T) for cut in (x, y))
    if max(h_x, h_y) == 0:
        return 1.0
    allowed = _allowed(truth > 0, found > 0)
    shared = h_x - _conditional(x, y, allowed) + h_y - _conditional(y, x, allowed.T)
    return float(shared / 2 / max(h_x, h_y))


def fuzzy_b_cubed(truth: Weights, found: Weights) -> tuple[float, float]:
    """Precision and recall."""
    c_truth, c_found = _in_common(truth), _in_common(found)
    return _covered(c_found, c_truth), _covered(c_truth, c_found)


def _tenths(weights: Weights) -> Ints:
    """In which tenth each weight is; the edges belong to the lower one."""
    return np.searchsorted(np.arange(1, PARTS) / PARTS, weights, side="left").astype(np.int64)


def _entropy(labels: Ints) -> float:
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return float(-(shares * np.log2(shares)).sum())


def _conditional(x: Ints, y: Ints, allowed: NDArray[np.bool_]) -> float:
    """H(X | Y)."""
    h_y = [_entropy(column) for column in y.T]
    total = 0.0
    for a, column in enumerate(x.T):
        given = [_entropy(column * PARTS + y[:, b]) - h_y[b] for b in np.flatnonzero(allowed[a])]
        total += min(given, default=_entropy(column))
    return total


def _allowed(x: NDArray[np.bool_], y: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which clusters of Y may tell of which senses of X: (senses, clusters)."""
    a, b = x.astype(np.float64), y.astype(np.float64)
    met, missed = _h(a, b) + _h(1 - a, 1 - b), _h(a, 1 - b) + _h(1 - a, b)
    return np.asarray(met >= missed)


def _h(a: Weights, b: Weights) -> Weights:
    """-p log p of the share of the uses in both a sense (a column of a) and a cluster (of b)."""
    share = a.T @ b / len(a)
    return np.asarray(-share * np.log2(share, out=np.zeros_like(share), where=share > 0))


def _in_common(weights: Weights) -> Weights:
    """C(i, j) of all pairs of uses, and 0 of a use with itself."""
    common = np.zeros((len(weights), len(weights)))
    for column in weights.T:
        inside = np.flatnonzero(column > 0)
        common[np.ix_(inside, inside)] += 1 - np.abs(column[inside, None] - column[inside])
    np.fill_diagonal(common, 0)
    return common


def _covered(one: Weights, other: Weights) -> float:
    """How much of what uses have in common in the one they have in common in the other too."""
    fellows = (one > 0).sum(axis=1)
    parts = np.divide(np.minimum(one, other), one, out=np.zeros_like(one), where=one > 0).sum(axis=1)
    return float(np.mean(parts / np.maximum(fellows, 1)))
