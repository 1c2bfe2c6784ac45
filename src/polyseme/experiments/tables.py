"""The tables of scores: the paper's numbers beside ours, with both recipes on each corpus."""

from __future__ import annotations

from collections.abc import Iterator

from polyseme.experiments import paper
from polyseme.experiments.collection import RECIPE_NAMES, Collection, Key, group_of
from polyseme.experiments.plan import NAMES, ONE_SENSE, RANDOM, RECIPES, TFIDF, TOP_30000, huang_label
from polyseme.experiments.report import NOT_RUN, Cell, Table

CONTROL_NOTE = (
    "In parentheses: the control, the same vectors with senses drawn at random. Scores are means over seeds; the table "
    "of all scores has intervals and each measure with both posteriors."
)
SKIP_GRAM_NOTE = (
    "The paper has one score for Skip-gram and does not say of which of its two vectors. Here v_g is the vector of the "
    "word as context (global_sim), v_s the vector of the word itself; in the default recipe v_s is their sum."
)
HUANG_NOTE = (
    "Huang-style is a baseline in two stages: contexts of Skip-gram vectors are clustered, then Skip-gram is trained "
    "again on the text with each word replaced by its cluster. Unlike the model of Huang et al. (2012) it has no "
    "neural network and no document context. Their model has ten senses per word."
)
TFIDF_NOTE = (
    "The TF-IDF weighting was selected from six by its score on SCWS with 2 million tokens, so its scores are "
    "optimistic. TF-IDF has no recipe and a posterior of its own; it stands in the columns of the default recipe."
)
POSTERIOR_NOTE = (
    "avg_sim_c and local_sim weight senses by the inverse cosine distance, as in the paper. The columns 'softmax' have "
    "the default posterior of the default recipe."
)


def summary(c: Collection) -> Table:
    """The best scores of the paper beside those of the default recipe and of its trained controls."""
    high = c.profile.dims[1]
    rows: list[list[Cell]] = []
    for name in c.names:
        for model in ("MSSG", "NP-MSSG"):
            key = (name, f"{model} {high}d", "default")
            for task, measure, best in _best_of_paper():
                group = group_of(measure, "softmax")
                mean = c.score(key, task, group, measure)
                difference = None if mean is None else f"{mean.value - best:+.1f}"
                cells = [c.interval(control, task, group, measure) for control in _controls(c, name)]
                row = [name, key[1], TASK_NAMES[task], measure, paper.as_quoted(best)]
                rows.append([*row, c.interval(key, task, group, measure), difference, *cells])
    columns = ["corpus", "model", "task", "measure", "best in the paper", "default recipe", "difference"]
    columns += ["random senses", "one sense"]
    note = (
        "Scores with 95% intervals; avg_sim_c and local_sim with the softmax, the default recipe's posterior. The "
        "best scores of the paper are those of its Tables 4, 5 and 6. 'Random senses' "
        "is a model whose senses were assigned at random in training, 'one sense' a Skip-gram model with as many "
        "parameters. Several vectors per word can raise scores without real senses, so a score counts where it is "
        "above the intervals of both."
    )
    return Table("summary", "Summary: the default recipe against the best scores of the paper", columns, rows, note)


TASK_NAMES = {"scws": "SCWS", "wordsim": "WordSim-353"}


def _best_of_paper() -> Iterator[tuple[str, str, float]]:
    for measure in ("avg_sim_c", "local_sim"):
        column = paper.SCWS_MEASURES.index(measure)
        scores = [*paper.SCWS.values(), *paper.SCWS_30K.values()]
        yield "scws", measure, max(values[column] or 0 for values in scores)
    scores = [paper.WORDSIM[model] for model in paper.WORDSIM if "MSSG" in model]
    yield "wordsim", "avg_sim", max(values[1] or 0 for values in [*scores, *paper.WORDSIM_30K.values()])


