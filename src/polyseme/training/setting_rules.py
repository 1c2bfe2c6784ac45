"""Settings that have no effect in combination with another setting: refused if the caller gave them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from polyseme.errors import ConfigError
from polyseme.training.config import TrainConfig, option_name


class NoEffect(NamedTuple):
    """`settings` have no effect if `other` has one of `values`, or without `values`, if `other` is set at all."""

    settings: tuple[str, ...]
    other: str
    values: tuple[Any, ...]
    advice: str  # what to type instead
    only: str | None = None  # the rule holds for this value of the settings alone


OF_SENSES = (
    "senses", "sense_init", "warmup", "multi_sense_top", "multi_sense_min_count", "multi_sense_words", "posterior",
    "min_share",
)  # fmt: skip
OF_DISCOVERY = ("max_senses", "min_separation", "new_sense_threshold")

NO_EFFECT = (
    NoEffect(("senses",), "model", ("np-mssg",), "use --max-senses instead, or choose --model mssg"),
    NoEffect(OF_DISCOVERY, "model", ("skip-gram", "mssg", "mssg-maxout", "random-senses"), "choose --model np-mssg"),
    NoEffect(OF_SENSES, "model", ("skip-gram",), "choose a model with several senses, such as mssg"),
    NoEffect(("whitening", "sense_dim"), "model", ("skip-gram", "mssg-maxout"), "choose --model mssg or np-mssg"),
    NoEffect(("sense_init",), "model", ("mssg-maxout", "random-senses"), "choose --model mssg or np-mssg"),
    NoEffect(("sense_dim",), "whitening", (0.0,), "set --whitening above 0"),
    NoEffect(("min_separation",), "sense_init", ("contexts", "zero"), "choose --sense-init clusters"),
    NoEffect(("min_separation",), "warmup", (0.0,), "set --warmup above 0"),
    NoEffect(("sense_init",), "warmup", (0.0,), "set --warmup above 0", only="clusters"),
    NoEffect(("adagrad_delta",), "optimizer", ("sgd",), "choose --optimizer adagrad"),
    NoEffect(("multi_sense_top", "multi_sense_min_count"), "multi_sense_words", (), "give one of the two"),
)


def refuse_no_effect(config: TrainConfig, given: Mapping[str, Any]) -> None:
    """Raise ConfigError if one of the given settings has no effect in `config`. A value of None counts as not given."""
    for rule in NO_EFFECT:
        other = getattr(config, rule.other)
        if other is None or (rule.values and other not in rule.values):
            continue
        for name in rule.settings:
            if given.get(name) is not None and rule.only in (None, given[name]):
                option = option_name(name) + (f" {rule.only}" if rule.only else "")
                value = "" if not rule.values else f" {other:g}" if isinstance(other, float) else f" {other}"
                raise ConfigError(f"{option} has no effect with {option_name(rule.other)}{value}; {rule.advice}.")
