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
from polyseme.evaluation import pseudowords as module
from polyseme.evaluation.pseudowords import Selection, merge_words, pseudowords, select_words
from polyseme.formats.open_model import open_model
from polyseme.model.data import unit_rows
from polyseme.training.config import make_config


@pytest.fixture
def corpus(planted_text: Path, tmp_path: Path) -> EncodedCorpus:
    return encode(find_sources([planted_text]), get_tokenizer("words"), tmp_path / "corpus", lambda _: None)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_that_training_does_not_accept_is_refused(seed: int, mssg: SenseModel, planted_text: Path) -> None:
    with pytest.raises(ConfigError, match=f"--seed must be between 0 and {2**63 - 1}, not {seed}"):
        pseudowords(mssg, planted_text, seed=seed)


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
    assert len(selection.controls) == 8
    # The candidates are known words with 100 to 750 tokens, unrelated if their cosine is at most the median.
    candidates = module._candidates(mssg, corpus)
    assert set(words) <= set(candidates.tolist())
    vectors = unit_rows(np.array([mssg.vector(word) for word in corpus.words[: candidates.max() + 1]]))
    median = np.median(vectors[candidates] @ vectors[candidates].T)
    for group in selection.groups:
        counts = corpus.counts[list(group)]
        assert counts.max() <= 2 * counts.min()
        cosines = vectors[list(group)] @ vectors[list(group)].T
        assert cosines[np.triu_indices(len(group), 1)].max() <= median + 1e-6


def test_candidates_are_the_half_with_the_most_similar_contexts(corpus: EncodedCorpus, mssg: SenseModel) -> None:
    candidates = module._candidates(mssg, corpus)
    in_range = (corpus.counts >= 100) & (corpus.counts <= 750)
    usable = [w for w in np.flatnonzero(in_range).tolist() if len(corpus.words[w]) >= 4 and corpus.words[w].isalpha()]
    lengths = dict(zip(usable, module._mean_lengths(mssg, corpus, np.array(usable)).tolist(), strict=True))
    assert len(candidates) == len(usable) // 2
    chosen = set(candidates.tolist())
    assert min(lengths[w] for w in chosen) >= max(lengths[w] for w in usable if w not in chosen)
    assert all(0 < length < 1 for length in lengths.values())


def test_a_group_is_the_first_words_that_are_unrelated_and_similar_in_frequency() -> None:
    counts = np.array([100, 110, 201, 120, 50, 90])
    related = np.eye(6, dtype=bool)
    related[0, 1] = related[1, 0] = True
    free = np.ones(6, bool)
    assert module._take_group(3, free, related, counts) == [0, 3, 5]  # 1 is related to 0, 2 has twice as many tokens
    assert module._take_group(3, free, related, counts) == [1, 2]  # 50 tokens are fewer than half of 110
    assert free.tolist() == [False, False, False, False, True, False]


def test_agreement_is_that_of_the_contingency_table() -> None:
    # Word 7 has the senses 1, 1, 1, 2, word 9 the senses 2, 2, 2, 2, 3: table [[3, 1, 0], [0, 4, 1]], rows 4 and 5.
    labels_true, labels_pred = np.repeat([7, 9], [4, 5]), np.array([1, 1, 1, 2, 2, 2, 2, 2, 3])
    measures = module._agreement(labels_true, labels_pred, 2)
    # Pairs: 3 + 6 = 9 in both, 6 + 10 = 16 by word, 3 + 10 = 13 by sense, 36 in total.
    expected = 16 * 13 / 36
    assert measures["ari"] == pytest.approx((9 - expected) / ((16 + 13) / 2 - expected))
    assert measures["accuracy"] == pytest.approx(7 / 9)
    assert measures["correct_number"] == 0  # the third sense has more than a tenth of the occurrences
    many = module._agreement(np.repeat([7, 9], [40, 50]), np.repeat([1, 2, 3], [40, 48, 2]), 2)
    assert many["correct_number"] == 1
    assert module._agreement(labels_true, labels_true, 2) == {
        "ari": 1, "v_measure": pytest.approx(1), "accuracy": 1, "correct_number": 1,
    }  # fmt: skip


