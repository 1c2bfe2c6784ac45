"""Phrases in token ids: joining the words of phrases, and counting pairs of neighbouring units.

A unit is a word or a phrase that was joined. The id of a word is that of the corpus; phrase p has the id V + p, where V
is the number of words. The tests compare these kernels with dictionaries and tuples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.jit import inline, kernel
from polyseme.kernels.simd.prefetch import prefetch_item

EMPTY = np.uint64(2**64 - 1)  # marks a free slot
HALF = np.uint64(32)
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio
PREFETCH_DISTANCE = 16  # keys
NONE = -1


class TrieArrays(NamedTuple):
    """The phrases as a trie. An edge leads from a node, by a word, to another node. Nodes are numbered from 0.

    roots    IN  int32  (V,)             node of the phrases that begin with a word, or NONE
    keys     IN  uint64 (a power of 2,)  edges, node * 2^32 + word, in a hash table; EMPTY for a free slot
    targets  IN  int32  (a power of 2,)  node that each edge leads to
    phrases  IN  int32  (nodes,)         number of the phrase that ends at a node, or NONE
    """

    roots: NDArray[np.int32]
    keys: NDArray[np.uint64]
    targets: NDArray[np.int32]
    phrases: NDArray[np.int32]


@inline
def first_slot(key, mask):
    """The slot at which the search for a key begins."""
    code = key * MULTIPLIER
    return np.int64((code ^ code >> HALF) & mask)


@inline
def next_slot(slot, mask):
    return np.int64(np.uint64(slot + 1) & mask)


@inline
def pair_key(first, second):
    return np.uint64(first) << HALF | np.uint64(second)


@kernel
def insert_items(keys, values, slots, slot_values):
    """Insert distinct keys with their values into an empty hash table, which has more slots than keys.

    keys         IN   uint64 (k,)             edges of a trie, or pairs
    values       IN   int32 or uint32 (k,)    targets, or counts
    slots        OUT  uint64 (a power of 2,)  filled with EMPTY by the caller
    slot_values  OUT  like values (the same,)
    """
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        slot = first_slot(keys[i], mask)
        while slots[slot] != EMPTY:
            slot = next_slot(slot, mask)
        slots[slot] = keys[i]
        slot_values[slot] = values[i]


@kernel
def join_words(tokens, sentences, trie, units, starts, unit_sentences):
    """Join the words of phrases: from left to right, at each word the longest phrase that begins there.

    tokens          IN   int32 (n,)      word ids; ids outside 0 to V - 1 are part of no phrase and are copied
    sentences       IN   int64 (m + 1,)  start of each sentence, and n; no phrase crosses them
    units           OUT  int32 (n,)      word ids, or V + number of a phrase
    starts          OUT  int64 (n + 1,)  first token of each unit, and then n
    unit_sentences  OUT  int64 (m + 1,)  start of each sentence in units, and their number
    Returns the number of units.
    """
    roots, keys, targets, phrases = trie
    num_words, mask = len(roots), np.uint64(len(keys) - 1)
    n = np.int64(0)
    for s in range(len(sentences) - 1):
        unit_sentences[s] = n
        t, end = sentences[s], sentences[s + 1]
        while t < end:
            unit, after = tokens[t], t + 1
            node = roots[unit] if 0 <= unit < num_words else np.int32(NONE)
            i = t + 1
            while node != NONE and i < end:
                key = pair_key(node, np.uint32(tokens[i]))
                slot = first_slot(key, mask)
                while keys[slot] != EMPTY and keys[slot] != key:
                    slot = next_slot(slot, mask)
                node = targets[slot] if keys[slot] == key else np.int32(NONE)
                i += 1
                if node != NONE and phrases[node] != NONE:
                    unit, after = np.int32(num_words + phrases[node]), i
            units[n], starts[n] = unit, t
            n += 1
            t = after
    unit_sentences[len(sentences) - 1] = n
    starts[n] = len(tokens)
    return n


@kernel
def find_pairs(units, sentences, information, threshold, first_new, keys):
    """Find the pairs of neighbouring units whose NPMI can reach the threshold, given the counts of both units.

    With I(u) = -log p(u), and since a pair is not more frequent than its rarer unit,

        NPMI(a, b) <= min(I(a), I(b)) / max(I(a), I(b))

    units        IN   int32 (n,)
    sentences    IN   int64 (m + 1,)  start of each sentence in units, and n
    information  IN   float32 (U,)    I of each unit; -1 for units that are part of no pair
    first_new    IN   int64           at least one unit of a pair has this id or a higher one
    keys         OUT  uint64 (n,)     pairs, first * 2^32 + second
    Returns the number of pairs.
    """
    k = np.int64(0)
    for s in range(len(sentences) - 1):
        for t in range(sentences[s] + 1, sentences[s + 1]):
            first, second = units[t - 1], units[t]
            a, b = information[first], information[second]
            low, high = min(a, b), max(a, b)
            keys[k] = pair_key(first, second)
            k += low >= 0 and low >= threshold * high and max(first, second) >= first_new
    return k


@kernel
def count_pairs(keys, slots, counts, size, max_size):
    """Add pairs to a hash table of counts.

    keys    IN      uint64 (n,)
    slots   SHARED  uint64 (a power of 2,)  pairs; EMPTY for a free slot
    counts  SHARED  uint32 (a power of 2,)  count of each pair
    size    SHARED  int64 (1,)              number of pairs in the table, at most `max_size`
    Returns how many keys were counted: fewer than n if the table must grow or shrink first.
    """
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        if i + PREFETCH_DISTANCE < len(keys):
            upcoming = first_slot(keys[i + PREFETCH_DISTANCE], mask)
            prefetch_item(slots, upcoming)
            prefetch_item(counts, upcoming)
        slot = first_slot(keys[i], mask)
        while slots[slot] != EMPTY and slots[slot] != keys[i]:
            slot = next_slot(slot, mask)
        if slots[slot] == EMPTY:
            if size[0] == max_size:
                return i
            slots[slot] = keys[i]
            counts[slot] = 0
            size[0] += 1
        counts[slot] += np.uint32(1)
    return len(keys)
