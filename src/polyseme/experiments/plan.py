"""Which models the experiments need, and training each of them once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.errors import OutputExists
from polyseme.experiments.two_stage import learn_two_stage
from polyseme.model import storage
from polyseme.model.sense_model import SenseModel
from polyseme.training.config import TrainConfig, make_config
from polyseme.training.events import Listener, silent
from polyseme.training.run import train
from polyseme.vocabulary import Vocabulary

FEW_WORDS, MANY_WORDS = 6_000, 30_000  # words of several senses in the paper's two settings
DISCOVERING = ("max_senses", "min_separation", "new_sense_threshold")  # settings of np-mssg alone
NAMES = {"skip-gram": "Skip-gram", "mssg": "MSSG", "np-mssg": "NP-MSSG"}


@dataclass(frozen=True)
class Profile:
    """How much is run. Tables are made for `dims`; one figure goes over dimensions, one over numbers of senses."""

    dims: tuple[int, int] = (50, 300)
    figure_dims: tuple[int, ...] = (50, 100, 300)
    figure_senses: tuple[int, ...] = (1, 2, 3, 5)
    figure_dim: int = 50  # of the figure over numbers of senses
    epochs: int = 5


PROFILES = {
    "quick": Profile(),
    "full": Profile(epochs=3),
}


@dataclass(frozen=True)
class Run:
    """A model to train: `label` in tables, `name` on disk."""

    label: str
    settings: dict[str, Any] = field(hash=False)
    recipe: str = "default"
    two_stage: bool = False

    @property
    def name(self) -> str:
        return self.label.lower().replace(" ", "-").replace(",", "").replace("'", "")

    @property
    def config(self) -> TrainConfig:
        return make_config(self.recipe, examples=0, **self.settings)


@dataclass(frozen=True)
class Plan:
    """The runs, by the part they play."""

    main: list[Run]
    paper: list[Run]
    many_words: list[Run]
    controls: list[Run]
    two_stage: Run
    by_dim: list[Run]
    by_senses: list[Run]

    @property
    def every(self) -> list[Run]:
        """Each run once."""
        runs = [
            *self.main,
            *self.paper,
            *self.many_words,
            *self.controls,
            self.two_stage,
            *self.by_dim,
            *self.by_senses,
        ]
        return list({run.label: run for run in runs}.values())


def make_plan(profile: Profile, corpus: EncodedCorpus, seed: int, threads: int) -> Plan:
    """The runs of a profile on a corpus: its vocabulary decides how wide a control of as many parameters is."""
    common = {"epochs": profile.epochs, "seed": seed, "threads": threads, "multi_sense_top": FEW_WORDS}
    low, high = profile.dims

    def ours(model: str, dim: int, note: str = "", **more: Any) -> Run:
        return Run(f"{NAMES[model]} {dim}d{note}", {**common, "model": model, "dim": dim, **more})

    def papers(model: str, dim: int) -> Run:
        settings = {**common, "model": model, "dim": dim, "epochs": 1}
        return Run(f"{NAMES[model]} {dim}d, paper's recipe", settings, "paper")

    wide = parameters_alike(ours("mssg", high).config, corpus)
    return Plan(
        main=[ours(model, dim) for dim in (low, high) for model in NAMES],
        paper=[papers(model, dim) for dim in (low, high) for model in NAMES],
        many_words=[ours(model, high, ", 30,000 words", multi_sense_top=MANY_WORDS) for model in ("mssg", "np-mssg")],
        controls=[
            Run(f"MSSG {high}d, random senses", {**common, "model": "random-senses", "dim": high}),
            ours("skip-gram", wide, ", as many parameters"),
        ],
        two_stage=Run(f"Huang-style {low}d", {**common, "model": "skip-gram", "dim": low}, two_stage=True),
        by_dim=[ours("mssg", dim) for dim in profile.figure_dims],
        by_senses=[
            ours("skip-gram", profile.figure_dim)
            if senses == 1
            else ours("mssg", profile.figure_dim, "" if senses == 3 else f", {senses} senses", senses=senses)
            for senses in profile.figure_senses
        ],
    )


def parameters_alike(config: TrainConfig, corpus: EncodedCorpus) -> int:
    """The dimension at which a skip-gram model has as many numbers in its vectors as a model of several senses."""
    vocabulary = Vocabulary.from_counts(
        corpus.words, corpus.counts, min_count=config.min_count, max_size=config.max_vocabulary
    )
    several = int(config.may_have_several_senses(vocabulary).sum())
    rows = len(vocabulary) + several * (config.senses - 1)
    return round(config.dim * (len(vocabulary) + rows) / (2 * len(vocabulary)))


def trained(
    run: Run,
    corpus: EncodedCorpus,
    folder: Path,
    listen: Listener = silent,
    stop: Callable[[], bool] = lambda: False,
) -> SenseModel:
    """The model of a run: as it was saved before, else trained now, or the rest of it."""
    path = folder / f"{run.name}.model"
    if storage.is_model(path):
        model = SenseModel.load(path)
        no_matter = {"threads", *(() if run.config.model == "np-mssg" else DISCOVERING)}
        subsample = run.config.subsample_for(int(model.vocabulary.counts.sum()))
        config = replace(run.config, subsample=subsample).to_dict()
        wanted = {name: value for name, value in config.items() if name not in no_matter}
        differing = [name for name, value in wanted.items() if model.config.get(name) != value]
        if model.corpus["fingerprint"] != corpus.fingerprint or (differing and not run.two_stage):
            what = "another corpus" if not differing else f"another {differing[0].replace('_', '-')}"
            raise OutputExists(f"{path} was trained with {what}; choose another OUT, or remove it.")
        return model
    if run.two_stage:
        return learn_two_stage(corpus, path, config=run.config, listen=listen)
    return train(
        corpus, path, config=run.config, tokenizer=corpus.description["tokenizer"], resume=True, listen=listen,
        stop=stop,
    )  # fmt: skip


def senses_per_word(model: SenseModel) -> float:
    """Of the words that may have several."""
    several = model._data.multi_sense_mask
    return float(np.mean(model._data.num_visible_senses[several])) if several.any() else 1.0
