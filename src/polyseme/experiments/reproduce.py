"""`reproduce`: train the models of the paper's experiments, evaluate them, and write the report."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polyseme.errors import ConfigError, OutputExists
from polyseme.evaluation.scores import Score
from polyseme.experiments import figures, overview_tables, tables
from polyseme.experiments.collection import OWN_POSTERIOR, RECIPE_NAMES, Collection, group_of
from polyseme.experiments.corpora import open_corpora
from polyseme.experiments.machine_load import LoadMeter
from polyseme.experiments.paper import NEIGHBOURS, TOKENS
from polyseme.experiments.plan import (
    NAMES,
    PROFILES,
    RECIPES,
    Profile,
    Run,
    Task,
    by_senses,
    main_run,
    make_plan,
    vocabulary_of,
)
from polyseme.experiments.report import Figure, Report, Table
from polyseme.experiments.results import DataFiles, Result, evaluate_model, run_settings
from polyseme.experiments.tfidf import tfidf_scws, tfidf_wordsim
from polyseme.experiments.two_stage import train_two_stage
from polyseme.model.sense_model import SenseModel
from polyseme.model.unfinished import workspace_path
from polyseme.training.config import RecipeName, make_config
from polyseme.training.events import Listener, raise_if_stopped, silent
from polyseme.training.run import train

TITLE = "The experiments of Neelakantan et al. (2014), run again"
REPORT_SECONDS = 20.0  # between two versions of the report, at least
MEASURES = ("global_sim", "avg_sim", "avg_sim_c", "local_sim")


def reproduce(
    corpora: Sequence[str | Path],
    out: Path,
    *,
    data: Path,
    profile: str | Profile = "quick",
    seeds: Sequence[int] = (),
    threads: int = 0,
    tokenizer: str = "words",
    descriptions: Sequence[str] = (),
    keep_models: bool = False,
    command: str = "polyseme reproduce",
    say: Callable[[str], None] = lambda _: None,
    listen: Listener = silent,
    stop: Callable[[], bool] = lambda: False,
) -> Path:
    """Write the report to the folder `out` and return the path of its HTML page. Finished runs are not run again.

    corpora       each a text file, a folder, a glob, several of these joined by commas, or an encoded corpus; each
                  gives columns of its own, and the first one has all rows and figures
    data          folder of the evaluation sets: scws/ratings.txt, wordsim353/combined.csv, analogy/questions-words.txt
    seeds         by default those of the profile; Table 6, figures, controls and baselines have the first one
    descriptions  what each corpus is, for the table of corpora
    keep_models   keep the trained models in `out`/models, instead of their scores alone
    command       how the report says that it was made
    say           called with a line of text before each step
    listen        called with the events of each training run
    stop          called regularly; Interrupted is raised when it returns True
    """
    files = DataFiles(data)
    chosen = PROFILES[profile] if isinstance(profile, str) else profile
    seeds = tuple(dict.fromkeys(seeds or chosen.seeds))
    if not corpora:
        raise ConfigError("no corpus was given; name a text file, a folder, or an encoded corpus.")
    if out.exists() and not out.is_dir():
        raise OutputExists(f"{out} is a file, but the report needs a folder; choose another OUT.")
    opened = open_corpora(
        [str(corpus) for corpus in corpora],
        out / "corpora",
        tokenizer=tokenizer,
        max_tokens=chosen.max_tokens,
        descriptions=descriptions,
        check=lambda: raise_if_stopped(stop),
    )
    plan = make_plan(chosen, opened, seeds, threads)
    collection = Collection(opened, chosen, plan)
    runner = _Runner(out, files, keep_models, listen, stop)
    missing = []
    for task in plan:
        if result := runner.finished(task):
            collection.add(task, result)
        else:
            missing.append(task)
    say(describe_plan(plan, len(missing)))
    written = time.monotonic()
    try:
        for number, task in enumerate(missing, 1):
            raise_if_stopped(stop)
            run = task.run
            row = f"{run.label}, {RECIPE_NAMES[run.recipe]}, {task.corpus.name}, seed {run.seed}"
            say(f"run {number} of {len(missing)}: {row}")
            collection.add(task, runner.run(task))
            if time.monotonic() - written > REPORT_SECONDS:
                make_report(collection, command, seeds).write(out)
                written = time.monotonic()
    finally:
        make_report(collection, command, seeds).write(out)
    return out / "report.html"


def describe_plan(plan: Sequence[Task], num_missing: int) -> str:
    """How many runs there are on each corpus, and how many are left."""
    per_corpus: dict[str, int] = {}
    for task in plan:
        per_corpus[task.corpus.name] = per_corpus.get(task.corpus.name, 0) + 1
    parts = ", ".join(f"{count} on {name}" for name, count in per_corpus.items())
    return f"{len(plan)} runs ({parts}); {len(plan) - num_missing} are finished"


@dataclass(frozen=True)
class _Runner:
    """Runs tasks, and keeps their results in files."""

    out: Path
    files: DataFiles
    keep_models: bool
    listen: Listener
    stop: Callable[[], bool]

    def finished(self, task: Task) -> Result | None:
        """The saved result of a task, or None; OutputExists if it is that of another corpus or of other settings."""
        path = self._result_path(task)
        if not path.is_file():
            return None
        result = Result.load(path)
        result.check_same(task.run, task.corpus.corpus, path)
        return result

    def run(self, task: Task) -> Result:
        """Train, or resume the training, and evaluate."""
        run, corpus = task.run, task.corpus.corpus
        if run.kind == "tf-idf":
            result = self._tfidf(task)
        else:
            folder = self.out / "models" / task.corpus.name
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{run.name}.model"
            resumed = path.exists() or workspace_path(path).exists()
            meter = LoadMeter()
            model = self._train(task, path, resumed)
            other_load = None if resumed else meter.other_load()  # the load of the first part is not known
            result = replace(evaluate_model(model, run, corpus, self.files, self._check), other_load=other_load)
            del model  # its files are mapped into memory
            if not self.keep_models:
                shutil.rmtree(path)
        result.save(self._result_path(task))
        return result

    def _train(self, task: Task, path: Path, resume: bool) -> SenseModel:
        run, corpus = task.run, task.corpus.corpus
        if run.kind == "two-stage":
            return train_two_stage(corpus, path, config=run.config, listen=self.listen, stop=self.stop)
        return train(
            corpus, path, config=run.config, tokenizer=corpus.description["tokenizer"], resume=resume,
            listen=self.listen, stop=self.stop,
        )  # fmt: skip

    def _tfidf(self, task: Task) -> Result:
        corpus = task.corpus.corpus
        vocabulary = vocabulary_of(make_config(), corpus)
        scws = tfidf_scws(corpus, vocabulary, self.files.scws)
        self._check()
        wordsim = tfidf_wordsim(corpus, vocabulary, self.files.wordsim)
        tokenizer = str(corpus.description["tokenizer"])
        return Result(run_settings(task.run), corpus.fingerprint, tokenizer, scws=scws, wordsim=wordsim)

    def _result_path(self, task: Task) -> Path:
        return self.out / "results" / task.corpus.name / f"{task.run.name}.json"

    def _check(self) -> None:
        raise_if_stopped(self.stop)


def make_report(c: Collection, command: str, seeds: Sequence[int]) -> Report:
    """The report of the results so far."""
    words = [word for word in NEIGHBOURS if word != "plant"]
    parts: list[Table | Figure] = [
        tables.summary(c),
        overview_tables.corpora(c),
        overview_tables.training_time(c),
        *(overview_tables.neighbours(c, name, group) for group in (words, ["plant"]) for name in c.names),
        tables.scws(c),
        tables.wordsim(c),
        tables.top_30000(c),
        tables.analogies(c),
        tables.controls(c),
        *make_figures(c, seeds[0]),
        overview_tables.settings(),
        overview_tables.all_scores(c),
    ]
    return Report(TITLE, _intro(c, command, seeds), parts)


def _intro(c: Collection, command: str, seeds: Sequence[int]) -> str:
    finished, total = c.num_finished, len(c.planned)
    progress = "" if finished == total else f" So far {finished} of {total} runs are finished."
    all_seeds = f"Seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}"
    return (
        f"Made with `{command}`.{progress}\n\n"
        f"Columns and rows named 'paper' are quoted from the paper, whose models were trained on {TOKENS:,} tokens. "
        "All other numbers were measured. 'Paper's recipe' is `--recipe paper`, 'default recipe' is what `polyseme "
        "train` does, with no setting changed but model, dimension and seed. The numbers of tables and figures are "
        f"those of the paper. {all_seeds} in tables, seed {seeds[0]} in Table 6, figures, baselines and trained "
        "controls."
    )


def make_figures(c: Collection, seed: int) -> list[Table | Figure]:
    """Figures 3 to 5 of the paper, on the first corpus."""
    low, high = c.profile.dims
    name, profile = c.names[0], c.profile
    note = (
        f"{name}, seed {seed}. Bars are 95% intervals. Dotted lines are the control, the same vectors with senses "
        "drawn at random. Each recipe with its own posterior: inverse distance in the paper's, softmax in the default. "
        "The published curve has no numbers to quote."
    )
    by_dim = {recipe: [main_run("mssg", dim, recipe, seed) for dim in profile.figure_dims] for recipe in RECIPES}
    by_num = {recipe: [by_senses(low, n, recipe, seed) for n in profile.figure_senses] for recipe in RECIPES}
    counts = {
        RECIPE_NAMES[recipe]: results[0].senses_per_word
        for recipe in RECIPES
        if (results := c.of(name, f"{NAMES['np-mssg']} {high}d", recipe))
    }
    return [
        figures.histogram(
            "senses_per_word", f"Figure 3: number of senses per word, NP-MSSG {high}d", counts,
            f"{name}, seed {seed}. Only words that may have several senses.",
        ),
        figures.lines(
            "dimension", "Figure 4: dimension and SCWS score, MSSG", "dimensions", profile.figure_dims,
            _panels(c, by_dim), note,
        ),
        figures.lines(
            "number_of_senses", f"Figure 5: number of senses and SCWS score, MSSG {low}d", "senses per word",
            profile.figure_senses, _panels(c, by_num), note,
        ),
    ]  # fmt: skip


def _panels(c: Collection, runs: Mapping[RecipeName, list[Run]]) -> dict[str, figures.Series]:
    """By recipe, the scores of its runs; those of the first seed alone."""

    def score(run: Run, measure: str) -> Score | None:
        key = (c.names[0], run.label, run.recipe)
        scores = c.scores(key, "scws", group_of(measure, OWN_POSTERIOR[run.recipe]), measure)
        return scores[0] if scores else None

    return {
        RECIPE_NAMES[recipe]: {measure: [score(run, measure) for run in recipe_runs] for measure in MEASURES}
        for recipe, recipe_runs in runs.items()
    }
