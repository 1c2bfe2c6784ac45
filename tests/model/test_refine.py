"""Refining a model: merging, dropping and labelling senses. The toy model is small enough to compute by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import SenseModel, load
from polyseme.corpus.tokenizers import WHITESPACE, WORDS
from polyseme.errors import ConfigError, ModelError, UnknownWord
from polyseme.examples.store import Example, examples_line, snippet_json
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData
from polyseme.model.refine import merge_targets
from polyseme.vocabulary import Vocabulary

# bank#1 and bank#3 are about money, bank#2 and bank#4 about rivers; bank#5 has less than 1% of the tokens.
COUNTS = [400, 300, 200, 95, 5]
VECTORS = [[1, 0], [0, 1], [0.8, 0.6], [0.2, 1], [1, 1]]
CENTERS = [[0.9, 0], [0, 0.8], [0.6, 0.3], [0.1, 0.5], [0, 0]]
EXAMPLES = [["money ", " money"], ["river ", ""], ["money ", " river"], [" ", " river"]]


def example_line(examples: list[list[str]]) -> bytes:
    snippets = [snippet_json(left, "bank", right).encode() for left, right in examples]
    return examples_line("bank", snippets)


@pytest.fixture
def toy() -> SenseModel:
    data = ModelData(
        vocabulary=Vocabulary(["bank", "money", "river"], np.array([1000, 50, 40])),
        arrays=ModelArrays(
            global_vectors=np.array([[1, 1], [1, 0], [0, 1]], np.float32),
            sense_vectors=np.array([*VECTORS, [1, 0], [0, 1]], np.float32),
            sense_offsets=np.array([0, 5, 6, 7]),
            sense_counts=np.array([*COUNTS, 50, 40]),
            cluster_centers=np.array([*CENTERS, [1, 0], [0, 1]], np.float32),
        ),
        tokenizer=WORDS,
        config={"model": "np-mssg", "window": 5, "subsample": 0.0, "examples": 2},
        corpus={"tokens": 1090, "sentences": 1},
        training={"seconds": 1.0, "loss": 1.0, "threads": 1},
        read_examples=lambda first, end: [example_line(EXAMPLES), b"", b""][first:end],
    )
    return SenseModel(data)


def keys(model: SenseModel, word: str = "bank") -> list[str]:
    return [sense.key for sense in model.senses(word)]


def test_merged_senses_have_the_mean_by_counts_the_sum_of_counts_and_the_lowest_number(toy: SenseModel) -> None:
    model = toy.refine(merge=["bank#2+bank#4"])
    arrays = model._data.arrays
    arrays.check(3)
    assert keys(model) == ["bank#1", "bank#2", "bank#3"]
    assert arrays.sense_counts.tolist() == [400, 395, 200, 5, 50, 40]
    expected = (300 * np.array([VECTORS[1], CENTERS[1]]) + 95 * np.array([VECTORS[3], CENTERS[3]])) / 395
    np.testing.assert_allclose(model.vector("bank#2"), expected[0], rtol=1e-6)
    assert arrays.cluster_centers is not None
    np.testing.assert_allclose(arrays.cluster_centers[1], expected[1], rtol=1e-6)
    for key in ("bank#1", "bank#3", "money"):
        assert model.vector(key).tolist() == toy.vector(key).tolist()


def test_senses_stay_sorted_by_frequency_and_keep_their_numbers(toy: SenseModel) -> None:
    model = toy.refine(merge=[("bank#2", "bank#3")])
    assert [(s.key, s.number, s.count) for s in model.senses("bank")] == [
        ("bank#2", 2, 500), ("bank#1", 1, 400), ("bank#4", 4, 95),
    ]  # fmt: skip
    assert model.vector("bank#4").tolist() == toy.vector("bank#4").tolist()
    with pytest.raises(UnknownWord, match="'bank' has 3 senses: bank#2, bank#1, bank#4"):
        model.vector("bank#3")


def test_the_tokens_of_a_dropped_sense_are_counted_for_the_sense_with_the_nearest_center(toy: SenseModel) -> None:
    model = toy.refine(drop=["bank#2", "bank#3"])
    assert [(s.key, s.count) for s in model.senses("bank")] == [("bank#1", 600), ("bank#4", 395)]
    assert model.vector("bank#1").tolist() == toy.vector("bank#1").tolist()
    no_centers = SenseModel(replace(toy._data, arrays=replace(toy._data.arrays, cluster_centers=None)))
    assert [s.count for s in no_centers.refine(drop=["bank#2"]).senses("bank")] == [400, 395, 200]


def test_a_sense_that_is_not_shown_does_not_receive_the_tokens_of_a_dropped_one(toy: SenseModel) -> None:
    arrays = toy._data.arrays
    assert isinstance(arrays.cluster_centers, np.ndarray)
    arrays.cluster_centers[4] = arrays.cluster_centers[1]
    model = toy.refine(drop=["bank#2"])
    assert [(s.key, s.count) for s in model.senses("bank")] == [("bank#1", 400), ("bank#4", 395), ("bank#3", 200)]


def test_rare_senses_are_dropped_but_never_the_most_frequent_one(toy: SenseModel) -> None:
    assert [(s.key, s.count) for s in toy.refine(min_share=0.1).senses("bank")] == [
        ("bank#1", 405), ("bank#2", 395), ("bank#3", 200),
    ]  # fmt: skip
    assert keys(toy.refine(min_share=0.095)) == ["bank#1", "bank#2", "bank#3", "bank#4"]
    model = toy.refine(min_share=1)
    assert keys(model) == ["bank"]
    assert model.senses("bank")[0].count == 1000


def test_more_senses_are_merged_at_a_higher_separation(toy: SenseModel) -> None:
    assert keys(toy.refine(min_separation=0.0)) == ["bank#1", "bank#2", "bank#3", "bank#4"]
    assert keys(toy.refine(min_separation=0.5)) == ["bank#1", "bank#2"]
    assert keys(toy.refine(min_separation=2)) == ["bank"]


def test_a_word_without_tokens_is_not_refined(toy: SenseModel) -> None:
    arrays = replace(toy._data.arrays, sense_counts=np.zeros(7, np.int64))
    target, averaged = merge_targets(arrays, 1.0, 0.5)
    assert target.tolist() == list(range(7))
    assert averaged.all()
    merged = SenseModel(replace(toy._data, arrays=arrays)).refine(min_share=0.5, min_separation=0.5)
    assert len(merged.sense_vectors) == 7


def test_examples_of_merged_senses_are_joined_and_ranked_by_the_new_center(toy: SenseModel) -> None:
    money = toy.refine(merge=["bank#1+bank#3"]).senses("bank")
    assert [s.key for s in money] == ["bank#1", "bank#2", "bank#4"]
    assert [e.text for e in money[0].examples] == ["money bank money", "money bank river"]
    assert [e.text for e in money[2].examples] == [" bank river"]
    river = toy.refine(merge=["bank#4+bank#2+bank#3"], drop=["bank#1"]).senses("bank")
    assert [s.key for s in river] == ["bank"]
    # The center is [0.22, 0.6]: the contexts with the river alone are nearest, that of the more frequent sense first.
    assert river[0].examples == (Example("river ", "bank", ""), Example(" ", "bank", " river"))


def test_a_model_without_examples_can_be_refined(toy: SenseModel, tmp_path: Path) -> None:
    data = replace(toy._data, read_examples=lambda first, end: [b""] * (end - first))
    SenseModel(data).refine(merge=["bank#1+bank#3"]).save(tmp_path / "m")
    assert [s.examples for s in load(tmp_path / "m").senses("bank")] == [(), (), ()]


def test_the_original_model_is_not_changed(toy: SenseModel) -> None:
    before = {name: array.copy() for name, array in toy._data.arrays.to_dict().items()}
    senses = toy.senses("bank")
    toy.refine(min_separation=0.5, min_share=0.1, merge=["bank#1+bank#3"], drop=["bank#4"], labels={"bank#1": "money"})
    assert toy.senses("bank") == senses
    assert before.keys() == toy._data.arrays.to_dict().keys()
    assert all(np.array_equal(array, before[name]) for name, array in toy._data.arrays.to_dict().items())
    assert toy.refinements == ()


def test_without_options_a_model_stays_as_it_is(toy: SenseModel) -> None:
    model = toy.refine()
    assert model.senses("bank") == toy.senses("bank")
    assert model.refinements == ()
    assert model._data.arrays.sense_numbers is None


def test_all_queries_use_the_keys_of_a_model_with_gaps(toy: SenseModel) -> None:
    model = toy.refine(merge=["bank#1+bank#3"], drop=["bank#2"])
    assert keys(model) == ["bank#1", "bank#4"]
    assert [p.key for p in model.disambiguate("bank", "river bank").senses] == ["bank#1", "bank#4"]
    assert model.disambiguate("bank", "river bank").best.key == "bank#4"
    assert model.tag("Bank river\nmoney bank") == "Bank#4 river\nmoney bank#1"
    assert model.neighbours("river")[0].key == "bank#4"
    assert model.similarity("bank#4", "river").avg_sim == pytest.approx(1 / np.hypot(1, 0.2))
    assert [n.word for n in model.senses("bank")[1].neighbours(1)] == ["river"]
    assert "bank#4" in model
    assert "bank#2" not in model
    assert "bank#3" not in model
    spaces = SenseModel(replace(model._data, tokenizer=WHITESPACE))
    assert spaces.tag("bank river") == "bank#4 river"


def test_a_word_with_one_sense_left_has_the_word_as_its_key(toy: SenseModel) -> None:
    model = toy.refine(drop=["bank#1", "bank#2", "bank#4"])
    (sense,) = model.senses("bank")
    assert (sense.key, sense.number, sense.share) == ("bank", 3, 1)
    assert model.tag("river bank") == "river bank"
    assert model.vector("bank#3").tolist() == toy.vector("bank#3").tolist()
    with pytest.raises(UnknownWord, match="'bank' has 1 sense: bank"):
        model.vector("bank#1")


def test_a_refined_model_survives_saving_and_further_refining(toy: SenseModel, tmp_path: Path) -> None:
    model = toy.refine(merge=["bank#2+bank#4"], min_share=0.01, labels={"bank#2": "river bank", "money": "cash"})
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert loaded.senses("bank") == model.senses("bank")
    assert loaded.config == toy.config
    config = json.loads((tmp_path / "m" / "config.json").read_text())
    assert config["format_version"] == 2
    assert config["labels"] == {"bank#2": "river bank", "money": "cash"}
    options = "--min-share 0.01 --merge 'bank#2+bank#4' --label 'bank#2=river bank' money=cash"
    assert config["refinements"] == [options]
    assert f"- `{options}`" in (tmp_path / "m" / "README.md").read_text()

    again = loaded.refine(drop=["bank#1"])
    again.save(tmp_path / "m2")
    loaded = load(tmp_path / "m2")
    assert [(s.key, s.label) for s in loaded.senses("bank")] == [("bank#3", None), ("bank#2", "river bank")]
    assert loaded.senses("bank") == again.senses("bank")
    assert loaded._data.arrays.sense_numbers is not None
    assert loaded.refinements == (options, "--drop 'bank#1'")


def test_a_refined_model_can_replace_the_model_it_was_made_from(toy: SenseModel, tmp_path: Path) -> None:
    toy.save(tmp_path / "m")
    model = load(tmp_path / "m").refine(merge=["bank#1+bank#3"], drop=["bank#2"])
    senses = model.senses("bank")
    model.save(tmp_path / "m", force=True)
    assert model.senses("bank") == load(tmp_path / "m").senses("bank") == senses


def test_a_model_with_numbers_in_order_is_stored_as_before(toy: SenseModel, tmp_path: Path) -> None:
    toy.save(tmp_path / "a")
    toy.refine(drop=["bank#4"], min_share=0.01).save(tmp_path / "b")
    assert load(tmp_path / "b")._data.arrays.sense_numbers is None
    config = json.loads((tmp_path / "a" / "config.json").read_text())
    assert not config.keys() & {"labels", "refinements"}
    assert "Refined" not in (tmp_path / "a" / "README.md").read_text()


@pytest.mark.parametrize("numbers", [[1, 2, 3, 3, 5, 1, 1], [0, 1, 2, 3, 4, 1, 1], [1, 2, 3]])
def test_invalid_sense_numbers_are_refused(toy: SenseModel, numbers: list[int]) -> None:
    with pytest.raises(ModelError, match="sense_numbers"):
        replace(toy._data.arrays, sense_numbers=np.array(numbers, np.int32)).check(3)


def test_labels_stay_with_their_numbers(toy: SenseModel) -> None:
    model = toy.refine(labels={"bank#1": "money", "bank#2": "river\n bank ", "Bank#3": "blood"})
    assert [s.label for s in model.senses("bank")] == ["money", "river bank", "blood", None]
    assert keys(model) == keys(toy)
    merged = model.refine(merge=["bank#2+bank#3"])
    assert [(s.key, s.label) for s in merged.senses("bank")] == [
        ("bank#2", "river bank"), ("bank#1", "money"), ("bank#4", None),
    ]  # fmt: skip
    assert [s.label for s in model.refine(drop=["bank#1"]).senses("bank")] == ["blood", "river bank", None]
    assert model.refine(labels={"bank#2": "shore"}).senses("bank")[1].label == "shore"
    single = model.refine(merge=["bank#1+bank#2+bank#3+bank#4"])
    assert [(s.key, s.label) for s in single.senses("bank")] == [("bank", "money")]
    assert single.refine(labels={"bank": "all"}).senses("bank")[0].label == "all"
    assert toy.refine(min_separation=2, labels={"bank": "all"}).senses("bank")[0].label == "all"


def test_words_may_contain_a_plus(toy: SenseModel) -> None:
    data = replace(toy._data, vocabulary=Vocabulary(["c++", "money", "river"], np.array([1000, 50, 40])))
    model = SenseModel(replace(data, tokenizer=WHITESPACE)).refine(merge=["c++#1+c++#3"])
    assert keys(model, "c++") == ["c++#1", "c++#2", "c++#4"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"drop": ["bnak#1"]}, UnknownWord, "'bnak#1' is not among the 3 words"),
        ({"drop": ["bank#9"]}, UnknownWord, "'bank' has 4 senses: bank#1, bank#2, bank#3, bank#4."),
        ({"drop": ["bank#5"]}, UnknownWord, "'bank' has 4 senses"),
        ({"labels": {"bank#9": "x"}}, UnknownWord, "'bank' has 4 senses"),
        ({"drop": ["bank"]}, ConfigError, "'bank' has 4 senses: bank#1, bank#2, bank#3, bank#4. Name one of them"),
        ({"labels": {"bank": "x"}}, ConfigError, "'bank' has 4 senses"),
        ({"drop": ["bank#1", "Bank#1"]}, ConfigError, "'bank#1' is named twice"),
        ({"merge": ["bank#1+bank#1"]}, ConfigError, "'bank#1' is named twice"),
        ({"merge": ["bank#1+bank#2", "bank#2+bank#3"]}, ConfigError, "'bank#2' is named twice"),
        ({"merge": ["bank#1+bank#2"], "drop": ["bank#2"]}, ConfigError, "'bank#2' is named twice"),
        ({"merge": ["bank#1+money"]}, ConfigError, "senses of different words: bank#1+money"),
        ({"merge": ["bank#1"]}, ConfigError, "two or more senses, such as bank#1+bank#3, not 'bank#1'"),
        ({"merge": [()]}, ConfigError, "two or more senses"),
        ({"drop": ["money"]}, ConfigError, "--drop cannot remove the last sense of a word: 'money' has 1 sense: money"),
        ({"drop": ["bank#1", "bank#2", "bank#3", "bank#4"]}, ConfigError, "cannot remove the last sense of a word"),
        ({"labels": {"bank#2": " "}}, ConfigError, "the label of 'bank#2' is empty"),
        ({"labels": {"bank#2": "x", "Bank#2": "y"}}, ConfigError, "'Bank#2' is labelled twice"),
        ({"drop": ["bank#2"], "labels": {"bank#2": "x"}}, ConfigError, "'bank#2' is merged or dropped; label another"),
        ({"merge": ["bank#1+bank#2"], "labels": {"bank#2": "x"}}, ConfigError, "'bank#2' is merged or dropped"),
        ({"min_separation": -0.1}, ConfigError, "--min-separation must be between 0 and 2, not -0.1."),
        ({"min_separation": float("nan")}, ConfigError, "--min-separation must be between 0 and 2, not nan."),
        ({"min_share": 5}, ConfigError, "--min-share must be between 0 and 1, not 5."),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(
    toy: SenseModel, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        toy.refine(**options)


def test_separation_needs_centers_of_contexts(toy: SenseModel) -> None:
    maxout = SenseModel(replace(toy._data, config={**toy.config, "model": "mssg-maxout"}))
    none = SenseModel(replace(toy._data, arrays=replace(toy._data.arrays, cluster_centers=None)))
    for model in (maxout, none):
        with pytest.raises(ConfigError, match="--min-separation needs cluster centers, which .* does not have"):
            model.refine(min_separation=0.5)
