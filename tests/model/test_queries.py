"""Queries: senses, neighbours, disambiguation, similarity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from polyseme import SenseModel
from polyseme.corpus.planted_words import TOPICS
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import ConfigError, UnknownWord
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData
from polyseme.model.disambiguation import context_between, context_vector
from polyseme.vocabulary import Vocabulary


def with_decay(model: SenseModel, decay: float) -> SenseModel:
    return with_settings(model, sense_decay=decay)


def with_settings(model: SenseModel, **settings: object) -> SenseModel:
    return SenseModel(replace(model._data, config={**model.config, **settings}))


@pytest.fixture
def toy() -> SenseModel:
    """bank has a money sense (600 tokens), a river sense (390) and a rare one (9); the axes are the topics."""
    data = ModelData(
        vocabulary=Vocabulary(["bank", "money", "river", "c#1"], np.array([100, 50, 40, 10])),
        arrays=ModelArrays(
            global_vectors=np.array([[1, 1], [1, 0], [0, 1], [1, 1]], np.float32),
            sense_vectors=np.array([[1, 0], [0, 1], [-1, 0], [2, 0], [0.6, 0.8], [0, 0]], np.float32),
            sense_offsets=np.array([0, 3, 4, 5, 6]),
            sense_counts=np.array([600, 390, 9, 50, 40, 10]),
            cluster_centers=np.array([[1, 0], [0, 1], [1, 1], [1, 0], [0, 1], [1, 1]], np.float32),
        ),
        tokenizer=WORDS,
        config={"window": 5, "subsample": 0.0},
    )
    return SenseModel(data)


def test_senses_are_sorted_by_frequency_and_rare_ones_are_only_counted(toy: SenseModel) -> None:
    senses = toy.senses("bank")
    assert [s.key for s in senses] == ["bank#1", "bank#2"]
    assert [s.share for s in senses] == pytest.approx([600 / 990, 390 / 990])
    assert senses.hidden == 1
    assert senses[0].neighbours(1)[0].word == "money"


def test_words_and_keys_are_found_as_the_tokenizer_normalizes_them(toy: SenseModel) -> None:
    assert toy.senses("Bank").word == "bank"
    assert toy.vector("BANK#2").tolist() == toy.vector("bank#2").tolist()


def test_a_word_with_one_sense_has_the_word_as_its_key_everywhere(toy: SenseModel) -> None:
    assert [sense.key for sense in toy.senses("money")] == ["money"]
    assert toy.disambiguate("money", "river").best.key == "money"
    assert toy.neighbours("bank#1")[0].key == "money"
    assert toy.tag("money") == "money"


def test_a_word_that_looks_like_a_key_is_a_word(toy: SenseModel) -> None:
    assert toy._data.find("c#1") == (3, None)
    assert toy._data.find("bank#2") == (0, 1)


@pytest.mark.parametrize(
    "key", ["bank#0", "bank#3", "bank#99", "bank#x", "bank#", "Bank#3", "bank#" + "1" * 5000, "bank#\u0662"]
)
def test_a_hidden_or_nonexistent_sense_is_not_found(key: str, toy: SenseModel) -> None:
    with pytest.raises(UnknownWord, match="'bank' has 2 senses: bank#1, bank#2"):
        toy._data.find(key)


@pytest.mark.parametrize("key", ["fish", "fish#1", "#", ""])
def test_a_string_that_is_neither_word_nor_key_is_not_found(key: str, toy: SenseModel) -> None:
    assert key not in toy
    with pytest.raises(UnknownWord, match="is not among the 4 words"):
        toy.neighbours(key)


def test_neighbours_among_senses_name_each_word_once_and_not_the_word_itself(toy: SenseModel) -> None:
    assert [(n.key, round(n.similarity, 3)) for n in toy.neighbours("river")] == [
        ("bank#2", 0.8), ("money", 0.6), ("c#1", 0.0),
    ]  # fmt: skip


def test_the_vector_of_a_word_is_the_weighted_mean_of_its_senses(toy: SenseModel) -> None:
    mean = np.array([600, 390]) / np.hypot(600, 390)
    assert toy.neighbours("bank")[0].similarity == pytest.approx(float(mean @ [0.6, 0.8]))


def test_neighbours_among_words_compare_with_global_vectors(toy: SenseModel) -> None:
    near = toy.neighbours("bank#2", among="words")
    assert [n.word for n in near] == ["river", "c#1", "money"]
    assert [n.similarity for n in near] == pytest.approx([1, 0.5**0.5, 0])


def test_the_papers_posterior_is_the_inverse_of_the_cosine_distance(toy: SenseModel) -> None:
    toy._data.arrays.cluster_centers[0] = [0.6, 0.8]  # type: ignore[index]
    found = toy.disambiguate("bank", "by the river", posterior="inverse-distance")
    expected = np.array([1 / (1 - 0.8), 1 / 1e-6])
    assert [s.probability for s in found.senses] == pytest.approx(expected / expected.sum(), rel=1e-3)


def test_the_setting_of_the_model_decides_the_default_posterior(toy: SenseModel) -> None:
    paper = with_settings(toy, posterior="inverse-distance")
    text = "by the river"
    assert paper.disambiguate("bank", text) == toy.disambiguate("bank", text, posterior="inverse-distance")
    assert paper.disambiguate("bank", text, posterior="softmax") == toy.disambiguate("bank", text)
    contexts = ("the bank by the river", "money and river")
    assert paper.similarity("bank", "river", contexts=contexts) == toy.similarity(
        "bank", "river", contexts=contexts, posterior="inverse-distance"
    )


def test_with_inverse_distances_tags_ignore_the_shares(toy: SenseModel) -> None:
    toy._data.arrays.sense_counts[:2] = [980, 10]
    text = "money river river bank"  # its cosine with bank#2 is higher
    equal_weights = with_decay(toy, 1.0)
    assert equal_weights.tag(text) == "money river river bank#1"
    assert with_settings(equal_weights, posterior="inverse-distance").tag(text) == "money river river bank#2"


def test_a_min_share_of_zero_hides_no_sense(toy: SenseModel) -> None:
    toy._data.arrays.sense_counts[2] = 0
    assert [s.count for s in with_settings(toy, min_share=0.0).senses("bank")] == [600, 390, 0]
    assert with_settings(toy, min_share=0.5).senses("bank").hidden == 2
    assert with_settings(toy, min_share=0.0).similarity("bank", "money").avg_sim == pytest.approx(0, abs=1e-6)


def test_without_a_sense_window_queries_use_the_plain_mean_of_the_training_window(toy: SenseModel) -> None:
    paper = with_settings(toy, sense_window=0, subsample=1e-6)
    assert paper._data.context_weights.tolist() == [1, 1, 1, 1]
    assert paper._data.sense_window == 5
    weighted = with_settings(toy, sense_window=20, subsample=1e-6)
    assert max(weighted._data.context_weights) < 0.1
    assert weighted._data.sense_window == 20


def test_the_softmax_posterior_combines_shares_and_cosines(toy: SenseModel) -> None:
    found = toy.disambiguate("bank", "by the river")
    expected = np.array([600 * np.exp(0), 390 * np.exp(1 / 0.1)])
    assert [s.probability for s in found.senses] == pytest.approx(expected / expected.sum())
    assert found.best.key == "bank#2"
    assert found.known == 1


def test_without_a_known_word_the_probabilities_are_the_shares(toy: SenseModel) -> None:
    found = toy.disambiguate("bank", "nothing of this")
    assert found.known == 0
    assert [s.probability for s in found.senses] == pytest.approx([600 / 990, 390 / 990])


def test_only_words_inside_the_window_count(toy: SenseModel) -> None:
    text = "money bank river " + "river " * 20
    assert toy.disambiguate("bank", text, window=1).known == 2
    assert toy.disambiguate("bank", text).known == 11


def test_similarity_measures_by_hand(toy: SenseModel) -> None:
    plain = toy.similarity("bank", "river")
    assert plain.global_sim == pytest.approx(0.5**0.5)
    assert plain.avg_sim == pytest.approx(0.7)
    assert plain.max_sim == pytest.approx(0.8)
    assert plain.avg_sim_c is plain.local_sim is plain.max_sim_c is None
    p = [s.probability for s in toy.disambiguate("bank", "money").senses]
    both = toy.similarity("bank", "river", contexts=("money", "river"))
    assert both.avg_sim_c == pytest.approx(p[0] * 0.6 + p[1] * 0.8)
    assert both.max_sim_c == both.local_sim
    assert both.local_sim == pytest.approx(0.6)


def test_similarity_of_senses(toy: SenseModel) -> None:
    assert toy.similarity("bank#1", "bank#2").avg_sim == pytest.approx(0)
    with pytest.raises(ConfigError, match="contexts need two words"):
        toy.similarity("bank#1", "river", contexts=("a", "b"))


@pytest.mark.parametrize("wrong", [{"posterior": "flat"}, {"window": 0}])
def test_invalid_options_are_refused(wrong: dict[str, str], toy: SenseModel) -> None:
    with pytest.raises(ConfigError, match="must be"):
        toy.disambiguate("bank", "money bank river", **wrong)  # type: ignore[arg-type]


def test_senses_of_a_trained_model_have_neighbours_of_their_topic(mssg: SenseModel) -> None:
    money, river = mssg.senses("bank")[:2]
    assert sum(n.word in TOPICS["finance"].split() for n in money.neighbours(8)) >= 6
    assert sum(n.word in TOPICS["river"].split() for n in river.neighbours(8)) >= 6


def test_examples_fit_their_sense_and_show_the_word(mssg: SenseModel) -> None:
    river = mssg.senses("bank")[1]
    assert 5 <= len(river.examples) <= 10
    for example in river.examples:
        assert example.word == "bank"
        assert example.text == example.left + "bank" + example.right
        assert mssg.disambiguate("bank", example.text).best.key == river.key


def test_rare_words_are_no_neighbours_if_enough_words_are_frequent(
    toy: SenseModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyseme.model.neighbours.MIN_WORDS", 2)
    assert [n.word for n in toy.neighbours("bank#1")] == ["money"]
    assert [n.word for n in toy.neighbours("bank", among="words")] == ["money"]


def test_nearer_context_words_have_more_weight(toy: SenseModel) -> None:
    fading = with_decay(toy, 0.5)
    for near, far, sense in (("money", "river", 0), ("river", "money", 1)):
        p, q = (model.disambiguate("bank", f"bank {near} {far}") for model in (fading, toy))
        assert p.senses[sense].probability > q.senses[sense].probability
    # The text does not contain the word, so its words have equal weights.
    assert fading.disambiguate("bank", "money river") == toy.disambiguate("bank", "money river")


def test_the_context_vector_is_the_weighted_sum_over_the_window(toy: SenseModel) -> None:
    plain = context_vector(toy._data, context_between(toy._data, [1, 2, 1], [2, 1]))
    assert plain.tolist() == [3, 2]
    data = with_decay(toy, 0.5)._data
    decayed = context_vector(data, context_between(data, [1, 2, 1], [2, 1], 2))  # river money (bank) river money
    assert decayed.tolist() == pytest.approx([1 + 0.5, 0.5 + 1])


@pytest.mark.parametrize("context", ["bank money", "money"])
def test_a_window_of_0_words_is_refused(toy: SenseModel, context: str) -> None:
    with pytest.raises(ConfigError, match="--window must be 1 or more, not 0"):
        toy.disambiguate("bank", context, window=0)


def test_iterating_over_a_model_gives_its_words(toy: SenseModel) -> None:
    assert list(toy) == list(toy.vocabulary) == toy.vocabulary.words
    assert len(list(toy)) == len(toy)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: model.senses(3), "a word or key must be a str, not 3."),
        (lambda model: model.disambiguate("bank", ["the", "bank"]), r"a context must be a str, not \['the', 'bank'\]."),
        (lambda model: model.tag(["the bank"]), r"a text must be a str, not \['the bank'\]."),
        (lambda model: model.refine(drop="bank#1"), "merge and drop are lists"),
        (lambda model: model.refine(merge="bank#1+bank#2"), "merge and drop are lists"),
    ],
)
def test_values_of_wrong_types_are_refused_by_name(
    call: Callable[[SenseModel], object], message: str, toy: SenseModel
) -> None:
    with pytest.raises(ConfigError, match=message):
        call(toy)
