"""Settings that have no effect in combination with another setting: refused if the caller gave them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from polyseme.errors import ConfigError, shorten
from polyseme.training.config import RECIPES, TrainConfig, option_name


class NoEffect(NamedTuple):
    """`settings` have no effect if `other` has one of `values`, or without `values`, if `other` is set at all."""

    settings: tuple[str, ...]
    other: str
    values: tuple[Any, ...]
    advice: str  # what to type instead
    only: str | None = None  # the rule holds for this value of the settings alone


MAX_WORKERS = 10_000

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
    NoEffect(("phrase_threshold", "phrase_min_count", "phrase_passes"), "phrases", (False,), "add --phrases"),
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
                other_option = option_name(rule.other)
                case = f"without {other_option}" if other is False else f"with {other_option}{value}"
                raise ConfigError(f"{option} has no effect {case}; {rule.advice}.")


def refuse_without_cluster(workers: int | None, ray_address: str | None) -> None:
    """Raise ConfigError if the number of workers is missing or not valid."""
    if workers is None:
        raise ConfigError(f"--ray-address {shorten(ray_address)} has no effect without --workers; add --workers N.")
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= MAX_WORKERS:
        raise ConfigError(f"--workers must be a whole number from 1 to {MAX_WORKERS:,}, not {shorten(workers)}.")


def refuse_on_cluster(
    config: TrainConfig, init: object, recipe: str | None = None, given: Collection[str] = ()
) -> None:
    """Raise ConfigError, which names all options at fault, if workers cannot train with these settings.

    recipe  that `config` was made with, if any; it is named instead of settings that are not in `given`
    """
    found = list(_problems_on_cluster(config, init))
    if not found:
        return
    of_recipe = RECIPES[recipe or "default"].keys() - set(given)
    # As keys of a dictionary, each is named once.
    options = list({f"--recipe {recipe}" if setting in of_recipe else option: None for setting, option, _ in found})
    reasons = list({reason: None for _, _, reason in found})
    these = "this option" if len(options) == 1 else "these options"
    raise ConfigError(
        f"--workers cannot be combined with {' and '.join(options)}: {'; '.join(reasons)}. "
        f"Leave {these} out, or train without --workers."
    )


def _problems_on_cluster(config: TrainConfig, init: object) -> Iterator[tuple[str, str, str]]:
    """The settings that workers cannot train with: name, option with its value, and reason.

    A sense needs the same number on all workers. It has that if senses are set by clusters on the driver, but not if
    each worker makes them as it goes along its own part of the text.
    """
    different = "sense k of one worker would not be sense k of another"
    online = f"senses would be created during training, by each worker for itself, and {different}"
    if init is not None:
        yield "init", "--init", "continued training has not been adapted to it"
    if config.model == "mssg-maxout":
        yield "model", "--model mssg-maxout", different
    if config.model in ("mssg", "np-mssg"):
        if config.warmup == 0:
            yield "warmup", "--warmup 0", online
        if config.sense_init != "clusters":
            yield "sense_init", f"--sense-init {config.sense_init}", online
        if config.model == "np-mssg" and config.new_sense_threshold > -1:
            yield "new_sense_threshold", f"--new-sense-threshold {config.new_sense_threshold:g}", online
    if config.optimizer == "adagrad":
        yield "optimizer", "--optimizer adagrad", "the sums of squares of AdaGrad cannot be merged like vectors"
