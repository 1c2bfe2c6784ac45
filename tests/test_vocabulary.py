"""Vocabulary: the cut, subsampling, noise, and which words get several senses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.errors import CorpusError
from polyseme.vocabulary import Vocabulary, cut, read_words, write_words

COUNTS = np.array([100, 50, 20, 5, 5, 1], np.int64)
WORDS = ["the", "bank", "river", "loan", "shore", "rare"]


def test_the_cut_keeps_words_seen_often_enough() -> None:
    assert cut(WORDS, COUNTS, min_count=5, max_size=None).words == WORDS[:5]


def test_the_cut_keeps_at_most_max_size_words() -> None:
    assert cut(WORDS, COUNTS, min_count=1, max_size=3).words == WORDS[:3]


@pytest.mark.parametrize("min_count", [60, 1000])
def test_a_vocabulary_of_0_or_1_words_is_refused(min_count: int) -> None:
    with pytest.raises(CorpusError, match=r"words are left of 6 .* lower --min-count"):
        cut(WORDS, COUNTS, min_count=min_count, max_size=None)


def test_subsampling_keeps_words_by_the_rule_of_word2vec() -> None:
    keep = Vocabulary(WORDS, COUNTS).keep_thresholds(0.01) / 2**32
    frequency = COUNTS / COUNTS.sum()
    np.testing.assert_allclose(keep, np.minimum(1, (np.sqrt(frequency / 0.01) + 1) * 0.01 / frequency), rtol=1e-6)


def test_a_subsampling_threshold_of_0_keeps_all() -> None:
    assert (Vocabulary(WORDS, COUNTS).keep_thresholds(0) == 2**32).all()


@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=50))
def test_the_alias_table_holds_exactly_the_noise_distribution(counts: list[int]) -> None:
    falling = np.array(sorted(counts, reverse=True), np.int64)
    table = Vocabulary([str(i) for i in range(len(counts))], falling).negative_table()
    chance = np.zeros(len(counts))
    for slot, (threshold, alias) in enumerate(table.tolist()):
        chance[slot] += threshold / (2**32 - 1)
        chance[alias] += 1 - threshold / (2**32 - 1)
    np.testing.assert_allclose(chance / len(counts), falling**0.75 / (falling**0.75).sum(), atol=1e-6)


def test_the_most_frequent_words_with_enough_uses_get_several_senses() -> None:
    vocabulary = Vocabulary(WORDS, COUNTS)
    assert vocabulary.multi_sense_mask(top=4, min_count=10, listed=None).tolist() == [1, 1, 1, 0, 0, 0]
    assert vocabulary.multi_sense_mask(top=2, min_count=1, listed=None).tolist() == [1, 1, 0, 0, 0, 0]


def test_a_list_says_which_words_get_several_senses() -> None:
    chosen = Vocabulary(WORDS, COUNTS).multi_sense_mask(top=0, min_count=1, listed=["loan", "unknown"])
    assert chosen.tolist() == [0, 0, 0, 1, 0, 0]


def test_an_unknown_word_gets_close_ones_named() -> None:
    error = Vocabulary(WORDS, COUNTS).unknown("rivers")
    assert str(error).startswith("'rivers' is not among the 6 words")
    assert str(error).endswith("Closest: river.")


def test_words_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    words = ["naïve", "\u2028", '"quoted"', "日", "a\rb"]
    write_words(tmp_path / "words.tsv", words, np.array([5, 4, 3, 2, 1]))
    back, counts = read_words(tmp_path / "words.tsv")
    assert back == words
    assert counts.tolist() == [5, 4, 3, 2, 1]
