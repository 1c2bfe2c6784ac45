"""The phrase kernels against tuples and dictionaries."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus.phrase_detection import PairCounts, join_words, make_trie
from polyseme.corpus.phrases import Phrases
from polyseme.kernels import phrases as kernels

WORD = st.integers(0, 4)
SENTENCES = st.lists(st.lists(WORD | st.sampled_from([-1, 7]), min_size=1, max_size=12), min_size=1, max_size=4)
SEQUENCES = st.lists(st.lists(WORD, min_size=2, max_size=5).map(tuple), max_size=12, unique=True)


def bounds(sentences: list[list[int]]) -> np.ndarray:
    return np.cumsum([0, *map(len, sentences)])


@given(SENTENCES, SEQUENCES)
def test_words_are_joined_as_phrases_join_strings(sentences: list[list[int]], sequences: list[tuple[int, ...]]) -> None:
    phrases = Phrases([tuple(map(str, words)) for words in sequences])
    expected = [phrases.join(list(map(str, sentence))) for sentence in sentences]
    tokens = np.array(list(chain(*sentences)), np.int32)
    units, starts, unit_bounds = join_words(tokens, bounds(sentences), make_trie(sequences, num_words=5))
    names = [str(unit) if not 5 <= unit < 5 + len(phrases) else phrases.names[unit - 5] for unit in units.tolist()]
    if len(phrases) > 2:  # then the id 7, which is not that of a word, looks like that of a phrase
        names = ["7" if tokens[start] == 7 else name for name, start in zip(names, starts, strict=False)]
    assert [names[a:b] for a, b in pairwise(unit_bounds)] == expected
    lengths = [name.count("_") + 1 for name in chain(*expected)]
    assert np.diff(starts).tolist() == lengths


@given(SENTENCES.map(lambda s: [[max(word, 0) % 5 for word in words] for words in s]), st.integers(0, 4))
def test_pairs_are_those_of_neighbours_in_a_sentence(sentences: list[list[int]], first_new: int) -> None:
    units = np.array(list(chain(*sentences)), np.int32)
    information = np.array([1, 2, 3, -1, 4], np.float32)
    keys = np.empty(len(units), np.uint64)
    n = kernels.find_pairs(units, bounds(sentences), information, np.float32(0.5), first_new, keys)
    expected = [
        (a, b)
        for sentence in sentences
        for a, b in pairwise(sentence)
        if 3 not in (a, b) and max(a, b) >= first_new and min(information[[a, b]]) >= 0.5 * max(information[[a, b]])
    ]
    assert [(int(key) >> 32, int(key) & 0xFFFFFFFF) for key in keys[:n]] == expected


@given(st.lists(st.lists(st.integers(0, 40) | st.integers(0, 2**63), max_size=80), max_size=4), st.integers(0, 3))
def test_pairs_are_counted(batches: list[list[int]], min_count: int) -> None:
    counts = PairCounts()
    counts._resize(2, np.empty(0, np.uint64), np.empty(0, np.uint32))  # it must grow
    for batch in batches:
        counts.add(np.array(batch, np.uint64))
    keys, values = counts.at_least(min_count)
    expected = {key: n for key, n in Counter(chain(*batches)).items() if n >= min_count}
    assert dict(zip(keys.tolist(), values.tolist(), strict=True)) == expected
    assert len(counts) == len({key for batch in batches for key in batch})


@pytest.mark.parametrize("max_pairs", [4, 100, 1000])
def test_a_full_table_drops_the_rarest_pairs(max_pairs: int) -> None:
    counts = PairCounts(max_pairs)
    frequent = np.array([7, 8], np.uint64)
    for first in range(0, 20_000, 50):
        counts.add(np.concatenate([np.repeat(frequent, 9), np.arange(first + 100, first + 150, dtype=np.uint64)]))
        assert len(counts) <= max_pairs
        assert len(counts._slots) <= 4 * max_pairs
    keys, values = counts.at_least(100)
    assert sorted(keys.tolist()) == [7, 8]
    assert values.tolist() == [3600, 3600]
