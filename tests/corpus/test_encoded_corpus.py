"""Opening an encoded corpus: nothing that could make a kernel read or write out of bounds is accepted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import CorpusError

FILES = ("corpus.json", "words.tsv", "tokens.bin", "sentences.bin", "byte_offsets.bin")
SOURCE = {"path": "x", "size": 1, "modified": 1, "reader": "text", "field": "", "spooled": False}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sentences `a b a`, `a c b` and `b a` (counts: a 4, b 3, c 1); the last is in a second source."""
    (tmp_path / "1.txt").write_text("a b a\na c b\n")
    (tmp_path / "2.txt").write_text("b a\n")
    encode(find_sources([tmp_path / "1.txt", tmp_path / "2.txt"]), get_tokenizer("words"), tmp_path / "corpus")
    return tmp_path / "corpus"


def refused(folder: Path) -> str:
    """The message with which a corpus is refused."""
    with pytest.raises(CorpusError, match="is not a complete encoded corpus .* encode the text again") as error:
        EncodedCorpus.open(folder)
    assert "\n" not in str(error.value)
    return str(error.value)


def set_item(path: Path, dtype: type[np.generic], index: int, value: int) -> None:
    array = np.fromfile(path, dtype)
    array[index] = value
    array.tofile(path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("a\t4\nb\t-3\nc\t7\n", "1 or more, in descending order"),
        ("a\t9\nb\t0\nc\t-1\n", "1 or more, in descending order"),
        ("b\t3\na\t4\nc\t1\n", "1 or more, in descending order"),
        ("a\t5\nb\t2\nc\t1\n", "has the count 5 for 'a', which occurs 4 times"),
        ("a\t4\nb\t4\n", "1 ids in tokens.bin are not those of words"),
        ("a\t4\nb\t3\nc\t1\nd\t1\n", "has the count 1 for 'd', which occurs 0 times"),
        ("a\t9223372036854775807\nb\t9223372036854775807\nc\t10\n", "1 or more, in descending order"),
        (f"a\t{'9' * 5000}\nb\t3\nc\t1\n", "a count in words.tsv is not a whole number"),
        (f"a\t{10**30}\nb\t3\nc\t1\n", "a count in words.tsv is not a whole number"),
        ("a\t4\nb\t3\nc\t1", "the lines of words.tsv must be: word TAB count"),
        ("", "the lines of words.tsv must be: word TAB count"),
    ],
)
def test_counts_that_are_not_those_of_the_tokens_are_refused(words: str, message: str, folder: Path) -> None:
    (folder / "words.tsv").write_text(words)
    assert message in refused(folder)


@pytest.mark.parametrize("token", [-1, 3, 2**31 - 1, -(2**31)])
def test_a_token_id_outside_the_vocabulary_is_refused(token: int, folder: Path) -> None:
    set_item(folder / "tokens.bin", np.int32, 4, token)
    assert "1 ids in tokens.bin are not those of words in words.tsv" in refused(folder)


def test_a_changed_token_id_is_noticed_by_the_counts(folder: Path) -> None:
    set_item(folder / "tokens.bin", np.int32, 4, 0)
    assert "words.tsv has the count 4 for 'a', which occurs 5 times in tokens.bin" in refused(folder)


@pytest.mark.parametrize(("index", "value"), [(0, 1), (0, -1), (1, 0), (1, 7), (1, -5), (2, 2**62), (3, 9), (3, 7)])
def test_sentence_bounds_that_do_not_fit_the_tokens_are_refused(index: int, value: int, folder: Path) -> None:
    set_item(folder / "sentences.bin", np.int64, index, value)
    assert "sentence" in refused(folder)


@pytest.mark.parametrize(("index", "value"), [(0, -1), (1, -(2**63)), (0, 2**62)])
def test_byte_offsets_that_are_negative_or_descend_within_a_source_are_refused(
    index: int, value: int, folder: Path
) -> None:
    set_item(folder / "byte_offsets.bin", np.int64, index, value)
    assert "the byte offset of a sentence is negative, or lower than the one before it" in refused(folder)