def _controls(c: Collection, corpus: str) -> list[Key]:
    high = c.profile.dims[1]
    return [
        (corpus, f"MSSG {high}d, {RANDOM}", "default"),
        (corpus, f"{ONE_SENSE} as MSSG {high}d", "default"),
    ]


def scws(c: Collection) -> Table:
    """Table 4."""
    quoted = paper.SCWS
    rows: list[list[Cell]] = []
    for model, scores in _models(c, quoted):
        rows += _rows(c, "scws", model, paper.SCWS_MEASURES, scores)
    note = f"Spearman x 100. {CONTROL_NOTE} {POSTERIOR_NOTE} {SKIP_GRAM_NOTE} {HUANG_NOTE} {TFIDF_NOTE}"
    return Table("scws", "Table 4: similarity in context (SCWS)", _columns(c, softmax=True), rows, note)


def wordsim(c: Collection) -> Table:
    """Table 5."""
    rows: list[list[Cell]] = []
    for model, scores in _models(c, paper.WORDSIM):
        rows += _rows(c, "wordsim", model, paper.WORDSIM_MEASURES, scores, softmax=False)
    note = f"Spearman x 100. {CONTROL_NOTE} {SKIP_GRAM_NOTE}"
    return Table("wordsim", "Table 5: WordSim-353", _columns(c, softmax=False), rows, note)


def top_30000(c: Collection) -> Table:
    """Table 6."""
    high = c.profile.dims[1]
    rows: list[list[Cell]] = []
    for task, measures, quoted in (
        ("wordsim", paper.WORDSIM_MEASURES, paper.WORDSIM_30K),
        ("scws", paper.SCWS_MEASURES, paper.SCWS_30K),
    ):
        for name in ("Skip-gram", "MSSG", "NP-MSSG"):
            scores = quoted.get(f"{name} 300d")
            if scores:
                found = _rows(c, task, f"{name} {high}d", measures, scores, variant=TOP_30000)
                rows += [[TASK_NAMES[task], *row] for row in found]
    note = (
        f"The default recipe always has several senses for up to 30,000 words, so its scores are those of Tables 4 and "
        f"5. {CONTROL_NOTE}"
    )
    title = "Table 6: several senses for the 30,000 most frequent words"
    return Table("top_30000", title, ["task", *_columns(c, softmax=True)], rows, note)


def _columns(c: Collection, *, softmax: bool) -> list[str]:
    columns = ["model", "measure", "paper"]
    for recipe in RECIPES:
        columns += c.per_corpus(RECIPE_NAMES[recipe])
    return columns + (c.per_corpus("default recipe, softmax") if softmax else [])


def _models(c: Collection, quoted: paper.QuotedScores) -> Iterator[tuple[str, tuple[paper.Quoted, ...]]]:
    """The rows of a table with the paper's scores: its own rows, then ours that it does not have.

    Without models of 50 and 300 dimensions, the two dimensions of the profile take their place.
    """
    low, high = c.profile.dims
    for model, scores in quoted.items():
        if model.startswith("Huang"):
            for senses in c.profile.huang_senses:
                yield huang_label(low, senses), scores if senses == 10 else (None,) * len(scores)
        else:
            ours = {"50d": f"{low}d", "300d": f"{high}d"}
            name, _, dim = model.rpartition(" ")
            yield (f"{name} {ours[dim]}" if name in NAMES.values() else model), scores
    if "Skip-gram 50d" not in quoted:
        yield f"Skip-gram {low}d", (None,) * 2


