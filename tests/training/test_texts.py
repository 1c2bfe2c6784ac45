"""Training on Python iterables and on rows, and resuming it."""

from __future__ import annotations

import doctest
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyseme import SenseModel, train
from polyseme.errors import Interrupted, MissingFile, TrainingError
from polyseme.model.unfinished import workspace_path
from polyseme.training.events import CorpusEncoded, Event
from tests.conftest import ROOT
from tests.training.test_resume import StopAt, assert_same_bits

SETTINGS: dict[str, Any] = {"model": "mssg", "senses": 2, "dim": 32, "epochs": 4, "threads": 1, "seed": 3}

pytestmark = pytest.mark.usefixtures("frequent_reports")


@pytest.fixture(scope="module")
def whole(planted_text: Path) -> SenseModel:
    """A model of the plain text."""
    return train(planted_text, **SETTINGS)


@pytest.fixture(scope="module")
def lines(planted_text: Path) -> list[str]:
    return planted_text.read_text().splitlines()


def test_a_generator_gives_the_same_model_as_the_file(whole: SenseModel, lines: list[str]) -> None:
    assert_same_bits(train((line for line in lines), **SETTINGS), whole)


def test_rows_of_a_file_give_the_same_model_as_its_text(whole: SenseModel, lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.rows").write_text("".join(json.dumps({"body": line}) + "\n" for line in lines))
    assert_same_bits(train(tmp_path / "a.rows", reader="jsonl", field="body", **SETTINGS), whole)


def test_token_lists_give_the_same_model_as_their_text(whole: SenseModel, lines: list[str]) -> None:
    """The text has only words in lower case, separated by single spaces: examples made of tokens are the same."""
    assert_same_bits(train([line.split() for line in lines], **SETTINGS), whole)


def test_a_list_of_sentences_is_not_taken_for_files(lines: list[str]) -> None:
    with pytest.raises(MissingFile, match="texts="):
        train(lines, **SETTINGS)


def untouched() -> Iterator[str]:
    raise AssertionError("the text is read again")
    yield ""


def test_a_run_on_a_generator_is_resumed_from_its_encoded_corpus(
    whole: SenseModel, lines: list[str], tmp_path: Path
) -> None:
    stop = StopAt(0.3)
    with pytest.raises(Interrupted):
        train((line for line in lines), tmp_path / "m", listen=stop.listen, stop=stop.stop, **SETTINGS)
    with pytest.raises(TrainingError, match="is another text or has changed"):
        train(texts=["one text"], out=tmp_path / "m", resume=True)
    assert_same_bits(train(texts=untouched(), out=tmp_path / "m", resume=True), whole)
    assert not workspace_path(tmp_path / "m").exists()


def test_a_run_interrupted_while_it_reads_leaves_nothing(lines: list[str], tmp_path: Path) -> None:
    reading = iter(lines)
    with pytest.raises(Interrupted):
        train(reading, tmp_path / "m", stop=lambda: True, **SETTINGS)
    assert list(tmp_path.iterdir()) == []


def test_another_field_is_another_corpus(lines: list[str], tmp_path: Path) -> None:
    rows = "".join(json.dumps({"a": line, "b": line}) + "\n" for line in lines)
    (tmp_path / "rows.jsonl").write_text(rows)
    stop = StopAt(0.3)
    with pytest.raises(Interrupted):
        train(tmp_path / "rows.jsonl", tmp_path / "m", field="a", listen=stop.listen, stop=stop.stop, **SETTINGS)
    with pytest.raises(TrainingError, match="is another text or has changed"):
        train(tmp_path / "rows.jsonl", tmp_path / "m", field="b", resume=True)


def test_a_finished_model_is_compared_with_the_texts_that_are_given(lines: list[str], tmp_path: Path) -> None:
    train(texts=iter(lines), out=tmp_path / "m", **SETTINGS)
    assert "bank" in train(texts=iter(lines), out=tmp_path / "m", resume=True).vocabulary
    with pytest.raises(TrainingError, match="was trained on another corpus"):
        train(texts=iter(lines[1:]), out=tmp_path / "m", resume=True)


def test_skipped_rows_are_reported(lines: list[str]) -> None:
    events: list[Event] = []
    train(texts=[*lines[:2000], None], listen=events.append, **{**SETTINGS, "epochs": 1})
    encoded = next(event for event in events if isinstance(event, CorpusEncoded))
    assert (encoded.bad_rows, encoded.first_bad_row) == (1, "<texts>, item 2,001 has null instead of a text")


def test_the_examples_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(ROOT / "docs" / "guides" / "corpora.md"), module_relative=False)
    assert results.attempted > 5
    assert results.failed == 0
