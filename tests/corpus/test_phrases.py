"""Lists of phrases, and the files they are stored in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus.phrases import Phrases, read_phrases
from polyseme.vocabulary import Vocabulary

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d_e"]), min_size=2, max_size=4).map(tuple)


def slow_join(tokens: list[str], phrases: list[tuple[str, ...]]) -> list[str]:
    """At each position the longest phrase that matches."""
    if not tokens:
        return []
    matches = [len(words) for words in phrases if tuple(tokens[: len(words)]) == words]
    length = max(matches, default=1)
    return ["_".join(tokens[:length]), *slow_join(tokens[length:], phrases)]


@given(st.lists(st.sampled_from(["a", "b", "c", "d_e", "f"]), max_size=15), st.lists(WORDS, max_size=8))
def test_the_longest_phrase_is_joined_from_left_to_right(tokens: list[str], words: list[tuple[str, ...]]) -> None:
    assert Phrases(words).join(tokens) == slow_join(tokens, words)


def test_phrases_are_the_same_after_a_round_trip(tmp_path: Path) -> None:
    phrases = Phrases([("new", "york"), ("naïve", "bayes", "classifier"), ("東", "京"), ("a b", "c")])
    (tmp_path / "phrases.txt").write_bytes(phrases.to_bytes())
    assert read_phrases(tmp_path / "phrases.txt") == phrases


def test_phrases_that_a_vocabulary_lacks_are_left_out() -> None:
    phrases = Phrases([("new", "york"), ("new", "york", "times")])
    vocabulary = Vocabulary(["the", "new_york"], np.array([2, 1]))
    assert phrases.known_to(vocabulary).words == [("new", "york")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"new\tyork", "the last line of phrases.txt has no end"),
        (b"new\n", "must be 2 to 32 words, separated by tabs, not 'new'"),
        (b"new\tyork\n\n", "must be 2 to 32 words"),
        (b"new\t\tyork\n", "must be 2 to 32 words"),
        (b"\t".join([b"w"] * 33) + b"\n", "must be 2 to 32 words"),
        (b"new\tyor\xff\n", "phrases.txt is not UTF-8"),
    ],
)
def test_a_malformed_file_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "phrases.txt").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        read_phrases(tmp_path / "phrases.txt")
