"""The tables that are not of scores alone: corpora, training time, neighbours, all scores, settings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from polyseme.experiments import paper
from polyseme.experiments.collection import RECIPE_NAMES, Collection, Key, lowest
from polyseme.experiments.corpora import source_names
from polyseme.experiments.machine_load import MAX_IDLE_LOAD
from polyseme.experiments.plan import RECIPES, huang_label, vocabulary_of
from polyseme.experiments.report import NOT_RUN, Cell, Table
from polyseme.experiments.results import mean_score
from polyseme.training.config import RecipeName, make_config

MODELS = ("Skip-gram", "MSSG", "NP-MSSG")
NO_SETTINGS = ("threads", "seed", "examples", "multi_sense_words")  # left out of the table of settings


def corpora(c: Collection) -> Table:
    """The corpora beside the paper's."""
    rows: list[list[Cell]] = [
        ["text", paper.SNAPSHOT, *(corpus.description or "-" for corpus in c.corpora)],
        ["files", None, *(source_names(corpus.corpus) for corpus in c.corpora)],
        ["tokens", paper.TOKENS, *(len(corpus.corpus.tokens) for corpus in c.corpora)],
    ]
    for recipe in RECIPES:
        config = make_config(recipe)
        vocabularies = [vocabulary_of(config, corpus.corpus) for corpus in c.corpora]
        several = [int(config.may_have_several_senses(vocabulary).sum()) for vocabulary in vocabularies]
        name = RECIPE_NAMES[recipe]
        rows.append(
            [
                f"vocabulary, {name} (words with {config.min_count} occurrences)",
                paper.VOCABULARY if recipe == "paper" else None,
                *(len(vocabulary) for vocabulary in vocabularies),
            ]
        )
        rows.append(
            [
                f"words that may have several senses, {name}",
                paper.MULTI_SENSE_WORDS if recipe == "paper" else None,
                *several,
            ]
        )
    note = (
        "The paper uses the vocabulary of Huang et al. (2012) and their list of approximately 6,000 words; here the "
        "words are the most frequent ones."
    )
    return Table("corpora", "Corpora", ["", "paper", *c.names], rows, note)


def training_time(c: Collection) -> Table:
    """Table 1: seconds and the ratio to Skip-gram of the same recipe and dimension, with the paper's hours."""
    rows: list[list[Cell]] = []
    low = c.profile.dims[0]
    for dim, paper_dim in zip(c.profile.dims, ("50d", "300d"), strict=True):
        for model in MODELS:
            hours = paper.HOURS[f"{model} {paper_dim}"]
            ratio = hours / paper.HOURS[f"Skip-gram {paper_dim}"]
            for recipe in RECIPES:
                cells = _times(c, f"{model} {dim}d", recipe, f"Skip-gram {dim}d")
                rows.append([f"{model} {dim}d", RECIPE_NAMES[recipe], hours, ratio, *cells])
    for senses in c.profile.huang_senses:
        cells = _times(c, huang_label(low, senses), "default", f"Skip-gram {low}d")
        hours = paper.HOURS["Huang et al"]
        quoted = [hours, hours / paper.HOURS["Skip-gram 50d"]] if senses == 10 else [None, None]
        rows.append([huang_label(low, senses), RECIPE_NAMES["default"], *quoted, *cells])
    columns = ["model", "recipe", "paper: hours", "paper: ratio"]
    for name in c.names:
        columns += [f"{name}: {column}" for column in ("seconds", "ratio", "senses per word")]
    threads = sorted({r.threads for results in c.results.values() for r in results if r.threads})
    note = (
        f"The ratio to Skip-gram of the same recipe and dimension is what can be compared. The paper's hours are for "
        f"{paper.TOKENS:,} tokens on one machine. Training only, without reading the corpus"
        + (f", with {' or '.join(map(str, threads))} thread{'s' * (threads != [1])}" if threads else "")
        + f"; the fastest of the seeds. Runs during which other programs used more than {MAX_IDLE_LOAD:.0%} of the "
        f"processors have no time here. The default recipe takes {make_config().epochs} epochs, the paper's recipe "
        "one. Senses per word are the mean over the words that may have several."
    )
    return Table("time", "Table 1: training time", columns, rows, note, digits=2)


def _times(c: Collection, label: str, recipe: RecipeName, skip_gram: str) -> list[Cell]:
    cells: list[Cell] = []
    for name in c.names:
        results = c.of(name, label, recipe)
        seconds, base = (lowest(rows, "idle_seconds") for rows in (results, c.of(name, skip_gram, recipe)))
        if not results:
            cells += [NOT_RUN if c.is_planned((name, label, recipe)) else None, None, None]
        else:
            cells += [seconds, seconds / base if seconds and base else None, results[0].mean_senses]
    return cells


