"""Results of runs: neighbours as in the paper, saving and loading."""

from __future__ import annotations

import math
from pathlib import Path

from polyseme.evaluation.scores import Score
from polyseme.experiments.results import Result, SenseNeighbours, find_neighbours, mean_score
from tests.evaluation.toy import toy


def test_neighbours_as_in_the_paper_are_the_nearest_global_vectors_of_all_words() -> None:
    model = toy(
        {
            "plant": [([1.0, 0.0], 60), ([0.0, 1.0], 40)],
            "tree": [([0.9, 0.1], 50), ([-1.0, 0.0], 50)],
            "factory": [([0.1, 0.9], 50)],
            "rare": [([0.0, 1.0], 1)],
        }
    )
    assert find_neighbours(model)["plant"] == [
        SenseNeighbours(0.6, ["tree", "factory", "rare"], ["tree", "factory", "rare"]),
        SenseNeighbours(0.4, ["rare", "factory", "tree"], ["rare", "factory", "tree"]),
    ]


def test_a_saved_result_is_loaded_as_it_was(tmp_path: Path) -> None:
    scores = {"words": {"avg_sim": Score(1.5, 1, 2, 0.5, 1.25), "global_sim": Score(2, 1, 3)}}
    result = Result(
        {"dim": 3}, "f", "words", scws=scores, wordsim=scores, seconds=2.5, threads=2, senses_per_word={1: 5, 3: 5},
        neighbours={"plant": [SenseNeighbours(0.5, ["a"], ["b"])]}, covered={"scws": [9, 10]},
    )  # fmt: skip
    result.save(tmp_path / "folder" / "r.json")
    assert Result.load(tmp_path / "folder" / "r.json") == result
    assert result.mean_senses == 2


def test_a_score_that_is_not_a_number_survives(tmp_path: Path) -> None:
    scores = {"words": {"avg_sim": Score(math.nan, math.nan, math.nan)}}
    Result({}, "f", "words", scws=scores, wordsim={}).save(tmp_path / "r.json")
    loaded = Result.load(tmp_path / "r.json").scws["words"]["avg_sim"]
    assert math.isnan(loaded.value)
    assert loaded.control is None


def test_the_mean_over_seeds_is_that_of_scores_intervals_and_controls() -> None:
    assert mean_score([Score(1, 0, 4, 2), Score(3, 2, 6, 4)]) == Score(2, 1, 5, 3)
    assert mean_score([Score(1, 0, 4)]) == Score(1, 0, 4)