@pytest.mark.parametrize("name", ["tokens.bin", "sentences.bin", "byte_offsets.bin"])
def test_a_file_that_is_too_long_is_refused(name: str, folder: Path) -> None:
    with (folder / name).open("ab") as file:
        file.write(b"\0")
    assert f"{name} has " in refused(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": -8}, "'tokens' must be 1 or more, not -8"),
        ({"tokens": 0}, "'tokens' must be 1 or more"),
        ({"tokens": 8.0}, "'tokens' must be a whole number, not 8.0"),
        ({"tokens": True}, "'tokens' must be a whole number, not True"),
        ({"sentences": 10**30}, "1000000000000000000000000000000 is too large a number"),
        ({"bad_bytes": None}, "'bad_bytes' must be a whole number"),
        ({"fingerprint": 5}, "'fingerprint' must be a string"),
        ({"offsets_are_exact": 1}, "'offsets_are_exact' must be true or false"),
        ({"sources": {}}, "'sources' must be a list"),
        ({"sources": [{**SOURCE, "path": 0}] * 2}, "'path' must be a string, not 0"),
        ({"sources": [{"path": "x", "size": 1}] * 2}, "a source does not have path, size, modified"),
        ({"source_sentences": [0, 3]}, "'source_sentences' do not cover all sentences"),
        ({"source_sentences": [0, 5, 3]}, "'source_sentences' are not whole numbers in ascending order"),
        ({"source_sentences": [0, "x", 3]}, "'source_sentences' are not whole numbers in ascending order"),
        ({"tokens": float("inf")}, "Infinity is not a finite number"),
        ({"format_version": "2"}, "'format_version' must be a whole number"),
    ],
)
def test_a_description_with_invalid_values_is_refused(changes: dict[str, Any], message: str, folder: Path) -> None:
    path = folder / "corpus.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    assert f"corpus.json: {message}" in refused(folder)


def test_a_deeply_nested_description_is_refused(folder: Path) -> None:
    (folder / "corpus.json").write_text('{"a":' * 100_000)
    assert "corpus.json: its values are nested too deeply" in refused(folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_links_and_fifos_are_refused(kind: str, name: str, folder: Path, tmp_path: Path) -> None:
    (folder / name).rename(tmp_path / "elsewhere")
    make: dict[str, Callable[[], None]] = {
        "link": lambda: (folder / name).symlink_to(tmp_path / "elsewhere"),
        "fifo": lambda: os.mkfifo(folder / name),
    }
    make[kind]()
    assert f"{name} is {'a symbolic link' if kind == 'link' else 'not a regular file'}" in refused(folder)


def test_training_on_a_corpus_with_negative_counts_does_not_crash(folder: Path) -> None:
    """In a process of its own: sampling occurrences once wrote out of bounds."""
    (folder / "words.tsv").write_text("a\t1000000000\nb\t-999999993\nc\t1\n")
    code = (
        "import polyseme, sys\n"
        "settings = dict(dim=4, epochs=1, min_count=1, multi_sense_min_count=1, subsample=0, quiet=True)\n"
        "try: polyseme.train(sys.argv[1], **settings)\n"
        "except polyseme.PolysemeError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=False)
    assert done.returncode not in (-signal.SIGSEGV, -signal.SIGABRT)
    assert (done.returncode, done.stderr) == (0, "")
    assert "is not a complete encoded corpus" in done.stdout


def test_a_long_corpus_is_checked_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyseme.corpus.encoded_corpus.CHUNK", 3)
    (tmp_path / "a.txt").write_text("a b\n" * 10)
    folder = tmp_path / "corpus"
    assert encode(find_sources(tmp_path / "a.txt"), get_tokenizer("words"), folder).counts.tolist() == [10, 10]
    for index in (1, 8):
        before = (folder / "sentences.bin").read_bytes()
        set_item(folder / "sentences.bin", np.int64, index, 20)
        assert "a sentence does not have 1 to 10,000 tokens" in refused(folder)
        (folder / "sentences.bin").write_bytes(before)
    set_item(folder / "tokens.bin", np.int32, 19, 0)
    assert "has the count 10 for 'a', which occurs 11 times" in refused(folder)


def test_every_sentence_of_a_source_that_was_removed_or_is_unreadable_has_no_text(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = EncodedCorpus.open(folder)
    assert list(corpus.source_texts([0, 1, 2])) == [b"a b a", b"a c b", b"b a"]
    (tmp_path / "1.txt").write_text("changed")
    assert list(corpus.source_texts([0, 1, 2])) == [None, None, b"b a"]
    (tmp_path / "2.txt").unlink()
    assert list(corpus.source_texts([0, 2])) == [None, None]
    monkeypatch.setattr("polyseme.corpus.sources.Source.unchanged", True)  # removed after the check
    assert list(corpus.source_texts([2])) == [None]


def test_every_sentence_of_a_corpus_in_memory_has_no_text(folder: Path) -> None:
    corpus = EncodedCorpus.open(folder)
    other = corpus.with_tokens(np.array([0, 1, 0], np.int32), ["x", "y"], np.array([0, 1, 2, 3]))
    assert list(other.source_texts([0, 1, 2])) == [None, None, None]
