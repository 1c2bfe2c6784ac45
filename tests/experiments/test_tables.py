"""The tables of the report, from models and scores that are given."""

from __future__ import annotations

from dataclasses import replace

from polyseme import SenseModel
from polyseme.evaluation.scores import Evaluation, Score
from polyseme.experiments import paper, tables
from polyseme.experiments.plan import Run
from tests.evaluation.toy import toy

SENSE = [1.0, 0.0]


def model(seconds: float, num_senses: int) -> SenseModel:
    """A model with two dimensions that was trained for some seconds."""
    data = toy({"apple": [(SENSE, 60)] * num_senses, "pear": [([0.6, 0.8], 60)]})._data
    return SenseModel(replace(data, training={"seconds": seconds}, config={**data.config, "epochs": 5}))


RUNS = [
    Run("Skip-gram 50d", {"model": "skip-gram", "dim": 50}),
    Run("MSSG 50d", {"model": "mssg", "dim": 50}),
    Run("MSSG 50d, paper's recipe", {"model": "mssg", "dim": 50}, "paper"),
]
MODELS = {run.label: model(seconds, senses) for run, seconds, senses in zip(RUNS, (10, 25, 40), (1, 2, 3), strict=True)}


def test_training_times_are_compared_with_skip_gram_of_the_same_dimension_and_recipe() -> None:
    rows = {row[0]: list(row[1:]) for row in tables.training_time(RUNS, MODELS, tokens=1000).rows}
    assert rows["Skip-gram 50d"][:4] == [10, 500, 1, 1]
    assert rows["MSSG 50d"][:5] == [25, 200, 2.5, 2, 1.0]
    assert rows["MSSG 50d, paper's recipe"][:5] == [40, 125, None, 3, 1.0]


def test_neighbours_are_listed_by_sense_and_missing_words_are_named() -> None:
    rows = tables.nearest_neighbours(["MSSG 50d"], MODELS).rows
    assert rows[:3] == [
        ["apple", "MSSG 50d", "50%", "pear"],
        ["apple", "MSSG 50d", "50%", "pear"],
        ["fox", "MSSG 50d", None, "not in the vocabulary"],
    ]
    assert {row[0] for row in rows} == set(tables.WORDS)


def test_scores_are_followed_by_their_controls_and_the_scores_of_the_paper() -> None:
    scores = {"MSSG 50d": {"global_sim": Score(60.04, 50, 70), "avg_sim_c": Score(65.06, 60, 70, control=61.0)}}
    table = tables.similarity_in_context("scws", "SCWS", scores, scores, paper.SCWS)
    assert table.rows[0] == ["MSSG 50d", "60.0", None, None, "65.1 / 61.0", None, *paper.SCWS["MSSG 50d"]]
    assert table.rows[1] == ["C&W 50d (quoted from the paper)", *[None] * 5, *paper.SCWS["C&W 50d"]]
    assert len(table.rows) == 2
    wordsim = tables.word_similarity(scores, scores)
    assert wordsim.rows[0] == ["MSSG 50d", "60.0", None, None, *paper.WORDSIM["MSSG 50d"]]


def test_intervals_have_all_numbers_of_all_scores() -> None:
    scores = {"MSSG 50d": {"avg_sim": Score(1, 2, 3, 4, 5), "avg_sim_c": Score(6, 7, 8)}}
    assert tables.intervals({"scws": scores}).rows == [
        ["scws", "MSSG 50d", "avg_sim", 1, 2, 3, 4, 5],
        ["scws", "MSSG 50d", "avg_sim_c", 6, 7, 8, None, None],
    ]
    assert tables.against_controls(scores, scores).rows == [
        ["MSSG 50d", "avg_sim", 1, 2, 3, 4],
        ["MSSG 50d", "avg_sim_c", 6, 7, 8, None],
    ]


def test_analogies_have_a_row_for_each_kind_of_vector() -> None:
    table = {
        "total": {"words": Score(40, 30, 50), "senses": Score(50, 40, 60, 45)},
        "semantic": {"words": Score(9, 8, 9)},
    }
    rows = tables.analogies({"MSSG 50d": Evaluation("analogy", 3, 4, table)}).rows
    assert rows == [
        ["MSSG 50d", "words", "9.0", None, "40.0"],
        ["MSSG 50d", "senses", None, None, "50.0 / 45.0"],
    ]
