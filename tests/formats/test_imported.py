"""Which names of a vector file are senses of a word."""

from __future__ import annotations

import numpy as np
import pytest

from polyseme.formats.imported import find_numbered_senses, group_senses


@pytest.mark.parametrize("separator", ["#", "_", "--"])
@pytest.mark.parametrize("first", [0, 1])
def test_numbered_senses_are_found_with_each_separator(separator: str, first: int) -> None:
    one, two = f"{separator}{first}", f"{separator}{first + 1}"
    words = [f"the{one}", f"bank{two}", f"of{one}", f"bass{one}", f"bank{one}", f"bass{two}", "covid_19", "mp3"]
    vectors = group_senses(words, np.arange(16, dtype=np.float32).reshape(8, 2))
    assert vectors.words == ["the", "bank", "of", "bass", "covid_19", "mp3"]
    assert vectors.sense_offsets.tolist() == [0, 1, 3, 4, 6, 7, 8]
    assert vectors.sense_vectors[:, 0].tolist() == [0, 8, 2, 4, 6, 10, 12, 14]
    assert vectors.sense_numbers is not None
    assert vectors.sense_numbers.tolist() == [1, 1, 2, 1, 1, 2, 1, 1]


@pytest.mark.parametrize(
    "words",
    [
        ["covid_19", "mp3", "route_66"],
        ["figure", "figure_1", "figure_2", "table", "table_1", "table_2"],  # figure and table are words
        [
            "game_1",
            "game_2",
            "round_1",
            "round_2",
            "x_360",
            "b_52",
            "a_380",
            "mi_6",
            "u_571",
        ],  # most start above 1
        ["bank_1", "bank_2", "river"],  # only one word with several senses
        ["bank_2", "bank_3", "bass_1", "bass_3"],  # starts at 2, has a gap
        ["bank_01", "bank_02", "bass_01", "bass_02", "#1", "#2", "_1", "_2"],
        ["a_" + "9" * 5000, "a_1", "a_2"],
    ],
)
def test_other_numbers_at_the_end_of_words_are_not_taken_for_senses(words: list[str]) -> None:
    assert find_numbered_senses(words) == {}
    vectors = group_senses(words, np.zeros((len(words), 2), np.float32))
    assert vectors.words == words
    assert vectors.sense_offsets.tolist() == list(range(len(words) + 1))


def test_a_word_with_numbered_senses_may_itself_end_in_a_number() -> None:
    words = ["covid_19_1", "covid_19_2", "bank_1", "bank_2"]
    assert find_numbered_senses(words) == {"covid_19": {1: 0, 2: 1}, "bank": {1: 2, 2: 3}}


def test_a_single_number_is_part_of_the_word_if_most_words_have_none() -> None:
    assert find_numbered_senses(["bank#1", "bank#2", "top#1", "river", "the"]) == {"bank": {1: 0, 2: 1}}
    assert find_numbered_senses(["bank#1", "bank#2", "top#1", "of#1", "the"]).keys() == {"bank", "top", "of"}


def test_numbers_after_a_hash_may_have_gaps_and_one_ambiguous_word_is_enough() -> None:
    vectors = group_senses(["river", "bank#5", "bank#2"], np.array([[0], [5], [2]], np.float32))
    assert vectors.words == ["river", "bank"]
    assert vectors.sense_vectors.tolist() == [[0], [2], [5]]
    assert vectors.sense_numbers is not None
    assert vectors.sense_numbers.tolist() == [1, 2, 5]
