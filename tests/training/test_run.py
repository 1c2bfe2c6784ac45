"""`polyseme.train`: config and keyword arguments, the word list, and the display of progress."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from polyseme import TrainConfig, train
from polyseme.errors import ConfigError
from polyseme.training.events import CheckpointWritten, CorpusEncoded, Event, TrainingFinished

TEXT = "the bank of the river\nmoney in the bank\n" * 50


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def test_a_config_gives_the_same_model_as_its_settings(text: Path) -> None:
    config = TrainConfig(dim=8, epochs=2, seed=3, threads=1)
    a, b = train(text, config=config), train(text, dim=8, epochs=2, seed=3, threads=1)
    assert (a.sense_vectors == b.sense_vectors).all()
    assert a.config == b.config


def test_a_model_of_the_paper_recipe_answers_as_the_paper_says(text: Path) -> None:
    model = train(text, recipe="paper", dim=8, senses=3, threads=1)
    assert model.senses("bank").hidden == 0
    senses, words = model._data.arrays.sense_offsets, model.vocabulary.index
    rows = slice(senses[words["bank"]], senses[words["bank"] + 1])
    assert len(model.senses("bank")) == 3 == rows.stop - rows.start

    sentence = "in in in of river money bank money in the river of the the the the"
    context = ("in", "in", "of", "river", "money", "money", "in", "the", "river", "of")  # five words on each side
    c = np.sum([model.global_vectors[words[word]] for word in context], axis=0)
    centers = np.asarray(model._data.arrays.cluster_centers)[rows]
    lengths = np.linalg.norm(centers, axis=1) * np.linalg.norm(c)
    inverse = 1 / (1 - np.divide(centers @ c, lengths, out=np.zeros(3), where=lengths > 0))
    found = model.disambiguate("bank", sentence)
    assert [sense.probability for sense in found.senses] == pytest.approx(inverse / inverse.sum(), rel=1e-4)

    unit = model.sense_vectors / np.linalg.norm(model.sense_vectors, axis=1, keepdims=True)
    pairs = unit[rows] @ unit[senses[words["river"]] : senses[words["river"] + 1]].T
    assert pairs.shape == (3, 3)
    assert model.similarity("bank", "river").avg_sim == pytest.approx(pairs.mean(), abs=1e-5)


def test_a_config_cannot_be_combined_with_settings_or_a_recipe(text: Path) -> None:
    with pytest.raises(ConfigError, match=r"config= and dim= cannot be combined; use dataclasses.replace"):
        train(text, config=TrainConfig(), dim=8)
    with pytest.raises(ConfigError, match="config= and recipe= cannot be combined"):
        train(text, config=TrainConfig(), recipe="default")


@pytest.mark.parametrize("seconds", [math.nan, -1.0])
def test_an_invalid_time_between_checkpoints_is_refused(seconds: float, text: Path) -> None:
    with pytest.raises(ConfigError, match=f"checkpoint_seconds must be 0 or more, not {seconds}"):
        train(text, checkpoint_seconds=seconds)


@pytest.mark.parametrize("in_memory", [True, False])
def test_only_a_run_that_can_be_resumed_writes_checkpoints(in_memory: bool, text: Path, tmp_path: Path) -> None:
    events: list[Event] = []
    out = None if in_memory else tmp_path / "m"
    train(text, out, dim=8, epochs=2, threads=1, listen=events.append, checkpoint_seconds=0)
    assert any(isinstance(event, CheckpointWritten) for event in events) == (not in_memory)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("shore", "loan"), "no word of --multi-sense-words (shore, loan) is in the vocabulary of 6 words; check the"),
        (tuple("abcd"), "(a, b, c, ...)"),
        ((), "--multi-sense-words has no words"),
    ],
)
def test_a_word_list_without_known_words_is_refused_before_training(
    words: tuple[str, ...], message: str, text: Path
) -> None:
    events: list[Event] = []
    with pytest.raises(ConfigError) as error:
        train(text, multi_sense_words=words, dim=4, listen=events.append)
    assert message in str(error.value)
    assert not any(isinstance(event, TrainingFinished) for event in events)


def test_a_word_list_may_have_unknown_words(text: Path) -> None:
    model = train(text, multi_sense_words=("bank", "shore"), dim=4, epochs=1, examples=0)
    assert model._data.multi_sense_mask.sum() == 1


def test_nothing_is_shown_if_standard_error_is_not_a_terminal(text: Path, capfd: pytest.CaptureFixture[str]) -> None:
    train(text, dim=4, epochs=1)
    assert capfd.readouterr() == ("", "")


SHOW = "import sys, polyseme; polyseme.train(sys.argv[1], sys.argv[2], dim=4, epochs=1{})"


@pytest.mark.skipif(os.name == "nt", reason="needs pseudo-terminals")
@pytest.mark.parametrize(
    ("arguments", "shown"), [("", True), (", quiet=True", False), (", listen=lambda event: None", False)]
)
def test_progress_is_shown_on_a_terminal(arguments: str, shown: bool, text: Path) -> None:
    import pty

    ours, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", SHOW.format(arguments), text, text.with_name("m")],
        stdout=subprocess.PIPE, stderr=terminal, check=True, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(terminal)
    output = _read_all(ours)
    assert done.stdout == b""
    assert (b"words kept" in output) == (b"saved" in output) == (output != b"") == shown


def _read_all(terminal: int) -> bytes:
    output = b""
    try:
        while chunk := os.read(terminal, 4096):
            output += chunk
    except OSError:  # Linux reports the closed end of a pseudo-terminal as an error
        pass
    os.close(terminal)
    return output


def test_progress_is_shown_in_a_notebook(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("polyseme.training.progress.find_spec", lambda _: None)  # as if there were no ipywidgets
    monkeypatch.setattr("rich.jupyter.display", lambda _segments, text: shown.append(text))
    train(text, dim=4, epochs=1)
    assert ["words kept" in line for line in shown] == [True, False]
    assert "tokens trained" in shown[1]
    shown.clear()
    train(text, dim=4, epochs=1, quiet=True)
    assert shown == []


def test_a_listener_replaces_the_display(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> bool:
        raise AssertionError("the display must not be used")

    monkeypatch.setattr("polyseme.training.progress.is_watched", fail)
    events: list[Event] = []
    listen: Callable[[Event], None] = events.append
    train(text, dim=4, epochs=1, listen=listen)
    assert [type(e) for e in events if isinstance(e, CorpusEncoded | TrainingFinished)] == [
        CorpusEncoded, TrainingFinished,
    ]  # fmt: skip


def test_importing_train_does_not_import_rich() -> None:
    check = "import sys; from polyseme.training import run; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.parametrize("quiet", [True, False])
def test_what_could_not_be_read_is_a_warning_where_no_progress_is_shown(quiet: bool, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "by the river"}\n' * 60 + '{"text": null}\n')
    with pytest.warns(UserWarning, match="1 row had no text and was skipped: .*rows.jsonl, line 61"):
        train(tmp_path / "rows.jsonl", dim=8, epochs=1, quiet=quiet)
    (tmp_path / "latin.txt").write_bytes("by the café\n".encode("latin-1") * 60)
    with pytest.warns(UserWarning, match="60 bytes were not UTF-8 .* iconv"):
        train(tmp_path / "latin.txt", dim=8, epochs=1, quiet=quiet)


def test_a_config_of_another_type_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"config must be a TrainConfig, not \{'dim': 3\}"):
        train(texts=["a b"], config={"dim": 3})  # type: ignore[arg-type]
