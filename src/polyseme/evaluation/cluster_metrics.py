"""Agreement of found senses with true ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def contingency(truth: ArrayLike, found: ArrayLike) -> NDArray[np.int64]:
    """How often each true class (rows) and each found cluster (columns) meet."""
    rows, row_of = np.unique(np.asarray(truth), return_inverse=True)
    columns, column_of = np.unique(np.asarray(found), return_inverse=True)
    table = np.zeros((len(rows), len(columns)), np.int64)
    np.add.at(table, (row_of, column_of), 1)
    return table


def adjusted_rand_index(truth: ArrayLike, found: ArrayLike) -> float:
    """Agreement over pairs, 0 for chance and 1 for the same partition (Hubert and Arabie 1985).

    >>> adjusted_rand_index([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    table = contingency(truth, found).astype(np.float64)
    together = _pairs(table).sum()
    in_rows, in_columns = _pairs(table.sum(axis=1)).sum(), _pairs(table.sum(axis=0)).sum()
    every = _pairs(table.sum())
    expected = in_rows * in_columns / every if every else 0.0
    most = (in_rows + in_columns) / 2
    return 1.0 if most == expected else float((together - expected) / (most - expected))


def purity(truth: ArrayLike, found: ArrayLike) -> float:
    """Share of uses whose cluster is mostly of their class.

    >>> purity([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    table = contingency(truth, found)
    return float(table.max(axis=0).sum() / table.sum())


def _pairs(n: NDArray[np.float64] | np.float64) -> NDArray[np.float64]:
    return np.asarray(n * (n - 1) / 2)
