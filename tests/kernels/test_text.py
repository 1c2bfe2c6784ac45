"""The text kernels against their twin: a regular expression and a dict."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyseme.corpus.lexicon import GrowingLexicon, split
from polyseme.corpus.tokenizers import WHITESPACE, WORDS, Tokenizer
from polyseme.kernels.text import END_OF_LINE

TEXT = st.text(
    st.sampled_from("abÉ'’ -\n\t東あ\u0301𝒳\u3000_9") | st.characters(exclude_categories=["Cs"]), max_size=60
)


def number(lexicon: GrowingLexicon, text: str) -> NDArray[np.int32]:
    return lexicon.number(split(text.encode(), WHITESPACE))


@pytest.mark.parametrize("tokenizer", [WORDS, WHITESPACE], ids=["words", "whitespace"])
@given(text=TEXT)
def test_words_are_split_as_the_regular_expression_splits_them(tokenizer: Tokenizer, text: str) -> None:
    data = text.encode()
    found = split(data, tokenizer)
    words = [data[a:b].decode() for a, b in zip(found.starts, found.ends, strict=True) if a < b]
    assert words == [w for line in text.split("\n") for w in tokenizer.pattern.findall(line)]
    assert (GrowingLexicon().number(found) == END_OF_LINE).sum() == text.count("\n")


@given(st.lists(st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", "é", "東"]), max_size=30), max_size=5))
def test_words_are_numbered_in_order_of_first_sight_and_counted(texts: list[list[str]]) -> None:
    lexicon = GrowingLexicon()
    numbers: dict[str, int] = {}
    for words in texts:
        expected = [numbers.setdefault(word, len(numbers)) for word in words]
        assert number(lexicon, " ".join(words)).tolist() == expected
    assert lexicon.words() == list(numbers)
    assert lexicon.counts.tolist() == [sum(words.count(w) for words in texts) for w in numbers]


def test_a_word_longer_than_the_whole_lexicon_is_numbered() -> None:
    lexicon = GrowingLexicon()
    long = "x" * 3_000_000
    assert number(lexicon, f"a {long} a {long}").tolist() == [0, 1, 0, 1]
    assert lexicon.words() == ["a", long]


def test_the_class_table_says_what_the_regular_expression_says() -> None:
    sample = np.random.default_rng(0).integers(0, 0x110000, 5000)
    for point in [*range(0x500), *sample.tolist()]:
        assert bool(WORDS.classes[point] in (1, 3)) == bool(WORDS.pattern.fullmatch(chr(point)))
