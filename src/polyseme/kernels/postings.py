"""Positions in a corpus, grouped by sense."""

from __future__ import annotations

from polyseme.kernels.jit import kernel


@kernel
def group_positions(rows, confidences, first_position, ends, positions, grouped_confidences):
    """Write the position of each token behind those of the same sense; a counting sort. Called chunk by chunk.

    rows                 IN      int32 (n,)             sense of each token; tokens with a negative one are skipped
    confidences          IN      uint8 (n,)
    first_position       IN      int64                  position of rows[0] in the corpus
    ends                 SHARED  int64 (R,)             where the next position of each sense goes
    positions            SHARED  uint32 or int64 (p,)
    grouped_confidences  SHARED  uint8 (p,)             in the order of `positions`
    """
    for t in range(len(rows)):
        row = rows[t]
        if row >= 0:
            positions[ends[row]] = first_position + t
            grouped_confidences[ends[row]] = confidences[t]
            ends[row] += 1
