"""The models that the experiments need, in the order in which they are trained: the most important rows first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.experiments.corpora import NamedCorpus
from polyseme.experiments.paper import MULTI_SENSE_WORDS, MULTI_SENSE_WORDS_TABLE_6
from polyseme.training.config import RecipeName, TrainConfig, make_config
from polyseme.vocabulary import Vocabulary

NAMES = {"skip-gram": "Skip-gram", "mssg": "MSSG", "np-mssg": "NP-MSSG"}
RECIPES: tuple[RecipeName, ...] = ("paper", "default")  # the paper's first: it is compared with the paper's numbers
TOP_30000, RANDOM, ONE_SENSE = "30,000 words", "random senses", "One sense, as many parameters"
TFIDF = "TF-IDF"


@dataclass(frozen=True)
class Profile:
    """The size of the experiments: tables have models of both `dims`, figures vary the dimension and the senses."""

    dims: tuple[int, int] = (50, 300)
    figure_dims: tuple[int, ...] = (50, 100, 200, 300, 400)
    figure_senses: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    huang_senses: tuple[int, ...] = (3, 10)
    seeds: tuple[int, ...] = (1, 2, 3)
    max_tokens: int | None = None


PROFILES = {"quick": Profile(seeds=(1,), max_tokens=2_000_000), "full": Profile()}


@dataclass(frozen=True)
class Run:
    """A model to train, or a baseline.

    label     its name in tables, without recipe and seed
    settings  those that differ from the recipe's
    detailed  whether analogies and neighbours are evaluated too, which takes longer
    """

    label: str
    recipe: RecipeName
    seed: int
    settings: dict[str, Any] = field(hash=False)
    kind: Literal["train", "two-stage", "tf-idf"] = "train"
    detailed: bool = False

    @property
    def name(self) -> str:
        """Its file name."""
        return re.sub(r"[^a-z0-9]+", "-", f"{self.label} {self.recipe} seed {self.seed}".lower())

    @property
    def config(self) -> TrainConfig:
        return make_config(self.recipe, examples=0, seed=self.seed, **self.settings)


@dataclass(frozen=True)
class Task:
    """A run on a corpus."""

    corpus: NamedCorpus
    run: Run

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies a row of a table; it is the same for all seeds."""
        return self.corpus.name, self.run.label, self.run.recipe


def make_plan(profile: Profile, corpora: Sequence[NamedCorpus], seeds: Sequence[int], threads: int) -> list[Task]:
    """All runs, the most important first.

    The first corpus has all rows and figures, the others the models and controls of the higher dimension. The models of
    the tables have all seeds; their controls, Table 6, baselines and figures have the first.
    """
    first, low, high = corpora[0], *profile.dims
    seed, others = seeds[0], seeds[1:]
    tasks = [
        Task(corpus, run) for corpus in corpora for run in (*_main(high, seed), *_controls(high, seed, corpus.corpus))
    ]
    runs = [*_top_30000(high, seed), *_main(low, seed), *_baselines(profile, seed), *_figures(profile, seed)]
    runs += [run for other in others for dim in (high, low) for run in _main(dim, other)]
    tasks += [Task(first, run) for run in runs]
    tasks += [Task(corpus, run) for other in others for corpus in corpora[1:] for run in _main(high, other)]
    unique: dict[tuple[object, int], Task] = {}
    for task in tasks:
        run = replace(task.run, settings={**task.run.settings, "threads": threads})
        unique.setdefault((task.key, run.seed), Task(task.corpus, run))
    return list(unique.values())


def main_run(model: str, dim: int, recipe: RecipeName, seed: int, *, detailed: bool = False) -> Run:
    """A model of Tables 1 to 5."""
    return Run(f"{NAMES[model]} {dim}d", recipe, seed, {"model": model, "dim": dim}, detailed=detailed)


def _main(dim: int, seed: int) -> Iterable[Run]:
    models = ("mssg", "np-mssg", "skip-gram")
    return [main_run(model, dim, recipe, seed, detailed=True) for recipe in RECIPES for model in models]


def _top_30000(dim: int, seed: int) -> Iterable[Run]:
    """Table 6. The default recipe always has several senses for up to 30,000 words."""
    for model in ("mssg", "np-mssg"):
        settings = {"model": model, "dim": dim, "multi_sense_top": MULTI_SENSE_WORDS_TABLE_6}
        yield Run(f"{NAMES[model]} {dim}d, {TOP_30000}", "paper", seed, settings)


def _controls(dim: int, seed: int, corpus: EncodedCorpus) -> Iterable[Run]:
    yield Run(f"MSSG {dim}d, {RANDOM}", "default", seed, {"model": "random-senses", "dim": dim})
    mssg = main_run("mssg", dim, "default", seed).config
    equal = dim_with_equal_parameters(mssg, corpus)
    yield Run(f"{ONE_SENSE} as MSSG {dim}d", "default", seed, {"model": "skip-gram", "dim": equal})


def _baselines(profile: Profile, seed: int) -> Iterable[Run]:
    dim = profile.dims[0]
    for senses in profile.huang_senses:
        settings = {"model": "skip-gram", "dim": dim, "senses": senses, "multi_sense_top": MULTI_SENSE_WORDS}
        yield Run(huang_label(dim, senses), "default", seed, settings, kind="two-stage", detailed=True)
    yield Run(TFIDF, "default", seed, {}, kind="tf-idf")


def huang_label(dim: int, senses: int) -> str:
    return f"Huang-style {dim}d, {senses} senses"


def _figures(profile: Profile, seed: int) -> Iterable[Run]:
    for recipe in RECIPES:
        for senses in profile.figure_senses:
            yield by_senses(profile.dims[0], senses, recipe, seed)
        for dim in profile.figure_dims:
            yield main_run("mssg", dim, recipe, seed)


def by_senses(dim: int, senses: int, recipe: RecipeName, seed: int) -> Run:
    """A run of the figure that varies the number of senses; with one sense, MSSG is Skip-gram."""
    if senses == 1:
        return main_run("skip-gram", dim, recipe, seed)
    default = make_config(recipe).senses
    variant = "" if senses == default else f", {senses} senses"
    return Run(f"MSSG {dim}d{variant}", recipe, seed, {"model": "mssg", "dim": dim, "senses": senses})


def dim_with_equal_parameters(config: TrainConfig, corpus: EncodedCorpus) -> int:
    """The dimension at which skip-gram has as many parameters as the mssg model of a config."""
    vocabulary = vocabulary_of(config, corpus)
    num_multi_sense = int(config.may_have_several_senses(vocabulary).sum())
    num_senses = len(vocabulary) + num_multi_sense * (config.senses - 1)
    return round(config.dim * (len(vocabulary) + num_senses) / (2 * len(vocabulary)))


def vocabulary_of(config: TrainConfig, corpus: EncodedCorpus) -> Vocabulary:
    """The vocabulary that training with a config on a corpus has."""
    return Vocabulary.from_counts(
        corpus.words, corpus.counts, min_count=config.min_count, max_size=config.max_vocabulary
    )
