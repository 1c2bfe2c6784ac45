"""The tables of the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from polyseme.evaluation.scores import Evaluation, Score
from polyseme.experiments import paper
from polyseme.experiments.plan import Run, mean_senses_per_word
from polyseme.experiments.report import Cell, Table
from polyseme.model.sense_model import SenseModel
from polyseme.training.config import TrainConfig

Scores = Mapping[str, Mapping[str, Score]]  # by label of the run, then by measure
Models = Mapping[str, SenseModel]  # by label of the run

WORDS = ("apple", "fox", "net", "rock", "run", "plant")
NEIGHBOURS = 7
WITHOUT_CONTEXT = ("global_sim", "avg_sim", "max_sim")
IN_CONTEXT = ("avg_sim_c", "local_sim")
TFIDF_NOTE = (
    "The TF-IDF weighting was selected from six by its score on SCWS with 2 million tokens, so these scores are "
    "optimistic."
)
CONTROL_NOTE = "Scores of senses are followed by their control: the same vectors with senses drawn at random."
QUOTED = "quoted from the paper"


def training_time(runs: Sequence[Run], models: Models, tokens: int) -> Table:
    """Seconds, tokens per second and the ratio to skip-gram of the same dimension, with the paper's hours."""
    rows: list[list[Cell]] = []
    for run in runs:
        model = models[run.label]
        seconds, skip_gram_seconds = _seconds(model), _skip_gram_seconds(run, runs, models)
        hours, skip_gram_hours = paper.HOURS.get(_paper_name(run.label)), paper.HOURS.get(f"Skip-gram {model.dim}d")
        rows.append(
            [
                run.label,
                seconds,
                round(tokens * int(model.config["epochs"]) / seconds),
                seconds / skip_gram_seconds if skip_gram_seconds else None,
                mean_senses_per_word(model),
                hours,
                hours / skip_gram_hours if hours and skip_gram_hours else None,
            ]
        )
    columns = ["model", "seconds", "tokens/s", "vs. Skip-gram", "senses/word", "paper: hours", "paper: vs. Skip-gram"]
    note = (
        f"Training only, without reading the corpus. The paper's hours are for {paper.TOKENS:,} tokens. Senses per "
        "word are the mean over the words that may have several senses."
    )
    return Table("time", "Training time", columns, rows, note, digits=2)


def nearest_neighbours(labels: Iterable[str], models: Models) -> Table:
    """The senses of the paper's example words with their nearest neighbours."""
    rows: list[list[Cell]] = []
    for word in WORDS:
        for label in labels:
            model = models[label]
            if word not in model:
                rows.append([word, label, None, "not in the vocabulary"])
                continue
            for sense in model.senses(word):
                near = ", ".join(n.word for n in sense.neighbours(NEIGHBOURS))
                rows.append([word, label, f"{sense.share:.0%}", near])
    return Table("neighbours", "Nearest neighbours of each sense", ["word", "model", "share", "neighbours"], rows)


def similarity_in_context(
    name: str, title: str, labels: Iterable[str], scores: Scores, quoted: paper.QuotedScores
) -> Table:
    """All measures on SCWS with their controls, and the paper's scores."""
    measures = (*WITHOUT_CONTEXT, *IN_CONTEXT)
    nothing_quoted = (None,) * len(paper.MEASURES)
    rows: list[list[Cell]] = []
    for label in labels:
        cells = [_with_control(scores[label].get(measure)) for measure in measures]
        rows.append([label, *cells, *quoted.get(_paper_name(label), nothing_quoted)])
    rows += [
        [f"{label} ({QUOTED})", *[None] * len(measures), *quoted[label]]
        for label in quoted
        if label in paper.NOT_TRAINED
    ]
    columns = ["model", *measures, *(f"paper: {measure}" for measure in paper.MEASURES)]
    note = f"Spearman x 100. {CONTROL_NOTE} local_sim is also called MaxSimC. Intervals are in the table of all scores."
    if "TF-IDF" in quoted:
        note += f" {TFIDF_NOTE}"
    return Table(name, title, columns, rows, note)