def neighbours(c: Collection, corpus: str, words: list[str]) -> Table:
    """Tables 2 and 3: the neighbours of each sense of the paper's example words, with the paper's beside them."""
    rows: list[list[Cell]] = []
    low, high = c.profile.dims
    for word in words:
        for model, quoted in paper.NEIGHBOURS[word].items():
            if model == "Huang et al":
                key = (corpus, huang_label(low, 10), "default")
                if not c.is_planned(key):
                    continue
                columns = [quoted, [], [], _neighbours(c, key, word, as_in_paper=False)]
            else:
                paper_key, key = ((corpus, f"{model} {high}d", recipe) for recipe in RECIPES)
                columns = [
                    quoted,
                    _neighbours(c, paper_key, word, as_in_paper=True),
                    _neighbours(c, paper_key, word, as_in_paper=False),
                    _neighbours(c, key, word, as_in_paper=False),
                ]
            rows += [[word, model, *cells] for cells in zip_longest(*columns)]
    numbers = "Table 3" if words == ["plant"] else "Table 2"
    note = (
        "Each line is a sense, the most frequent first, with its share of the tokens; senses of different columns do "
        "not correspond. Columns 'words': the words whose global vectors are nearest to the sense vector, as in the "
        "paper. Columns 'senses': the words with the nearest senses, as `polyseme senses` shows them."
    )
    if any(row[1] == "Huang et al" for row in rows):
        note += " The row of Huang et al. stands beside our Huang-style baseline with ten senses."
    title = f"{numbers}: nearest neighbours of {', '.join(words)}; {corpus}"
    columns_ = ["word", "model", "paper: words", "paper's recipe: words", "paper's recipe: senses"]
    columns_ += ["default recipe: senses"]
    return Table(f"neighbours_{'plant' if words == ['plant'] else 'words'}_{corpus}", title, columns_, rows, note)


def _neighbours(c: Collection, key: Key, word: str, *, as_in_paper: bool) -> list[Cell]:
    results = c.results.get(key, [])
    if not results:
        return [NOT_RUN] if c.is_planned(key) else []
    if word not in results[0].neighbours:
        return ["not in the vocabulary"]
    return [
        f"{sense.share:.0%}: {', '.join(sense.words if as_in_paper else sense.senses)}"
        for sense in results[0].neighbours[word]
    ]


def all_scores(c: Collection) -> Table:
    """Each score with its intervals, over seeds and over bootstrap samples."""
    columns = [
        "corpus", "model", "recipe", "task", "posterior", "measure", "seeds", "score", "lowest seed", "highest seed",
        "95% low", "95% high", "control", "with unknown",
    ]  # fmt: skip
    note = (
        "95% intervals of 1,000 bootstrap samples of the pairs, means over seeds. Control: senses drawn at random. The "
        "last column also counts pairs with unknown words, with the mean similarity of the other pairs."
    )
    return Table("all_scores", "All scores", columns, list(_all_scores(c)), note, digits=2)


def _all_scores(c: Collection) -> Iterator[list[Cell]]:
    for key in dict.fromkeys(task.key for task in c.planned):
        results = c.results.get(key, [])
        if not results:
            continue
        corpus, label, recipe = key
        for task in ("scws", "wordsim"):
            for group, measures in getattr(results[0], task).items():
                for measure in measures:
                    scores = c.scores(key, task, group, measure)
                    s, values = mean_score(scores), [score.value for score in scores]
                    posterior = "-" if group == "words" else group
                    yield [
                        corpus, label, recipe, task, posterior, measure, len(scores), s.value, min(values), max(values),
                        s.low, s.high, s.control, s.including_oov,
                    ]  # fmt: skip


UNSET = {"max_vocabulary": "no limit", "subsample": "depends on the size of the corpus"}


def settings() -> Table:
    """The settings of both recipes."""
    configs = [make_config(recipe).to_dict() for recipe in RECIPES]
    rows: list[list[Cell]] = [
        [name, *(UNSET[name] if config[name] is None else str(config[name]) for config in configs)]
        for name in configs[0]
        if name not in (*NO_SETTINGS, "model", "dim")
    ]
    note = "Rows of the tables change only the model, the dimension and what their names say."
    return Table("settings", "Settings", ["setting", *(RECIPE_NAMES[recipe] for recipe in RECIPES)], rows, note)
