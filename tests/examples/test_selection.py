"""Selecting the best occurrences of each sense, with an assigner whose cosines are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import Interrupted
from polyseme.examples import selection
from polyseme.examples.selection import SNIPPET_WINDOW, best_occurrences, collect_examples
from polyseme.examples.store import parse_line
from polyseme.vocabulary import Vocabulary

FILLER = " ".join(["the"] * 2 * SNIPPET_WINDOW)
SENTENCES = [f"{FILLER} bank {word} {FILLER}" for word in ("river", "loan", "shore", "money", "river")]
COSINES = {"river": 0.5, "shore": 0.9, "loan": 0.3, "money": 0.2}


@dataclass
class KnownSenses:
    """Assigns row 1 to `bank` before `river` and `shore`, and row 2 before other words."""

    corpus: EncodedCorpus

    def assign(self, tokens: NDArray[np.int32], *_: object) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        words = [self.corpus.words[token] for token in tokens]
        senses, cosines = np.full(len(words), -1, np.int32), np.zeros(len(words), np.float32)
        for i in np.flatnonzero(np.array(words) == "bank"):
            senses[i] = 1 if words[i + 1] in ("river", "shore") else 2
            cosines[i] = COSINES[words[i + 1]]
        return senses, cosines


@pytest.fixture
def corpus(tmp_path: Path) -> EncodedCorpus:
    (tmp_path / "text").write_text("\n".join(SENTENCES), encoding="utf-8")
    return encode(find_sources(tmp_path / "text"), WORDS, tmp_path / "corpus")


def no_stop() -> None:
    pass


@pytest.mark.parametrize("block_tokens", [10, 100_000])
def test_the_occurrences_with_the_highest_cosines_come_first(
    corpus: EncodedCorpus, block_tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "BLOCK_TOKENS", block_tokens)
    _, positions = best_occurrences(KnownSenses(corpus), corpus, corpus.counts, 4, 2, 0, 2, no_stop)
    bank = np.arange(5) * (len(corpus.tokens) // 5) + 2 * SNIPPET_WINDOW
    assert positions.tolist() == [[-1, -1], [bank[2], bank[0]], [bank[1], bank[3]], [-1, -1]]


def test_frequent_words_are_sampled(corpus: EncodedCorpus, monkeypatch: pytest.MonkeyPatch) -> None:
    samples: list[NDArray[np.uint64]] = []

    class Recorder(KnownSenses):
        def assign(self, tokens: NDArray[np.int32], *rest: object) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
            samples.append(cast(NDArray[np.uint64], rest[1]))
            return super().assign(tokens, *rest)

    monkeypatch.setattr(selection, "MAX_OCCURRENCES", 2)
    best_occurrences(Recorder(corpus), corpus, corpus.counts, 4, 2, 0, 1, no_stop)
    assert samples[0] / 2**32 == pytest.approx(np.minimum(2 / corpus.counts, 1))


def test_examples_are_snippets_of_each_visible_sense_without_duplicates(corpus: EncodedCorpus, tmp_path: Path) -> None:
    vocabulary = Vocabulary(corpus.words, corpus.counts)
    assert vocabulary.words[:2] == ["the", "bank"]
    offsets = np.array([0, 1, 3, *range(4, 2 + len(vocabulary))])
    visible = np.ones(len(vocabulary), np.int32)
    for num_visible, expected in ((1, ["shore", "river"]), (2, ["shore", "river", "loan", "money"])):
        visible[1] = num_visible
        read = collect_examples(
            KnownSenses(corpus), corpus, vocabulary, offsets, visible, WORDS,
            per_sense=3, seed=0, threads=1, stop=no_stop, folder=tmp_path,
        )  # fmt: skip
        line = read(1, 2)[0]
        assert [example.right.split()[0] for sense in parse_line(line) for example in sense] == expected
        assert read(0, 1) == [b""]


def test_the_first_token_of_the_corpus_can_be_an_example(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(f"bank river {FILLER}\n")
    corpus = encode(find_sources(tmp_path / "text"), WORDS, tmp_path / "corpus")
    vocabulary = Vocabulary(corpus.words, corpus.counts)
    bank = vocabulary.index["bank"]
    assert bank == 1  # its sense is row 1, as KnownSenses assigns
    read = collect_examples(
        KnownSenses(corpus), corpus, vocabulary, np.arange(4), np.ones(3, np.int32), WORDS,
        per_sense=1, seed=0, threads=1, stop=no_stop, folder=tmp_path,
    )  # fmt: skip
    ((example,),) = parse_line(read(bank, bank + 1)[0])
    assert (example.left, example.word) == ("", "bank")


def test_selection_stops_when_asked(corpus: EncodedCorpus) -> None:
    def stop() -> None:
        raise Interrupted("stopped.")

    with pytest.raises(Interrupted):
        best_occurrences(KnownSenses(corpus), corpus, corpus.counts, 4, 2, 0, 1, stop)
