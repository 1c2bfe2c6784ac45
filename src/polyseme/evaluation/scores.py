"""The result of every task: a table of scores, each with a control and a confidence interval.

control    the score of the same vectors with senses sampled by their shares, or what `Evaluation.control` says; the
           mean of CONTROL_RUNS runs
low, high  the 95% interval of the score over BOOTSTRAP_SAMPLES bootstrap samples of the data
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONTROL_RUNS = 10
BOOTSTRAP_SAMPLES = 1000
INTERVAL = (2.5, 97.5)  # percentiles

Statistic = Callable[[NDArray[np.int64]], NDArray[np.float64]]


@dataclass(frozen=True)
class Score:
    """A score with its 95% interval and its control; the control is None if the score does not depend on senses.

    `including_oov` is the score over all items. Items with words that are not in the vocabulary get a default answer,
    which each task documents.
    """

    value: float
    low: float
    high: float
    control: float | None = None
    including_oov: float | None = None


@dataclass(frozen=True)
class Evaluation:
    """The scores of a task, by group (a part of the data, or a posterior) and measure.

    covered, total  the number of items that were scored, and of all items
    items           what is counted, for the line "{covered} of {total} {items}"
    facts           figures that are not scores
    control         what the controls are: the heading of their column
    """

    task: str
    covered: int
    total: int
    table: Mapping[str, Mapping[str, Score]]
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    items: str = "items with known words"
    control: str = "random senses"


def bootstrap_interval(n: int, statistic: Statistic, seed: int = 0) -> tuple[float, float]:
    """The 95% interval of a statistic of n items. The statistic takes the output of `bootstrap_indices`."""
    values = statistic(bootstrap_indices(n, seed))
    low, high = np.nanpercentile(values, INTERVAL) if np.isfinite(values).any() else (np.nan, np.nan)
    return float(low), float(high)


def bootstrap_indices(n: int, seed: int = 0) -> NDArray[np.int64]:
    """(BOOTSTRAP_SAMPLES, n) Indices of the items in each bootstrap sample of n items."""
    return np.random.default_rng(seed).integers(0, n, (BOOTSTRAP_SAMPLES, n))


def accuracy_score(correct: NDArray[np.bool_], control: float | None = None) -> Score:
    """The percentage of correct answers. The control is given as a share from 0 to 1."""
    share = float(correct.mean())
    # The number of correct answers in a bootstrap sample is binomial, so that no sample has to be drawn.
    values = np.random.default_rng(0).binomial(len(correct), share, BOOTSTRAP_SAMPLES) / len(correct)
    low, high = (100 * float(p) for p in np.percentile(values, INTERVAL))
    return Score(100 * share, low, high, None if control is None else 100 * control)


def mean_score(values: NDArray[np.float64], control: float | None = None) -> Score:
    """The mean of the items' values."""
    values = np.asarray(values, np.float64)
    rng, n = np.random.default_rng(0), len(values)
    # One sample at a time: all of them, of all senses of a large model, would need gigabytes.
    means = [values[rng.integers(0, n, n)].mean() for _ in range(BOOTSTRAP_SAMPLES)]
    low, high = (float(p) for p in np.percentile(means, INTERVAL))
    return Score(float(values.mean()), low, high, control)
