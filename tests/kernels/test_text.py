"""The text kernels against a regular expression and a dict."""

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


# Mostly ASCII, as in real texts, with other characters in between.
MOSTLY_ASCII = st.lists(
    st.text("abcXYZ019_ .,-", max_size=90) | st.sampled_from(["'", "’", "\n", "\n\n", "é", "東京", "'s "]), max_size=12
).map("".join)


def add(lexicon: Lexicon, text: str) -> NDArray[np.int32]:
    return lexicon.add(tokenize(text.encode(), WHITESPACE))


@pytest.mark.parametrize("tokenizer", [WORDS, WHITESPACE], ids=["words", "whitespace"])
@given(text=TEXT | MOSTLY_ASCII)
def test_words_are_those_of_the_regular_expression(tokenizer: Tokenizer, text: str) -> None:
    data = text.encode()
    spans = tokenize(data, tokenizer)
    words = [data[a:b].decode() for a, b in zip(spans.starts, spans.ends, strict=True) if a < b]
    assert words == [w for line in text.split("\n") for w in tokenizer.pattern.findall(line)]
    assert (Lexicon().add(spans) == END_OF_LINE).sum() == text.count("\n")


@given(st.lists(st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", "é", "東"]), max_size=30), max_size=5))
def test_ids_are_in_order_of_first_occurrence_and_words_are_counted(texts: list[list[str]]) -> None:
    lexicon = Lexicon()
    ids: dict[str, int] = {}
    for words in texts:
        expected = [ids.setdefault(word, len(ids)) for word in words]
        assert add(lexicon, " ".join(words)).tolist() == expected
    assert lexicon.words() == list(ids)
    assert lexicon.counts.tolist() == [sum(words.count(w) for words in texts) for w in ids]


@given(st.lists(st.text("abé", min_size=1, max_size=20), max_size=60))
def test_a_lexicon_that_grows_gives_the_same_ids(words: list[str]) -> None:
    large = Lexicon()
    with mock.patch.object(lexicon_module, "INITIAL_CAPACITY", 8):
        small = Lexicon()
    text = " ".join(words + words)
    assert add(small, text).tolist() == add(large, text).tolist()
    assert small.words() == large.words()
    assert small.counts.tolist() == large.counts.tolist()


def test_words_that_share_long_prefixes_get_different_ids() -> None:
    words = ["a" * n for n in range(1, 40)] + ["x" * n + end for n in (6, 7, 8, 15, 16, 17) for end in "yz"]
    lexicon = Lexicon()
    assert add(lexicon, " ".join(words + words)).tolist() == 2 * list(range(len(words)))
    assert lexicon.words() == words
    assert lexicon.counts.tolist() == [2] * len(words)


@given(words=st.lists(st.text(st.characters(codec="ascii", exclude_characters="\n\0\t "), min_size=1), unique=True))
def test_the_vocabulary_table_equals_the_one_written_by_python(
    words: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    lexicon = Lexicon()
    lexicon.add(tokenize("\0".join(words).encode(), NUL_SEPARATED))
    counts = 2**63 - 1 >> np.arange(len(words), dtype=np.int64)
    order = np.arange(len(words))[::-1].copy()
    path = tmp_path_factory.getbasetemp() / "words.tsv"
    write_words(path, words[::-1], counts)
    assert lexicon.to_table(order, counts) == path.read_bytes()


def test_a_word_longer_than_the_whole_lexicon_gets_an_id() -> None:
    lexicon = Lexicon()
    long = "x" * 3_000_000
    assert add(lexicon, f"a {long} a {long}").tolist() == [0, 1, 0, 1]
    assert lexicon.words() == ["a", long]


def test_the_character_classes_agree_with_the_regular_expression() -> None:
    sample = np.random.default_rng(0).integers(0, 0x110000, 5000)
    for point in [*range(0x500), *sample.tolist()]:
        assert bool(WORDS.classes[point] in (1, 3)) == bool(WORDS.pattern.fullmatch(chr(point)))
