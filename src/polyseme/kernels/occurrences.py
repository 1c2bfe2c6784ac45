"""Positions of words in a corpus."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import kernel
from polyseme.kernels.rng import below, draw


@kernel
def sample_occurrences(tokens, first_position, offsets, rng, seen, positions):
    """Record the positions of words: all of them, in order, or a uniform sample of those that have more than fit.

    Called for consecutive chunks of a text. Samples by reservoir sampling, so the text is read once.

    tokens          IN      int32 (n,)      ids; ids >= V are skipped
    first_position  IN      int64           position of tokens[0] in the text
    offsets         IN      int64 (V + 1,)  positions of word w go to positions[offsets[w] : offsets[w + 1]]
    rng             SHARED  uint64 (1,)
    seen            SHARED  int64 (V,)      occurrences of each word so far
    positions       SHARED  int64 (offsets[V],)
    """
    for t in range(len(tokens)):
        word = tokens[t]
        if word >= len(seen):
            continue
        capacity = offsets[word + 1] - offsets[word]
        if capacity == 0:
            continue
        slot = seen[word]
        seen[word] += 1
        if slot >= capacity:
            slot = below(draw(rng), seen[word])
        if slot < capacity:
            positions[offsets[word] + slot] = first_position + t


@kernel
def add_gaps(
    tokens, first_position, first_positions, last_positions, first_log_gaps, last_log_gaps, num_gaps, gap_sums,
    log_gap_sums, change_sums,
):  # fmt: skip
    """Sum the distances between consecutive occurrences of each word, their logarithms, and the changes of these.

    Called for consecutive chunks of a text.

    tokens           IN      int32 (n,)    ids; ids >= V are skipped
    first_position   IN      int64         position of tokens[0] in the text
    first_positions  SHARED  int64 (V,)    position of the first occurrence of each word, -1 if it has not occurred
    last_positions   SHARED  int64 (V,)    position of the last one, likewise
    first_log_gaps   SHARED  float64 (V,)  log of the first distance
    last_log_gaps    SHARED  float64 (V,)  log of the last distance
    num_gaps         SHARED  int64 (V,)
    gap_sums         SHARED  int64 (V,)
    log_gap_sums     SHARED  float64 (V,)
    change_sums      SHARED  float64 (V,)  sum of |log g_i - log g_(i-1)| over consecutive distances
    """
    for t in range(len(tokens)):
        word = tokens[t]
        if word >= len(num_gaps):
            continue
        position = first_position + t
        if last_positions[word] >= 0:
            gap = position - last_positions[word]
            log_gap = np.log(np.float64(gap))
            if num_gaps[word] > 0:
                change_sums[word] += abs(log_gap - last_log_gaps[word])
            else:
                first_log_gaps[word] = log_gap
            num_gaps[word] += 1
            gap_sums[word] += gap
            log_gap_sums[word] += log_gap
            last_log_gaps[word] = log_gap
        else:
            first_positions[word] = position
        last_positions[word] = position


@kernel
def count_tokens(tokens, counts):
    """Add the occurrences of each word in a text to its count; returns the number of ids outside 0..V-1.

    tokens  IN      int32 (n,)  ids
    counts  SHARED  int64 (V,)
    """
    outside = 0
    for t in range(len(tokens)):
        word = tokens[t]
        if 0 <= word < len(counts):
            counts[word] += 1
        else:
            outside += 1
    return outside
