"""What every task gives: scores with their control and their interval, in a table.

control   the same vectors with each sense drawn at random by the senses' shares: the mean of DRAWS draws
low, high the middle 95% of the scores of RESAMPLES bootstrap samples of the data
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

DRAWS = 10
RESAMPLES = 1000
INTERVAL = (2.5, 97.5)

Statistic = Callable[[NDArray[np.int64]], NDArray[np.float64]]


@dataclass(frozen=True)
class Score:
    """A score with its 95% interval, and its control where senses play a part.

    `with_unknown` is the score with the items that are not covered counted too, as average ones.
    """

    value: float
    low: float
    high: float
    control: float | None = None
    with_unknown: float | None = None


@dataclass(frozen=True)
class Evaluation:
    """The scores of a task: for each group (a part of the data, or a way to choose senses) those of each measure.

    `covered` of `total` things were scored; `what` says which.
    """

    task: str
    covered: int
    total: int
    table: Mapping[str, Mapping[str, Score]]
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)  # figures that are no scores
    what: str = "items of known words"


def bootstrap(items: int, statistic: Statistic, seed: int = 0) -> tuple[float, float]:
    """The interval of a statistic of items, given the numbers of the items in each sample: int64 (samples, items)."""
    values = statistic(draw_samples(items, seed))
    low, high = np.nanpercentile(values, INTERVAL) if np.isfinite(values).any() else (np.nan, np.nan)
    return float(low), float(high)


def draw_samples(items: int, seed: int = 0) -> NDArray[np.int64]:
    """The numbers of the items in each bootstrap sample: int64 (RESAMPLES, items)."""
    return np.random.default_rng(seed).integers(0, items, (RESAMPLES, items))


def share_score(right: NDArray[np.bool_], control: float | None = None) -> Score:
    """The share of items that are right, in percent. Given a share too: the control."""
    share = float(right.mean())
    values = np.random.default_rng(0).binomial(len(right), share, RESAMPLES) / len(right)  # what bootstrap comes to
    low, high = (100 * float(p) for p in np.percentile(values, INTERVAL))
    return Score(100 * share, low, high, None if control is None else 100 * control)


def mean_score(values: NDArray[np.float64], control: float | None = None) -> Score:
    """The mean over items as a score."""
    values = np.asarray(values, np.float64)
    low, high = bootstrap(len(values), lambda samples: values[samples].mean(axis=1))
    return Score(float(values.mean()), low, high, control)
