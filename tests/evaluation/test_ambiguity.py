"""Ambiguity: the share of split words on models whose answer is known, the control, and reading word lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyseme import SenseModel
from polyseme.errors import ConfigError, DataError, MissingFile
from polyseme.evaluation.ambiguity import ambiguity, read_word_list
from polyseme.formats.open_model import open_model
from tests.evaluation.toy import toy

NUM_WORDS = 400
FIRST_COUNT = 1000  # word i occurs FIRST_COUNT - i times, so that its rank is i + 1


def model_with(senses: dict[int, int]) -> SenseModel:
    """A model of NUM_WORDS words `w0`, `w1`, ... with one sense each, except for those of the given ranks."""
    words: dict[str, list[tuple[list[float], int]]] = {}
    for i in range(NUM_WORDS):
        n = senses.get(i, 1)
        rest, each = FIRST_COUNT - i, (FIRST_COUNT - i) // n
        words[f"w{i}"] = [([1.0, float(k)], rest - each * (n - 1) if k == 0 else each) for k in range(n)]
    return toy(words)


def write(folder: Path, **lists: str) -> Path:
    for name, text in lists.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def test_the_share_of_split_words_of_each_list(tmp_path: Path) -> None:
    model = model_with({10: 2, 150: 3, 200: 2, 201: 2})
    path = write(tmp_path, ambiguous="w150\nW200\nw201\nw202\nunknown\n", plain="w300\nw301\nw300\n")
    evaluation = ambiguity(model, path, min_count=700)
    assert list(evaluation.table) == ["ambiguous", "plain", "100 most frequent words", "ranks 101 to 300"]
    assert evaluation.table["ambiguous"]["split"].value == 75
    assert evaluation.table["plain"]["split"].value == 0
    assert evaluation.table["100 most frequent words"]["split"].value == 1
    assert evaluation.table["ranks 101 to 300"]["split"].value == 1.5
    assert (evaluation.covered, evaluation.total) == (5, 7)  # w301 occurs 699 times
    assert evaluation.facts["words in the list"] == {"ambiguous": 5, "plain": 2}
    assert evaluation.facts["words judged"]["plain"] == 1
    assert evaluation.facts["words judged"]["ambiguous"] == 4


def test_senses_below_one_percent_do_not_count(tmp_path: Path) -> None:
    model = toy({"dead": [([1.0, 0.0], 996), ([0.0, 1.0], 4)], "split": [([1.0, 0.0], 400), ([0.0, 1.0], 400)]})
    scores = ambiguity(model, write(tmp_path, words="dead\nsplit\n")).table["words"]
    assert scores["split"].value == 50


def test_the_interval_of_a_list_without_split_words_is_not_a_point(tmp_path: Path) -> None:
    words = "\n".join(f"w{i}" for i in range(10))
    score = ambiguity(model_with({}), write(tmp_path, words=words)).table["words"]["split"]
    assert (score.value, score.low) == (0, 0)
    assert score.high == pytest.approx(100 * 1.96**2 / (10 + 1.96**2), abs=0.01)  # Wilson


def test_the_control_is_words_of_the_same_rank_outside_the_lists(tmp_path: Path) -> None:
    split = dict.fromkeys(range(200, 300), 2)  # all words of these ranks are split: frequency explains it
    model = model_with(split)
    lists = write(tmp_path, high="w50\nw51\nw52\n", low="w250\nw251\nw252\n")
    table = ambiguity(model, lists).table
    assert (table["low"]["split"].value, table["low"]["split"].control) == (100, 100)
    assert (table["high"]["split"].value, table["high"]["split"].control) == (0, 0)
    assert table["ranks 101 to 300"]["split"].control is None
    only_listed = model_with(dict.fromkeys((250, 251, 252), 2))
    assert ambiguity(only_listed, lists).table["low"]["split"].control == 0


def test_a_model_of_listed_words_has_no_control(tmp_path: Path) -> None:
    words = "\n".join(f"w{i}" for i in range(NUM_WORDS))
    assert ambiguity(model_with({}), write(tmp_path, words=words)).table["words"]["split"].control is None


def test_lists_with_numbers_have_a_correlation(tmp_path: Path) -> None:
    model = model_with({100: 1, 110: 2, 120: 3, 130: 4})
    lists = write(
        tmp_path,
        same="w100 1\nw110\t5\nw120 5.5\nw130 20\nunknown 3\n",
        opposite="w100 4\nw110 3\nw120 2\nw130 1\n",
        constant="w300 4\nw301 3\n",
    )
    table = ambiguity(model, lists).table
    assert table["same"]["correlation"].value == pytest.approx(100)
    assert table["same"]["correlation"].control == 0  # its words all have one sense
    assert table["opposite"]["correlation"].value == pytest.approx(-100)
    assert "correlation" not in table["constant"]


def test_a_single_file_and_vectors_of_other_programs(tmp_path: Path) -> None:
    rows = "".join(f"w{i} 1 {i}\n" for i in range(58)) + "bank#1 1 0\nbank#2 0 1\nbow#1 1 0\nbow#2 0 1\n"
    (tmp_path / "vectors.vec").write_text(f"62 2\n{rows}")
    (tmp_path / "list").write_text("bank\nw3\n")
    evaluation = ambiguity(open_model(tmp_path / "vectors.vec"), tmp_path / "list", min_count=50)
    assert evaluation.table["list"]["split"].value == 50
    assert evaluation.notes == (
        "The vectors come without counts, which are assumed from the order of the words (Zipf's law).",
    )


def test_a_list_without_judged_words_is_noted(tmp_path: Path) -> None:
    lists = write(tmp_path, known="w1\n", unknown="x\ny\n")
    evaluation = ambiguity(model_with({}), lists)
    assert "unknown" not in evaluation.table
    assert "unknown: none of its 2 words occurs 300 times or more." in evaluation.notes


def test_comments_and_repeated_words_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("# nouns of the test\nbank 2\n\n  bow 3\nbank 7\n")
    assert read_word_list(tmp_path / "list.txt").words == {"bank": 2, "bow": 3}


def test_phrases_may_have_spaces(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("bank\nnew york\n")
    assert read_word_list(tmp_path / "list.txt").words == {"bank": None, "new york": None}
    (tmp_path / "list.txt").write_text("bank 2\nnew york 3\n")
    assert read_word_list(tmp_path / "list.txt").words == {"bank": 2, "new york": 3}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "list.txt is empty."),
        (b"# nothing but a comment\n", "list.txt has no words; write one word per line."),
        (b"bank\x00\x01\xff", "list.txt is not a text file; it must be plain text in UTF-8."),
        (b"bank 2\nbow x\n", "list.txt, line 2: no number after the word, unlike in the lines before"),
        (b"bank nan\n", "list.txt, line 1: 'nan' is not a finite number."),
        (b"bank 2 3\n", "list.txt, line 1: several numbers, expected a word or phrase, or one and a number."),
        (b"bank 2\nbow\n", "list.txt, line 2: no number after the word, unlike in the lines before"),
        (b"bank\nbow 2\n", "list.txt, line 2: a number after the word, unlike in the lines before"),
        (b"unheard\nunseen\n", "none of the 2 words occurs 300 times or more; lower --min-count."),
    ],
)
def test_malformed_lists_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_bytes(content)
    with pytest.raises(DataError, match=message):
        ambiguity(model_with({}), tmp_path)


def test_missing_lists_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="none does not exist; give a folder of word lists"):
        ambiguity(model_with({}), tmp_path / "none")
    with pytest.raises(MissingFile, match="has no word lists; add files"):
        ambiguity(model_with({}), tmp_path)


def test_the_minimum_count_is_at_least_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--min-count must be 1 or more, not 0."):
        ambiguity(model_with({}), tmp_path, min_count=0)
