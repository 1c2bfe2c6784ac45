"""The tables of the report, from results that are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.evaluation.scores import Score
from polyseme.experiments import overview_tables, paper, plan, tables
from polyseme.experiments.collection import Collection
from polyseme.experiments.corpora import NamedCorpus
from polyseme.experiments.plan import ONE_SENSE, PROFILES, Profile, Run, Task
from polyseme.experiments.report import NOT_RUN, Cell, Report, Table
from polyseme.experiments.results import IGNORED, Result, SenseNeighbours, run_settings
from polyseme.training.config import RecipeName

EMPTY: EncodedCorpus = None  # type: ignore[assignment]  # these tables do not read the corpus
FIRST, SECOND = NamedCorpus("first", EMPTY), NamedCorpus("second", EMPTY)
PROFILE = Profile(huang_senses=(10,))
DOCS = Path(__file__).resolve().parents[2] / "docs"


def result(value: float = 60.0, **more: object) -> Result:
    """A result whose scores are `value`, with a control that is 5 lower and an interval of 2 on both sides."""
    score = Score(value, value - 2, value + 2, value - 5)
    words = {"global_sim": Score(value, value - 2, value + 2), "avg_sim": score}
    in_context = {"avg_sim_c": score, "local_sim": score}
    scws = {"words": words, "inverse-distance": in_context, "softmax": {m: Score(70, 69, 71) for m in in_context}}
    return Result({}, "", "words", scws=scws, wordsim={"words": words}, **more)  # type: ignore[arg-type]


def collection(*runs: tuple[NamedCorpus, str, RecipeName, Result | None]) -> Collection:
    """A collection of runs with their results; None if a run is not finished."""
    tasks = [Task(corpus, Run(label, recipe, seed, {})) for seed, (corpus, label, recipe, _) in enumerate(runs)]
    found = Collection((FIRST, SECOND), PROFILE, tasks)
    for task, (*_, finished) in zip(tasks, runs, strict=True):
        if finished is not None:
            found.add(task, finished)
    return found


def rows(table: Table, *start: str) -> list[list[Cell]]:
    """The cells after `start` of the rows that begin with it."""
    return [list(row[len(start) :]) for row in table.rows if row[: len(start)] == list(start)]


def test_scores_of_the_paper_and_of_both_recipes_stand_side_by_side() -> None:
    c = collection(
        (FIRST, "MSSG 300d", "paper", result(60)),
        (FIRST, "MSSG 300d", "paper", result(61)),
        (SECOND, "MSSG 300d", "default", result(65)),
        (FIRST, "MSSG 300d", "default", None),
    )
    table = tables.scws(c)
    assert table.columns == [
        "model", "measure", "paper", "paper's recipe, first", "paper's recipe, second", "default recipe, first",
        "default recipe, second", "default recipe, softmax, first", "default recipe, softmax, second",
    ]  # fmt: skip
    assert rows(table, "MSSG 300d", "avg_sim_c") == [
        ["69.3", "60.5 (55.5)", None, NOT_RUN, "65.0 (60.0)", NOT_RUN, "70.0"]
    ]
    assert rows(table, "MSSG 300d", "global_sim") == [["65.3", "60.5", None, NOT_RUN, "65.0", None, None]]
    assert rows(table, "Collobort & Weston 50d") == [["global_sim", "57.0", *[None] * 6]]
    assert rows(tables.wordsim(c), "MSSG 300d", "avg_sim") == [["70.9", "60.5 (55.5)", None, NOT_RUN, "65.0 (60.0)"]]


def test_table_6_compares_the_30000_words_of_the_paper_with_the_default_recipe() -> None:
    c = collection(
        (FIRST, "MSSG 300d, 30,000 words", "paper", result(50)),
        (FIRST, "MSSG 300d", "paper", result(40)),
        (FIRST, "MSSG 300d", "default", result(60)),
    )
    found = rows(tables.top_30000(c), "SCWS", "MSSG 300d", "local_sim")
    assert found == [["59.3", "50.0 (45.0)", None, "60.0 (55.0)", None, "70.0", None]]
    assert rows(tables.top_30000(c), "WordSim-353", "Skip-gram 300d", "v_s") == [["70.4", *[None] * 6]]


def test_the_summary_compares_with_the_best_scores_of_the_paper_and_with_the_trained_controls() -> None:
    c = collection(
        (FIRST, "MSSG 300d", "default", result(72)),
        (FIRST, "MSSG 300d, random senses", "default", result(64)),
        (FIRST, "One sense, as many parameters as MSSG 300d", "default", None),
    )
    (row,) = rows(tables.summary(c), "first", "MSSG 300d", "WordSim-353", "avg_sim")
    assert row == ["71.2", "72.0 [70.0, 74.0]", "+0.8", "64.0 [62.0, 66.0]", NOT_RUN]
    bests = {(row[2], row[3]): row[4] for row in tables.summary(c).rows}
    assert bests == {
        ("SCWS", "avg_sim_c"): "69.3",
        ("SCWS", "local_sim"): "60.11",
        ("WordSim-353", "avg_sim"): "71.2",
    }


def test_training_times_are_compared_with_skip_gram_of_the_same_dimension_and_recipe() -> None:
    c = collection(
        (FIRST, "Skip-gram 300d", "paper", result(seconds=10.0, other_load=0.0)),
        (FIRST, "MSSG 300d", "paper", result(seconds=30.0, other_load=0.0, senses_per_word={1: 1, 3: 3})),
        (FIRST, "MSSG 300d", "paper", result(seconds=25.0, other_load=0.04, senses_per_word={1: 1, 3: 3})),
        (FIRST, "MSSG 300d", "default", result(seconds=40.0, other_load=0.0)),
    )
    table = overview_tables.training_time(c)
    assert rows(table, "MSSG 300d", "paper's recipe") == [[6, 4.0, 25.0, 2.5, 2.5, None, None, None]]
    assert rows(table, "MSSG 300d", "default recipe") == [[6, 4.0, 40.0, None, 1.0, None, None, None]]
    assert rows(table, "Huang-style 50d, 10 senses")[0][1:3] == [168, 168 / 0.33]


@pytest.mark.parametrize("other_load", [None, 0.2])
def test_a_time_counts_only_if_the_machine_was_otherwise_idle(other_load: float | None) -> None:
    c = collection(
        (FIRST, "Skip-gram 300d", "paper", result(seconds=10.0, other_load=0.0)),
        (FIRST, "MSSG 300d", "paper", result(seconds=5.0, other_load=other_load, senses_per_word={3: 3})),
    )
    assert rows(overview_tables.training_time(c), "MSSG 300d", "paper's recipe")[0][2:5] == [None, None, 3.0]


def test_neighbours_stand_beside_those_of_the_paper() -> None:
    def found(words: str, senses: str) -> Result:
        return result(neighbours={"plant": [SenseNeighbours(0.75, words.split(), senses.split())]})

    c = collection(
        (FIRST, "MSSG 300d", "paper", found("a b", "c d")),
        (FIRST, "MSSG 300d", "default", found("e f", "g h")),
        (FIRST, "NP-MSSG 300d", "paper", result(neighbours={})),
        (FIRST, "Huang-style 50d, 10 senses", "default", found("i", "j")),
        (FIRST, "Skip-gram 300d", "default", None),
    )
    table = overview_tables.neighbours(c, "first", ["plant"])
    quoted = paper.NEIGHBOURS["plant"]
    assert rows(table, "plant", "MSSG") == [
        [quoted["MSSG"][0], "75%: a, b", "75%: c, d", "75%: g, h"],
        [quoted["MSSG"][1], None, None, None],
        [quoted["MSSG"][2], None, None, None],
    ]
    assert rows(table, "plant", "NP-MSSG")[0] == [
        quoted["NP-MSSG"][0],
        "not in the vocabulary",
        "not in the vocabulary",
        None,
    ]
    assert rows(table, "plant", "Skip-gram") == [[quoted["Skip-gram"][0], None, None, NOT_RUN]]
    assert rows(table, "plant", "Huang et al")[0] == [quoted["Huang et al"][0], None, None, "75%: j"]
    assert len(rows(table, "plant", "Huang et al")) == 10
    assert not rows(overview_tables.neighbours(c, "second", ["plant"]), "plant", "Huang et al")


def test_all_scores_have_the_range_of_the_seeds_and_the_mean_interval() -> None:
    c = collection((FIRST, "MSSG 300d", "paper", result(60)), (FIRST, "MSSG 300d", "paper", result(64)))
    found = rows(overview_tables.all_scores(c), "first", "MSSG 300d", "paper", "wordsim", "-", "avg_sim")
    assert found == [[2, 62, 60, 64, 60, 64, 57, None]]


def test_analogies_have_a_row_for_each_kind_of_vector() -> None:
    scores = {"total": {"words": Score(40, 30, 50), "senses": Score(50, 40, 60, 45)}}
    c = collection((FIRST, "MSSG 300d", "default", result(analogies=scores)))
    found = rows(tables.analogies(c), "MSSG 300d")
    assert found == [
        ["words", 64, None, None, "40.0", None],
        ["mean", 64, None, None, None, None],
        ["senses", 64, None, None, "50.0 (45.0)", None],
    ]


def test_analogies_are_solved_with_both_vectors_of_skip_gram() -> None:
    scores = {"total": {"words": Score(40, 30, 50), "senses": Score(50, 40, 60)}}
    c = collection((FIRST, "Skip-gram 300d", "paper", result(analogies=scores)))
    found = rows(tables.analogies(c), "Skip-gram 300d")
    assert found == [["v_g", 67, "40.0", None, None, None], ["v_s", 67, "50.0", None, None, None]]


def rows_of_page(page: str, columns: int) -> list[list[str]]:
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
    return [row for row in rows if len(row) == columns]


def test_the_results_on_the_page_on_the_paper_are_those_of_the_report() -> None:
    report = {
        (row[1], f"{row[2]} {row[3]}"): row[4:] for row in rows_of_page("reproduction.md", 9) if row[0] == "enwiki_110"
    }
    quoted = {row[0]: row[1:] for row in rows_of_page("paper.md", 6) if row[0].endswith(("_sim", "_sim_c"))}
    assert len(quoted) == 3
    for measure, (best, mssg, np_mssg, *controls) in quoted.items():
        for model, score in (("MSSG 300d", mssg), ("NP-MSSG 300d", np_mssg)):
            paper_best, ours, _, *trained = report[model, measure]
            assert (best, score, controls) == (paper_best, ours, trained)


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Task, Result]]:
    """The runs of the reproduction, with their saved results."""
    monkeypatch.setattr(plan, "dim_with_equal_parameters", lambda config, _: config.dim)  # needs the corpus
    corpora = [NamedCorpus(name, EMPTY) for name in ("enwiki_first", "enwiki_110")]
    tasks = plan.make_plan(PROFILES["full"], corpora, (1, 2, 3), threads=2)
    folder = DOCS / "reproduction"
    return [(task, Result.load(folder / task.corpus.name / f"{task.run.name}.json")) for task in tasks]


def collected(published: list[tuple[Task, Result]]) -> Collection:
    tasks = [task for task, _ in published]
    c = Collection(list({task.corpus.name: task.corpus for task in tasks}.values()), PROFILES["full"], tasks)
    for task, found in published:
        c.add(task, found)
    return c


def test_the_page_of_the_reproduction_has_the_tables_of_its_results(published: list[tuple[Task, Result]]) -> None:
    c = collected(published)
    words = [word for word in paper.NEIGHBOURS if word != "plant"]
    made = [
        tables.summary(c), overview_tables.training_time(c), tables.scws(c), tables.wordsim(c), tables.top_30000(c),
        tables.analogies(c), tables.controls(c), overview_tables.settings(), overview_tables.all_scores(c),
        *(overview_tables.neighbours(c, name, group) for group in (words, ["plant"]) for name in c.names),
    ]  # fmt: skip
    page = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    for table in made:
        section = "\n".join(Report("", "", [table]).markdown()).partition("\n## ")[2]
        assert section in page, f"make docs/reproduction.md anew: '{table.title}' is not that of docs/reproduction"


def test_the_results_of_the_reproduction_are_those_of_the_present_recipes(
    published: list[tuple[Task, Result]],
) -> None:
    for task, found in published:
        expected = json.loads(json.dumps(run_settings(task.run)))
        ignored = IGNORED | ({"dim"} if task.run.label.startswith(ONE_SENSE) else set())
        names = (expected.keys() | found.settings.keys()) - ignored
        assert {n: found.settings.get(n) for n in names} == {n: expected.get(n) for n in names}, task.run.name


def test_the_discussion_on_the_page_on_the_paper_quotes_the_results(published: list[tuple[Task, Result]]) -> None:
    c = collected(published)

    def score(corpus: str, model: str, recipe: RecipeName, group: str, measure: str) -> Score:
        found = c.score((corpus, f"{model} 300d", recipe), "scws", group, measure)
        assert found is not None
        return found

    small, large = "enwiki_first", "enwiki_110"
    mssg, np_mssg = (
        [f"{score(corpus, model, 'default', 'softmax', 'avg_sim_c').value:.1f}" for corpus in (small, large)]
        for model in ("MSSG", "NP-MSSG")
    )
    paper_recipe = [score(name, "MSSG", "paper", "inverse-distance", "avg_sim_c").value for name in (small, large)]
    controls = [score(large, model, "default", "softmax", "local_sim").control for model in ("MSSG", "NP-MSSG")]
    analogies = [c.cell((corpus, "NP-MSSG 300d", "default"), "analogies", "total", "mean") for corpus in (small, large)]
    times = {(row[0], row[1]): f"{row[5]:.2f}" for row in overview_tables.training_time(c).rows if row[5] is not None}
    ratios = [[times[f"{model} 300d", f"{r} recipe"] for model in ("MSSG", "NP-MSSG")] for r in ("paper's", "default")]
    text = " ".join((DOCS / "paper.md").read_text(encoding="utf-8").split())
    for sentence in (
        f"avg_sim_c is {(paper.SCWS['MSSG 300d'][2] or 0) - float(mssg[1]):.1f} points below the paper's best",
        f"avg_sim_c goes from {mssg[0]} to {mssg[1]} (MSSG) and from {np_mssg[0]} to {np_mssg[1]} (NP-MSSG)",
        f"avg_sim_c {paper_recipe[0]:.1f} with 41 million tokens and {paper_recipe[1]:.1f} with 112 million (MSSG)",
        f"with senses drawn at random have {controls[0]:.1f} (MSSG) and {controls[1]:.1f} (NP-MSSG)",
        f"raises analogies from {float(str(analogies[0])):.0f} to {float(str(analogies[1])):.0f}%",
        f"it is {' and '.join(ratios[0])} times with the paper's recipe, and {' and '.join(ratios[1])} times with the",
    ):
        assert sentence in text
