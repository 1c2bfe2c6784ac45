"""Vocabulary: minimum count, subsampling, negative samples, and words with several senses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.errors import CorpusError
from polyseme.vocabulary import Vocabulary, read_words, write_words

COUNTS = np.array([100, 50, 20, 5, 5, 1], np.int64)
WORDS = ["the", "bank", "river", "loan", "shore", "rare"]


def test_words_below_the_minimum_count_are_dropped() -> None:
    assert Vocabulary.from_counts(WORDS, COUNTS, min_count=5, max_size=None).words == WORDS[:5]


def test_the_vocabulary_has_at_most_max_size_words() -> None:
    assert Vocabulary.from_counts(WORDS, COUNTS, min_count=1, max_size=3).words == WORDS[:3]


@pytest.mark.parametrize("min_count", [60, 1000])
def test_a_vocabulary_of_0_or_1_words_is_refused(min_count: int) -> None:
    with pytest.raises(CorpusError, match=r"of 6 distinct words are in the vocabulary .* lower --min-count"):
        Vocabulary.from_counts(WORDS, COUNTS, min_count=min_count, max_size=None)


def test_words_are_found_by_their_id() -> None:
    vocabulary = Vocabulary(WORDS, COUNTS)
    assert ("river" in vocabulary, "sea" in vocabulary, len(vocabulary)) == (True, False, 6)
    assert [vocabulary.index[word] for word in WORDS] == list(range(6))


def test_subsampling_follows_word2vec() -> None:
    keep = Vocabulary(WORDS, COUNTS).keep_thresholds(0.01) / 2**32
    frequency = COUNTS / COUNTS.sum()
    np.testing.assert_allclose(keep, np.minimum(1, (np.sqrt(frequency / 0.01) + 1) * 0.01 / frequency), rtol=1e-6)


def test_a_subsampling_threshold_of_0_keeps_all_tokens() -> None:
    assert (Vocabulary(WORDS, COUNTS).keep_thresholds(0) == 2**32).all()


@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=50))
def test_the_alias_table_gives_the_distribution_of_negative_samples(counts: list[int]) -> None:
    descending = np.array(sorted(counts, reverse=True), np.int64)
    table = Vocabulary([str(i) for i in range(len(counts))], descending).negative_table()
    probability = np.zeros(len(counts))
    for slot, (threshold, alias) in enumerate(table.tolist()):
        probability[slot] += threshold / (2**32 - 1)
        probability[alias] += 1 - threshold / (2**32 - 1)
    np.testing.assert_allclose(probability / len(counts), descending**0.75 / (descending**0.75).sum(), atol=1e-6)


def test_the_most_frequent_words_may_have_several_senses() -> None:
    vocabulary = Vocabulary(WORDS, COUNTS)
    assert vocabulary.multi_sense_mask(top=4, min_count=10, listed=None).tolist() == [1, 1, 1, 0, 0, 0]
    assert vocabulary.multi_sense_mask(top=2, min_count=1, listed=None).tolist() == [1, 1, 0, 0, 0, 0]


def test_a_word_list_sets_which_words_may_have_several_senses() -> None:
    mask = Vocabulary(WORDS, COUNTS).multi_sense_mask(top=0, min_count=1, listed=["loan", "unknown"])
    assert mask.tolist() == [0, 0, 0, 1, 0, 0]


def test_the_error_for_an_unknown_word_suggests_similar_words() -> None:
    error = Vocabulary(WORDS, COUNTS).unknown("rivers")
    assert str(error).startswith("'rivers' is not among the 6 words")
    assert str(error).endswith("Closest: river.")


def test_the_closest_word_is_first_the_one_with_other_accents_or_eszett() -> None:
    words = ["schlosse", "schloß", "mexicano", "méxico", "straße", "bank"]
    vocabulary = Vocabulary(words, COUNTS)
    assert "Closest: schloß, " in str(vocabulary.unknown("Schloss"))
    assert "Closest: méxico, " in str(vocabulary.unknown("mexico"))


def test_a_vocabulary_is_shown_in_a_short_line() -> None:
    assert repr(Vocabulary(WORDS, COUNTS)) == "<Vocabulary: 6 words>"


def test_words_are_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    words = ["naïve", "\u2028", '"quoted"', "日", "a\rb"]
    write_words(tmp_path / "words.tsv", words, np.array([5, 4, 3, 2, 1]))
    words_read, counts = read_words(tmp_path / "words.tsv")
    assert words_read == words
    assert counts.tolist() == [5, 4, 3, 2, 1]
