"""Snippets from a corpus, against slices of its lines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS, AnyTokenizer, get_tokenizer
from polyseme.examples.extraction import Snippets, extract
from polyseme.kernels.quoting import FRAME, write_lines

LINES = ['he said "run" and ran', "", "a\\b  naïve\ttab 日本 end.", "one", "  x y z  w "] * 300


@pytest.fixture
def corpus(tmp_path: Path) -> EncodedCorpus:
    (tmp_path / "text").write_text("\n".join(LINES), encoding="utf-8")
    return encode(find_sources(tmp_path / "text"), WORDS, tmp_path / "corpus")


def unpacked(snippets: Snippets) -> list[list[str]]:
    return [json.loads(quotation) for quotation in snippets]


def all_quoted(corpus: EncodedCorpus, tokenizer: AnyTokenizer = WORDS, around: int = 2) -> list[list[str]]:
    every = extract(corpus, tokenizer, np.arange(len(corpus.tokens)), around, threads=2)
    return [quotation for some in every for quotation in unpacked(some)]


@pytest.mark.parametrize("around", [1, 2, 50])
def test_each_word_stands_between_the_words_around_it(corpus: EncodedCorpus, around: int) -> None:
    snippets = iter(all_quoted(corpus, around=around))
    for line in LINES:
        places = [match.span() for match in WORDS.pattern.finditer(line)]
        for i, (start, end) in enumerate(places):
            begin = places[i - around][0] if i > around else places[0][0]
            stop = places[i + around][1] if i + around < len(places) - 1 else len(line.rstrip())
            expected = [line[begin:start], line[start:end], line[end:stop]]
            assert next(snippets) == [part.replace("\t", " ") for part in expected]
    assert next(snippets, None) is None


def test_words_are_quoted_as_encoded_when_the_source_has_changed(corpus: EncodedCorpus, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("something else\n")
    assert all_quoted(corpus)[:2] == [["", "he", " said run"], ["he ", "said", " run and"]]


def test_only_a_line_that_has_lost_words_is_quoted_as_encoded(
    corpus: EncodedCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [line.strip().encode() for line in LINES if line]
    texts[1] = b"a"
    monkeypatch.setattr(EncodedCorpus, "texts", lambda *_: iter(texts))
    found = all_quoted(corpus)
    assert found[:7] == [
        ["", "he", ' said "run'], ["he ", "said", ' "run" and'], ['he said "', "run", '" and ran'],
        ['said "run" ', "and", " ran"], ['run" and ', "ran", ""], ["", "a", " b naïve"], ["a ", "b", " naïve tab"],
    ]  # fmt: skip
    assert ["", "one", ""] in found


def test_words_of_a_callable_are_quoted_as_it_gave_them(tmp_path: Path) -> None:
    (tmp_path / "text").write_text('a-"b c\nd\n')
    tokenizer = get_tokenizer(lambda line: line.split("-"))
    corpus = encode(find_sources(tmp_path / "text"), tokenizer, tmp_path / "corpus")
    assert all_quoted(corpus, tokenizer) == [["", "a", ' "b c'], ["a ", '"b c', ""], ["", "d", ""]]


def test_nothing_to_quote_gives_nothing(corpus: EncodedCorpus) -> None:
    assert list(extract(corpus, WORDS, np.empty(0, np.int64), 2, threads=1)) == []


@given(st.lists(st.lists(st.lists(st.integers(-1, 5), min_size=3, max_size=3), min_size=1, max_size=4), max_size=6))
def test_lines_hold_each_quotation_of_a_sense_once(words: list[list[list[int]]]) -> None:
    texts = [b'["","a",""]', b'["b","a",""]', b'["","a",""]', b'["","a","c"]', b'["","a","d"]', b'["","a","e"]']
    bounds = np.cumsum([0, *map(len, texts)])
    numbers = np.array([row for senses in words for row in senses], np.int64).reshape(-1, 3)
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int64)
    room = len(words) + 3 * sum(map(len, texts)) * len(numbers) + FRAME * (len(numbers) + len(words))
    lines, line_bounds = np.empty(room, np.uint8), np.zeros(len(words) + 1, np.int64)
    write_lines(
        np.frombuffer(b"[" * len(words), np.uint8), np.arange(len(words) + 1), offsets,
        np.diff(offsets).astype(np.int32), numbers, np.frombuffer(b"".join(texts), np.uint8), bounds,
        lines, line_bounds,
    )  # fmt: skip
    for i, senses in enumerate(words):
        line = lines[line_bounds[i] : line_bounds[i + 1]].tobytes()
        expected = [[json.loads(t) for t in dict.fromkeys(texts[n] for n in row if n >= 0)] for row in senses]
        if any(expected):
            assert line.endswith(b"]}\n")
            assert json.loads(line[:-2]) == expected
        else:
            assert line == b""
