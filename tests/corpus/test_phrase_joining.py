"""Encoded corpora with phrases, compared with joining the words of each line."""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme.corpus import encoded_corpus
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.lexicon import tokenize
from polyseme.corpus.phrase_joining import PhraseMatcher
from polyseme.corpus.phrases import Phrases, PhraseSettings
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS, AnyTokenizer, get_tokenizer
from polyseme.errors import CorpusError, Interrupted

LINES = [
    "In New York, the New\tYork Times",
    "",
    "new_york is NEW-YORK. new",
    "york Größe Ost see",
    "größe ost see new york",
]
PHRASES = Phrases([("new", "york"), ("new", "york", "times"), ("größe", "ost", "see"), ("not", "there")])


def make(tmp_path: Path, phrases: Phrases | PhraseSettings | None, tokenizer: AnyTokenizer = WORDS) -> EncodedCorpus:
    if not (tmp_path / "text").exists():
        (tmp_path / "text").write_text("\n".join(LINES), encoding="utf-8")
    return encode(find_sources(tmp_path / "text"), tokenizer, tmp_path / "corpus", phrases=phrases)


def joined_lines(corpus: EncodedCorpus) -> list[list[str]]:
    return [[corpus.words[t] for t in corpus.tokens[a:b]] for a, b in pairwise(corpus.sentences)]


@pytest.mark.parametrize("tokenizer", [WORDS, get_tokenizer(lambda line: line.lower().replace("-", " ").split())])
def test_the_tokens_are_the_joined_words_of_each_line(tokenizer: AnyTokenizer, tmp_path: Path) -> None:
    corpus = make(tmp_path, PHRASES, tokenizer)
    expected = [PHRASES.join(tokenizer(line)) for line in LINES if line]
    assert joined_lines(corpus) == expected
    counts = Counter(word for line in expected for word in line)
    assert dict(zip(corpus.words, corpus.counts.tolist(), strict=True)) == counts


def test_a_word_written_with_an_underscore_is_the_same_as_the_phrase(tmp_path: Path) -> None:
    corpus = make(tmp_path, PHRASES)
    assert corpus.words[0] == "new_york"
    assert corpus.counts[0] == 4  # three phrases and one word


def test_sentences_keep_their_byte_offsets_and_texts(tmp_path: Path) -> None:
    plain = make(tmp_path, None)
    joined = make(tmp_path, PHRASES)
    assert joined.byte_offsets.tolist() == plain.byte_offsets.tolist()
    numbers = np.arange(joined.num_sentences)
    assert list(joined.source_texts(numbers)) == list(plain.source_texts(numbers))
    assert joined.fingerprint != plain.fingerprint


def test_only_phrases_whose_words_occur_are_stored(tmp_path: Path) -> None:
    corpus = make(tmp_path, PHRASES)
    assert corpus.phrases == Phrases(PHRASES.words[:3])
    assert make(tmp_path, None).phrases is None


def test_phrases_that_are_found_are_stored_with_their_settings(tmp_path: Path) -> None:
    settings = PhraseSettings(0.9, 1, 1)
    corpus = make(tmp_path, settings)
    assert corpus.phrases is not None
    assert corpus.phrases.settings == settings
    assert corpus.phrases.words == []  # the text is so short that all words are frequent


def test_the_files_are_the_same_each_time(tmp_path: Path) -> None:
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / "corpus").iterdir()}
        for _ in range(2)
        if make(tmp_path, PHRASES)
    ]
    assert files[0] == files[1]
    assert set(files[0]) == {
        "corpus.json",
        "words.tsv",
        "tokens.bin",
        "sentences.bin",
        "byte_offsets.bin",
        "phrases.txt",
    }


def test_nothing_is_left_behind_if_joining_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("new york\n" * 9)
    calls = iter(range(100))

    def check() -> None:
        if next(calls) == 2:
            raise Interrupted("stopped.")

    with pytest.raises(Interrupted):
        encode(find_sources(tmp_path / "text"), WORDS, tmp_path / "corpus", check=check, phrases=PHRASES)
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_versions_without_phrases_refuse_a_corpus_with_phrases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, PHRASES)
    monkeypatch.setattr(encoded_corpus, "FORMAT_VERSION", 2)  # the last version before
    with pytest.raises(CorpusError, match="was written by a newer polyseme; upgrade with: pip install -U polyseme"):
        EncodedCorpus.open(tmp_path / "corpus")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phrases": [1]}, "'phrases' does not fit the format version 3"),
        ({"format_version": 2}, "'phrases' does not fit the format version 2"),
        ({"phrases": {"threshold": "1", "min_count": 1, "passes": 1}}, "'threshold' must be a number"),
        ({"phrases": {"threshold": 0.5, "min_count": 1}}, "'passes' is missing"),
        ({"phrases": {"threshold": 0.5, "min_count": 1, "passes": 10**9}}, "the settings of 'phrases' are not valid"),
        ({"phrases": {"threshold": 0.5, "min_count": 1, "passes": 1, "x": 1}}, "are not valid"),
    ],
)
def test_a_description_that_contradicts_itself_is_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    make(tmp_path, PHRASES)
    path = tmp_path / "corpus" / "corpus.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(CorpusError, match=message):
        EncodedCorpus.open(tmp_path / "corpus")


@pytest.mark.parametrize("damage", ["missing", "binary", "link", "pipe", "short"])
def test_a_damaged_file_of_phrases_is_refused(damage: str, tmp_path: Path) -> None:
    make(tmp_path, PHRASES)
    path = tmp_path / "corpus" / "phrases.txt"
    data = path.read_bytes()
    path.unlink()
    match damage:
        case "binary":
            path.write_bytes(b"\xff\0\n")
        case "link":
            (tmp_path / "elsewhere").write_bytes(data)
            path.symlink_to(tmp_path / "elsewhere")
        case "pipe":
            os.mkfifo(path)
        case "short":
            path.write_bytes(data[:5])
    with pytest.raises(CorpusError, match="is not a complete encoded corpus .*phrases.txt") as error:
        EncodedCorpus.open(tmp_path / "corpus")
    assert "\n" not in str(error.value)


def test_the_spans_of_phrases_cover_their_words() -> None:
    text = "In New York, new\nyork and Größe Ost\t see.\n\n"
    spans = PhraseMatcher(PHRASES).join_spans(tokenize(text.encode(), WORDS), WORDS)
    found = [text.encode()[a:b].decode() for a, b in spans.bounds.tolist()]
    assert found == ["In", "New York", "new", "", "york", "and", "Größe Ost\t see", "", ""]
