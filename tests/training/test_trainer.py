"""The trainer: blocks, learning rate, events, stopping, divergence."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import Interrupted, TrainingError
from polyseme.training import trainer as trainer_module
from polyseme.training.config import make_config
from polyseme.training.events import Event, TrainingFinished, TrainingProgress
from polyseme.training.state import TrainState
from polyseme.training.trainer import Reporter, Trainer, num_threads
from polyseme.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def corpus(planted_text: Path, tmp_path_factory: pytest.TempPathFactory) -> EncodedCorpus:
    return encode(find_sources(planted_text), get_tokenizer("words"), tmp_path_factory.mktemp("corpus") / "encoded")


def make_trainer(corpus: EncodedCorpus, threads: int = 1, **settings: Any) -> Trainer:
    config = make_config(**{"dim": 16, "epochs": 2, **settings})
    vocabulary = Vocabulary.from_counts(corpus.words, corpus.counts, min_count=5, max_size=None)
    return Trainer(TrainState.initial(config, vocabulary, threads), corpus)


@pytest.mark.parametrize("threads", [1, 3])
def test_every_token_is_trained_once_an_epoch(corpus: EncodedCorpus, threads: int) -> None:
    trainer = make_trainer(corpus, threads, model="skip-gram", subsample=0.0)
    trainer.run()
    assert trainer.totals.tokens == 2 * corpus.counts[corpus.counts >= 5].sum()


def test_the_learning_rate_decays_with_sgd_but_not_with_adagrad(corpus: EncodedCorpus) -> None:
    sgd, adagrad = make_trainer(corpus), make_trainer(corpus, optimizer="adagrad")
    for trainer in (sgd, adagrad):
        trainer.blocks_done = trainer.num_blocks // 2
    assert sgd.learning_rate == pytest.approx(0.0125, rel=0.1)
    assert adagrad.learning_rate == 0.025


def test_events_report_the_progress_of_training(planted_text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyseme.training.trainer.REPORT_SECONDS", 0.01)  # several reports even on a fast machine
    events: list[Event] = []
    train(planted_text, senses=3, dim=64, epochs=60, threads=1, examples=0, listen=events.append)
    reports = [e for e in events if isinstance(e, TrainingProgress)]
    assert [e.progress for e in reports] == sorted(e.progress for e in reports)
    assert reports[-1].loss < reports[0].loss < 1
    assert reports[0].learning_rate > reports[-1].learning_rate > 0
    assert all(e.tokens_per_second > 0 and e.eta >= 0 and e.epochs == 60 for e in reports)
    assert reports[-1].senses_per_word == 3.0
    assert any(isinstance(e, TrainingFinished) for e in events)


def test_stopping_writes_a_checkpoint_between_blocks(corpus: EncodedCorpus) -> None:
    trainer = make_trainer(corpus, threads=2, epochs=1000)
    checkpoints: list[int] = []
    with pytest.raises(Interrupted, match=r"stopped at \d+\.\d% of the training"):
        trainer.run(stop=lambda: trainer.blocks_done > 5, checkpoint=lambda: checkpoints.append(trainer.blocks_done))
    assert checkpoints == [trainer.blocks_done]
    assert 5 < trainer.blocks_done < trainer.num_blocks


def test_a_checkpoint_waits_for_a_thread_that_ctrl_c_marks_as_stopped(
    corpus: EncodedCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `join` does in Python 3.11 and 3.12 if a signal comes while it waits: the thread still trains a block."""
    in_block = threading.Event()

    def slow_block(*_: Any) -> tuple[int, int, float]:
        in_block.set()
        time.sleep(0.05)
        finished.append(True)
        return 1, 1, 0.0

    class MarkedAsStopped(threading.Thread):
        def is_alive(self) -> bool:
            return False

    def interrupted(_: threading.Thread, __: float | None = None) -> None:
        in_block.wait()
        raise KeyboardInterrupt

    finished: list[bool] = []
    at_checkpoint: list[tuple[int, int]] = []
    trainer = make_trainer(corpus)
    monkeypatch.setattr(trainer_module, "train_block", slow_block)
    monkeypatch.setattr(MarkedAsStopped, "join", interrupted)
    monkeypatch.setattr(trainer_module, "_start", lambda worker: (worker.start(), worker.join()))
    monkeypatch.setattr(threading, "Thread", MarkedAsStopped)
    with pytest.raises(Interrupted):
        trainer.run(checkpoint=lambda: at_checkpoint.append((trainer.blocks_done, len(finished))))
    assert at_checkpoint == [(1, 1)]


def test_a_loss_of_nan_ends_the_training_with_advice(corpus: EncodedCorpus) -> None:
    trainer = make_trainer(corpus, model="skip-gram")
    trainer.state.parameters.global_vectors[:] = np.nan
    with pytest.raises(TrainingError, match="diverged at .* Try a lower --learning-rate than 0.025"):
        trainer.run()


def test_the_time_to_compile_the_kernels_does_not_count_as_slow_training(
    corpus: EncodedCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyseme.training.trainer.REPORT_SECONDS", 1.0)
    events: list[TrainingProgress] = []
    trainer = make_trainer(corpus)
    reporter = Reporter(trainer, events.append)  # type: ignore[arg-type]
    trainer.blocks_done = 1  # that is, begun
    reporter.report_if_due(2.0)
    for seconds, blocks in (90.0, 1), (91.0, 2), (92.0, 3):
        trainer.blocks_done = blocks
        trainer.totals.add(100, 100, 50.0)
        reporter.report_if_due(seconds)
    assert [event.eta for event in events] == [trainer.num_blocks - 2, trainer.num_blocks - 3]


def test_slow_blocks_are_reported_without_dividing_by_zero(
    corpus: EncodedCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_: object) -> tuple[int, int, float]:
        time.sleep(0.3)
        return 1, 1, 0.5

    monkeypatch.setattr("polyseme.training.trainer.train_block", slow)
    monkeypatch.setattr("polyseme.training.trainer.REPORT_SECONDS", 0.1)
    events: list[Event] = []
    trainer = make_trainer(corpus, epochs=1)
    trainer.run(listen=events.append, checkpoint_seconds=0.2)
    assert any(isinstance(e, TrainingProgress) for e in events)
    assert trainer.blocks_done == trainer.num_blocks


def test_threads_that_add_a_sense_at_the_same_time_add_one(corpus: EncodedCorpus) -> None:
    trainer = make_trainer(corpus, threads=4, model="np-mssg", max_senses=3, new_sense_threshold=0.9, epochs=8)
    trainer.run()
    state = trainer.state
    assert (state.parameters.num_senses <= np.diff(state.parameters.sense_offsets)).all()
    state.to_model_arrays().check(len(state.vocabulary))


def test_a_small_corpus_gets_few_threads(corpus: EncodedCorpus) -> None:
    assert num_threads(64, corpus) == 2
    assert num_threads(1, corpus) == 1
