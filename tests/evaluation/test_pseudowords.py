"""Pseudowords: selecting and merging words, and the scores of trained and random senses."""

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
from polyseme.errors import ConfigError, DataError
from polyseme.evaluation.pseudowords import Selection, merge_words, pseudowords, select_words
from polyseme.formats.open_model import open_model
from polyseme.training.config import make_config


@pytest.fixture
def corpus(planted_text: Path, tmp_path: Path) -> EncodedCorpus:
    return encode(find_sources([planted_text]), get_tokenizer("words"), tmp_path / "corpus", lambda _: None)


def test_merging_keeps_the_number_of_tokens_and_adds_the_counts(corpus: EncodedCorpus) -> None:
    groups = [(3, 40), (7, 20, 60)]
    merged, names = merge_words(corpus, groups)
    assert names == ["~".join(corpus.words[w] for w in group) for group in groups]
    assert len(merged.tokens) == len(corpus.tokens)
    assert len(merged.words) == len(corpus.words) - 3
    assert (np.diff(merged.counts) <= 0).all()
    np.testing.assert_array_equal(np.bincount(merged.tokens), merged.counts)
    new = np.array(merged.words)[merged.tokens]
    old = np.array(corpus.words)[corpus.tokens]
    for name, group in zip(names, groups, strict=True):
        assert set(old[new == name]) == {corpus.words[w] for w in group}
    untouched = ~np.isin(corpus.tokens, [w for group in groups for w in group])
    np.testing.assert_array_equal(new[untouched], old[untouched])


def test_merged_words_have_similar_counts_and_depend_on_the_seed(corpus: EncodedCorpus, mssg: SenseModel) -> None:
    def select(seed: int) -> Selection:
        return select_words(mssg, corpus, pairs=10, triples=3, controls=8, seed=seed)

    selection = select(1)
    assert select(1) == selection != select(2)
    assert sorted({len(group) for group in selection.groups}) == [2, 3]
    words = [w for group in selection.groups for w in group] + selection.controls
    assert len(words) == len(set(words))
    for group in selection.groups:
        counts = corpus.counts[list(group)]
        assert counts.max() <= 2 * counts.min()


def test_trained_senses_recover_pseudowords_and_random_senses_do_not(mssg_path: Path, planted_text: Path) -> None:
    model = load(mssg_path)
    with_obsolete_setting = SenseModel(replace(model._data, config={**model.config, "same_sense_cosine": 0.1}))
    evaluation = pseudowords(with_obsolete_setting, planted_text, pairs=8, triples=2, controls=5)
    pairs = evaluation.table["pairs"]
    assert pairs["ari"].control == pytest.approx(0, abs=0.05)
    assert pairs["ari"].value > 0.3
    assert pairs["ceiling"].value > pairs["ari"].value - 0.1
    assert 0 <= evaluation.table["controls"]["unsplit"].value <= 1
    assert evaluation.total == 10


def test_a_corpus_without_words_left_for_controls_is_scored(mssg_path: Path, planted_text: Path) -> None:
    one_sense = make_config(model="skip-gram", dim=10, epochs=1)
    evaluation = pseudowords(load(mssg_path), planted_text, pairs=4, triples=0, controls=0, config=one_sense)
    assert list(evaluation.table) == ["pairs"]


def test_a_corpus_that_is_too_small_is_refused(mssg: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("a few words only\n" * 30)
    with pytest.raises(DataError, match="the corpus has 0 words with 100 to 750 tokens that are in the vocabulary"):
        pseudowords(mssg, tmp_path / "small.txt")


def test_vectors_without_training_settings_are_refused(planted_text: Path, tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("2 2\nbank 1 0\nriver 0 1\n")
    with pytest.raises(DataError, match="these vectors have none: polyseme did not train them. Give a model that was"):
        pseudowords(open_model(tmp_path / "vectors.txt"), planted_text)


def test_a_negative_seed_is_refused(mssg: SenseModel, planted_text: Path) -> None:
    with pytest.raises(ConfigError, match="--seed must be between 0 and .*, not -1"):
        pseudowords(mssg, planted_text, seed=-1)


def test_settings_other_than_those_of_the_model_can_be_evaluated(mssg_path: Path, planted_text: Path) -> None:
    one_sense = make_config(model="skip-gram", dim=10, epochs=1)
    evaluation = pseudowords(load(mssg_path), planted_text, pairs=4, triples=0, controls=4, config=one_sense)
    assert evaluation.table["pairs"]["ari"].value == 0
    assert evaluation.table["controls"]["unsplit"].value == 1
