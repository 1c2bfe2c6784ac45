"""Word-in-Context with a model whose senses are given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme import SenseModel
from polyseme.errors import DataError, MissingFile
from polyseme.evaluation.instances import Instance
from polyseme.evaluation.wic import fit_threshold, read_part, wic
from polyseme.model.disambiguation import TEMPERATURE
from tests.evaluation.toy import toy

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
MONEY, RIVER = "the bank has money", "the bank of a river"
PAIRS = [(MONEY, MONEY, True), (RIVER, RIVER, True), (MONEY, RIVER, False), (RIVER, MONEY, False)]


@pytest.fixture
def model() -> SenseModel:
    """`bank` has a sense for `money` and one for `river`."""
    words = {"bank": [(EAST, 200), (NORTH, 200)], "money": [(EAST, 20)], "river": [(NORTH, 20)]}
    return toy(words, {word: [vector for vector, _ in senses] for word, senses in words.items()})


def write(path: Path, part: str, pairs: list[tuple[str, str, bool]], word: str = "bank") -> Path:
    """Add a part of sentences that have the word at position 1."""
    (path / part).mkdir()
    data = "\n".join(f"{word}\tN\t1-1\t{a}\t{b}" for a, b, _ in pairs)
    (path / part / f"{part}.data.txt").write_text(data)
    (path / part / f"{part}.gold.txt").write_text("\n".join("FT"[same] for _, _, same in pairs))
    return path


def test_a_pair_has_the_text_around_the_positions_of_its_word(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "dev.data.txt").write_text("board\tN\t2-0\tRoom and boards .\tBoard it\n")
    (tmp_path / "dev" / "dev.gold.txt").write_text("F\n")
    (pair,) = read_part(tmp_path, "dev")
    assert (pair.a, pair.b) == (Instance("board", "Room and", "."), Instance("board", "", "it"))
    assert not pair.same


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=12))
def test_no_threshold_is_better_than_the_fitted_one(pairs: list[tuple[int, bool]]) -> None:
    values, same = np.array([v for v, _ in pairs], float), np.array([s for _, s in pairs])

    def correct(threshold: float) -> int:
        return int(((values >= threshold) == same).sum())

    assert correct(fit_threshold(values, same)) == max(correct(t) for t in np.arange(-0.5, 6.5))


def test_the_middle_one_of_several_best_thresholds_is_chosen() -> None:
    # Thresholds 1, 1.5, 2.5 and above 3 have 2, 1, 2 and 1 correct answers; the first of an even number of best ones.
    assert fit_threshold(np.array([1.0, 2, 3]), np.array([True, False, True])) == 1
    # No, yes, no, yes, no, yes: thresholds 1.5, 3.5 and 5.5 have 4 correct answers.
    assert fit_threshold(np.arange(1.0, 7), np.array([False, True] * 3)) == 3.5


def test_a_model_with_the_right_senses_has_an_accuracy_of_100_and_its_control_has_not(
    model: SenseModel, tmp_path: Path
) -> None:
    evaluation = wic(model, write(write(tmp_path, "train", PAIRS * 10), "dev", PAIRS * 5))
    assert (evaluation.task, evaluation.covered, evaluation.total) == ("wic", 20, 20)
    assert list(evaluation.table) == ["dev"]
    scores = evaluation.table["dev"]
    assert list(scores) == ["same_sense", "avg_sim_c", "local_sim", "context_sim"]
    for name, score in scores.items():
        assert (score.value, score.low, score.high, score.including_oov) == (100, 100, 100, 100)
        if name == "context_sim":
            assert score.control is None
        else:
            assert score.control is not None
            assert 25 < score.control < 75


def test_thresholds_are_halfway_between_values(model: SenseModel, tmp_path: Path) -> None:
    evaluation = wic(model, write(write(tmp_path, "train", PAIRS), "dev", PAIRS))
    p = 1 / (1 + np.exp(-1 / TEMPERATURE))  # of the sense with cosine 1; the other sense has cosine 0
    same, other = p * p + (1 - p) * (1 - p), 2 * p * (1 - p)
    assert evaluation.facts["threshold of same_sense"] == pytest.approx((same + other) / 2)
    assert evaluation.facts["threshold of avg_sim_c"] == pytest.approx((same + other) / 2)  # the senses' cosine is 0
    assert evaluation.facts["threshold of local_sim"] == pytest.approx(0.5)
    assert evaluation.facts["threshold of context_sim"] == pytest.approx(0.5)


def test_the_test_part_is_scored_if_it_has_answers(model: SenseModel, tmp_path: Path) -> None:
    write(write(write(tmp_path, "train", PAIRS), "dev", PAIRS), "test", PAIRS * 2)
    evaluation = wic(model, tmp_path)
    assert evaluation.total == 8
    assert evaluation.notes == ("Scored on test; thresholds fitted on 4 of 4 pairs of train.",)
    (tmp_path / "test" / "test.gold.txt").unlink()
    assert list(wic(model, tmp_path).table) == ["dev"]


def test_the_most_frequent_answer_is_given_for_unknown_words(model: SenseModel, tmp_path: Path) -> None:
    write(write(tmp_path, "train", [*PAIRS, (MONEY, MONEY, True)]), "dev", PAIRS)
    with (tmp_path / "dev" / "dev.data.txt").open("a") as data, (tmp_path / "dev" / "dev.gold.txt").open("a") as gold:
        data.write("\n" + "unknown\tV\t0-0\tx\ty\n" * 4)
        gold.write("\nT\nF\nF\nF\n")
    evaluation = wic(model, tmp_path)
    assert (evaluation.covered, evaluation.total) == (4, 8)
    assert evaluation.table["dev"]["same_sense"].value == 100
    assert evaluation.table["dev"]["same_sense"].including_oov == 100 * 5 / 8


def test_sentences_without_known_words_have_a_similarity_of_0(model: SenseModel, tmp_path: Path) -> None:
    empty = [("a bank", "a bank", False)] * 3
    evaluation = wic(model, write(write(tmp_path, "train", PAIRS + empty), "dev", empty))
    assert evaluation.table["dev"]["context_sim"].value == 100


def test_data_without_known_words_are_refused(model: SenseModel, tmp_path: Path) -> None:
    write(write(tmp_path, "train", PAIRS), "dev", PAIRS, word="unknown")
    with pytest.raises(DataError, match="dev: the model knows none of the words of the 4 pairs"):
        wic(model, tmp_path)


@pytest.mark.parametrize(
    ("data", "gold", "message"),
    [
        ("", "", "train.data.txt is empty"),
        ("bank\tN\t1-1\ta bank\n", "T\n", "train.data.txt, line 1: 4 columns where 5 are needed"),
        ("bank\tN\t1\ta bank\tb bank\n", "T\n", "line 1: '1' is not a pair of positions"),
        (f"bank\tN\t1-{'9' * 5000}\ta bank\tb bank\n", "T\n", "line 1: '1-99.*' is not a pair of positions"),
        (
            "bank\tN\t1-2\ta bank\tb bank\n",
            "T\n",
            "line 1: position 2 of 'bank' is past the end of a sentence of 2 words",
        ),
        ("bank\tN\t1-1\ta bank\tb bank\n", "yes\n", "train.gold.txt, line 1: 'yes' is neither T nor F"),
        ("bank\tN\t1-1\ta bank\tb bank\n", "T\nF\n", "has 2 answers for the 1 pairs"),
    ],
)
def test_errors_in_the_data_name_the_line(
    data: str, gold: str, message: str, model: SenseModel, tmp_path: Path
) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "train.data.txt").write_text(data)
    (tmp_path / "train" / "train.gold.txt").write_text(gold)
    with pytest.raises(DataError, match=message):
        wic(model, tmp_path)


def test_missing_files_are_named(model: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="is not a folder; name the folder that has train/"):
        wic(model, tmp_path / "nowhere")
    with pytest.raises(MissingFile, match=r"train.data.txt is not a file"):
        wic(model, tmp_path)
