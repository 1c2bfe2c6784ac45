"""Sense keys are the same in all commands: `bank#2` if a word has several senses, and the word itself if it has one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polyseme import SenseModel
from tests.conftest import Run

Query = Callable[..., Any]


@pytest.fixture
def query(polyseme_command: Run, mssg_path: Path) -> Query:
    """The JSON that a command prints about a model."""

    def run(command: str, *arguments: str, stdin: str = "") -> Any:
        done = polyseme_command(command, mssg_path, *arguments, "--json", stdin=stdin)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    return run


@pytest.fixture
def single(mssg: SenseModel) -> str:
    """A word with one sense."""
    data = mssg._data
    return next(word for word, n in zip(mssg.vocabulary.words, data.num_visible_senses, strict=True) if n == 1)


def test_a_word_with_one_sense_is_its_own_key(query: Query, single: str, mssg: SenseModel) -> None:
    for spelling in (single, single.capitalize(), f"{single}#1", f"{single.upper()}#1"):
        assert [sense["key"] for sense in query("senses", spelling)["senses"]] == [single]
        assert query("disambiguate", spelling, "any text")["best"] == single
    assert query("tag", stdin=f"the {single.upper()}")["tagged"].split()[-1] == single.upper()
    assert mssg.senses(single)[0].key == single


def test_a_word_with_several_senses_has_numbered_keys(query: Query) -> None:
    assert [sense["key"] for sense in query("senses", "bank")["senses"]] == ["bank#1", "bank#2"]
    assert {sense["key"] for sense in query("disambiguate", "bank", "water")["senses"]} == {"bank#1", "bank#2"}


def test_neighbours_have_the_keys_of_their_senses(query: Query, mssg: SenseModel) -> None:
    neighbours = query("neighbours", "bank", "-n", "500")
    neighbours += [n for sense in query("senses", "bank", "--neighbours", "200")["senses"] for n in sense["neighbours"]]
    keys = {neighbour["key"] for neighbour in neighbours}
    assert {"#" in key for key in keys} == {True, False}
    assert all(key in {sense.key for sense in mssg.senses(key)} for key in keys)


@pytest.mark.parametrize("key", ["Bank#2", "BANK#2"])
def test_a_key_is_found_in_any_spelling_of_its_word(key: str, query: Query) -> None:
    assert query("neighbours", key) == query("neighbours", "bank#2") != query("neighbours", "bank#1")
    assert query("similarity", key, "water") == query("similarity", "bank#2", "water")
    assert query("senses", key) == query("senses", "bank")
    assert query("disambiguate", key, "water") == query("disambiguate", "bank", "water")


def test_text_and_json_show_the_same_keys(polyseme_command: Run, query: Query, mssg_path: Path, single: str) -> None:
    for word in ("bank", single):
        shown = polyseme_command("senses", mssg_path, word, "--examples", "0", "--neighbours", "0").stdout
        assert [line.split()[0] for line in shown.splitlines() if not line.startswith("(")] == [
            sense["key"] for sense in query("senses", word)["senses"]
        ]
        shown = polyseme_command("neighbours", mssg_path, word).stdout
        assert [line.split()[1] for line in shown.splitlines()] == [n["key"] for n in query("neighbours", word)]
        shown = polyseme_command("disambiguate", mssg_path, word, "water").stdout
        assert {line.split()[1] for line in shown.splitlines()} == {
            sense["key"] for sense in query("disambiguate", word, "water")["senses"]
        }


def test_tag_keeps_the_spelling_of_words(query: Query) -> None:
    tagged = query("tag", stdin="Bank BANK bank")["tagged"]
    assert re.fullmatch(r"Bank#[12] BANK#[12] bank#[12]", tagged)
