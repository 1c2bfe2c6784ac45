"""Analogies: examples computed by hand, and gensim's evaluator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyseme import SenseModel
from polyseme.errors import DataError
from polyseme.evaluation.analogy import analogy
from tests.evaluation.toy import toy


def test_the_answer_is_the_nearest_word_outside_the_query_and_sections_are_scored(tmp_path: Path) -> None:
    model = toy(
        {
            "man": [([1.0, 0.0, 0.0, 0.0], 5)],
            "woman": [([1.0, 1.0, 0.0, 0.0], 5)],
            "king": [([1.0, 0.0, 1.0, 0.0], 5)],
            "queen": [([1.0, 1.0, 1.0, 0.0], 5)],
            "pear": [([0.0, 0.0, 0.0, 1.0], 5)],
        }
    )
    path = tmp_path / "analogies.txt"
    path.write_text(
        ": family\nman woman king queen\nwoman man queen king\n: gram1-x\nman woman king pear\nman woman king unknown\n"
    )
    evaluation = analogy(model, path)
    assert (evaluation.covered, evaluation.total) == (3, 4)
    assert {group: scores["senses"].value for group, scores in evaluation.table.items()} == {
        "total": pytest.approx(200 / 3),
        "semantic": 100,
        "syntactic": 0,
        "family": 100,
        "gram1-x": 0,
    }
    assert "mean" not in evaluation.table["total"]  # with one sense per word, it would be the same
    assert evaluation.table["total"]["senses"].control is None


def test_senses_answer_an_analogy_that_their_mean_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The most frequent sense of `jaguar` is a car; jaguar : cub = bear : whelp holds for the animal."""
    model = toy(
        {
            "jaguar": [([0.0, 0.0, 0.0, 9.0], 50), ([1.0, 0.0, 0.0, 0.0], 5)],
            "cub": [([1.0, 1.0, 0.0, 0.0], 5)],
            "bear": [([1.0, 0.0, 1.0, 0.0], 5)],
            "whelp": [([1.0, 1.0, 1.0, 0.0], 5)],
            "boat": [([0.3, 0.3, 0.3, -0.9], 5)],  # the answer for the car
        }
    )
    path = tmp_path / "analogies.txt"
    path.write_text("jaguar cub bear whelp\n" * 200)
    monkeypatch.setattr("polyseme.evaluation.analogy.CONTROL_FRACTION", 1)
    scores = analogy(model, path).table["total"]
    assert (scores["senses"].value, scores["mean"].value) == (100, 0)
    assert scores["senses"].control == pytest.approx(100 * 5 / 55, abs=3)  # the share of the animal


def test_a_model_with_one_sense_per_word_has_the_score_of_gensim(tmp_path: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors
    random = np.random.default_rng(3)
    words = [f"w{i}" for i in range(60)]
    base = random.normal(size=(20, 8))
    vectors = np.concatenate([base, base + random.normal(size=8), random.normal(size=(20, 8))]).astype(np.float32)
    model = toy({word: [(vector.tolist(), 5)] for word, vector in zip(words, vectors, strict=True)})
    lines = [f"w{i} w{i + 20} w{j} w{j + 20}" for i in range(20) for j in range(20) if i != j]
    path = tmp_path / "analogies.txt"
    path.write_text(": shifted\n" + "\n".join(lines) + "\n")
    gensim_vectors = keyed(8)
    gensim_vectors.add_vectors(words, vectors)
    expected, _ = gensim_vectors.evaluate_word_analogies(str(path), case_insensitive=False)
    assert 0.1 < expected < 0.99
    assert analogy(model, path).table["total"]["words"].value == pytest.approx(100 * expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (": only\n", "has names of sections, but no analogies"),
        (": x\na b c\n", "line 2: 3 words where 4 are needed"),
        ("no such words here\n", "knows all four words of none of the 1 analogies"),
    ],
)
def test_errors_in_analogy_files_name_the_line(text: str, message: str, mssg: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "analogies.txt").write_text(text)
    with pytest.raises(DataError, match=message):
        analogy(mssg, tmp_path / "analogies.txt")