def test_the_largest_share_decides_whether_a_word_is_unsplit() -> None:
    assert module._largest_share(np.array([5, 5, 3, 5])) == 0.75


def test_the_ceiling_is_1_for_separable_contexts_and_0_for_equally_distributed_ones() -> None:
    labels = np.repeat([0, 1], 100)
    noise = np.random.default_rng(0).normal(size=(200, 4)).astype(np.float32)
    assert module._ceiling(noise, labels) == pytest.approx(0, abs=0.05)
    separable = noise.copy()
    separable[:, 0] += 20 * labels
    assert module._ceiling(separable, labels) == 1


def test_trained_senses_recover_pseudowords_and_random_senses_do_not(mssg_path: Path, planted_text: Path) -> None:
    model = load(mssg_path)
    with_obsolete_setting = SenseModel(replace(model._data, config={**model.config, "same_sense_cosine": 0.1}))
    evaluation = pseudowords(with_obsolete_setting, planted_text, pairs=8, triples=2, controls=5)
    pairs, triples = evaluation.table["pairs"], evaluation.table["triples"]
    assert (evaluation.covered, evaluation.total) == (10, 10)
    assert pairs["ari"].value > 0.6  # 0.72
    assert pairs["ari"].control == pytest.approx(0, abs=0.02)
    assert pairs["share with ari > 0.5"].value == 1
    assert pairs["share with ari > 0.5"].control == 0
    assert pairs["accuracy"].value > 0.85  # 0.92
    assert pairs["accuracy"].control == pytest.approx(0.53, abs=0.05)
    assert pairs["ceiling"].value == pytest.approx(0.71, abs=0.05)
    assert pairs["correct_number"].value == 1
    assert triples["correct_number"].value == 0  # the model has two senses per word
    assert triples["ari"].value == pytest.approx(0.35, abs=0.1)
    mean = {name: (8 * pairs[name].value + 2 * triples[name].value) / 10 for name in ("ari", "ceiling")}
    assert evaluation.facts["ARI / ceiling"] == pytest.approx(mean["ari"] / mean["ceiling"])
    unsplit = evaluation.table["controls"]["unsplit"]
    assert unsplit.control is not None
    assert unsplit.value >= 0.8 > 0.4 >= unsplit.control  # 1 and 0.2 of five words


def test_frequent_words_are_controls(mssg_path: Path, planted_text: Path) -> None:
    two_senses = make_config(model="mssg", senses=2, dim=10, epochs=1)
    evaluation = pseudowords(load(mssg_path), planted_text, pairs=4, triples=0, controls=4, config=two_senses)
    controls = evaluation.table["controls"]
    assert list(controls) == ["unsplit", "unsplit function words", "unsplit frequent words"]
    for name in ("unsplit function words", "unsplit frequent words"):
        assert controls[name].value < 0.5  # mssg gives each of them two senses
        assert controls[name].control is not None


@pytest.mark.parametrize("limit", [{"min_count": 300}, {"max_vocabulary": 120}])
def test_words_that_the_settings_leave_out_of_the_vocabulary_are_not_selected(
    limit: dict[str, int], mssg_path: Path, planted_text: Path
) -> None:
    config = make_config("default", model="skip-gram", dim=10, epochs=1, **limit)
    evaluation = pseudowords(load(mssg_path), planted_text, pairs=4, triples=0, controls=200, config=config)
    assert evaluation.covered == 4
    assert evaluation.table["controls"]["unsplit"].value == 1


def test_a_corpus_without_words_left_for_controls_is_scored(mssg_path: Path, planted_text: Path) -> None:
    one_sense = make_config(model="skip-gram", dim=10, epochs=1)
    evaluation = pseudowords(load(mssg_path), planted_text, pairs=4, triples=0, controls=0, config=one_sense)
    assert (evaluation.covered, evaluation.total) == (4, 4)
    assert list(evaluation.table) == ["pairs", "controls"]
    assert "unsplit" not in evaluation.table["controls"]


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
    assert {score.value for score in evaluation.table["controls"].values()} == {1}