def word_similarity(labels: Iterable[str], scores: Scores) -> Table:
    """All measures on WordSim-353 with their controls, and the paper's scores."""
    rows: list[list[Cell]] = [
        [
            label,
            *(_with_control(scores[label].get(m)) for m in WITHOUT_CONTEXT),
            *paper.WORDSIM.get(_paper_name(label), (None, None)),
        ]
        for label in labels
    ]
    rows += [
        [f"{label} ({QUOTED})", None, None, None, *paper.WORDSIM[label]]
        for label in paper.WORDSIM
        if label in paper.NOT_TRAINED
    ]
    columns = ["model", *WITHOUT_CONTEXT, "paper: global_sim", "paper: avg_sim"]
    return Table("wordsim", "WordSim-353", columns, rows, f"Spearman x 100. {CONTROL_NOTE}")


def analogies(evaluations: Mapping[str, Evaluation]) -> Table:
    """Accuracy on word analogies with global vectors, with means of sense vectors, and with sense vectors."""
    rows: list[list[Cell]] = []
    for label, evaluation in evaluations.items():
        for vectors in ("words", "mean", "senses"):
            if vectors in evaluation.table["total"]:
                groups = [evaluation.table.get(group, {}).get(vectors) for group in ("semantic", "syntactic", "total")]
                rows.append([label, vectors, *(_with_control(score) for score in groups)])
    first = next(iter(evaluations.values()))
    note = f"Percent of {first.covered:,} of {first.total:,} {first.items}. {CONTROL_NOTE}"
    return Table("analogies", "Word analogies", ["model", "vectors", "semantic", "syntactic", "total"], rows, note)


def against_controls(labels: Iterable[str], scores: Scores) -> Table:
    """MSSG and the trained controls on SCWS, with intervals."""
    rows: list[list[Cell]] = [
        [label, measure, score.value, score.low, score.high, score.control]
        for label in labels
        for measure in ("avg_sim", *IN_CONTEXT)
        if (score := scores[label].get(measure))
    ]
    note = (
        "SCWS. Several vectors per word can raise scores without real senses: there are more parameters, and a mean of "
        "vectors has less noise. So MSSG must beat a model whose senses were assigned at random in training, and a "
        "single-sense model with as many parameters."
    )
    columns = ["model", "measure", "score", "low", "high", "senses drawn at random"]
    return Table("controls", "Against the trained controls", columns, rows, note)


def intervals(tasks: Mapping[str, Scores]) -> Table:
    """All scores with their intervals."""
    rows: list[list[Cell]] = [
        [task, label, measure, s.value, s.low, s.high, s.control, s.including_oov]
        for task, scores in tasks.items()
        for label, measures in scores.items()
        for measure, s in measures.items()
    ]
    columns = ["task", "model", "measure", "score", "low", "high", "random senses", "with unknown"]
    note = (
        "95% intervals of 1,000 bootstrap samples. The last column also counts pairs with unknown words, with the mean "
        "similarity of the other pairs."
    )
    return Table("intervals", "All scores", columns, rows, note, digits=2)


def settings(runs: Iterable[Run], models: Models) -> Table:
    """The hyper-parameters of each run."""
    names = [f.name for f in fields(TrainConfig) if f.name not in ("threads", "examples", "multi_sense_words")]
    rows: list[list[Cell]] = [[run.label, *(str(models[run.label].config[name]) for name in names)] for run in runs]
    return Table("settings", "Settings of each run", ["run", *names], rows)


def _seconds(model: SenseModel) -> float:
    return max(float(model.training["seconds"]), 1e-9)


def _skip_gram_seconds(run: Run, runs: Sequence[Run], models: Models) -> float | None:
    """The training time of skip-gram with the same dimension and recipe; None if there is no such run."""
    dim, recipe = run.settings["dim"], run.recipe
    for other in runs:
        same = other.settings["dim"] == dim and other.recipe == recipe and not other.two_stage
        if same and other.settings["model"] == "skip-gram":
            return _seconds(models[other.label])
    return None


def _paper_name(label: str) -> str:
    """The name of a model in the paper's tables.

    >>> _paper_name("MSSG 300d, paper's recipe"), _paper_name("Huang-style 50d")
    ('MSSG 300d', 'Huang et al. 50d')
    """
    return label.partition(",")[0].replace("Huang-style", "Huang et al.")


def _with_control(score: Score | None) -> Cell:
    if score is None:
        return None
    return f"{score.value:.1f}" if score.control is None else f"{score.value:.1f} / {score.control:.1f}"
