"""Context vectors of many tokens at once: for clustering, and for judging senses by them."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.assignment import weighted_context
from polyseme.kernels.compiling import kernel


@kernel
def gather_contexts(tokens, sentences, positions, reach, weights, choice, out):
    """out[i] = weighted mean of the `reach` known words on each side of tokens[positions[i]].

    tokens     IN   int32 (n,)      ids; below 0 or V and more: not in the vocabulary, and skipped by windows
    sentences  IN   int64 (m + 1,)  where each sentence begins in tokens, and the end
    positions  IN   int64 (k,)      in rising order; the tokens there are known
    weights    IN   float32 (V,)    of a word in a context
    choice     IN   float32 (V, d)  the vectors from which contexts are made
    out        OUT  float32 (k, d)
    """
    longest = 0
    for s in range(len(sentences) - 1):
        longest = max(longest, sentences[s + 1] - sentences[s])
    known = np.empty(longest, np.int64)
    context = np.empty((1, choice.shape[1]), np.float32)
    s, listed, n, at = 0, -1, 0, 0
    for i in range(len(positions)):
        while sentences[s + 1] <= positions[i]:
            s += 1
        if listed != s:
            listed, n, at = s, 0, 0
            for t in range(sentences[s], sentences[s + 1]):
                if 0 <= tokens[t] < len(weights):
                    known[n] = t
                    n += 1
        while known[at] < positions[i]:
            at += 1
        weighted_context(tokens, known, max(0, at - reach), min(n, at + reach + 1), at, weights, choice, context)
        out[i] = context[0]
