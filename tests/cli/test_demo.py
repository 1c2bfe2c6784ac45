"""The demo: it trains on an embedded text, once for all tests, and on a small planted corpus."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from polyseme import SenseModel
from polyseme.cli.demo import demo
from polyseme.corpus.planted import PlantedCorpus
from tests.conftest import Run, command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def output(folder: Path) -> str:
    run = command("demo", "--sentences", "6000", "--difficulty", "0.2", "--out", folder / "demo.model")
    done = subprocess.run(run, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def keys(text: str) -> dict[str, set[str]]:
    """The numbers of the sense keys at the beginning of lines, by word."""
    numbers: dict[str, set[str]] = {}
    for word, number in re.findall(r"^([a-z]+)#(\d)  \d+%  ", text, re.MULTILINE):
        numbers.setdefault(word, set()).add(number)
    return numbers


def test_the_demo_names_the_source_of_its_text(output: str) -> None:
    assert output.startswith("Simple English Wikipedia, 2 million words (by its contributors, CC BY-SA 3.0)\n")


def test_the_demo_shows_six_words_with_several_senses_their_neighbours_and_examples(output: str, folder: Path) -> None:
    shown = keys(output)
    assert len(shown) == 6
    assert all(2 <= len(numbers) <= 4 for numbers in shown.values())
    model = SenseModel.load(folder / "demo.model")
    for word in shown:
        assert model.vocabulary.counts[model.vocabulary.index[word]] >= 100
        for sense in model.senses(word):
            near = ", ".join(n.key for n in sense.neighbours(8))
            assert re.search(rf"^{sense.key}  {sense.share:.0%}  {near}\n    .*\*{word}\*", output, re.M | re.I)


def test_the_demo_tags_a_sentence_with_a_shown_word(output: str) -> None:
    tagged = re.search(r"^a sentence of the text, tagged\n    (.*)", output, re.MULTILINE)
    assert tagged is not None
    words = {word.lower() for word in re.findall(r"(\w+)#\d", tagged[1])}
    assert words & keys(output).keys()


def test_the_demo_scores_planted_senses(output: str) -> None:
    table = output[output.index("senses found, compared with the planted ones") :].splitlines()
    assert [line.split()[0] for line in table[2:]] == ["1", "2", "3", "4", "mean"]
    found, ari, purity, single = map(float, table[-1].split()[4:])
    assert found > 1.5
    assert ari > 0.5
    assert purity > single


def test_the_demo_prints_both_parts_as_json(
    trained: Callable[[str], Path],
    planted: PlantedCorpus,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [" ".join(words).capitalize() + "." for words in planted.sentences]
    monkeypatch.setattr("polyseme.cli.demo._train", lambda *_: SenseModel.load(trained("np-mssg")))
    monkeypatch.setattr("polyseme.cli.demo._lines", lambda _: lines)
    demo(sentences=2000, json=True)
    shown = json.loads(capsys.readouterr().out)
    assert shown["corpus"] == "Simple English Wikipedia"
    assert len(shown["words"]) == 6
    assert all(len(word["senses"]) > 1 for word in shown["words"])
    assert shown["text"] in lines
    assert shown["tagged"].replace("#1", "").replace("#2", "").replace("#3", "") == shown["text"]
    assert {"word", "planted", "found", "ari"} <= shown["planted"][0].keys()


def test_the_model_of_the_demo_is_the_default_one(output: str, folder: Path) -> None:  # noqa: ARG001
    assert SenseModel.load(folder / "demo.model").config["model"] == "np-mssg"


def test_the_demo_refuses_invalid_options_before_training(polyseme_command: Run, tmp_path: Path) -> None:
    for arguments in (["--difficulty", "2"], ["--sentences", "9", "--out", str(tmp_path)]):
        done = polyseme_command("demo", *arguments)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
