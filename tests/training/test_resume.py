"""Checkpoints: a run that was stopped or killed can be resumed, with the same result if it has one thread."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme import SenseModel, train
from polyseme._io import atomic
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import ConfigError, Interrupted, MissingFile, OutputExists, TrainingError
from polyseme.training import workspace as module
from polyseme.training.checkpoint import read_config
from polyseme.training.config import make_config
from polyseme.training.events import CheckpointWritten, Event, ModelSaved, NothingToResume, TrainingProgress
from polyseme.training.workspace import workspace
from tests.conftest import MODELS, command

KILLS = int(os.environ.get("POLYSEME_KILLS", "8"))

pytestmark = pytest.mark.usefixtures("frequent_reports")


def bits(model: SenseModel) -> dict[str, NDArray[np.generic]]:
    return model._data.arrays.to_dict()


def assert_same_bits(a: SenseModel, b: SenseModel) -> None:
    assert a.vocabulary.words == b.vocabulary.words
    for name, array in bits(a).items():
        np.testing.assert_array_equal(array, bits(b)[name], err_msg=name)
    word = a.vocabulary.index["bank"]
    assert a._data.read_examples(word, word + 1) == b._data.read_examples(word, word + 1)


class StopAt:
    """Stops a run at a given progress."""

    def __init__(self, progress: float) -> None:
        self.progress, self.reached = progress, False

    def listen(self, event: Event) -> None:
        self.reached |= isinstance(event, TrainingProgress) and event.progress >= self.progress

    def stop(self) -> bool:
        return self.reached


@pytest.mark.parametrize("optimizer", ["sgd", "adagrad"])
@pytest.mark.parametrize("model", MODELS)
def test_a_resumed_run_equals_an_uninterrupted_one(
    model: str, optimizer: str, planted_text: Path, tmp_path: Path
) -> None:
    settings = {"model": model, "optimizer": optimizer, "dim": 60, "epochs": 24, "threads": 1, "seed": 3}
    whole = train(planted_text, tmp_path / "whole", **settings)  # type: ignore[arg-type]
    for progress in (0.1, 0.6):
        stop = StopAt(progress)
        with pytest.raises(Interrupted):
            train(
                planted_text, tmp_path / "parts", resume=True, listen=stop.listen, stop=stop.stop,
                **settings,  # type: ignore[arg-type]
            )  # fmt: skip
        assert not (tmp_path / "parts").exists()
    parts = train(planted_text, tmp_path / "parts", resume=True)
    assert_same_bits(whole, parts)
    assert {p.name for p in tmp_path.iterdir()} == {"whole", "parts"}


def test_a_run_that_is_killed_repeatedly_gives_the_same_model(planted_text: Path, tmp_path: Path) -> None:
    settings = ["--dim", "64", "--epochs", "200", "--threads", "1", "--seed", "5"]
    whole = train(planted_text, tmp_path / "whole", dim=64, epochs=200, threads=1, seed=5)
    run = command("train", planted_text, tmp_path / "killed", "--resume", "--checkpoint-minutes", "0.002", *settings)
    chance = random.Random(0)
    killed = resumable = 0
    checkpoint = tmp_path / "killed.training" / "checkpoint.safetensors"
    for attempt in range(KILLS):
        process = subprocess.Popen(run, stderr=subprocess.DEVNULL)
        if attempt % 2:
            time.sleep(chance.uniform(0, 4))
        else:  # kill it as soon as there is a checkpoint
            while process.poll() is None and not checkpoint.exists():
                time.sleep(0.01)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        resumable += checkpoint.exists()
    last = subprocess.run(run, capture_output=True, text=True, check=False)
    assert last.returncode == 0, last.stderr
    assert killed > 0
    assert resumable > 0
    assert_same_bits(whole, SenseModel.load(tmp_path / "killed"))
    assert {p.name for p in tmp_path.iterdir()} == {"whole", "killed"}


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_run_cleanly_with_a_checkpoint(
    number: int, status: int, planted_text: Path, tmp_path: Path
) -> None:
    run = command("train", planted_text, tmp_path / "m", "--epochs", "10000", "--dim", "16")
    process = subprocess.Popen(run, stderr=subprocess.PIPE, text=True)
    log = tmp_path / "m.training" / "training.jsonl"
    while process.poll() is None and not (log.exists() and '"training_progress"' in log.read_text()):
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == status
    assert errors.splitlines()[-1].startswith("polyseme: stopped at ")
    assert "--resume" in errors
    assert (tmp_path / "m.training" / "checkpoint.safetensors").exists()
    assert not (tmp_path / "m").exists()


@pytest.fixture
def unfinished(planted_text: Path, tmp_path: Path) -> Path:
    stop = StopAt(0.0)
    with pytest.raises(Interrupted):
        train(planted_text, tmp_path / "m", dim=64, epochs=200, listen=stop.listen, stop=stop.stop)
    return tmp_path / "m"


@pytest.mark.parametrize("quiet", [False, True])
def test_resume_says_that_there_is_no_unfinished_run(quiet: bool, planted_text: Path, tmp_path: Path) -> None:
    run = command(
        "train", planted_text, "m", "--resume", "--dim", "8", "--epochs", "1", *(["--quiet"] if quiet else [])
    )
    done = subprocess.run(run, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=True)
    line = "resume    no unfinished run of m was found: training from the beginning\n"
    assert done.stderr.startswith(line) == (not quiet)
    done = subprocess.run(run, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=True)  # m is finished
    assert "no unfinished run" not in done.stderr


def test_a_resumed_run_is_not_reported_as_missing(unfinished: Path, planted_text: Path) -> None:
    events: list[Event] = []
    stop = StopAt(0.0)

    def listen(event: Event) -> None:
        events.append(event)
        stop.listen(event)

    with pytest.raises(Interrupted):
        train(planted_text, unfinished, resume=True, listen=listen, stop=stop.stop)
    assert not any(isinstance(event, NothingToResume) for event in events)


def test_resume_needs_the_name_of_the_model(planted_text: Path) -> None:
    with pytest.raises(ConfigError, match="resume=True needs out=, the model folder of the unfinished run."):
        train(planted_text, resume=True)


def test_an_unfinished_run_is_not_discarded_without_force(unfinished: Path, planted_text: Path) -> None:
    with pytest.raises(
        OutputExists, match="holds an unfinished run; continue it with --resume, or discard it with --force"
    ):
        train(planted_text, unfinished)
    assert (unfinished.with_name("m.training") / "checkpoint.safetensors").exists()


def test_settings_cannot_change_when_a_run_is_resumed(unfinished: Path, planted_text: Path) -> None:
    with pytest.raises(TrainingError, match="the unfinished run has --dim 64, not 32"):
        train(planted_text, unfinished, resume=True, dim=32)


def test_the_corpus_cannot_change_when_a_run_is_resumed(unfinished: Path, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("another text altogether")
    with pytest.raises(
        TrainingError, match="the unfinished run read .*planted.txt, and .*other.txt is another text or has"
    ):
        train(tmp_path / "other.txt", unfinished, resume=True)


def test_temporary_files_of_a_killed_process_are_removed(planted_text: Path, tmp_path: Path) -> None:
    for leftover in ("model", ".corpus.1.part"):
        (tmp_path / "m.training" / leftover).mkdir(parents=True)
    for leftover in ("lock", "run.json"):
        (tmp_path / "m.training" / leftover).touch()
    train(planted_text, tmp_path / "m", dim=8, epochs=1)
    assert {p.name for p in tmp_path.iterdir()} == {"m"}


@pytest.mark.parametrize("options", [{}, {"resume": True}, {"force": True}])
def test_a_users_folder_with_the_name_of_the_workspace_is_not_touched(
    options: dict[str, bool], planted_text: Path, tmp_path: Path
) -> None:
    (tmp_path / "wiki.training").mkdir()
    text = Path(shutil.copy(planted_text, tmp_path / "wiki.training"))
    with pytest.raises(OutputExists, match="was not created by polyseme"):
        train(tmp_path / "wiki.training", tmp_path / "wiki", **options)  # type: ignore[arg-type]
    assert text.read_bytes() == planted_text.read_bytes()


def test_force_starts_again(unfinished: Path, planted_text: Path) -> None:
    assert train(planted_text, unfinished, force=True, dim=8, epochs=1)._data.arrays.dim == 8


@pytest.mark.parametrize("keep", [0, 7, 200, -1])
def test_a_damaged_checkpoint_is_refused_in_one_line(keep: int, unfinished: Path, planted_text: Path) -> None:
    checkpoint = unfinished.with_name("m.training") / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:keep])
    with pytest.raises(TrainingError, match="cannot be read .* start again with --force"):
        train(planted_text, unfinished, resume=True)


@pytest.mark.parametrize("version", [b"1", b"2", b"3"])
def test_a_checkpoint_of_an_older_version_is_refused_in_one_line(
    version: bytes, unfinished: Path, planted_text: Path
) -> None:
    path = unfinished.with_name("m.training") / "checkpoint.safetensors"
    content = path.read_bytes()
    old = content.replace(b'{\\"format_version\\": 4', b'{\\"format_version\\": ' + version)
    assert old != content
    path.write_bytes(old)
    with pytest.raises(
        TrainingError, match="another version of polyseme wrote it, in format [123].*with --force"
    ) as error:
        train(planted_text, unfinished, resume=True)
    assert "\n" not in str(error.value)


def test_a_run_is_resumed_with_its_config(unfinished: Path, planted_text: Path) -> None:
    config = make_config(dim=64, epochs=200)
    with pytest.raises(TrainingError, match="the unfinished run has --seed 1, not 2"):
        train(planted_text, unfinished, resume=True, config=replace(config, seed=2))
    stop = StopAt(0.0)
    with pytest.raises(Interrupted):
        train(planted_text, unfinished, resume=True, config=config, listen=stop.listen, stop=stop.stop)


def test_settings_are_checked_against_the_model_of_the_resumed_run(planted_text: Path, tmp_path: Path) -> None:
    stop = StopAt(0.0)
    with pytest.raises(Interrupted):
        train(
            planted_text, tmp_path / "m", model="np-mssg", max_senses=2, epochs=200, listen=stop.listen, stop=stop.stop
        )
    stop = StopAt(0.0)
    with pytest.raises(Interrupted):
        train(planted_text, tmp_path / "m", resume=True, max_senses=2, listen=stop.listen, stop=stop.stop)


def test_a_run_that_was_given_only_the_number_of_senses_is_resumed(planted_text: Path, tmp_path: Path) -> None:
    stop = StopAt(0.0)
    with pytest.raises(Interrupted):
        train(planted_text, tmp_path / "m", senses=2, dim=8, epochs=200, listen=stop.listen, stop=stop.stop)
    with pytest.raises(TrainingError, match="the unfinished run has --senses 2, not 3"):
        train(planted_text, tmp_path / "m", resume=True, senses=3)
    with pytest.raises(TrainingError, match="the unfinished run has --model mssg, not np-mssg"):
        train(planted_text, tmp_path / "m", resume=True, model="np-mssg")
    stop = StopAt(0.0)
    with pytest.raises(Interrupted):
        train(planted_text, tmp_path / "m", resume=True, senses=2, listen=stop.listen, stop=stop.stop)
    config = read_config(tmp_path / "m.training")
    assert config is not None
    assert config.model == "mssg"


def test_the_number_of_senses_is_refused_for_a_resumed_run_that_discovers_it(
    unfinished: Path, planted_text: Path
) -> None:
    with pytest.raises(ConfigError, match="--senses has no effect with --model np-mssg"):
        train(planted_text, unfinished, resume=True, senses=3)


def test_a_setting_without_effect_does_not_discard_an_unfinished_run(unfinished: Path, planted_text: Path) -> None:
    with pytest.raises(ConfigError, match="--max-senses has no effect"):
        train(planted_text, unfinished, force=True, model="mssg", max_senses=2)
    assert (unfinished.with_name("m.training") / "checkpoint.safetensors").exists()


@pytest.fixture
def finished(planted_text: Path, tmp_path: Path) -> Path:
    train(planted_text, tmp_path / "m", dim=8, epochs=1)
    return tmp_path / "m"


def times(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


@pytest.mark.parametrize(
    "options",
    [{}, {"dim": 8, "epochs": 1, "threads": 2}, {"config": make_config(dim=8, epochs=1)}, {"recipe": "default"}],
)
def test_resume_returns_a_finished_model_of_the_same_settings_and_corpus(
    options: dict[str, Any], finished: Path, planted_text: Path
) -> None:
    before = times(finished)
    assert train(planted_text, finished, resume=True, **options).dim == 8
    assert times(finished) == before
    assert {p.name for p in finished.parent.iterdir()} == {"m"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 16}, "m has --dim 8, not 16; choose another name for the model, or train it again with --force."),
        ({"recipe": "paper"}, "m has --dim 8, not 300"),
        ({"config": make_config(dim=8, epochs=2)}, "m has --epochs 1, not 2;"),
        ({"multi_sense_words": ("bank",)}, "m has --multi-sense-words None, not a list of 1 words;"),
        ({"tokenizer": "whitespace"}, "m has --tokenizer words, not whitespace;"),
    ],
)
def test_resume_refuses_a_finished_model_of_other_settings(
    options: dict[str, Any], message: str, finished: Path, planted_text: Path
) -> None:
    before = times(finished)
    with pytest.raises(TrainingError, match=message):
        train(planted_text, finished, resume=True, **options)
    assert times(finished) == before


def test_resume_refuses_a_finished_model_of_another_corpus(finished: Path, planted_text: Path, tmp_path: Path) -> None:
    text = planted_text.read_text()
    (tmp_path / "other.txt").write_text(text.replace("bank", "band"))
    with pytest.raises(TrainingError, match="m was trained on another corpus; choose another name for the model, or"):
        train(tmp_path / "other.txt", finished, resume=True)
    with pytest.raises(MissingFile, match="nothing.txt does not exist"):
        train(tmp_path / "nothing.txt", finished, resume=True)
    (tmp_path / "copy.txt").write_text(text)
    assert train(tmp_path / "copy.txt", finished, resume=True).dim == 8


def test_another_recipe_cannot_be_resumed_with(unfinished: Path, planted_text: Path) -> None:
    with pytest.raises(TrainingError, match="the unfinished run has --.*resume it without that option"):
        train(planted_text, unfinished, resume=True, recipe="paper")


def test_resume_continues_an_interrupted_run_that_replaces_a_model(finished: Path, planted_text: Path) -> None:
    stop = StopAt(0.0)
    with pytest.raises(Interrupted):
        train(planted_text, finished, force=True, dim=16, epochs=100, listen=stop.listen, stop=stop.stop)
    assert SenseModel.load(finished).dim == 8
    assert train(planted_text, finished, resume=True).dim == 16
    assert {p.name for p in finished.parent.iterdir()} == {"m"}


def test_resume_continues_a_run_that_replaces_a_model_and_was_interrupted_while_it_read_the_corpus(
    finished: Path, planted_text: Path
) -> None:
    with pytest.raises(Interrupted):
        train(planted_text, finished, force=True, dim=16, epochs=1, stop=lambda: True)
    with pytest.raises(TrainingError, match="the unfinished run has --dim 16, not 8"):
        train(planted_text, finished, resume=True, dim=8)
    model = train(planted_text, finished, resume=True)
    assert (model.dim, model.config["epochs"]) == (16, 1)
    assert {p.name for p in finished.parent.iterdir()} == {"m"}


def test_resume_does_not_replace_a_model_that_the_interrupted_run_was_not_told_to_replace(
    unfinished: Path, mssg_path: Path, planted_text: Path
) -> None:
    shutil.copytree(mssg_path, unfinished)
    with pytest.raises(OutputExists, match="already exists; choose another name, or overwrite it with --force"):
        train(planted_text, unfinished, resume=True)
    assert (unfinished.with_name("m.training") / "checkpoint.safetensors").exists()


@pytest.fixture
def killed_while_encoded(planted_text: Path, tmp_path: Path) -> Path:
    """A run that was killed after it had encoded the corpus and before its first checkpoint."""
    killed = tmp_path / "m.training"
    with workspace(tmp_path / "m", make_config(dim=8, epochs=1), resume=False, force=False) as folder:
        encode(find_sources(planted_text), WORDS, folder / "corpus")
        shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / "copy").rename(killed)
    return tmp_path / "m"


def test_a_failed_resume_before_the_first_checkpoint_keeps_the_encoded_corpus(
    killed_while_encoded: Path, planted_text: Path, tmp_path: Path
) -> None:
    model, corpus = killed_while_encoded, tmp_path / "m.training" / "corpus"
    before = times(corpus)
    (tmp_path / "other.txt").write_text("another text altogether")
    with pytest.raises(TrainingError, match="the unfinished run read"):
        train(tmp_path / "other.txt", model, resume=True)
    with pytest.raises(TrainingError, match="the unfinished run has --min-count 5, not 10000"):
        train(planted_text, model, resume=True, min_count=10_000)

    def fail(_: Event) -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        train(planted_text, model, resume=True, listen=fail)
    assert times(corpus) == before
    assert train(planted_text, model, resume=True).dim == 8
    assert {p.name for p in tmp_path.iterdir()} == {"m", "other.txt"}


@pytest.fixture
def killed_after_saving(planted_text: Path, tmp_path: Path) -> Path:
    """A run that was killed after it had saved its model and before it removed its working folder."""

    def listen(event: Event) -> None:
        if isinstance(event, ModelSaved):
            shutil.copytree(tmp_path / "m.training", tmp_path / "copy")

    train(planted_text, tmp_path / "m", dim=8, epochs=1, listen=listen)
    (tmp_path / "copy").rename(tmp_path / "m.training")
    return tmp_path / "m"


LEFTOVERS = ["run.json", "corpus", "checkpoint.safetensors", "training.jsonl", "lock"]  # in the order of their removal


@pytest.mark.parametrize("removed", range(len(LEFTOVERS) + 1))
def test_resume_removes_what_a_run_that_was_killed_after_saving_left_behind(
    removed: int, killed_after_saving: Path, planted_text: Path
) -> None:
    for name in LEFTOVERS[:removed]:
        path = killed_after_saving.with_name("m.training") / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    before = times(killed_after_saving)
    assert train(planted_text, killed_after_saving, resume=True).dim == 8
    assert times(killed_after_saving) == before
    assert {p.name for p in killed_after_saving.parent.iterdir()} == {"m"}


def test_the_replaced_model_is_in_the_working_folder_until_it_is_removed(
    finished: Path, planted_text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "shutil", SimpleNamespace(rmtree=lambda *_, **__: None))  # as if killed before that
    train(planted_text, finished, force=True, dim=16, epochs=1)
    assert {p.name for p in finished.parent.iterdir()} == {"m"}


def test_any_run_removes_what_a_run_that_was_killed_after_saving_left_behind(
    killed_after_saving: Path, planted_text: Path
) -> None:
    with pytest.raises(OutputExists, match="already exists"):
        train(planted_text, killed_after_saving)
    assert {p.name for p in killed_after_saving.parent.iterdir()} == {"m"}


@pytest.mark.parametrize("finished", [True, False])
def test_ctrl_c_while_the_working_folder_is_removed_leaves_nothing_behind(
    finished: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete, interrupts = module._delete, iter([KeyboardInterrupt])

    def interrupted_delete(path: Path) -> None:
        for interrupt in interrupts:
            raise interrupt
        delete(path)

    def run() -> None:
        with workspace(tmp_path / "m", make_config(dim=8, epochs=1), resume=False, force=False):
            if not finished:
                raise Interrupted("stopped.")

    monkeypatch.setattr(module, "_delete", interrupted_delete)
    with pytest.raises(KeyboardInterrupt if finished else Interrupted):
        run()
    assert next(interrupts, None) is None
    assert not any(tmp_path.iterdir())


def test_a_damaged_record_of_a_run_is_refused_in_one_line(unfinished: Path, planted_text: Path) -> None:
    (unfinished.with_name("m.training") / "run.json").write_text("[" * 100_000)
    with pytest.raises(TrainingError, match="run.json cannot be read .*; start again with --force") as error:
        train(planted_text, unfinished, resume=True)
    assert "\n" not in str(error.value)


def test_two_processes_do_not_train_the_same_model(planted_text: Path, tmp_path: Path) -> None:
    tried: list[bool] = []

    def stop() -> bool:
        if not tried:
            tried.append(True)
            with pytest.raises(TrainingError, match="another process is training"):
                train(planted_text, tmp_path / "m", resume=True)
        return False

    train(planted_text, tmp_path / "m", dim=8, epochs=1, stop=stop)
    assert tried


def test_training_continues_if_a_checkpoint_cannot_be_written(
    planted_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("polyseme.training.checkpoint.write_tensors", full)
    events: list[Event] = []
    train(planted_text, tmp_path / "m", dim=8, epochs=2, checkpoint_seconds=0.0, listen=events.append)
    problems = [e.problem for e in events if isinstance(e, CheckpointWritten)]
    assert problems
    assert all(p is not None and "No space left" in p for p in problems)
