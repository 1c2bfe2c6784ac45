"""Document frequencies and context words, which the TF-IDF baselines count."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.contexts import list_context
from polyseme.kernels.jit import kernel
from polyseme.kernels.rows import ONE

NO_WORD = -1


@kernel
def count_document_frequencies(tokens, sentences, last_sentence, frequencies):
    """Count the sentences that contain each word.

    tokens         IN      int32 (n,)      ids; ids >= V are skipped
    sentences      IN      int64 (m + 1,)  start of each sentence in tokens, and the end
    last_sentence  SHARED  int64 (V,)      scratch; filled with -1 by the caller
    frequencies    OUT     int64 (V,)      filled with 0 by the caller
    """
    for s in range(len(sentences) - 1):
        for t in range(sentences[s], sentences[s + 1]):
            word = tokens[t]
            if word < len(last_sentence) and last_sentence[word] != s:
                last_sentence[word] = s
                frequencies[word] += 1


@kernel
def gather_context_words(tokens, positions, starts, ends, num_words, out):
    """List the known words in the window of each position.

    tokens     IN   int32 (n,)           ids; ids >= num_words are unknown and skipped
    positions  IN   int64 (k,)
    starts     IN   int64 (k,)           start of the sentence of each position
    ends       IN   int64 (k,)           end of the sentence of each position
    out        OUT  int32 (k, 2 window)  left context, then right context, nearest first; NO_WORD fills the rest
    """
    window = out.shape[1] // 2
    factors = np.empty(2 * window, np.float32)
    for i in range(len(positions)):
        n = list_context(tokens, positions[i], starts[i], ends[i], window, ONE, None, num_words, out[i], factors)
        for j in range(n, 2 * window):
            out[i, j] = NO_WORD
