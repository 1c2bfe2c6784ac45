"""The tables of the report, from scores and models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from polyseme.evaluation.scores import Evaluation, Score
from polyseme.experiments import paper
from polyseme.experiments.plan import Run, senses_per_word
from polyseme.experiments.report import Cell, Table
from polyseme.model.sense_model import SenseModel
from polyseme.training.config import TrainConfig

Scores = Mapping[str, Mapping[str, Score]]  # by label of the run, by measure
Models = Mapping[str, SenseModel]  # by label

WORDS = ("apple", "fox", "net", "rock", "run", "plant")
NEIGHBOURS = 7
PLAIN = ("global_sim", "avg_sim", "max_sim")
IN_CONTEXT = ("avg_sim_c", "local_sim")
FAVOURED = (
    "The weighting of TF-IDF is the one of six that scored best here on 2 million tokens, which favours its rows."
)
WITH_CONTROL = "Each score of senses stands before its control: the same vectors with senses drawn at random."
QUOTED = "quoted from the paper"


def training_time(runs: Sequence[Run], models: Models, tokens: int) -> Table:
    """Seconds, tokens a second and the ratio to skip-gram of the same dimension; beside them the paper's."""
    rows: list[list[Cell]] = []
    for run in runs:
        model = models[run.label]
        seconds, single = _seconds(model), _seconds_of_skip_gram(run, runs, models)
        hours, single_hours = (
            paper.HOURS.get(_named(run.label)),
            paper.HOURS.get(f"Skip-gram {model._data.arrays.dim}d"),
        )
        rows.append(
            [
                run.label,
                seconds,
                round(tokens * int(model.config["epochs"]) / seconds),
                seconds / single if single else None,
                senses_per_word(model),
                hours,
                hours / single_hours if hours and single_hours else None,
            ]
        )
    columns = ["model", "seconds", "tokens/s", "by Skip-gram", "senses/word", "paper: hours", "paper: by Skip-gram"]
    note = (
        f"Training alone, without reading the corpus. The paper's hours are for {paper.TOKENS:,} tokens. Senses per "
        "word are those of words that may have several."
    )
    return Table("time", "Training time", columns, rows, note, digits=2)


def nearest_neighbours(labels: Iterable[str], models: Models) -> Table:
    """The senses of the paper's words, with their nearest neighbours."""
    rows: list[list[Cell]] = []
    for word in WORDS:
        for label in labels:
            model = models[label]
            if model._data.word_id(word) is None:
                rows.append([word, label, None, "not in the vocabulary"])
                continue
            for sense in model.senses(word):
                near = ", ".join(n.word for n in sense.neighbours(NEIGHBOURS))
                rows.append([word, label, f"{sense.share:.0%}", near])
    return Table("neighbours", "Nearest neighbours of each sense", ["word", "model", "share", "neighbours"], rows)


def similarity_in_context(name: str, title: str, labels: Iterable[str], scores: Scores, quoted: paper.Figures) -> Table:
    """Every measure of SCWS, each score of senses before its control; beside them the paper's."""
    rows: list[list[Cell]] = []
    for label in labels:
        each = scores[label]
        rows.append([label, *(_with_control(each.get(m)) for m in (*PLAIN, *IN_CONTEXT)), *_quoted(label, quoted)])
    rows += [
        [f"{label} ({QUOTED})", *[None] * 5, *_quoted(label, quoted)] for label in quoted if label in paper.QUOTED_ONLY
    ]
    columns = ["model", *PLAIN, *IN_CONTEXT, *(f"paper: {m}" for m in paper.MEASURES)]
    note = (
        f"Spearman x 100. {WITH_CONTROL} local_sim is also called MaxSimC. Intervals are in the table of every score."
    )
    if "TF-IDF" in quoted:
        note += f" {FAVOURED}"
    return Table(name, title, columns, rows, note)


