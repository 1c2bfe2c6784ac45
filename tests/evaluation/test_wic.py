"""Word-in-Context with a model whose senses are known."""

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
SAME = [(MONEY, MONEY, True), (RIVER, RIVER, True), (MONEY, RIVER, False), (RIVER, MONEY, False)]


@pytest.fixture
def model() -> SenseModel:
    """`bank` has a sense for `money` and one for `river`."""
    words = {"bank": [(EAST, 200), (NORTH, 200)], "money": [(EAST, 20)], "river": [(NORTH, 20)]}
    return toy(words, {word: [vector for vector, _ in senses] for word, senses in words.items()})


def write(path: Path, part: str, pairs: list[tuple[str, str, bool]], word: str = "bank") -> Path:
    """Add a part, in whose sentences the word is at place 1."""
    (path / part).mkdir()
    data = "\n".join(f"{word}\tN\t1-1\t{a}\t{b}" for a, b, _ in pairs)
    (path / part / f"{part}.data.txt").write_text(data)
    (path / part / f"{part}.gold.txt").write_text("\n".join("FT"[same] for _, _, same in pairs))
    return path


def test_a_pair_is_a_word_at_its_places(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "dev.data.txt").write_text("board\tN\t2-0\tRoom and boards .\tBoard it\n")
    (tmp_path / "dev" / "dev.gold.txt").write_text("F\n")
    (pair,) = read_part(tmp_path, "dev")
    assert (pair.a, pair.b) == (Instance("board", "Room and", "."), Instance("board", "", "it"))
    assert not pair.same


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=12))
def test_no_threshold_is_better_than_the_fitted_one(pairs: list[tuple[int, bool]]) -> None:
    values, same = np.array([v for v, _ in pairs], float), np.array([s for _, s in pairs])

    def right(threshold: float) -> int:
        return int(((values >= threshold) == same).sum())

    assert right(fit_threshold(values, same)) == max(right(t) for t in np.arange(-0.5, 6.5))


def test_of_equally_good_thresholds_the_middle_one_is_taken() -> None:
    # Cuts before 1 and 2, between 2 and 3, and after 3 have 2, 1, 2, 1 right; then 1, 2, 1, 2 the other way round.
    assert fit_threshold(np.array([1.0, 2, 3]), np.array([True, False, True])) == 1
    # No, yes, no, yes, no, yes: cuts at 1.5, 3.5 and 5.5 have 4 right.
    assert fit_threshold(np.arange(1.0, 7), np.array([False, True] * 3)) == 3.5


def test_a_model_that_tells_the_senses_is_always_right_and_its_control_is_not(
    model: SenseModel, tmp_path: Path
) -> None:
    done = wic(model, write(write(tmp_path, "train", SAME * 10), "dev", SAME * 5))
    assert (done.task, done.covered, done.total) == ("wic", 20, 20)
    assert list(done.table) == ["dev"]
    scores = done.table["dev"]
    assert list(scores) == ["same_sense", "avg_sim_c", "local_sim", "context_sim"]
    for name, score in scores.items():
        assert (score.value, score.low, score.high, score.with_unknown) == (100, 100, 100, 100)
        if name == "context_sim":
            assert score.control is None
        else:
            assert score.control is not None
            assert 25 < score.control < 75


def test_the_thresholds_are_halfway_between_the_values(model: SenseModel, tmp_path: Path) -> None:
    done = wic(model, write(write(tmp_path, "train", SAME), "dev", SAME))
    p = 1 / (1 + np.exp(-1 / TEMPERATURE))  # the sense whose center is the context's direction; the other's cosine is 0
    same, other = p * p + (1 - p) * (1 - p), 2 * p * (1 - p)
    assert done.facts["threshold of same_sense"] == pytest.approx((same + other) / 2)
    assert done.facts["threshold of avg_sim_c"] == pytest.approx((same + other) / 2)  # the senses' cosine is 0
    assert done.facts["threshold of local_sim"] == pytest.approx(0.5)
    assert done.facts["threshold of context_sim"] == pytest.approx(0.5)


def test_the_test_part_is_scored_if_its_answers_are_there(model: SenseModel, tmp_path: Path) -> None:
    write(write(write(tmp_path, "train", SAME), "dev", SAME), "test", SAME * 2)
    done = wic(model, tmp_path)
    assert done.total == 8
    assert done.notes == ("Scored on test; thresholds fitted on 4 of 4 pairs of train.",)
    (tmp_path / "test" / "test.gold.txt").unlink()
    assert list(wic(model, tmp_path).table) == ["dev"]


def test_of_unknown_words_the_commoner_answer_is_given(model: SenseModel, tmp_path: Path) -> None:
    write(write(tmp_path, "train", [*SAME, (MONEY, MONEY, True)]), "dev", SAME)
    with (tmp_path / "dev" / "dev.data.txt").open("a") as data, (tmp_path / "dev" / "dev.gold.txt").open("a") as gold:
        data.write("\n" + "unheard\tV\t0-0\tx\ty\n" * 4)
        gold.write("\nT\nF\nF\nF\n")
    done = wic(model, tmp_path)
    assert (done.covered, done.total) == (4, 8)
    assert done.table["dev"]["same_sense"].value == 100
    assert done.table["dev"]["same_sense"].with_unknown == 100 * 5 / 8


def test_a_sentence_without_known_words_is_like_nothing(model: SenseModel, tmp_path: Path) -> None:
    empty = [("a bank", "a bank", False)] * 3
    done = wic(model, write(write(tmp_path, "train", SAME + empty), "dev", empty))
    assert done.table["dev"]["context_sim"].value == 100


def test_a_model_that_knows_no_word_is_told_so(model: SenseModel, tmp_path: Path) -> None:
    write(write(tmp_path, "train", SAME), "dev", SAME, word="unheard")
    with pytest.raises(DataError, match="dev: the model knows none of the words of the 4 pairs"):
        wic(model, tmp_path)


@pytest.mark.parametrize(
    ("data", "gold", "message"),
    [
        ("", "", "train.data.txt is empty"),
        ("bank\tN\t1-1\ta bank\n", "T\n", "train.data.txt, line 1: 4 columns where 5 are needed"),
        ("bank\tN\t1\ta bank\tb bank\n", "T\n", "line 1: '1' are no places"),
        ("bank\tN\t1-2\ta bank\tb bank\n", "T\n", "line 1: 'bank' cannot be at place 2 of a sentence of 2 words"),
        ("bank\tN\t1-1\ta bank\tb bank\n", "yes\n", "train.gold.txt, line 1: 'yes' is neither T nor F"),
        ("bank\tN\t1-1\ta bank\tb bank\n", "T\nF\n", "has 2 answers for the 1 pairs"),
    ],
)
def test_data_that_are_wrong_say_where(data: str, gold: str, message: str, model: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "train.data.txt").write_text(data)
    (tmp_path / "train" / "train.gold.txt").write_text(gold)
    with pytest.raises(DataError, match=message):
        wic(model, tmp_path)


def test_a_folder_that_is_not_there_is_said(model: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="is not a folder; name the one that holds train/"):
        wic(model, tmp_path / "nowhere")
    with pytest.raises(MissingFile, match=r"train.data.txt is not a file"):
        wic(model, tmp_path)
