"""How well the found senses of words agree with labelled ones: measures of a word, and their means over words.

    ari            adjusted Rand index                                            mean over words
    v_measure      harmonic mean of homogeneity and completeness                  mean weighted by a word's uses
    paired_f       F of the pairs of uses that are of one sense (SemEval-2010)    mean weighted by a word's uses
    clusters       the number of senses found                                     mean over words
    fuzzy_nmi      see `polyseme.evaluation.fuzzy_metrics`; where labels are graded       mean over words
    fuzzy_b_cubed  the same                                                       F of the means of precision and recall

Senses are given as weights, (uses, senses) with 1 for the best sense of each use. What wants one sense takes the best.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import adjusted_rand_score, v_measure_score

from polyseme.evaluation.cluster_metrics import contingency
from polyseme.evaluation.fuzzy_metrics import Weights, fuzzy_b_cubed, fuzzy_nmi

Floats = NDArray[np.float64]
Agreement = dict[str, Floats]  # of each measure (words, 1), of fuzzy_b_cubed (words, 2)

BY_USES = ("v_measure", "paired_f")


def agreement(truths: Sequence[Weights], founds: Sequence[Weights], *, graded: bool) -> Agreement:
    """The measures of each word."""
    words = [_of_word(truth, found, graded) for truth, found in zip(truths, founds, strict=True)]
    return {name: np.array([word[name] for word in words]) for name in words[0]}


def over_words(name: str, values: Floats, uses: NDArray[np.int64]) -> Floats:
    """The mean of a measure: of values (..., words, 1 or 2) and the words' numbers of uses (..., words)."""
    if name in BY_USES:
        return np.asarray((values[..., 0] * uses).sum(axis=-1) / uses.sum(axis=-1))
    means = values.mean(axis=-2)
    if means.shape[-1] == 1:
        return np.asarray(means[..., 0])
    return np.asarray(2 * means.prod(axis=-1) / np.maximum(means.sum(axis=-1), 1e-12))


def paired_f(truth: ArrayLike, found: ArrayLike) -> float:
    """F of the found pairs against the true ones; 1 if neither has any.

    >>> paired_f([0, 0, 1, 1], [0, 0, 0, 1])  # 3 pairs are found and 2 are true; 1 is both
    0.4
    """
    table = contingency(truth, found)
    both, true, of_found = ((n * (n - 1) / 2).sum() for n in (table, table.sum(axis=1), table.sum(axis=0)))
    return float(2 * both / (true + of_found)) if true + of_found else 1.0


def _of_word(truth: Weights, found: Weights, graded: bool) -> dict[str, tuple[float, ...]]:
    true, best = truth.argmax(axis=1), found.argmax(axis=1)
    measures: dict[str, tuple[float, ...]] = {
        "ari": (adjusted_rand_score(true, best),),
        "v_measure": (v_measure_score(true, best),),
        "paired_f": (paired_f(true, best),),
        "clusters": (len(np.unique(best)),),
    }
    if graded:
        measures |= {"fuzzy_nmi": (fuzzy_nmi(truth, found),), "fuzzy_b_cubed": fuzzy_b_cubed(truth, found)}
    return measures
