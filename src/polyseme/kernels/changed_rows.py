"""Finding the rows of a table that training has changed."""

from __future__ import annotations

from polyseme.kernels.jit import kernel


@kernel
def find_changed_rows(table, before, changed):
    """List the rows in which two tables differ; returns their number. Most changed rows differ in the first column.

    table    IN   float32 (n or more, d)
    before   IN   float32 (n or more, d)
    changed  OUT  int32   (n,)            numbers of the rows, ascending
    """
    found = 0
    for row in range(len(changed)):
        for i in range(table.shape[1]):
            if table[row, i] != before[row, i]:
                changed[found] = row
                found += 1
                break
    return found
