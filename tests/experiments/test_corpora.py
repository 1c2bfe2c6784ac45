"""The corpora of `reproduce`: names, several files in one corpus, reuse of encodings, and cutting."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import ConfigError, CorpusError, MissingFile
from polyseme.experiments.corpora import first_tokens, open_corpora
from polyseme.training.events import Event


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("one two two\nthree three three\nfour\n")
    (folder / "b.txt").write_text("five six\n")
    return folder


def test_a_corpus_is_a_file_a_folder_a_glob_several_joined_by_commas_or_an_encoded_corpus(
    texts: Path, tmp_path: Path
) -> None:
    a, b = texts / "a.txt", texts / "b.txt"
    encode(find_sources([a]), WORDS, tmp_path / "encoded")
    arguments = [str(a), str(texts), f"{b},{a}", str(tmp_path / "encoded"), str(texts / "[b]*")]
    found = open_corpora(arguments[:4], tmp_path / "out")
    assert [(corpus.name, len(corpus.corpus.tokens)) for corpus in found] == [
        ("a", 7), ("texts", 9), ("b+a", 9), ("encoded", 7),
    ]  # fmt: skip
    assert found[2].corpus.words[found[2].corpus.tokens[0]] == "five"
    assert open_corpora(arguments[4:], tmp_path / "out")[0].name == "b"


def test_a_text_is_encoded_again_only_if_it_or_the_tokenizer_changed(texts: Path, tmp_path: Path) -> None:
    argument = [str(texts / "a.txt")]
    open_corpora(argument, tmp_path / "out")

    def encoded_again(event: Event) -> None:
        raise AssertionError(event)

    open_corpora(argument, tmp_path / "out", listen=encoded_again, check=lambda: pytest.fail("encoded again"))
    (texts / "a.txt").write_text("something else\n")
    assert len(open_corpora(argument, tmp_path / "out")[0].corpus.tokens) == 2
    other = open_corpora(argument, tmp_path / "out", tokenizer="whitespace")[0].corpus
    assert other.description["tokenizer"] == "whitespace"


def test_the_first_tokens_are_whole_sentences_with_counts_of_their_own(texts: Path, tmp_path: Path) -> None:
    corpus = open_corpora([str(texts / "a.txt")], tmp_path / "out")[0].corpus
    cut = first_tokens(corpus, 4)
    assert [cut.words[token] for token in cut.tokens] == ["one", "two", "two"]
    assert dict(zip(cut.words, cut.counts.tolist(), strict=True)) == {"two": 2, "one": 1}
    assert cut.num_sentences == 1
    assert cut.description["tokens"] == 3
    assert cut.fingerprint != corpus.fingerprint
    assert first_tokens(corpus, 7) is corpus
    assert len(first_tokens(corpus, 1).tokens) == 3


def test_each_corpus_can_have_a_description(texts: Path, tmp_path: Path) -> None:
    (corpus,) = open_corpora([str(texts)], tmp_path / "out", descriptions=["numbers"])
    assert corpus.description == "numbers"
    with pytest.raises(ConfigError, match="there are 1 corpora and 2 descriptions; give one --describe per corpus"):
        open_corpora([str(texts)], tmp_path / "out", descriptions=["a", "b"])


def test_corpora_that_cannot_be_used_are_refused(texts: Path, tmp_path: Path) -> None:
    a = str(texts / "a.txt")
    with pytest.raises(ConfigError, match="two corpora have the name 'a'; rename one"):
        open_corpora([a, a], tmp_path / "out")
    with pytest.raises(ConfigError, match="give a file instead of standard input"):
        open_corpora(["-"], tmp_path / "out")
    with pytest.raises(MissingFile, match=r"nothing.txt does not exist"):
        open_corpora([f"{a},nothing.txt"], tmp_path / "out")
    encode(find_sources([a]), WORDS, tmp_path / "encoded")
    with pytest.raises(CorpusError, match="was encoded with --tokenizer words; give the same option here"):
        open_corpora([str(tmp_path / "encoded")], tmp_path / "out", tokenizer="whitespace")
