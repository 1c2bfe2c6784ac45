"""TrainConfig: recipes, invalid settings, and the typed keyword arguments of `train`."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from polyseme.errors import ConfigError
from polyseme.model.disambiguation import Posterior
from polyseme.training.config import RECIPES, PosteriorName, TrainConfig, TrainSettings, make_config


def test_the_paper_recipe_resolves_to_these_settings() -> None:
    assert make_config("paper").to_dict() == {
        "model": "np-mssg",
        "dim": 300,
        "window": 5,
        "output_vectors": "sense",
        "examples": 5,
        "senses": 3,
        "max_senses": 10,
        "min_separation": 0.54,  # without effect, as there is no clustering
        "new_sense_threshold": -0.5,
        "sense_window": 0,
        "sense_decay": 1.0,
        "whitening": 0.0,
        "sense_dim": 64,  # without effect, as there is no whitening
        "sense_init": "zero",
        "warmup": 0.0,
        "multi_sense_top": 6_000,
        "multi_sense_min_count": 20,
        "multi_sense_words": None,
        "posterior": "inverse-distance",
        "min_share": 0.0,
        "epochs": 1,
        "negatives": 1,
        "max_negatives": 10**6,
        "negative_sharing": 1,
        "learning_rate": 0.025,
        "optimizer": "adagrad",
        "adagrad_delta": 0.1,
        "min_count": 20,
        "max_vocabulary": None,
        "subsample": 1e-3,
        "phrases": False,
        "phrase_threshold": 0.5,  # without effect, as there are no phrases
        "phrase_min_count": 10,
        "phrase_passes": 2,
        "threads": 0,
        "seed": 1,
    }


def test_the_posteriors_of_the_settings_are_those_of_queries() -> None:
    assert get_args(PosteriorName) == get_args(Posterior)


def test_given_settings_replace_those_of_the_recipe() -> None:
    assert make_config("paper", negatives=5).negatives == 5


@pytest.mark.parametrize("recipe", ["default", "paper"])
def test_senses_are_discovered_unless_their_number_is_given(recipe: str) -> None:
    assert make_config(recipe).model == "np-mssg"
    assert make_config(recipe, senses=3).model == "mssg"
    assert make_config(recipe, senses=3, model="mssg-maxout").model == "mssg-maxout"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("dim", 0, "--dim must be between 1 and 10000, not 0"),
        ("senses", 0, "--senses must be between 1 and 100, not 0"),
        ("threads", -1, "--threads must be between 0 and 1024, not -1"),
        ("learning_rate", float("nan"), "--learning-rate must be a number, not nan"),
        ("min_count", 0, "--min-count must be between 1 and 1000000000000, not 0"),
        ("dim", "100", "--dim must be a whole number, not '100'"),
        ("dim", 2.5, "--dim must be a whole number, not 2.5"),
        ("epochs", 2.0, "--epochs must be a whole number, not 2.0"),
        ("multi_sense_words", "list.txt", "must be a collection of words"),
        ("model", "glove", "--model must be one of skip-gram, mssg, np-mssg, mssg-maxout, random-senses, not 'glove'"),
        ("dims", 3, r"'dims' is not a setting; the settings are: adagrad_delta.* Closest: dim\.$"),
    ],
)
def test_invalid_settings_are_refused_in_one_sentence(name: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_config(**{name: value})  # type: ignore[arg-type]


def test_an_unknown_recipe_is_refused() -> None:
    with pytest.raises(ConfigError, match="recipe 'mine' is unknown; choose default or paper"):
        make_config("mine")


def test_a_config_survives_a_round_trip_through_json() -> None:
    config = make_config(multi_sense_words=("bank", "bass"), dim=7)
    assert TrainConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dim": None}, "missing settings: dim$"),
        ({"same_sense_cosine": 0.1}, "unknown settings, perhaps of a newer version: same_sense_cosine$"),
    ],
)
def test_settings_of_another_version_are_refused(change: dict[str, float | None], message: str) -> None:
    values = {name: value for name, value in (make_config().to_dict() | change).items() if value is not None}
    values |= {"subsample": None, "max_vocabulary": None, "multi_sense_words": None}
    with pytest.raises(ConfigError, match=message):
        TrainConfig.from_dict(values)


def test_numpy_numbers_become_python_numbers() -> None:
    config = make_config(dim=np.int64(7), learning_rate=np.float32(0.5), multi_sense_words=["bank"])
    assert (type(config.dim), type(config.learning_rate)) == (int, float)
    assert config.multi_sense_words == ("bank",)


@pytest.mark.parametrize(
    ("tokens", "expected"), [(0, 1e-3), (1000, 1e-3), (4_000_000, 5e-4), (20_000_000, 1e-4), (10**9, 1e-4)]
)
def test_the_automatic_subsampling_threshold_falls_with_the_size_of_the_corpus(tokens: int, expected: float) -> None:
    assert make_config().subsample_for(tokens) == pytest.approx(expected)
    assert make_config(subsample=0.02).subsample_for(tokens) == 0.02
    assert make_config("paper").subsample_for(tokens) == 1e-3


def test_only_optional_settings_can_be_none() -> None:
    assert make_config(subsample=None, max_vocabulary=None).subsample is None
    with pytest.raises(ConfigError, match="--dim must be a whole number, not None"):
        make_config(dim=None)


def test_the_keyword_arguments_of_train_have_the_names_and_types_of_the_config() -> None:
    config_types: dict[str, Any] = get_type_hints(TrainConfig)
    assert list(get_type_hints(TrainSettings).items()) == list(config_types.items())
    assert not TrainSettings.__required_keys__


def test_recipes_are_valid() -> None:
    assert set(RECIPES["paper"]) <= {f.name for f in fields(TrainConfig)}
    assert make_config("paper") != make_config("default") == TrainConfig()


def test_each_setting_has_a_group_and_a_help_text() -> None:
    groups = [f.metadata["group"] for f in fields(TrainConfig)]
    assert list(dict.fromkeys(groups)) == ["model", "senses", "optimisation", "vocabulary", "run"]
    assert groups == sorted(groups, key=list(dict.fromkeys(groups)).index)
    assert all(f.metadata["help"].endswith(".") for f in fields(TrainConfig))
    assert sum(f.metadata["common"] for f in fields(TrainConfig)) == 9  # the tenth common option is --recipe