def _rows(
    c: Collection,
    task: str,
    label: str,
    measures: tuple[str, ...],
    quoted: tuple[paper.Quoted, ...],
    *,
    variant: str = "",
    softmax: bool = True,
) -> Iterator[list[Cell]]:
    """One row per measure of a model. `variant` is that of the models of the paper's recipe."""
    one_vector = label.startswith("Skip-gram")
    for measure, score in zip(measures, quoted, strict=True):
        if one_vector and measure not in ("global_sim", "avg_sim"):
            continue
        shown = {"global_sim": "v_g", "avg_sim": "v_s"}[measure] if one_vector else measure
        cells: list[Cell] = []
        for recipe in RECIPES:
            own = f"{label}, {variant}" if variant and recipe == "paper" and not one_vector else label
            cells += [_cell(c, (name, own, recipe), task, "inverse-distance", measure) for name in c.names]
        if softmax or variant:
            in_context = group_of(measure, "softmax") == "softmax" and not label.endswith("TF-IDF")
            cells += [
                _cell(c, (name, label, "default"), task, "softmax", measure) if in_context else None for name in c.names
            ]
        row: list[Cell] = [label, shown, paper.as_quoted(quoted[0] if one_vector else score), *cells]
        if any(cell is not None for cell in row[2:]):
            yield row


def _cell(c: Collection, key: Key, task: str, posterior: str, measure: str) -> Cell:
    corpus, label, recipe = key
    if label in ("TF-IDF", "Pruned TF-IDF"):  # both are in the result of one run, by name
        cell = c.cell((corpus, TFIDF, recipe), task, label, measure)
        return None if cell == NOT_RUN and label == "TF-IDF" and measure != "global_sim" else cell
    cell = c.cell(key, task, group_of(measure, posterior), measure)
    if label.startswith("Skip-gram") and isinstance(cell, str):
        return cell.partition(" (")[0]  # with one sense, the control is the score itself
    return cell


def controls(c: Collection) -> Table:
    """Models of the default recipe and their trained controls, with intervals."""
    high = c.profile.dims[1]
    rows: list[list[Cell]] = []
    labels = [f"MSSG {high}d", f"NP-MSSG {high}d", *(label for _, label, _ in _controls(c, c.names[0]))]
    for task, measures in (("scws", ("avg_sim", "avg_sim_c", "local_sim")), ("wordsim", ("avg_sim",))):
        for measure in measures:
            for label in labels:
                cells = [
                    c.interval((name, label, "default"), task, group_of(measure, "softmax"), measure)
                    for name in c.names
                ]
                rows.append([TASK_NAMES[task], measure, label, *cells])
    note = "Scores with 95% intervals, means over seeds; softmax posterior."
    title = "The default recipe against its trained controls"
    return Table("controls", title, ["task", "measure", "model", *c.per_corpus("score")], rows, note)


def analogies(c: Collection) -> Table:
    """Accuracy on word analogies with global vectors, with means of sense vectors, and with sense vectors."""
    low, high = c.profile.dims
    labels = [f"{name} {high}d" for name in ("Skip-gram", "MSSG", "NP-MSSG")]
    labels += [huang_label(low, senses) for senses in c.profile.huang_senses]
    rows: list[list[Cell]] = []
    for label in labels:
        quoted = paper.ANALOGIES.get(label.split()[0])
        if label == huang_label(low, 10):
            quoted = paper.ANALOGIES["Huang et al"]
        names = {"words": "v_g", "senses": "v_s"} if label.startswith("Skip-gram") else {}
        for vectors in names or ("words", "mean", "senses"):
            cells = [
                c.cell((name, label, recipe), "analogies", "total", vectors) for recipe in RECIPES for name in c.names
            ]
            rows.append([label, names.get(vectors, vectors), quoted, *cells])
    columns = ["model", "vectors", "paper"]
    for recipe in RECIPES:
        columns += c.per_corpus(RECIPE_NAMES[recipe])
    note = (
        "Percent correct of the analogies of the 50,000 most frequent words. words: global vectors. mean: the mean of "
        "the sense vectors of a word. senses: the senses that fit best. The paper does not say which vectors it uses, "
        "nor their dimension. v_g and v_s: the two vectors of Skip-gram, as in Table 4. In parentheses: the control, "
        "with senses drawn at random."
    )
    return Table("analogies", "Word analogies (Section 6.2 of the paper)", columns, rows, note)
