"""Snippets of a corpus, compared with slices of its lines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.phrases import Phrases
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS, AnyTokenizer, get_tokenizer
from polyseme.examples import extraction
from polyseme.examples.extraction import extract_snippets

LINES = ['he said "run" and ran', "", "a\\b  naïve\ttab 日本 end.", "one", "  x y z  w "] * 300


@pytest.fixture
def corpus(tmp_path: Path) -> EncodedCorpus:
    (tmp_path / "text").write_text("\n".join(LINES), encoding="utf-8")
    return encode(find_sources(tmp_path / "text"), WORDS, tmp_path / "corpus")


def all_snippets(corpus: EncodedCorpus, tokenizer: AnyTokenizer = WORDS, window: int = 2) -> list[list[str]]:
    """The snippet of every token, as [left, word, right]."""
    batches = extract_snippets(corpus, tokenizer, np.arange(len(corpus.tokens)), window, threads=2)
    return [json.loads(snippet) for batch in batches for snippet in batch]


@pytest.mark.parametrize("batch_tokens", [10, 30_000])
@pytest.mark.parametrize("window", [1, 2, 50])
def test_a_snippet_has_the_text_of_the_window_on_each_side(
    corpus: EncodedCorpus, window: int, batch_tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "BATCH_TOKENS", batch_tokens)
    assert all_snippets(corpus, window=window) == expected_snippets(LINES, window)


def expected_snippets(lines: list[str], window: int) -> list[list[str]]:
    """The same as `all_snippets`, with the regular expression of the tokenizer."""
    found = []
    for line in lines:
        spans = [match.span() for match in WORDS.pattern.finditer(line)]
        for i, (start, end) in enumerate(spans):
            left = spans[i - window][0] if i > window else spans[0][0]
            right = spans[i + window][1] if i + window < len(spans) - 1 else len(line.rstrip())
            parts = [line[left:start], line[start:end], line[end:right]]
            found.append([part.replace("\t", " ") for part in parts])
    return found


TEXTS = st.lists(st.text(st.sampled_from("abcé東x'’ -.,\t\"\\")), min_size=1, max_size=8)


@given(lines=TEXTS, window=st.integers(1, 4))
def test_snippets_of_any_text_are_slices_of_its_lines(
    lines: list[str], window: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("snippets")
    (folder / "text").write_text("\n".join([*lines, "at least one word"]), encoding="utf-8")
    encoded = encode(find_sources(folder / "text"), WORDS, folder / "corpus")
    assert all_snippets(encoded, window=window) == expected_snippets([*lines, "at least one word"], window)
    shutil.rmtree(folder)


def test_a_phrase_is_marked_as_a_whole_and_counts_as_a_word_of_the_window(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("Los  Angeles and New-York, not new_york; New\nYork Größe\tOst see\n" * 40, encoding="utf-8")
    phrases = Phrases([("new", "york"), ("los", "angeles"), ("größe", "ost", "see")])
    corpus = encode(find_sources(text), WORDS, tmp_path / "corpus", phrases=phrases)
    batches = extract_snippets(corpus, WORDS, np.arange(len(corpus.tokens)), 1, threads=1, phrases=phrases)
    assert [json.loads(snippet) for batch in batches for snippet in batch] == 40 * [
        ["", "Los  Angeles", " and"],
        ["Los  Angeles ", "and", " New-York"],
        ["and ", "New-York", ", not"],
        ["New-York, ", "not", " new_york"],
        ["not ", "new_york", "; New"],
        ["new_york; ", "New", ""],
        ["", "York", " Größe Ost see"],
        ["York ", "Größe Ost see", ""],
    ]


def test_only_the_given_positions_are_extracted(corpus: EncodedCorpus) -> None:
    positions = np.array([1, 2, 11, 12, len(corpus.tokens) - 1])
    batches = extract_snippets(corpus, WORDS, positions, 2, threads=1)
    snippets = [json.loads(snippet) for batch in batches for snippet in batch]
    assert snippets == [all_snippets(corpus)[position] for position in positions]


def test_encoded_words_are_used_if_the_source_has_changed(corpus: EncodedCorpus, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("something else\n")
    assert all_snippets(corpus)[:2] == [["", "he", " said run"], ["he ", "said", " run and"]]


def test_encoded_words_are_used_only_for_a_line_that_has_too_few_words(
    corpus: EncodedCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [line.strip().encode() for line in LINES if line]
    texts[1] = b"a"
    monkeypatch.setattr(EncodedCorpus, "source_texts", lambda *_: iter(texts))
    snippets = all_snippets(corpus)
    assert snippets[:7] == [
        ["", "he", ' said "run'], ["he ", "said", ' "run" and'], ['he said "', "run", '" and ran'],
        ['said "run" ', "and", " ran"], ['run" and ', "ran", ""], ["", "a", " b naïve"], ["a ", "b", " naïve tab"],
    ]  # fmt: skip
    assert ["", "one", ""] in snippets


def test_encoded_words_are_used_if_the_tokenizer_is_a_callable(tmp_path: Path) -> None:
    (tmp_path / "text").write_text('a-"b c\nd\n')
    tokenizer = get_tokenizer(lambda line: line.split("-"))
    corpus = encode(find_sources(tmp_path / "text"), tokenizer, tmp_path / "corpus")
    assert all_snippets(corpus, tokenizer) == [["", "a", ' "b c'], ["a ", '"b c', ""], ["", "d", ""]]


def test_no_positions_give_no_snippets(corpus: EncodedCorpus) -> None:
    assert list(extract_snippets(corpus, WORDS, np.empty(0, np.int64), 2, threads=1)) == []


def test_extraction_stops_when_asked(corpus: EncodedCorpus) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(extract_snippets(corpus, WORDS, np.arange(5), 2, threads=1, stop=stop))
