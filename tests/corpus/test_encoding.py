"""Encoding text as token ids, and reading it back."""

from __future__ import annotations

import io
import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus import encoding
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.readers import text as text_reader
from polyseme.corpus.readers.text import Block
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import CorpusError


def encode_text(path: Path, text: str | bytes, tokenizer: str | Callable[[str], list[str]] = "words") -> EncodedCorpus:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return encode(find_sources(path), get_tokenizer(tokenizer), path.with_suffix(".corpus"))


def decode(corpus: EncodedCorpus) -> list[list[str]]:
    """The words of each sentence."""
    bounds = corpus.sentences.tolist()
    return [[corpus.words[t] for t in corpus.tokens[a:b]] for a, b in pairwise(bounds)]


LINES = st.lists(st.text(st.characters(exclude_characters="\0\n\r", exclude_categories=["Cs"])), max_size=8)


@pytest.mark.parametrize("name", ["words", "whitespace"])
@given(lines=LINES)
def test_ids_decode_to_the_tokens_of_each_line(
    name: str, lines: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    tokenizer = get_tokenizer(name)
    expected = [tokens for line in ["here", *lines] if (tokens := tokenizer(line))]
    corpus = encode_text(tmp_path_factory.getbasetemp() / "lines.txt", "\n".join(["here", *lines]), name)
    assert decode(corpus) == expected
    assert dict(zip(corpus.words, corpus.counts.tolist(), strict=True)) == Counter(w for s in expected for w in s)
    assert corpus.counts.tolist() == sorted(corpus.counts.tolist(), reverse=True)


def test_small_blocks_give_the_same_corpus_as_one_block(tmp_path: Path) -> None:
    text = "one two\n\nthree four five, six\nBank bank BANK " * 30
    one_block = encode_text(tmp_path / "one_block.txt", text)
    with mock.patch.object(encoding, "read_blocks", lambda source, _, wait: text_reader.read_blocks(source, 7, wait)):
        small_blocks = encode_text(tmp_path / "small.txt", text)
    assert decode(small_blocks) == decode(one_block)
    assert small_blocks.fingerprint == one_block.fingerprint
    assert small_blocks.byte_offsets.tolist() == one_block.byte_offsets.tolist()


def test_words_that_differ_only_in_case_or_unicode_form_are_merged(tmp_path: Path) -> None:
    corpus = encode_text(tmp_path / "a.txt", "Don’t don't DON'T É é E\u0301 e\u0301 Straße STRASSE İ i\u0307 ΟΔΟΣ οδος")
    counts = dict(zip(corpus.words, corpus.counts.tolist(), strict=True))
    assert counts == {"don't": 3, "é": 4, "straße": 1, "strasse": 1, "i": 2, "οδος": 2}
    assert decode(corpus) == [get_tokenizer("words")((tmp_path / "a.txt").read_text())]


def test_tokens_of_a_callable_may_contain_spaces(tmp_path: Path) -> None:
    corpus = encode_text(tmp_path / "a.txt", "new york|bank\nbank", lambda line: line.strip().split("|"))
    assert decode(corpus) == [["new york", "bank"], ["bank"]]


def test_a_callable_that_returns_an_invalid_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="a token is a str without NUL, tab or line end"):
        encode_text(tmp_path / "a.txt", "a\tb", lambda line: [line])


def test_a_long_line_is_split_into_sentences(tmp_path: Path) -> None:
    corpus = encode_text(tmp_path / "a.txt", "word " * 25_000)
    assert [len(s) for s in decode(corpus)] == [10_000, 10_000, 5_000]
    assert corpus.byte_offsets.tolist() == [0, 50_000, 100_000]


def test_a_sentence_ends_at_the_end_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two")
    (tmp_path / "b.txt").write_text("three")
    corpus = encode(find_sources(tmp_path), get_tokenizer("words"), tmp_path / "corpus")
    assert decode(corpus) == [["one", "two"], ["three"]]
    assert list(corpus.source_texts([0, 1])) == [b"one two", b"three"]


def test_the_source_text_of_each_sentence_can_be_read(tmp_path: Path) -> None:
    text = "First line, here.\n\n  \nÜber den Fluß!\nlast \xff one".encode("latin-1")
    corpus = encode_text(tmp_path / "a.txt", text.replace(b"\xdc", "Ü".encode()).replace(b"\xdf", "ß".encode()))
    assert list(corpus.source_texts(range(3))) == [b"First line, here.", "Über den Fluß!".encode(), b"last ? one"]
    assert corpus.description["bad_bytes"] == 1


def test_a_source_that_has_changed_is_not_read(tmp_path: Path) -> None:
    corpus = encode_text(tmp_path / "a.txt", "one\ntwo")
    (tmp_path / "a.txt").write_text("something else")
    assert list(corpus.source_texts([0, 1])) == [None, None]


def test_standard_input_is_read(tmp_path: Path) -> None:
    with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(b"from a pipe"))):
        corpus = encode(find_sources("-"), get_tokenizer("words"), tmp_path / "corpus")
    assert decode(corpus) == [["from", "a", "pipe"]]
    assert list(corpus.source_texts([0])) == [b"from a pipe"]


