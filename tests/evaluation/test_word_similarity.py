"""Similarity scores: layouts, values worked out by hand, and scipy's and gensim's figures."""

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
    """`bank` has a sense near `loan` and one near `river`; contexts choose by centers of the same directions."""
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


def test_spearman_is_that_of_scipy_also_with_ties_and_for_many_rows() -> None:
    random = np.random.default_rng(0)
    a, b = random.integers(0, 6, (5, 40)), random.integers(0, 6, (5, 40))
    expected = [spearmanr(x, y).statistic for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(spearman(a, b), expected)


def test_measures_without_contexts_are_as_by_hand(model: SenseModel, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("bank\tloan\t9\nbank\triver\t5\nbank\tfar\t1\nbank\tunheard\t5\n")
    found = wordsim(model, path)
    assert (found.covered, found.total) == (3, 4)
    # cosines of bank's senses: loan 0.99 and 0.11, river 0.11 and 0.99, far -1 and 0
    # global: 0.99, 0.11, -1: the ratings' order.  mean: 0.55, 0.55, -0.5: a tie.  max: 0.99, 0.99, 0: a tie
    assert found.table["words"]["global_sim"].value == pytest.approx(100)
    assert found.table["words"]["avg_sim"].value == pytest.approx(100 * spearmanr([2.5, 2.5, 1], [3, 2, 1]).statistic)
    assert found.table["words"]["max_sim"].value == pytest.approx(100 * spearmanr([2.5, 2.5, 1], [3, 2, 1]).statistic)
    assert found.table["words"]["global_sim"].control is None  # no sense plays a part
    # the unknown pair at the mean of the others, 0.033, between river's 0.11 and far's -1; its rating is river's
    every = 100 * spearmanr([0.99, 0.11, -1, 0.033], [9, 5, 1, 5]).statistic
    assert found.table["words"]["global_sim"].with_unknown == pytest.approx(every)


def test_measures_in_contexts_are_as_by_hand(model: SenseModel, tmp_path: Path) -> None:
    path = tmp_path / "ratings.txt"
    lines = [
        scws_line("bank", "loan", "loan", "loan", 9),  # the first sense: local_sim 0.99
        scws_line("bank", "loan", "river", "loan", 2),  # the second: 0.11
        scws_line("bank", "river", "loan", "river", 3),  # the first: 0.11
        scws_line("bank", "far", "loan", "far", 1),  # the first: -1
    ]
    path.write_text("\n".join(lines))
    found = scws(model, path)
    assert set(found.table) == {"words", "softmax", "inverse-distance"}
    for posterior in ("softmax", "inverse-distance"):
        scores = found.table[posterior]
        local = 100 * spearmanr([0.99, 0.1104, 0.1104, -1], [9, 2, 3, 1]).statistic
        assert scores["local_sim"].value == pytest.approx(local)
        assert scores["local_sim"].control is not None
        assert scores["local_sim"].control < scores["local_sim"].value
        assert scores["local_sim"].low <= scores["local_sim"].value <= scores["local_sim"].high + 1e-9
    each = [model.similarity("bank", "loan", contexts=(f"{word} bank", "loan")).avg_sim_c for word in ("loan", "river")]
    assert each[0] is not None
    assert each[1] is not None
    assert each[0] > each[1]


def test_a_model_of_one_sense_equals_its_control(tmp_path: Path) -> None:
    model = toy({"a": [(EAST, 5)], "b": [([0.8, 0.6], 5)], "c": [(NORTH, 5)]})
    path = tmp_path / "ratings.txt"
    pairs = [("a", "b", 8), ("a", "c", 2), ("b", "c", 7)]
    path.write_text("\n".join(scws_line(x, y, "a", "b", r) for x, y, r in pairs))
    for scores in scws(model, path).table.values():
        for score in scores.values():
            assert score.value == pytest.approx(100)
            assert score.control in (None, pytest.approx(100))


def test_one_vector_a_word_gets_the_score_that_gensim_gives(tmp_path: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors
    random = np.random.default_rng(2)
    words, vectors = [f"w{i}" for i in range(30)], random.normal(size=(30, 5)).astype(np.float32)
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"w{i}\tw{j}\t{random.integers(0, 9)}\n" for i in range(30) for j in range(i)))
    peer = keyed(5)
    peer.add_vectors(words, vectors)
    expected = peer.evaluate_word_pairs(str(path))[1].statistic
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
        ("\ufefflove;sex;3\r\ntiger;cat;2\r\n", [3.0, 2.0]),
    ],
)
def test_the_usual_layouts_of_pairs_are_recognised(text: str, expected: list[float], tmp_path: Path) -> None:
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
        ("a\tb\tnan\n", "line 1: 'nan' is not a score."),
        ("word1\tword2\tscore\n", "pairs has no pairs, only a head line."),
        ("none\tknown\t3\n", "the model knows the words of 0 pairs of 1"),
    ],
)
def test_bad_pairs_are_named_with_their_line(text: str, message: str, model: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text(text)
    with pytest.raises(DataError, match=message):
        wordsim(model, tmp_path / "pairs")


def test_a_context_without_its_mark_is_named_with_its_line(tmp_path: Path) -> None:
    good = scws_line("bank", "loan", "x", "y", 3)
    (tmp_path / "ratings.txt").write_text(f"{good}\n{good.replace('<b>', '')}\n")
    with pytest.raises(DataError, match="line 2: the context of 'bank' has no <b>...</b> around it"):
        read_scws(tmp_path / "ratings.txt")
    with pytest.raises(MissingFile, match="is not a file"):
        read_scws(tmp_path)


@pytest.mark.skipif(not DATA.exists(), reason="needs the evaluation data")
def test_the_real_sets_are_read_whole() -> None:
    assert len(read_scws(DATA / "eval/scws/ratings.txt")) == 2003
    sizes = {"wordsim353/combined.csv": 353, "wordsim353/combined.tab": 353, "simlex999/SimLex-999.txt": 999}
    sizes |= {"wordsim/EN-RG-65.txt": 65, "wordsim/EN-MTurk-771.txt": 771}
    assert {name: len(read_pairs(DATA / "eval" / name)) for name in sizes} == sizes
    assert read_pairs(DATA / "eval/simlex999/SimLex-999.txt")[0].rating == 1.58
