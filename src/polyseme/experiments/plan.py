"""The models that the experiments need, each trained once and kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.errors import OutputExists
from polyseme.experiments.two_stage import train_two_stage
from polyseme.model import storage
from polyseme.model.sense_model import SenseModel
from polyseme.training.config import TrainConfig, make_config
from polyseme.training.events import Listener, silent
from polyseme.training.run import train
from polyseme.vocabulary import Vocabulary

TOP_6000, TOP_30000 = 6_000, 30_000  # words with several senses in the paper's two settings
NP_MSSG_SETTINGS = ("max_senses", "min_separation", "new_sense_threshold")
NAMES = {"skip-gram": "Skip-gram", "mssg": "MSSG", "np-mssg": "NP-MSSG"}


@dataclass(frozen=True)
class Profile:
    """The size of the experiments: the tables have models of both `dims`, the figures vary dimension and senses."""

    dims: tuple[int, int] = (50, 300)
    figure_dims: tuple[int, ...] = (50, 100, 300)
    figure_senses: tuple[int, ...] = (1, 2, 3, 5)
    figure_dim: int = 50  # in the figure that varies the number of senses
    epochs: int = 3


PROFILES = {
    "quick": Profile(epochs=1),
    "full": Profile(),
}


@dataclass(frozen=True)
class Run:
    """A model to train: `label` is its name in tables, `name` its file name."""

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
    """The runs, by the table or figure that needs them."""

    main: list[Run]
    paper: list[Run]
    top_30000: list[Run]
    controls: list[Run]
    two_stage: Run
    by_dim: list[Run]
    by_senses: list[Run]

    @property
    def all_runs(self) -> list[Run]:
        """All runs without duplicates."""
        runs = [
            *self.main,
            *self.paper,
            *self.top_30000,
            *self.controls,
            self.two_stage,
            *self.by_dim,
            *self.by_senses,
        ]
        return list({run.label: run for run in runs}.values())


def make_plan(profile: Profile, corpus: EncodedCorpus, seed: int, threads: int) -> Plan:
    """The runs of a profile. The corpus determines the dimension of the control with an equal number of parameters."""
    common = {"epochs": profile.epochs, "seed": seed, "threads": threads, "multi_sense_top": TOP_6000}
    low, high = profile.dims

    def default_run(model: str, dim: int, note: str = "", **settings: Any) -> Run:
        return Run(f"{NAMES[model]} {dim}d{note}", {**common, "model": model, "dim": dim, **settings})

    def paper_run(model: str, dim: int) -> Run:
        settings = {**common, "model": model, "dim": dim, "epochs": 1}
        return Run(f"{NAMES[model]} {dim}d, paper's recipe", settings, "paper")

    control_dim = dim_with_equal_parameters(default_run("mssg", high).config, corpus)
    return Plan(
        main=[default_run(model, dim) for dim in (low, high) for model in NAMES],
        paper=[paper_run(model, dim) for dim in (low, high) for model in NAMES],
        top_30000=[
            default_run(model, high, ", 30,000 words", multi_sense_top=TOP_30000) for model in ("mssg", "np-mssg")
        ],
        controls=[
            Run(f"MSSG {high}d, random senses", {**common, "model": "random-senses", "dim": high}),
            default_run("skip-gram", control_dim, ", as many parameters"),
        ],
        two_stage=Run(f"Huang-style {low}d", {**common, "model": "skip-gram", "dim": low}, two_stage=True),
        by_dim=[default_run("mssg", dim) for dim in profile.figure_dims],
        by_senses=[
            default_run("skip-gram", profile.figure_dim)
            if senses == 1
            else default_run("mssg", profile.figure_dim, "" if senses == 3 else f", {senses} senses", senses=senses)
            for senses in profile.figure_senses
        ],
    )


def dim_with_equal_parameters(config: TrainConfig, corpus: EncodedCorpus) -> int:
    """The dimension at which skip-gram has as many parameters as the mssg model of a config."""
    vocabulary = Vocabulary.from_counts(
        corpus.words, corpus.counts, min_count=config.min_count, max_size=config.max_vocabulary
    )
    num_multi_sense = int(config.may_have_several_senses(vocabulary).sum())
    num_senses = len(vocabulary) + num_multi_sense * (config.senses - 1)
    return round(config.dim * (len(vocabulary) + num_senses) / (2 * len(vocabulary)))


def load_or_train(
    run: Run,
    corpus: EncodedCorpus,
    folder: Path,
    listen: Listener = silent,
    stop: Callable[[], bool] = lambda: False,
) -> SenseModel:
    """The model of a run: loaded if it is finished, else trained, from its last checkpoint if there is one."""
    path = folder / f"{run.name}.model"
    if storage.is_model(path):
        model = SenseModel.load(path)
        _check_same_run(model, run, corpus, path)
        return model
    if run.two_stage:
        return train_two_stage(corpus, path, config=run.config, listen=listen, stop=stop)
    return train(
        corpus, path, config=run.config, tokenizer=corpus.description["tokenizer"], resume=True, listen=listen,
        stop=stop,
    )  # fmt: skip


def _check_same_run(model: SenseModel, run: Run, corpus: EncodedCorpus, path: Path) -> None:
    """Raise OutputExists if a saved model was trained on another corpus or with other settings than the run's."""
    ignored = {"threads", *(() if run.config.model == "np-mssg" else NP_MSSG_SETTINGS)}
    subsample = run.config.subsample_for(int(model.vocabulary.counts.sum()))
    settings = replace(run.config, subsample=subsample).to_dict()
    differing = [name for name in settings if name not in ignored and model.config.get(name) != settings[name]]
    if model.tokenizer.name != corpus.description["tokenizer"]:
        raise OutputExists(f"{path} was trained with another tokenizer; choose another OUT, or remove it.")
    if model.corpus["fingerprint"] != corpus.fingerprint or (differing and not run.two_stage):
        difference = f"another {differing[0].replace('_', '-')}" if differing else "another corpus"
        raise OutputExists(f"{path} was trained with {difference}; choose another OUT, or remove it.")


def mean_senses_per_word(model: SenseModel) -> float:
    """The mean number of senses of the words that may have several."""
    data = model._data
    return float(np.mean(data.num_visible_senses[data.multi_sense_mask])) if data.multi_sense_mask.any() else 1.0
