"""Context vectors of many tokens at once: for clustering, and for judging senses by them."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.compiling import uncounted
from polyseme.kernels.senses import ZERO


@uncounted
def gather_contexts(tokens, positions, starts, ends, reach, weights, choice, out):
    """out[i] = weighted mean of the `reach` known words on each side of tokens[positions[i]].

    tokens     IN   int32 (n,)      ids; below 0 or V and more: not in the vocabulary, and passed over
    positions  IN   int64 (k,)
    starts     IN   int64 (k,)      where the sentence of each position begins ...
    ends       IN   int64 (k,)      ... and ends
    weights    IN   float32 (V,)    of a word in a context
    choice     IN   float32 (V, c)  the vectors from which contexts are made
    out        OUT  float32 (k, c)
    """
    for i in range(len(positions)):
        for j in range(choice.shape[1]):
            out[i, j] = ZERO
        total = ZERO
        for step in (-1, 1):
            t, found = positions[i] + step, 0
            while starts[i] <= t < ends[i] and found < reach:
                word = tokens[t]
                if 0 <= word < len(weights):
                    found += 1
                    total += weights[word]
                    for j in range(choice.shape[1]):
                        out[i, j] += weights[word] * choice[word, j]
                t += step
        scale = np.float32(1) / max(total, np.float32(1e-9))
        for j in range(choice.shape[1]):
            out[i, j] *= scale
