"""Training by workers, compared with training on one machine. The workers are in this process, see conftest.py."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polyseme
from polyseme import SenseModel, train
from polyseme.corpus.planted import PlantedCorpus
from polyseme.errors import CorpusError, Interrupted, TrainingError
from polyseme.evaluation.planted_recovery import score_planted
from polyseme.training.cluster.trainer import ClusterTrainer
from polyseme.training.events import (
    CheckpointWritten,
    Event,
    RoundsMerged,
    TrainingFinished,
    TrainingProgress,
    WorkerLost,
)
from tests.training.cluster.conftest import FragilePool

pytestmark = pytest.mark.usefixtures("local_workers")

SETTINGS: dict[str, Any] = {"senses": 2, "dim": 32, "seed": 1, "threads": 1}
# Without subsampling the number of trained tokens is known: each token of the text, in each epoch.
COUNTED: dict[str, Any] = {**SETTINGS, "subsample": 0, "min_count": 1, "epochs": 3, "examples": 0}


def trained_tokens(model: SenseModel) -> int:
    return int(model._data.training["tokens"])


def counts_of(model: SenseModel) -> dict[str, int]:
    return dict(zip(model.vocabulary.words, model.vocabulary.counts.tolist(), strict=True))


@pytest.fixture(scope="module")
def num_tokens(planted: PlantedCorpus) -> int:
    return sum(map(len, planted.sentences))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_planted_senses_are_recovered_as_on_one_machine(
    workers: int, planted: PlantedCorpus, planted_text: Path, mssg: SenseModel
) -> None:
    model = train(planted_text, workers=workers, **SETTINGS)
    assert counts_of(model) == counts_of(mssg)
    purity = [score.purity for score in score_planted(model, planted)]
    expected = [score.purity for score in score_planted(mssg, planted)]
    assert np.mean(purity) > np.mean(expected) - 0.05
    assert model._data.training["workers"] == workers


def test_the_number_of_senses_is_discovered(planted_text: Path) -> None:
    model = train(planted_text, workers=2, dim=32, seed=1, threads=1)
    alone = train(planted_text, dim=32, seed=1, threads=1)
    several = [set(np.flatnonzero(m._data.num_visible_senses > 1)) for m in (model, alone)]
    words = [{m.vocabulary.words[i] for i in ids} for m, ids in zip((model, alone), several, strict=True)]
    assert len(words[0] & words[1]) > 0.7 * len(words[0] | words[1])


@pytest.mark.parametrize("model", ["skip-gram", "random-senses", "mssg", "np-mssg"])
def test_workers_train_all_models(model: Any, planted_text: Path, num_tokens: int) -> None:
    settings = {name: value for name, value in COUNTED.items() if name != "senses"}
    trained = train(planted_text, model=model, workers=2, **settings)
    assert trained_tokens(trained) == 3 * num_tokens
    assert (trained._data.num_visible_senses.max() > 1) == (model != "skip-gram")


def test_many_workers_learn_nearly_as_well_as_one_process() -> None:
    """With long rounds from the start, the training would diverge."""
    text = Path(polyseme.__file__).parent / "data" / "simplewiki.txt.xz"
    settings: dict[str, Any] = {
        "model": "skip-gram", "dim": 16, "epochs": 1, "seed": 1, "threads": 1, "max_vocabulary": 2000, "examples": 0,
    }  # fmt: skip
    alone, together = (train(text, workers=workers, **settings).training["loss"] for workers in (None, 32))
    assert together < 1.12 * alone


def test_each_token_is_trained_once_per_epoch(planted_text: Path, num_tokens: int) -> None:
    model = train(planted_text, workers=3, **COUNTED)
    assert trained_tokens(model) == 3 * num_tokens
    assert model._data.corpus["tokens"] == num_tokens


def test_the_same_seed_and_workers_give_the_same_bits(planted_text: Path) -> None:
    first, second, other = (
        train(planted_text, workers=2, **{**COUNTED, "seed": seed})._data.arrays.to_dict() for seed in (1, 1, 2)
    )
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert not np.array_equal(first["sense_vectors"], other["sense_vectors"])


def test_an_encoded_corpus_is_sent_to_the_workers(planted: PlantedCorpus, num_tokens: int) -> None:
    model = train(texts=planted.sentences, workers=2, **{**COUNTED, "examples": 2})
    assert trained_tokens(model) == 3 * num_tokens
    assert all(sense.examples for sense in model.senses(planted.occurrences[0].word))


def test_examples_are_the_best_of_all_workers(planted_text: Path, mssg: SenseModel) -> None:
    model = train(planted_text, workers=3, **SETTINGS)
    lines = set(planted_text.read_text().splitlines())
    word = "bank" if "bank" in model else model.vocabulary.words[100]
    examples = [example for sense in model.senses(word) for example in sense.examples]
    assert len(examples) == sum(len(sense.examples) for sense in mssg.senses(word))
    assert all(any(example.text.strip() in line for line in lines) for example in examples)


def test_a_lost_worker_is_replaced_and_nothing_is_counted_twice(
    planted_text: Path, num_tokens: int, local_workers: type[FragilePool]
) -> None:
    local_workers.fails = staticmethod(lambda call, worker: call % 7 == 3)  # noqa: ARG005
    events: list[Event] = []
    model = train(planted_text, workers=3, listen=events.append, **COUNTED)
    lost = [event for event in events if isinstance(event, WorkerLost)]
    assert len(lost) > 3
    assert all(event.replaced and event.workers == 3 for event in lost)
    assert trained_tokens(model) == 3 * num_tokens


def test_a_cluster_that_shrinks_goes_on_with_fewer_workers(
    planted_text: Path, num_tokens: int, local_workers: type[FragilePool]
) -> None:
    local_workers.fails = staticmethod(lambda call, worker: call in (5, 9))  # noqa: ARG005
    local_workers.replaceable = False
    events: list[Event] = []
    model = train(planted_text, workers=3, listen=events.append, **COUNTED)
    assert [event.workers for event in events if isinstance(event, WorkerLost)] == [2, 1]
    assert trained_tokens(model) == 3 * num_tokens
    assert model._data.training["workers"] == 1


@pytest.mark.parametrize("replaceable", [True, False])
@pytest.mark.parametrize("checkpoint_seconds", [0.0, math.inf])
@pytest.mark.parametrize("first_loss", [1, 13])
def test_a_run_whose_workers_are_all_lost_can_be_resumed(
    first_loss: int, checkpoint_seconds: float, replaceable: bool, planted_text: Path, num_tokens: int, tmp_path: Path,
    local_workers: type[FragilePool],
) -> None:  # fmt: skip
    local_workers.fails = staticmethod(lambda call, worker: call >= first_loss)  # noqa: ARG005
    local_workers.replaceable = replaceable
    message = "workers end again and again" if replaceable else "all workers are lost"
    events: list[Event] = []
    with pytest.raises(TrainingError, match=f"{message}.*; .*, then continue with --resume.$"):
        train(
            planted_text, tmp_path / "m", workers=2, checkpoint_seconds=checkpoint_seconds, listen=events.append,
            **COUNTED,
        )  # fmt: skip
    checkpoints = [event.progress for event in events if isinstance(event, CheckpointWritten)]
    assert (checkpoints[-1] > 0) == (first_loss > 1)
    local_workers.fails = staticmethod(lambda call, worker: False)  # noqa: ARG005
    model = train(planted_text, tmp_path / "m", workers=2, resume=True, **COUNTED)
    assert trained_tokens(model) == 3 * num_tokens


def test_a_run_whose_workers_are_all_lost_while_senses_are_discovered_discovers_them_when_it_is_resumed(
    planted_text: Path, num_tokens: int, tmp_path: Path, local_workers: type[FragilePool]
) -> None:
    settings = {name: value for name, value in COUNTED.items() if name != "senses"}
    whole = train(planted_text, workers=2, **settings)
    local_workers.method, local_workers.replaceable = "on_shards", False
    local_workers.fails = staticmethod(lambda call, worker: call > 2)  # noqa: ARG005
    with pytest.raises(TrainingError, match="all workers are lost; .* continue with --resume"):
        train(planted_text, tmp_path / "m", workers=2, **settings)
    local_workers.fails = staticmethod(lambda call, worker: False)  # noqa: ARG005
    model = train(planted_text, tmp_path / "m", workers=2, resume=True, **settings)
    assert trained_tokens(model) == 3 * num_tokens
    several = [int((m._data.num_visible_senses > 1).sum()) for m in (model, whole)]
    assert several[0] > 0.7 * several[1]


@pytest.mark.parametrize("out", [True, False])
@pytest.mark.parametrize("method", ["encode", "train"])
def test_a_loss_of_all_workers_that_leaves_no_checkpoint_does_not_promise_that_the_run_can_be_resumed(
    method: str, out: bool, planted_text: Path, tmp_path: Path, local_workers: type[FragilePool]
) -> None:
    local_workers.method, local_workers.replaceable = method, False
    local_workers.fails = staticmethod(lambda call, worker: True)  # noqa: ARG005
    resumable = out and method == "train"
    how = "continue with --resume" if resumable else "start again"
    with pytest.raises(TrainingError, match=f"all workers are lost; .*, then {how}.$"):
        train(planted_text, tmp_path / "m" if out else None, workers=2, **COUNTED)
    assert (tmp_path / "m.training").exists() == resumable


def test_workers_that_are_lost_again_and_again_end_the_run(
    planted_text: Path, local_workers: type[FragilePool]
) -> None:
    local_workers.fails = staticmethod(lambda call, worker: True)  # noqa: ARG005
    with pytest.raises(TrainingError, match="workers end again and again .*killed by a test.*, then start again"):
        train(planted_text, workers=2, **COUNTED)


class StopAt:
    """Requests a stop when a part of the training is done."""

    def __init__(self, progress: float) -> None:
        self.progress, self.stopped = progress, False

    def listen(self, event: Event) -> None:
        self.stopped = self.stopped or (isinstance(event, TrainingProgress) and event.progress >= self.progress)

    def stop(self) -> bool:
        return self.stopped


@pytest.mark.parametrize("progress", [0.1, 0.6])
def test_a_run_is_resumed_with_another_number_of_workers(
    progress: float, planted_text: Path, num_tokens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyseme.training.trainer.REPORT_SECONDS", 0.0)
    stop = StopAt(progress)
    with pytest.raises(Interrupted, match="stopped at"):
        train(planted_text, tmp_path / "m", workers=3, listen=stop.listen, stop=stop.stop, **COUNTED)
    model = train(planted_text, tmp_path / "m", workers=2, resume=True, **COUNTED)
    assert trained_tokens(model) == 3 * num_tokens
    assert json.loads((tmp_path / "m" / "config.json").read_text())["training"]["workers"] == 2
    again = train(planted_text, tmp_path / "m", workers=2, resume=True, **COUNTED)
    assert np.array_equal(again._data.arrays.sense_counts, model._data.arrays.sense_counts)


def test_a_run_is_resumed_in_the_way_it_was_started(
    planted_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyseme.training.trainer.REPORT_SECONDS", 0.0)
    stop = StopAt(0.2)
    with pytest.raises(Interrupted):
        train(planted_text, tmp_path / "m", workers=2, listen=stop.listen, stop=stop.stop, **COUNTED)
    with pytest.raises(TrainingError, match="was started with --workers; resume it in the same way"):
        train(planted_text, tmp_path / "m", resume=True, **COUNTED)
    assert train(planted_text, tmp_path / "m", workers=2, resume=True, **COUNTED).training["workers"] == 2


def test_another_text_is_refused_when_a_run_is_resumed(
    planted: PlantedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyseme.training.trainer.REPORT_SECONDS", 0.0)
    text = planted.write(tmp_path / "text.txt")
    stop = StopAt(0.2)
    with pytest.raises(Interrupted):
        train(text, tmp_path / "m", workers=2, listen=stop.listen, stop=stop.stop, **COUNTED)
    text.write_text(text.read_text() + "more\n")
    with pytest.raises(TrainingError, match="another text or has changed since; resume it with the same corpus"):
        train(text, tmp_path / "m", workers=2, resume=True, **COUNTED)


def test_the_traffic_is_reported(planted_text: Path) -> None:
    events: list[Event] = []
    train(planted_text, workers=2, listen=events.append, **SETTINGS)
    merged = [event for event in events if isinstance(event, RoundsMerged)]
    assert merged[-1].rounds > 10
    assert merged[-1].bytes_sent > 0
    assert any(isinstance(event, TrainingFinished) for event in events)


def test_rounds_grow_in_proportion_to_what_was_trained(planted_text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyseme.training.cluster.trainer.ROUND_SHARE", 1.0)
    lengths: list[int] = []
    train_round = ClusterTrainer._train_round

    def train_and_measure(trainer: ClusterTrainer, end: int) -> None:
        before = trainer.blocks_done
        train_round(trainer, end)
        lengths.append(trainer.blocks_done - before)

    monkeypatch.setattr(ClusterTrainer, "_train_round", train_and_measure)
    train(planted_text, workers=2, **{**COUNTED, "warmup": 0.9, "epochs": 10})
    assert lengths[:4] == [2, 2, 4, 8]


def test_a_single_file_without_line_ends_is_trained_by_several_workers(
    planted: PlantedCorpus, num_tokens: int, tmp_path: Path
) -> None:
    text = tmp_path / "line.txt"
    text.write_text(" ".join(word for sentence in planted.sentences for word in sentence))
    assert trained_tokens(train(text, workers=2, **COUNTED)) == 3 * num_tokens


def test_parts_of_the_text_without_words_are_left_out_as_on_one_machine(planted_text: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text("\n" * 100_000)
    (folder / "b.txt").write_text(planted_text.read_text() + "\n" * 200_000 + planted_text.read_text())
    (folder / "c.txt").touch()
    settings = {**COUNTED, "epochs": 1, "examples": 1}
    model, alone = train(folder, tmp_path / "m", workers=2, **settings), train(folder, **settings)
    assert counts_of(model) == counts_of(alone)
    assert trained_tokens(model) == trained_tokens(alone)
    assert all(sense.examples for sense in model.senses(model.vocabulary.words[0]))
    (folder / "b.txt").write_text("\n" * 400_000)
    with pytest.raises(CorpusError, match=r"the corpus holds no words \(.*a.txt, .*b.txt"):
        train(folder, workers=2, **settings)
