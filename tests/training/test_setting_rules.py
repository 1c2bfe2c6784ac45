"""Settings without effect: refused if the caller gave them, and really without effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import TrainConfig, train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import ConfigError
from polyseme.training.config import make_config
from polyseme.training.setting_rules import NO_EFFECT, refuse_no_effect, refuse_on_cluster, refuse_without_cluster
from tests.conftest import MODELS


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"model": "np-mssg", "senses": 5},
            "--senses has no effect with --model np-mssg; use --max-senses instead, or",
        ),
        ({"model": "skip-gram", "senses": 3}, "--senses has no effect with --model skip-gram; choose a model with"),
        ({"model": "mssg", "max_senses": 5}, "--max-senses has no effect with --model mssg; choose --model np-mssg."),
        ({"senses": 3, "max_senses": 5}, "--max-senses has no effect with --model mssg; choose --model np-mssg."),
        ({"model": "mssg", "min_separation": 0.3}, "--min-separation has no effect with --model mssg"),
        ({"model": "mssg-maxout", "new_sense_threshold": 0.3}, "--new-sense-threshold has no effect with --model"),
        ({"adagrad_delta": 0.1}, "--adagrad-delta has no effect with --optimizer sgd; choose --optimizer adagrad."),
        ({"model": "skip-gram", "warmup": 0.4}, "--warmup has no effect with --model skip-gram"),
        ({"model": "skip-gram", "whitening": 0.4}, "--whitening has no effect with --model skip-gram"),
        ({"model": "mssg-maxout", "whitening": 0.4}, "--whitening has no effect with --model mssg-maxout"),
        ({"model": "skip-gram", "sense_dim": 4}, "--sense-dim has no effect with --model skip-gram"),
        ({"model": "skip-gram", "sense_init": "zero"}, "--sense-init has no effect with --model skip-gram"),
        ({"model": "random-senses", "sense_init": "zero"}, "--sense-init has no effect with --model random-senses"),
        ({"model": "skip-gram", "multi_sense_top": 9}, "--multi-sense-top has no effect with --model skip-gram"),
        ({"model": "skip-gram", "multi_sense_words": ("a",)}, "--multi-sense-words has no effect with --model skip"),
        ({"whitening": 0.0, "sense_dim": 9}, "--sense-dim has no effect with --whitening 0"),
        (
            {"multi_sense_words": ("a",), "multi_sense_top": 9},
            "--multi-sense-top has no effect with --multi-sense-words;",
        ),
        (
            {"multi_sense_words": ("a",), "multi_sense_min_count": 9},
            "--multi-sense-min-count has no effect with --multi-sense-words; give one of the two.",
        ),
        ({"model": "np-mssg", "min_separation": 0.3, "warmup": 0.0}, "--min-separation has no effect with --warmup 0"),
        (
            {"model": "np-mssg", "min_separation": 0.3, "sense_init": "contexts"},
            "--min-separation has no effect with --sense-init contexts; choose --sense-init clusters.",
        ),
        ({"sense_init": "clusters", "warmup": 0.0}, "--sense-init clusters has no effect with --warmup 0"),
    ],
)
def test_a_given_setting_without_effect_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        train("no-corpus.txt", **given)
    assert "\n" not in str(error.value)


def test_a_setting_of_the_recipe_can_make_a_given_one_ineffective() -> None:
    with pytest.raises(ConfigError, match="--sense-dim has no effect with --whitening 0"):
        train("no-corpus.txt", recipe="paper", sense_dim=32)


@pytest.mark.parametrize(
    "given",
    [
        {"max_senses": 5, "min_separation": 0.3},
        {"senses": 3, "warmup": 0.1},
        {"model": "random-senses", "senses": 2, "whitening": 0.5, "sense_dim": 8},
        {"whitening": 0.0, "sense_window": 9, "sense_decay": 0.9},  # queries read both
        {"model": "mssg-maxout", "senses": 2, "warmup": 0.1},
        {"optimizer": "adagrad", "adagrad_delta": 0.1},
        {"sense_init": "contexts", "warmup": 0.0},
        {"model": "skip-gram", "multi_sense_words": None},
    ],
)
def test_settings_with_effect_are_accepted(given: dict[str, Any]) -> None:
    refuse_no_effect(make_config(**given), given)


@pytest.mark.parametrize("model", MODELS)
def test_recipes_can_carry_settings_without_effect(model: str) -> None:
    for recipe in ("default", "paper"):
        refuse_no_effect(make_config(recipe, model=model), {"model": model})


def test_a_config_object_can_carry_settings_without_effect(planted_text: Path) -> None:
    config = TrainConfig(model="skip-gram", senses=5, warmup=0.2, dim=4, epochs=1, examples=0)
    assert train(planted_text, config=config).config["senses"] == 5


@pytest.fixture(scope="module")
def corpus(planted_text: Path, tmp_path_factory: pytest.TempPathFactory) -> EncodedCorpus:
    return encode(find_sources(planted_text), get_tokenizer("words"), tmp_path_factory.mktemp("corpus") / "encoded")


# Values other than the defaults.
OTHER_VALUES: dict[str, Any] = {
    "senses": 2, "max_senses": 2, "min_separation": 1.5, "new_sense_threshold": 0.9, "adagrad_delta": 0.5,
    "warmup": 0.1, "whitening": 0.3, "sense_dim": 3, "sense_init": "contexts", "multi_sense_top": 20,
    "multi_sense_min_count": 200,
}  # fmt: skip
CASES = [
    pytest.param({rule.other: value}, name, id=f"{name}-{value}")
    for rule in NO_EFFECT
    for name in rule.settings
    for value in rule.values
    if name in OTHER_VALUES and rule.only is None
]


@pytest.mark.parametrize(("other", "name"), CASES)
def test_a_refused_setting_has_no_effect(other: dict[str, Any], name: str, corpus: EncodedCorpus) -> None:
    base = {"model": "np-mssg", "dim": 6, "epochs": 1, "threads": 1, "examples": 0, **other}
    one, two = (
        train(corpus, config=make_config(**{**base, **changed}))._data.arrays.to_dict()
        for changed in ({}, {name: OTHER_VALUES[name]})
    )
    assert one.keys() == two.keys()
    for array in one:
        np.testing.assert_array_equal(one[array], two[array], err_msg=array)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"optimizer": "adagrad"}, "--optimizer adagrad: the sums of squares of AdaGrad cannot be merged"),
        ({"warmup": 0.0}, "--warmup 0: senses would be created during training"),
        ({"sense_init": "contexts", "senses": 2}, "--sense-init contexts: senses would be created during training"),
        ({"new_sense_threshold": -0.5}, "--new-sense-threshold -0.5: senses would be created during training"),
        ({"model": "mssg-maxout"}, "--model mssg-maxout: sense k of one worker would not be sense k of another"),
        ({"init": "old.model"}, "--init: continued training .* Leave this option out, or train without --workers.$"),
        (
            {"warmup": 0.0, "sense_init": "zero", "optimizer": "adagrad"},
            "--warmup 0 and --sense-init zero and --optimizer adagrad: senses .* another; the sums of squares of "
            "AdaGrad .*. Leave these options out",
        ),
        ({"recipe": "paper"}, "--recipe paper: senses would be created during training.*; the sums of squares"),
        ({"recipe": "paper", "optimizer": "sgd"}, "--recipe paper: senses would be created during training, [^;]*$"),
        ({"recipe": "paper", "warmup": 0.0}, "--warmup 0 and --recipe paper: senses would be created"),
        ({"recipe": "paper", "model": "skip-gram"}, "--recipe paper: the sums of squares of AdaGrad"),
    ],
)
def test_settings_that_workers_cannot_train_with_are_refused(settings: dict[str, Any], message: str) -> None:
    init, recipe = settings.pop("init", None), settings.pop("recipe", None)
    with pytest.raises(ConfigError, match=f"^--workers cannot be combined with {message}"):
        refuse_on_cluster(make_config(recipe or "default", **settings), init, recipe, settings)


def test_the_options_of_a_recipe_that_workers_can_train_with_are_accepted() -> None:
    given: dict[str, Any] = {"model": "mssg", "optimizer": "sgd", "warmup": 0.2, "sense_init": "clusters"}
    refuse_on_cluster(make_config("paper", **given), None, "paper", given)


def test_a_recipe_that_workers_cannot_train_with_is_refused_in_one_message() -> None:
    with pytest.raises(ConfigError, match="--workers cannot be combined with --recipe paper: "):
        train("no-corpus.txt", recipe="paper", workers=2, dim=8)


@pytest.mark.parametrize("model", ["skip-gram", "mssg", "np-mssg", "random-senses"])
def test_workers_train_every_other_model(model: str) -> None:
    refuse_on_cluster(make_config(model=model), None)


@pytest.mark.parametrize("workers", [0, -1, 10**6, True, 1.5])
def test_the_number_of_workers_is_checked(workers: Any) -> None:
    with pytest.raises(ConfigError, match="--workers must be a whole number from 1 to 10,000, not"):
        refuse_without_cluster(workers, None)


def test_an_address_without_workers_is_refused() -> None:
    with pytest.raises(ConfigError, match="--ray-address auto has no effect without --workers; add --workers N"):
        refuse_without_cluster(None, "auto")
