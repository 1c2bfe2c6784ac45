"""Changes of the rows of a table: found by the workers of a cluster, and combined by the driver.

Rows of a table may be padded: only the first d columns are used, where d is the width of the changes or moves.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import kernel


@kernel
def collect_changes(table, before, rows, changes):
    """List the rows in which two tables differ, and changes[k] = table[rows[k]] - before[rows[k]].

    In a single pass: a row is subtracted and compared in the same vectorised loop, and the next row overwrites it if it
    has not changed.

    table, before  IN   float32 (n or more, d or more)
    rows           OUT  int32   (n,)                    numbers of the rows, ascending; only the first are set
    changes        OUT  float32 (n, d)                  rows after those that are set can be overwritten
    Returns the number of rows.
    """
    found = 0
    for row in range(len(rows)):
        differs = False
        for i in range(changes.shape[1]):
            change = table[row, i] - before[row, i]
            changes[found, i] = change
            differs |= change != 0
        if differs:
            rows[found] = row
            found += 1
    return found


@kernel
def store_rows(values, rows, table, before):
    """table[rows[k]] = before[rows[k]] = values[k]

    values         IN   float32 (k, d)
    rows           IN   int32   (k,)
    table, before  OUT  float32 (n, d or more)
    """
    for k in range(len(rows)):
        row = rows[k]
        for i in range(values.shape[1]):
            table[row, i] = before[row, i] = values[k, i]


@kernel
def scale_rows(moves, rows, factors):
    """moves[rows[k]] *= factors[rows[k]]

    moves    SHARED  float32 (n, d)
    rows     IN      int32   (k,)
    factors  IN      float32 (n or fewer,)
    """
    for k in range(len(rows)):
        row = rows[k]
        for i in range(moves.shape[1]):
            moves[row, i] *= factors[row]


@kernel
def add_changes(changes, rows, shares, moves):
    """moves[rows[k]] += shares[rows[k]] * changes[k]

    changes  IN      float32 (k, d)
    rows     IN      int32   (k,)
    shares   IN      float32 (n or fewer,)
    moves    SHARED  float32 (n, d)
    """
    for k in range(len(rows)):
        row = rows[k]
        for i in range(moves.shape[1]):
            moves[row, i] += shares[row] * changes[k, i]


@kernel
def apply_moves(moves, rows, table, values):
    """table[rows[k]] += moves[rows[k]], and values[k] = table[rows[k]]

    moves   IN      float32 (n, d)
    rows    IN      int32   (k,)
    table   SHARED  float32 (n or more, d or more)
    values  OUT     float32 (k or more, d)
    """
    for k in range(len(rows)):
        row = rows[k]
        for i in range(moves.shape[1]):
            value = table[row, i] + moves[row, i]
            table[row, i] = value
            values[k, i] = value


@kernel
def subtract_contexts(centers, counts, centers_before, counts_before, rows, sums):
    """sums[k] = counts[r] * centers[r] - counts_before[r] * centers_before[r],  r = rows[k]

    A center times its count is the sum of the contexts of a sense: the difference is the sum of the new ones.

    centers, centers_before  IN   float32 (n, c)
    counts, counts_before    IN   int64   (n,)
    rows                     IN   int32   (k,)
    sums                     OUT  float32 (k, c)
    """
    for k in range(len(rows)):
        row = rows[k]
        count, count_before = np.float64(counts[row]), np.float64(counts_before[row])
        for i in range(sums.shape[1]):
            sums[k, i] = count * centers[row, i] - count_before * centers_before[row, i]


@kernel
def add_contexts(sums, added, rows, centers, counts):
    """Add contexts to senses: added[k] of them, whose sum is sums[k], to sense rows[k].

    sums     IN      float32 (k, c)
    added    IN      int64   (k,)
    rows     IN      int32   (k,)
    centers  SHARED  float32 (n, c)
    counts   SHARED  int64   (n,)
    """
    for k in range(len(rows)):
        row = rows[k]
        before, after = np.float64(counts[row]), np.float64(counts[row] + added[k])
        counts[row] += added[k]
        for i in range(sums.shape[1]):
            centers[row, i] = (before * centers[row, i] + sums[k, i]) / max(after, 1.0)