def test_an_interrupt_while_the_reading_thread_starts_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the pool does not know its thread and does not wait for it: it still reads when the pool is left."""
    start, reading, end = threading.Thread.start, threading.Event(), threading.Event()

    def interrupted_start(thread: threading.Thread) -> None:
        start(thread)
        assert reading.wait(60)
        raise KeyboardInterrupt

    def read_slowly(*_: object, **__: object) -> Iterator[Block]:
        reading.set()
        assert end.wait(60)
        yield Block(b"one two", 0, 0)

    (tmp_path / "a.txt").write_text("one two")
    monkeypatch.setattr(threading.Thread, "start", interrupted_start)
    monkeypatch.setattr(encoding, "read_blocks", read_slowly)
    try:
        with pytest.raises(KeyboardInterrupt):
            encode(find_sources(tmp_path / "a.txt"), get_tokenizer("words"), tmp_path / "corpus")
    finally:
        end.set()
    assert not (tmp_path / "corpus").exists()


@pytest.mark.parametrize("text", ["", "\n\n", " ... !\n"])
def test_a_corpus_without_words_is_refused_and_leaves_nothing(text: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="holds no words"):
        encode_text(tmp_path / "a.txt", text)
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_the_lexicon_grows_with_the_number_of_distinct_words(tmp_path: Path) -> None:
    words = [f"w{i:09}" * (1 + i % 3) for i in range(150_000)]
    corpus = encode_text(tmp_path / "a.txt", "\n".join(words))
    assert sorted(corpus.words) == sorted(words)


@pytest.mark.parametrize("name", ["words.tsv", "tokens.bin", "sentences.bin", "byte_offsets.bin", "corpus.json"])
def test_a_damaged_encoded_corpus_is_refused(name: str, tmp_path: Path) -> None:
    encode_text(tmp_path / "a.txt", "one two three\n" * 10)
    file = tmp_path / "a.corpus" / name
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(CorpusError, match="is not a complete encoded corpus"):
        EncodedCorpus.open(tmp_path / "a.corpus")


def test_an_encoded_corpus_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    encode_text(tmp_path / "a.txt", "one two three")
    file = tmp_path / "a.corpus" / "corpus.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "format_version": 99}))
    with pytest.raises(CorpusError, match="newer polyseme"):
        EncodedCorpus.open(tmp_path / "a.corpus")


def test_an_encoded_corpus_of_version_1_is_read(tmp_path: Path) -> None:
    corpus = encode_text(tmp_path / "a.txt", "one two\nthree")
    folder = tmp_path / "a.corpus"
    description = json.loads((folder / "corpus.json").read_text())
    description["places_are_exact"] = description.pop("offsets_are_exact")
    (folder / "corpus.json").write_text(json.dumps({**description, "format_version": 1}))
    (folder / "byte_offsets.bin").rename(folder / "places.bin")
    version_1 = EncodedCorpus.open(folder)
    assert decode(version_1) == [["one", "two"], ["three"]]
    assert version_1.byte_offsets.tolist() == corpus.byte_offsets.tolist()
    assert list(version_1.source_texts([0, 1])) == [b"one two", b"three"]


def test_an_encoded_corpus_of_version_2_is_read(tmp_path: Path) -> None:
    encode_text(tmp_path / "a.txt", "one two\nthree")
    folder = tmp_path / "a.corpus"
    description = json.loads((folder / "corpus.json").read_text())
    for name in ("bad_rows", "first_bad_row", "spooled_bytes"):
        del description[name]
    description["sources"] = [{n: source[n] for n in ("path", "size", "modified")} for source in description["sources"]]
    (folder / "corpus.json").write_text(json.dumps({**description, "format_version": 2}))
    version_2 = EncodedCorpus.open(folder)
    assert decode(version_2) == [["one", "two"], ["three"]]
    assert list(version_2.source_texts([0, 1])) == [b"one two", b"three"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.parametrize("problem", ["the tokenizer fails", "the caller stops", "the text is damaged", "no words"])
def test_no_file_stays_open_after_an_error(problem: str, tmp_path: Path) -> None:
    def fail(line: str) -> list[str]:
        raise ValueError(line)

    def stop(_: object) -> None:
        raise InterruptedError

    text = {"the text is damaged": "one two\n" * 200_000 + "\0", "no words": "..."}.get(problem, "one two\n" * 400_000)
    (tmp_path / "a.txt").write_text(text)
    tokenizer = get_tokenizer(fail if problem == "the tokenizer fails" else "words")
    report = stop if problem == "the caller stops" else lambda _: None
    with pytest.raises((ValueError, InterruptedError)) as error:
        encode(find_sources(tmp_path / "a.txt"), tokenizer, tmp_path / "corpus", report)
    still_open = [os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]  # noqa: PTH208
    assert [path for path in still_open if path.startswith(str(tmp_path))] == []
    assert error.traceback  # a reference to the frames, which would keep files open


def test_other_tokens_are_numbered_by_frequency_and_have_no_source_text(tmp_path: Path) -> None:
    corpus = encode_text(tmp_path / "a.txt", "one two three\nfour")
    changed = corpus.with_tokens(np.array([2, 0, 2, 2], np.int32), ["a", "unused", "c"])
    assert decode(changed) == [["c", "a", "c"], ["c"]]
    assert (changed.words, changed.counts.tolist()) == (["c", "a"], [3, 1])
    assert list(changed.source_texts([0, 1])) == [None, None]
