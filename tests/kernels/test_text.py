"""The text kernels against their twin: a regular expression and a dict."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyseme.corpus import lexicon as lexicon_module
from polyseme.corpus.lexicon import Lexicon, tokenize
from polyseme.corpus.tokenizers import NUL_SEPARATED, WHITESPACE, WORDS, Tokenizer
from polyseme.kernels.text import END_OF_LINE
from polyseme.vocabulary import write_words

TEXT = st.text(
    st.sampled_from("abÉ'’ -\n\t東あ\u0301𝒳\u3000_9") | st.characters(exclude_categories=["Cs"]), max_size=60
)


# Long stretches of plain bytes, as most texts have, with what is not plain here and there.
PLAIN = st.lists(
    st.text("abcXYZ019_ .,-", max_size=90) | st.sampled_from(["'", "’", "\n", "\n\n", "é", "東京", "'s "]), max_size=12
).map("".join)


def number(lexicon: Lexicon, text: str) -> NDArray[np.int32]:
    return lexicon.add(tokenize(text.encode(), WHITESPACE))


@pytest.mark.parametrize("tokenizer", [WORDS, WHITESPACE], ids=["words", "whitespace"])
@given(text=TEXT | PLAIN)
def test_words_are_split_as_the_regular_expression_splits_them(tokenizer: Tokenizer, text: str) -> None:
    data = text.encode()
    found = tokenize(data, tokenizer)
    words = [data[a:b].decode() for a, b in zip(found.starts, found.ends, strict=True) if a < b]
    assert words == [w for line in text.split("\n") for w in tokenizer.pattern.findall(line)]
    assert (Lexicon().add(found) == END_OF_LINE).sum() == text.count("\n")


@given(st.lists(st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", "é", "東"]), max_size=30), max_size=5))
def test_words_are_numbered_in_order_of_first_sight_and_counted(texts: list[list[str]]) -> None:
    lexicon = Lexicon()
    numbers: dict[str, int] = {}
    for words in texts:
        expected = [numbers.setdefault(word, len(numbers)) for word in words]
        assert number(lexicon, " ".join(words)).tolist() == expected
    assert lexicon.words() == list(numbers)
    assert lexicon.counts.tolist() == [sum(words.count(w) for words in texts) for w in numbers]


@given(st.lists(st.text("abé", min_size=1, max_size=20), max_size=60))
def test_a_lexicon_that_grows_gives_the_numbers_of_one_that_need_not(words: list[str]) -> None:
    roomy = Lexicon()
    with mock.patch.object(lexicon_module, "INITIAL_CAPACITY", 8):
        small = Lexicon()
    text = " ".join(words + words)
    assert number(small, text).tolist() == number(roomy, text).tolist()
    assert small.words() == roomy.words()
    assert small.counts.tolist() == roomy.counts.tolist()


def test_words_are_told_apart_however_long_and_alike_they_are() -> None:
    words = ["a" * n for n in range(1, 40)] + ["x" * n + end for n in (6, 7, 8, 15, 16, 17) for end in "yz"]
    lexicon = Lexicon()
    assert number(lexicon, " ".join(words + words)).tolist() == 2 * list(range(len(words)))
    assert lexicon.words() == words
    assert lexicon.counts.tolist() == [2] * len(words)


@given(words=st.lists(st.text(st.characters(codec="ascii", exclude_characters="\n\0\t "), min_size=1), unique=True))
def test_a_table_of_words_is_written_as_any_other(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    lexicon = Lexicon()
    lexicon.add(tokenize("\0".join(words).encode(), NUL_SEPARATED))
    counts = 2**63 - 1 >> np.arange(len(words), dtype=np.int64)
    order = np.arange(len(words))[::-1].copy()
    path = tmp_path_factory.getbasetemp() / "words.tsv"
    write_words(path, words[::-1], counts)
    assert lexicon.to_table(order, counts) == path.read_bytes()


def test_a_word_longer_than_the_whole_lexicon_is_numbered() -> None:
    lexicon = Lexicon()
    long = "x" * 3_000_000
    assert number(lexicon, f"a {long} a {long}").tolist() == [0, 1, 0, 1]
    assert lexicon.words() == ["a", long]


def test_the_class_table_says_what_the_regular_expression_says() -> None:
    sample = np.random.default_rng(0).integers(0, 0x110000, 5000)
    for point in [*range(0x500), *sample.tolist()]:
        assert bool(WORDS.classes[point] in (1, 3)) == bool(WORDS.pattern.fullmatch(chr(point)))
