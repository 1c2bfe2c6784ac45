"""The commands `polyseme evaluate` and `polyseme reproduce`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cyclopts import App
from scipy.stats import spearmanr

from polyseme import load
from polyseme.cli.reproduce import _command_line, reproduce
from polyseme.evaluation.health import health
from polyseme.evaluation.word_similarity import wordsim
from tests.conftest import Run

PAIRS = "bank\tloan\t8\nbank\trock\t7\nplant\trock\t9\napple\tbank\t5\nbank\tunheard\t3\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS)
    return path


def test_the_table_has_scores_intervals_and_controls(mssg_path: Path, pairs: Path, polyseme_command: Run) -> None:
    done = polyseme_command("evaluate", mssg_path, "wordsim", pairs)
    assert (done.returncode, done.stderr) == (0, "")
    head, columns, *rows = done.stdout.splitlines()
    assert head == "wordsim  4 of 5 pairs with known words"
    assert columns.split() == ["score", "95%", "random", "senses", "incl.", "OOV"]
    assert [row.split()[0] for row in rows] == ["words", "global_sim", "avg_sim", "max_sim"]
    for row, score in zip(rows[1:], wordsim(load(mssg_path), pairs).table["words"].values(), strict=True):
        values = [score.value, score.low, "to", score.high, score.control, score.including_oov]
        shown = [f"{value:.1f}" if isinstance(value, float) else value for value in values if value is not None]
        assert row.split()[1:] == shown  # global_sim has no control, because it compares no senses


def test_json_has_the_scores_of_the_table(mssg_path: Path, pairs: Path, polyseme_command: Run) -> None:
    result = json.loads(polyseme_command("evaluate", mssg_path, "wordsim", pairs, "--json").stdout)
    assert (result["task"], result["covered"], result["total"]) == ("wordsim", 4, 5)
    table = wordsim(load(mssg_path), pairs).table
    assert result["table"] == {"words": {name: vars(score) for name, score in table["words"].items()}}


def test_json_has_null_for_the_correlation_with_constant_ratings(
    mssg_path: Path, pairs: Path, polyseme_command: Run
) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    pairs.write_text("bank\tloan\t5\nbank\trock\t5\nplant\trock\t5\n")
    printed = polyseme_command("evaluate", mssg_path, "wordsim", pairs, "--json").stdout
    scores = json.loads(printed, parse_constant=refuse)["table"]["words"]
    assert [score["value"] for score in scores.values()] == [None, None, None]


def test_vectors_of_other_programs_can_be_evaluated(pairs: Path, tmp_path: Path, polyseme_command: Run) -> None:
    vectors = {"bank": "1 0", "loan": "0.9 0.1", "river": "0.2 0.9", "plant": "0 1", "leaf": "0.1 1", "rock": "1 1"}
    vectors["apple"] = "-1 0.5"
    (tmp_path / "vectors.txt").write_text(f"{len(vectors)} 2\n" + "".join(f"{w} {v}\n" for w, v in vectors.items()))
    result = json.loads(polyseme_command("evaluate", "vectors.txt", "wordsim", pairs, "--json").stdout)
    assert (result["covered"], result["total"]) == (4, 5)
    # Cosines: bank loan 0.994, bank rock 0.707, plant rock 0.707, apple bank -0.894. Ratings: 8, 7, 9, 5.
    expected = 100 * spearmanr([4, 2.5, 2.5, 1], [8, 7, 9, 5]).statistic
    for score in result["table"]["words"].values():
        assert score["value"] == pytest.approx(expected)


def test_health_needs_no_data(mssg_path: Path, polyseme_command: Run) -> None:
    done = polyseme_command("evaluate", mssg_path, "health")
    assert done.returncode == 0, done.stderr
    rows = {row.split()[0]: row.split()[1:] for row in done.stdout.splitlines()[3:7]}  # of the group of all words
    scores = health(load(mssg_path)).table["all"]
    assert {name: row[0] for name, row in rows.items()} == {name: f"{s.value:.1f}" for name, s in scores.items()}


def test_ambiguity_reads_a_folder_of_word_lists(mssg_path: Path, tmp_path: Path, polyseme_command: Run) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "nouns.txt").write_text("bank\nrock\nunheard\n")
    done = polyseme_command("evaluate", mssg_path, "ambiguity", "lists", "--min-count", "100")
    assert (done.returncode, done.stderr) == (0, "")
    head, columns, *rows = done.stdout.splitlines()
    assert head == "ambiguity  2 of 3 words that occur 100 times or more"
    assert "same frequency" in columns
    assert rows[0] == "nouns"
    assert "words in the list: nouns: 3" in rows


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("scws",), "scws needs DATA: polyseme evaluate MODEL scws DATA"),
        (("wordsim", "none.txt"), "none.txt is not a file; name the data set's file."),
        (("wordsim", "bad.txt"), "bad.txt, line 2: 'x' is not a number."),
        (("wordsim", "pairs.tsv", "--window", "3"), "--window is for tasks with contexts: scws, wic, wsi."),
        (("scws", "pairs.tsv"), "pairs.tsv, line 1: 3 columns where 8 are needed"),
        (("scws", "pairs.tsv", "--window", "0"), 'Invalid value "0" for --window. It must be between 1 and'),
        (("wic", "pairs.tsv"), "pairs.tsv is not a folder"),
        (("wsi", "empty"), "empty has neither a dataset.txt nor a key"),
        (("ambiguity", "none"), "none does not exist; give a folder of word lists (*.txt), or one list."),
        (("ambiguity", "empty"), "empty has no word lists; add files *.txt with one word per line."),
        (("ambiguity", "bad.txt"), "bad.txt, line 2: no number after the word, unlike in the lines before"),
        (("wordsim", "pairs.tsv", "--min-count", "3"), "--min-count is for the task ambiguity."),
        (("poetry", "pairs.tsv"), 'Invalid value "poetry" for TASK'),
    ],
)
def test_errors_are_one_line(
    arguments: tuple[str, ...], message: str, mssg_path: Path, pairs: Path, tmp_path: Path, polyseme_command: Run
) -> None:
    assert pairs.exists()
    (tmp_path / "bad.txt").write_text("a b 1\na b x\n")
    (tmp_path / "empty").mkdir()
    done = polyseme_command("evaluate", mssg_path, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_the_report_names_the_options_that_its_numbers_depend_on() -> None:
    plain = _command_line(["a/news.txt"], "quick", [], [], "words")
    assert plain == "polyseme reproduce news.txt OUT --data SETS --profile quick"
    given = _command_line(["/data/a.txt,/data/b.txt"], "full", [2, 3], ["two files"], "whitespace")
    assert given == (
        "polyseme reproduce a.txt,b.txt OUT --data SETS --profile full --seeds 2 3 --describe 'two files' "
        "--tokenizer whitespace"
    )


def test_reproduce_names_missing_data(tmp_path: Path, polyseme_command: Run) -> None:
    (tmp_path / "text.txt").write_text("a b c\n")
    done = polyseme_command("reproduce", "text.txt", "out", "--data", ".")
    assert done.returncode == 2
    assert "scws/ratings.txt does not exist; give the folder of the evaluation sets with --data." in done.stderr
    assert not (tmp_path / "out").exists()


def test_reproduce_takes_a_hyphen_so_that_it_can_say_why_standard_input_is_refused() -> None:
    _, bound, _ = App(default_command=reproduce).parse_args(["-", "out", "--data", "."])
    assert bound.args == ("-", "out")
