"""Where words stand in a corpus, and the words around them: for counted vectors, and for offline clustering."""

from __future__ import annotations

from polyseme.kernels.jit import kernel
from polyseme.kernels.rng import below, draw

NO_WORD = -1


@kernel
def count_sentences(tokens, sentences, last, frequencies):
    """Count for each word the sentences that it stands in.

    tokens       IN   int32 (n,)      ids; V and more are not counted
    sentences    IN   int64 (m + 1,)  where each sentence begins in tokens, and the end
    last         OUT  int64 (V,)      the last sentence of each word; must be -1 before
    frequencies  OUT  int64 (V,)      must be 0 before
    """
    for s in range(len(sentences) - 1):
        for t in range(sentences[s], sentences[s + 1]):
            word = tokens[t]
            if word < len(last) and last[word] != s:
                last[word] = s
                frequencies[word] += 1


@kernel
def sample_occurrences(tokens, place, offsets, rng, seen, positions):
    """Where words stand: all uses of a word, in order, if there is room for them, else a random sample (reservoir).

    tokens     IN      int32 (n,)      ids; V and more are passed over
    place      IN      int64           position of tokens[0] in the text; what is before was looked at before
    offsets    IN      int64 (V + 1,)  there is room for word w at positions[offsets[w] : offsets[w + 1]]
    rng        SHARED  uint64 (1,)
    seen       SHARED  int64 (V,)      uses of each word so far
    positions  SHARED  int64 (offsets[V],)
    """
    for t in range(len(tokens)):
        word = tokens[t]
        if word >= len(seen):
            continue
        first, room = offsets[word], offsets[word + 1] - offsets[word]
        if room == 0:
            continue
        use = seen[word]
        seen[word] += 1
        if use >= room:
            use = below(draw(rng), seen[word])
        if use < room:
            positions[first + use] = place + t


@kernel
def words_around(tokens, positions, starts, ends, size, around):
    """The known words next to positions: half of the columns for those to the left, half for those to the right.

    tokens     IN   int32 (n,)          ids; `size` and more are not known, and passed over
    positions  IN   int64 (k,)
    starts     IN   int64 (k,)          where the sentence of each position begins ...
    ends       IN   int64 (k,)          ... and ends
    around     OUT  int32 (k, 2 reach)  nearest first on each side; NO_WORD where the sentence ends before
    """
    reach = around.shape[1] // 2
    for i in range(len(positions)):
        around[i] = NO_WORD
        for side in range(2):
            step = 2 * side - 1
            t, found = positions[i] + step, 0
            while starts[i] <= t < ends[i] and found < reach:
                if tokens[t] < size:
                    around[i, side * reach + found] = tokens[t]
                    found += 1
                t += step
