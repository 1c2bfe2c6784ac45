"""Pseudowords: how they are made, and that senses recover them while chance does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyseme import SenseModel, load
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import DataError
from polyseme.evaluation.pseudowords import choose, merged, pseudowords
from polyseme.training.config import make_config


@pytest.fixture
def corpus(planted_text: Path, tmp_path: Path) -> EncodedCorpus:
    return encode(find_sources([planted_text]), get_tokenizer("words"), tmp_path / "corpus", lambda _: None)


def test_merging_keeps_every_token_and_sums_the_counts(corpus: EncodedCorpus) -> None:
    groups = [(3, 40), (7, 20, 60)]
    changed, names = merged(corpus, groups)
    assert names == ["~".join(corpus.words[w] for w in group) for group in groups]
    assert len(changed.tokens) == len(corpus.tokens)
    assert len(changed.words) == len(corpus.words) - 3
    assert (np.diff(changed.counts) <= 0).all()
    np.testing.assert_array_equal(np.bincount(changed.tokens), changed.counts)
    new = np.array(changed.words)[changed.tokens]
    old = np.array(corpus.words)[corpus.tokens]
    for name, group in zip(names, groups, strict=True):
        assert set(old[new == name]) == {corpus.words[w] for w in group}
    untouched = ~np.isin(corpus.tokens, [w for group in groups for w in group])
    np.testing.assert_array_equal(new[untouched], old[untouched])


def test_what_is_merged_is_unrelated_and_alike_in_frequency_and_follows_the_seed(
    corpus: EncodedCorpus, mssg: SenseModel
) -> None:
    def chosen(seed: int) -> list[tuple[int, ...]]:
        return choose(mssg, corpus, pairs=10, triples=3, controls=8, seed=seed).groups

    assert chosen(1) == chosen(1) != chosen(2)
    picked = choose(mssg, corpus, pairs=10, triples=3, controls=8, seed=1)
    assert sorted({len(group) for group in picked.groups}) == [2, 3]
    used = [w for group in picked.groups for w in group] + picked.controls
    assert len(used) == len(set(used))
    for group in picked.groups:
        counts = corpus.counts[list(group)]
        assert counts.max() <= 2 * counts.min()


def test_senses_recover_pseudowords_and_chance_does_not(mssg_path: Path, planted_text: Path) -> None:
    model = load(mssg_path)
    older = SenseModel(replace(model._data, config={**model.config, "same_sense_cosine": 0.1}))  # an obsolete setting
    found = pseudowords(older, planted_text, pairs=8, triples=2, controls=5)
    pairs = found.table["pairs"]
    assert pairs["ari"].control == pytest.approx(0, abs=0.05)
    assert pairs["ari"].value > 0.3
    assert pairs["ceiling of ari"].value > pairs["ari"].value - 0.1
    assert 0 <= found.table["controls"]["unsplit"].value <= 1
    assert found.total == 10


def test_a_corpus_too_small_says_so(mssg: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("a few words only\n" * 30)
    with pytest.raises(DataError, match="the corpus has 0 words that the model knows"):
        pseudowords(mssg, tmp_path / "small.txt")


def test_other_settings_are_judged_on_the_words_that_the_model_chose(mssg_path: Path, planted_text: Path) -> None:
    one_sense = make_config(model="skip-gram", dim=10, epochs=1)
    done = pseudowords(load(mssg_path), planted_text, pairs=4, triples=0, controls=4, config=one_sense)
    assert done.table["pairs"]["ari"].value == 0
    assert done.table["controls"]["unsplit"].value == 1
