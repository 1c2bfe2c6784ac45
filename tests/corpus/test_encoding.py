"""Encoding: text to ids and back."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus import encoding
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.readers import text as reading
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import CorpusError


def encoded(path: Path, text: str | bytes, tokenizer: str | Callable[[str], list[str]] = "words") -> EncodedCorpus:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return encode(find_sources(path), get_tokenizer(tokenizer), path.with_suffix(".corpus"))


def sentences(corpus: EncodedCorpus) -> list[list[str]]:
    bounds = corpus.sentences.tolist()
    return [[corpus.words[t] for t in corpus.tokens[a:b]] for a, b in pairwise(bounds)]


LINES = st.lists(st.text(st.characters(exclude_characters="\0\n\r", exclude_categories=["Cs"])), max_size=8)


@pytest.mark.parametrize("name", ["words", "whitespace"])
@given(lines=LINES)
def test_ids_stand_for_the_tokens_of_each_line(
    name: str, lines: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    tokenizer = get_tokenizer(name)
    expected = [tokens for line in ["here", *lines] if (tokens := tokenizer(line))]
    corpus = encoded(tmp_path_factory.getbasetemp() / "lines.txt", "\n".join(["here", *lines]), name)
    assert sentences(corpus) == expected
    assert dict(zip(corpus.words, corpus.counts.tolist(), strict=True)) == Counter(w for s in expected for w in s)
    assert corpus.counts.tolist() == sorted(corpus.counts.tolist(), reverse=True)


def test_small_blocks_give_the_same_as_one(tmp_path: Path) -> None:
    text = "one two\n\nthree four five, six\nBank bank BANK " * 30
    whole = encoded(tmp_path / "whole.txt", text)
    with mock.patch.object(encoding, "read_blocks", lambda source: reading.read_blocks(source, 7)):
        pieces = encoded(tmp_path / "pieces.txt", text)
    assert sentences(pieces) == sentences(whole)
    assert pieces.fingerprint == whole.fingerprint
    assert pieces.byte_offsets.tolist() == whole.byte_offsets.tolist()


def test_words_that_differ_in_case_or_form_only_are_one(tmp_path: Path) -> None:
    corpus = encoded(tmp_path / "a.txt", "Don’t don't DON'T É é E\u0301 e\u0301 Straße STRASSE İ i\u0307 ΟΔΟΣ οδος")
    counts = dict(zip(corpus.words, corpus.counts.tolist(), strict=True))
    assert counts == {"don't": 3, "é": 4, "straße": 1, "strasse": 1, "i̇": 2, "οδος": 2}
    assert sentences(corpus) == [get_tokenizer("words")((tmp_path / "a.txt").read_text())]


def test_a_callable_gives_the_tokens_even_with_spaces_in_them(tmp_path: Path) -> None:
    corpus = encoded(tmp_path / "a.txt", "new york|bank\nbank", lambda line: line.strip().split("|"))
    assert sentences(corpus) == [["new york", "bank"], ["bank"]]


def test_a_callable_that_gives_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="a token is a str without NUL, tab or line end"):
        encoded(tmp_path / "a.txt", "a\tb", lambda line: [line])


def test_a_long_line_is_cut_into_sentences(tmp_path: Path) -> None:
    corpus = encoded(tmp_path / "a.txt", "word " * 25_000)
    assert [len(s) for s in sentences(corpus)] == [10_000, 10_000, 5_000]
    assert corpus.byte_offsets.tolist() == [0, 50_000, 100_000]


def test_a_sentence_does_not_go_on_in_the_next_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two")
    (tmp_path / "b.txt").write_text("three")
    corpus = encode(find_sources(tmp_path), get_tokenizer("words"), tmp_path / "corpus")
    assert sentences(corpus) == [["one", "two"], ["three"]]
    assert list(corpus.texts([0, 1])) == [b"one two", b"three"]


def test_the_text_of_each_sentence_is_found_again(tmp_path: Path) -> None:
    text = "First line, here.\n\n  \nÜber den Fluß!\nlast \xff one".encode("latin-1")
    corpus = encoded(tmp_path / "a.txt", text.replace(b"\xdc", "Ü".encode()).replace(b"\xdf", "ß".encode()))
    assert list(corpus.texts(range(3))) == [b"First line, here.", "Über den Fluß!".encode(), b"last ? one"]
    assert corpus.description["bad_bytes"] == 1


def test_a_source_that_changed_is_not_quoted(tmp_path: Path) -> None:
    corpus = encoded(tmp_path / "a.txt", "one\ntwo")
    (tmp_path / "a.txt").write_text("something else")
    assert list(corpus.texts([0, 1])) == [None, None]


def test_standard_input_is_read(tmp_path: Path) -> None:
    with mock.patch("sys.stdin", mock.Mock(buffer=io.BytesIO(b"from a pipe"))):
        corpus = encode(find_sources("-"), get_tokenizer("words"), tmp_path / "corpus")
    assert sentences(corpus) == [["from", "a", "pipe"]]
    assert list(corpus.texts([0])) == [None]


@pytest.mark.parametrize("text", ["", "\n\n", " ... !\n"])
def test_a_corpus_without_words_is_refused_and_leaves_nothing(text: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="holds no words"):
        encoded(tmp_path / "a.txt", text)
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_many_different_words_make_the_lexicon_grow(tmp_path: Path) -> None:
    words = [f"w{i:09}" * (1 + i % 3) for i in range(150_000)]
    corpus = encoded(tmp_path / "a.txt", "\n".join(words))
    assert sorted(corpus.words) == sorted(words)


@pytest.mark.parametrize("name", ["words.tsv", "tokens.bin", "sentences.bin", "byte_offsets.bin", "corpus.json"])
def test_a_damaged_encoded_corpus_is_refused(name: str, tmp_path: Path) -> None:
    encoded(tmp_path / "a.txt", "one two three\n" * 10)
    file = tmp_path / "a.corpus" / name
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(CorpusError, match="is not a whole encoded corpus"):
        EncodedCorpus.open(tmp_path / "a.corpus")


def test_an_encoded_corpus_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    encoded(tmp_path / "a.txt", "one two three")
    file = tmp_path / "a.corpus" / "corpus.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "format_version": 99}))
    with pytest.raises(CorpusError, match="newer polyseme"):
        EncodedCorpus.open(tmp_path / "a.corpus")
