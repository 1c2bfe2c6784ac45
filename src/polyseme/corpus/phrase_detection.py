"""Finding phrases in an encoded corpus: pairs of words that occur together much more often than by chance.

The score is the normalized pointwise mutual information (Bouma 2009). With relative frequencies p of words and pairs,

    NPMI(a, b) = log(p(a, b) / (p(a) p(b))) / -log p(a, b)

It is 1 if a and b occur only together and 0 if they are independent, in corpora of every size. (The score of Mikolov et
al., 2013, grows with the size of the corpus.) A second pass treats the phrases of the first as words and so finds
phrases of three and four words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from polyseme._io.thread_pool import map_in_order
from polyseme.corpus.blocks import block_bounds
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.phrases import Phrases, PhraseSettings
from polyseme.kernels import phrases as kernels
from polyseme.kernels.occurrences import count_tokens

CHUNK_TOKENS = 1 << 20
THREADS = 2  # join words, while the thread of the caller counts or writes them
MAX_FREQUENCY = 0.002  # more frequent words are part of no phrase: mostly function words, about 40 in English
MAX_PAIRS = 1 << 23  # in the table of counts, which then takes 200 MB
INITIAL_PAIRS = 1 << 16
SLOTS_PER_PAIR = 2
ROUNDING = 1e-5  # relative, of the single-precision bound on NPMI by which pairs are skipped
EPSILON = 1e-9  # so that words that occur only together have an NPMI of 1
LOW_BITS = np.uint64(2**32 - 1)

Ints = NDArray[np.int64]
Sequence = tuple[int, ...]  # the word ids of a phrase
Check = Callable[[], None]


def find_phrases(corpus: EncodedCorpus, settings: PhraseSettings, check: Check = lambda: None) -> Phrases:
    """The phrases of a corpus, most frequent first.  check  called regularly; raises an exception to stop"""
    sequences: list[Sequence] = []
    num_words = len(corpus.words)
    first_new = 0  # a pair of older units was scored in an earlier pass
    for _ in range(settings.passes):
        counts = count_units(corpus, sequences, check)
        pairs = PairCounts()
        information = _information(counts, settings.min_count)
        bound = np.float32(settings.threshold * (1 - ROUNDING))
        for units, sentences in joined_chunks(corpus, make_trie(sequences, num_words), check):
            keys = np.empty(len(units), np.uint64)
            k = kernels.find_pairs(units, sentences, information, bound, first_new, keys)
            pairs.add(keys[:k])
        known = dict.fromkeys(sequences)
        for first, second in _select(pairs, counts, settings):
            known.setdefault(_words(first, sequences, num_words) + _words(second, sequences, num_words))
        first_new = num_words + len(sequences)
        if len(known) == len(sequences):
            break
        sequences = list(known)
    # Longer phrases contain most occurrences of some shorter ones: `york times` of `new york times`.
    counts = count_units(corpus, sequences, check)[num_words:]
    frequent = [i for i in np.argsort(-counts, kind="stable").tolist() if counts[i] >= settings.min_count]
    return Phrases([tuple(corpus.words[word] for word in sequences[i]) for i in frequent], settings)


def _words(unit: int, sequences: list[Sequence], num_words: int) -> Sequence:
    return (unit,) if unit < num_words else sequences[unit - num_words]


def _information(counts: Ints, min_count: int) -> NDArray[np.float32]:
    """-log p of each unit; -1 for units that are too rare or too frequent for a phrase."""
    total = int(counts.sum())
    usable = (counts >= min_count) & (counts <= MAX_FREQUENCY * total)
    return np.where(usable, -np.log(np.maximum(counts, 1) / total), -1).astype(np.float32)


def _select(pairs: PairCounts, counts: Ints, settings: PhraseSettings) -> list[tuple[int, int]]:
    """The pairs whose count and NPMI are high enough, most frequent first."""
    keys, pair_counts = pairs.at_least(settings.min_count)
    first, second = (keys >> kernels.HALF).astype(np.int64), (keys & LOW_BITS).astype(np.int64)
    total = float(counts.sum())
    together = pair_counts.astype(np.float64)
    chance = counts[first].astype(np.float64) * counts[second] / total
    selected = np.log(together / chance) >= settings.threshold * -np.log(together / total) - EPSILON
    order = np.lexsort((keys[selected], -together[selected]))
    return list(zip(first[selected][order].tolist(), second[selected][order].tolist(), strict=True))


class PairCounts:
    """Counts of pairs, in bounded memory.

    If there are more than `max_pairs` pairs, the rarer half is dropped. A pair that was dropped and occurs again is
    counted from 1, so its count can be too low.
    """

    def __init__(self, max_pairs: int = MAX_PAIRS) -> None:
        self.max_pairs = max_pairs
        self._resize(min(INITIAL_PAIRS, max_pairs), np.empty(0, np.uint64), np.empty(0, np.uint32))

    def __len__(self) -> int:
        return int(self._size[0])

    def add(self, keys: NDArray[np.uint64]) -> None:
        """Count pairs.  keys  IN  uint64 (n,)  first * 2^32 + second"""
        done = kernels.count_pairs(keys, self._slots, self._counts, self._size, self._capacity)
        while done < len(keys):
            self._make_room()
            done += kernels.count_pairs(keys[done:], self._slots, self._counts, self._size, self._capacity)

    def at_least(self, min_count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """The pairs with this count or a higher one, and their counts."""
        slots = np.flatnonzero((self._slots != kernels.EMPTY) & (self._counts >= min_count))
        return self._slots[slots], self._counts[slots]

    def _make_room(self) -> None:
        if self._capacity < self.max_pairs:
            self._resize(min(2 * self._capacity, self.max_pairs), *self.at_least(0))
            return
        min_count = 1
        while len(self) > self.max_pairs // 2:
            min_count += 1
            self._resize(self._capacity, *self.at_least(min_count))

    def _resize(self, capacity: int, keys: NDArray[np.uint64], counts: NDArray[np.uint32]) -> None:
        slots = 1 << (SLOTS_PER_PAIR * capacity - 1).bit_length()
        self._slots, self._counts = np.full(slots, kernels.EMPTY), np.zeros(slots, np.uint32)
        self._capacity, self._size = capacity, np.array([len(keys)])
        kernels.insert_items(keys, counts, self._slots, self._counts)


def make_trie(sequences: list[Sequence], num_words: int) -> kernels.TrieArrays:
    """The trie of phrases, given by the ids of their words, for the kernel that joins words."""
    roots = np.full(num_words, kernels.NONE, np.int32)
    edges: dict[int, int] = {}
    ends: dict[int, int] = {}  # number of the phrase by node
    num_nodes = 0
    for number, words in enumerate(sequences):
        node = int(roots[words[0]])
        if node == kernels.NONE:
            roots[words[0]] = node = num_nodes
            num_nodes += 1
        for word in words[1:]:
            node = edges.setdefault(node << 32 | word, num_nodes)
            num_nodes += node == num_nodes
        ends[node] = number
    size = 1 << (SLOTS_PER_PAIR * len(edges)).bit_length()
    keys, targets = np.full(size, kernels.EMPTY), np.zeros(size, np.int32)
    kernels.insert_items(np.array(list(edges), np.uint64), np.array(list(edges.values()), np.int32), keys, targets)
    phrases = np.full(num_nodes, kernels.NONE, np.int32)
    phrases[list(ends)] = list(ends.values())
    return kernels.TrieArrays(roots, keys, targets, phrases)


def joined_chunks(
    corpus: EncodedCorpus, trie: kernels.TrieArrays, check: Check
) -> Iterator[tuple[NDArray[np.int32], Ints]]:
    """Yield the units of some sentences at a time, and the start of each sentence in these, and the end."""

    def join(bounds: tuple[int, int]) -> tuple[NDArray[np.int32], Ints]:
        check()
        units, _, sentences = join_words(*corpus.read(*bounds), trie)
        return units, sentences

    return map_in_order(join, pairwise(block_bounds(corpus.sentences, CHUNK_TOKENS).tolist()), THREADS)


def join_words(
    tokens: NDArray[np.int32], sentences: Ints, trie: kernels.TrieArrays
) -> tuple[NDArray[np.int32], Ints, Ints]:
    """The units of a text; the first token of each, and the number of tokens; the start of each sentence in units."""
    units, starts = np.empty(len(tokens), np.int32), np.empty(len(tokens) + 1, np.int64)
    unit_sentences = np.empty(len(sentences), np.int64)
    n = kernels.join_words(tokens, sentences, trie, units, starts, unit_sentences)
    return units[:n], starts[: n + 1], unit_sentences


def count_units(corpus: EncodedCorpus, sequences: list[Sequence], check: Check) -> Ints:
    """The number of occurrences of each word and phrase after joining: (V + phrases,)."""
    if not sequences:
        return corpus.counts
    counts = np.zeros(len(corpus.words) + len(sequences), np.int64)
    for units, _ in joined_chunks(corpus, make_trie(sequences, len(corpus.words)), check):
        count_tokens(units, counts)
    return counts