def word_similarity(labels: Iterable[str], scores: Scores) -> Table:
    """WordSim-353."""
    rows: list[list[Cell]] = [
        [label, *(_with_control(scores[label].get(m)) for m in PLAIN), *paper.WORDSIM.get(_named(label), (None, None))]
        for label in labels
    ]
    rows += [
        [f"{label} ({QUOTED})", None, None, None, *paper.WORDSIM[label]]
        for label in paper.WORDSIM
        if label in paper.QUOTED_ONLY
    ]
    columns = ["model", *PLAIN, "paper: global_sim", "paper: avg_sim"]
    return Table("wordsim", "WordSim-353", columns, rows, f"Spearman x 100. {WITH_CONTROL}")


def analogies(evaluations: Mapping[str, Evaluation]) -> Table:
    """Word analogies, by vectors of words, means of senses and senses."""
    rows: list[list[Cell]] = []
    for label, evaluation in evaluations.items():
        for way in ("words", "mean", "senses"):
            if way in evaluation.table["total"]:
                groups = [evaluation.table.get(group, {}).get(way) for group in ("semantic", "syntactic", "total")]
                rows.append([label, way, *(_with_control(score) for score in groups)])
    first = next(iter(evaluations.values()))
    note = f"Percent of {first.covered:,} of {first.total:,} {first.items}. {WITH_CONTROL}"
    return Table("analogies", "Word analogies", ["model", "vectors", "semantic", "syntactic", "total"], rows, note)


def against_controls(labels: Iterable[str], scores: Scores) -> Table:
    """The trained controls, with intervals."""
    rows: list[list[Cell]] = [
        [label, measure, score.value, score.low, score.high, score.control]
        for label in labels
        for measure in ("avg_sim", *IN_CONTEXT)
        if (score := scores[label].get(measure))
    ]
    note = (
        "SCWS. A model of several senses has more vectors, and any of them averaged is a smoother one: so it must beat "
        "a model whose senses were assigned at random in training, and one of a single sense with as many parameters."
    )
    columns = ["model", "measure", "score", "low", "high", "senses drawn at random"]
    return Table("controls", "Against the trained controls", columns, rows, note)


def intervals(tasks: Mapping[str, Scores]) -> Table:
    """Every score with its interval."""
    rows: list[list[Cell]] = [
        [task, label, measure, s.value, s.low, s.high, s.control, s.including_oov]
        for task, scores in tasks.items()
        for label, each in scores.items()
        for measure, s in each.items()
    ]
    columns = ["task", "model", "measure", "score", "low", "high", "random senses", "incl. OOV"]
    return Table("intervals", "Every score", columns, rows, "The 95% interval is of 1,000 bootstrap samples.", digits=2)


def settings_of(runs: Iterable[Run], models: Models) -> Table:
    """What each model was trained with."""
    names = [f.name for f in fields(TrainConfig) if f.name not in ("threads", "examples", "multi_sense_words")]
    rows: list[list[Cell]] = [[run.label, *(str(models[run.label].config[name]) for name in names)] for run in runs]
    return Table("settings", "Settings of each run", ["run", *names], rows)


def _seconds(model: SenseModel) -> float:
    return max(float(model.training["seconds"]), 1e-9)


def _seconds_of_skip_gram(run: Run, runs: Sequence[Run], models: Models) -> float | None:
    dim, recipe = run.settings["dim"], run.recipe
    for other in runs:
        same = other.settings["dim"] == dim and other.recipe == recipe and not other.two_stage
        if same and other.settings["model"] == "skip-gram":
            return _seconds(models[other.label])
    return None


def _named(label: str) -> str:
    """The name under which the paper has a model.

    >>> _named("MSSG 300d, paper's recipe"), _named("Huang-style 50d")
    ('MSSG 300d', 'Huang et al. 50d')
    """
    return label.partition(",")[0].replace("Huang-style", "Huang et al.")


def _quoted(label: str, quoted: paper.Figures) -> Sequence[Cell]:
    return quoted.get(_named(label), (None,) * len(paper.MEASURES))


def _with_control(score: Score | None) -> Cell:
    if score is None:
        return None
    return f"{score.value:.1f}" if score.control is None else f"{score.value:.1f} / {score.control:.1f}"
