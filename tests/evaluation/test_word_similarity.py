"""Similarity scores: file layouts, values computed by hand, and the scores of SciPy and gensim."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from polyseme import SenseModel
from polyseme.errors import DataError, MissingFile
from polyseme.evaluation.word_similarity import read_pairs, read_scws, scws, spearman, wordsim
from tests.conftest import DATA
from tests.evaluation.toy import toy

EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]


@pytest.fixture
def model() -> SenseModel:
    """`bank` has a sense near `loan` and one near `river`; cluster centers are the sense vectors."""
    words = {
        "bank": [(EAST, 30), (NORTH, 10)],
        "loan": [([0.9, 0.1], 20)],
        "river": [([0.1, 0.9], 20)],
        "far": [(WEST, 20)],
    }
    centers = {word: [vector for vector, _ in senses] for word, senses in words.items()}
    return toy(words, centers)


def scws_line(a: str, b: str, left: str, right: str, rating: float) -> str:
    return "\t".join(["1", a, "n", b, "n", f"x {left} <b> {a} </b> y", f"z {right} <b> {b} </b>", str(rating), "3.0"])


def test_spearman_equals_that_of_scipy_with_ties_and_for_several_rows() -> None:
    random = np.random.default_rng(0)
    a, b = random.integers(0, 6, (5, 40)), random.integers(0, 6, (5, 40))
    expected = [spearmanr(x, y).statistic for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(spearman(a, b), expected)


def test_scores_without_contexts(model: SenseModel, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("bank\tloan\t9\nbank\triver\t5\nbank\tfar\t1\nbank\tunknown\t5\n")
    evaluation = wordsim(model, path)
    assert (evaluation.covered, evaluation.total) == (3, 4)
    # Cosines of bank's senses: loan 0.99 and 0.11, river 0.11 and 0.99, far -1 and 0.
    # global_sim 0.99, 0.11, -1: the order of the ratings. avg_sim 0.55, 0.55, -0.5 and max_sim 0.99, 0.99, 0: ties.
    assert evaluation.table["words"]["global_sim"].value == pytest.approx(100)
    assert evaluation.table["words"]["avg_sim"].value == pytest.approx(
        100 * spearmanr([2.5, 2.5, 1], [3, 2, 1]).statistic
    )
    assert evaluation.table["words"]["max_sim"].value == pytest.approx(
        100 * spearmanr([2.5, 2.5, 1], [3, 2, 1]).statistic
    )
    assert evaluation.table["words"]["global_sim"].control is None  # it does not depend on senses
    # The pair with the unknown word has the mean of the others, 0.033.
    expected = 100 * spearmanr([0.99, 0.11, -1, 0.033], [9, 5, 1, 5]).statistic
    assert evaluation.table["words"]["global_sim"].including_oov == pytest.approx(expected)


def test_scores_in_contexts(model: SenseModel, tmp_path: Path) -> None:
    path = tmp_path / "ratings.txt"
    lines = [
        scws_line("bank", "loan", "loan", "loan", 9),  # sense 1: local_sim 0.99
        scws_line("bank", "loan", "river", "loan", 2),  # sense 2: 0.11
        scws_line("bank", "river", "loan", "river", 3),  # sense 1: 0.11
        scws_line("bank", "far", "loan", "far", 1),  # sense 1: -1
    ]
    path.write_text("\n".join(lines))
    evaluation = scws(model, path)
    assert set(evaluation.table) == {"words", "softmax", "inverse-distance"}
    for posterior in ("softmax", "inverse-distance"):
        scores = evaluation.table[posterior]
        local = 100 * spearmanr([0.99, 0.1104, 0.1104, -1], [9, 2, 3, 1]).statistic
        assert scores["local_sim"].value == pytest.approx(local)
        assert scores["local_sim"].control is not None
        assert scores["local_sim"].control < scores["local_sim"].value
    near, far = (model.similarity("bank", "loan", contexts=(f"{w} bank", "loan")).avg_sim_c for w in ("loan", "river"))
    assert near is not None
    assert far is not None
    assert near > far


def test_a_model_with_one_sense_per_word_has_the_score_of_its_control(tmp_path: Path) -> None:
    model = toy({"a": [(EAST, 5)], "b": [([0.8, 0.6], 5)], "c": [(NORTH, 5)]})
    path = tmp_path / "ratings.txt"
    pairs = [("a", "b", 8), ("a", "c", 2), ("b", "c", 7)]
    path.write_text("\n".join(scws_line(x, y, "a", "b", r) for x, y, r in pairs))
    for scores in scws(model, path).table.values():
        for score in scores.values():
            assert score.value == pytest.approx(100)
            assert score.control in (None, pytest.approx(100))


def test_a_model_with_one_sense_per_word_has_the_score_of_gensim(tmp_path: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors
    random = np.random.default_rng(2)
    words, vectors = [f"w{i}" for i in range(30)], random.normal(size=(30, 5)).astype(np.float32)
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"w{i}\tw{j}\t{random.integers(0, 9)}\n" for i in range(30) for j in range(i)))
    gensim_vectors = keyed(5)
    gensim_vectors.add_vectors(words, vectors)
    expected = gensim_vectors.evaluate_word_pairs(str(path))[1].statistic
    model = toy({word: [(vector.tolist(), 5)] for word, vector in zip(words, vectors, strict=True)})
    assert wordsim(model, path).table["words"]["avg_sim"].value == pytest.approx(100 * expected, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Word 1,Word 2,Human (mean)\nlove,sex,6.77\ntiger,cat,7.35\n", [6.77, 7.35]),
        ("Word 1\tWord 2\tHuman (mean)\nlove\tsex\t6.77\ntiger\tcat\t7.35\n", [6.77, 7.35]),
        ("word1\tword2\tPOS\tSimLex999\tconc(w1)\nlove\tsex\tN\t1.58\t2.7\ntiger\tcat\tN\t9.2\t1.8\n", [1.58, 9.2]),
        ("love sex 50.000000\ntiger cat 49\n", [50.0, 49.0]),
        ("love-n sex-n 50\ntiger-n cat-n 49\n", [50.0, 49.0]),
        ("love\tsex\t3.9\t0.1\t0.2\ntiger\tcat\t3.8\t1\t2\n", [3.9, 3.8]),
        ("# two pairs, with ratings; made up\nlove\tsex\t3\ntiger\tcat\t2\n", [3.0, 2.0]),
        ("# with a header\nword1\tword2\tscore\nlove\tsex\t3\ntiger\tcat\t2\n", [3.0, 2.0]),
        ("\ufefflove;sex;3\r\ntiger;cat;2\r\n", [3.0, 2.0]),
    ],
)
def test_the_usual_layouts_of_word_pairs_are_recognised(text: str, expected: list[float], tmp_path: Path) -> None:
    path = tmp_path / "pairs"
    path.write_text(text, encoding="utf-8")
    pairs = read_pairs(path)
    assert [(pair.a.word, pair.b.word) for pair in pairs] == [("love", "sex"), ("tiger", "cat")]
    assert [pair.rating for pair in pairs] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "pairs is empty."),
        ("\n \n", "pairs is empty."),
        ("a b\n", "line 1: 2 columns where 3 are needed"),
        ("a\tb\t3\na\tb\tmuch\n", "line 2: 'much' is not a number."),
        ("a\tb\tnan\n", "line 1: 'nan' is not a finite number."),
        ("word1\tword2\tscore\n", "pairs has no pairs, only a header."),
        ("# made up\n", "pairs has no pairs, only comments."),
        ("none\tknown\t3\n", "the model knows both words of 0 of 1 pairs"),
    ],
)
def test_errors_in_word_pairs_name_the_line(text: str, message: str, model: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text(text)
    with pytest.raises(DataError, match=message):
        wordsim(model, tmp_path / "pairs")


def test_a_context_without_a_marked_word_is_named_with_its_line(tmp_path: Path) -> None:
    good = scws_line("bank", "loan", "x", "y", 3)
    (tmp_path / "ratings.txt").write_text(f"{good}\n{good.replace('<b>', '')}\n")
    with pytest.raises(DataError, match="line 2: the context of 'bank' has no <b>...</b> around the word"):
        read_scws(tmp_path / "ratings.txt")
    with pytest.raises(MissingFile, match="is not a file"):
        read_scws(tmp_path)


@pytest.mark.skipif(not DATA.exists(), reason="needs the evaluation data")
def test_the_published_data_sets_are_read_completely() -> None:
    assert len(read_scws(DATA / "eval/scws/ratings.txt")) == 2003
    sizes = {"wordsim353/combined.csv": 353, "wordsim353/combined.tab": 353, "simlex999/SimLex-999.txt": 999}
    sizes |= {"wordsim/EN-RG-65.txt": 65, "wordsim/EN-MTurk-771.txt": 771}
    assert {name: len(read_pairs(DATA / "eval" / name)) for name in sizes} == sizes
    assert read_pairs(DATA / "eval/simlex999/SimLex-999.txt")[0].rating == 1.58
