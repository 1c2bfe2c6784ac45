"""Fixtures for the tests of training."""

from __future__ import annotations

import itertools
import threading

import pytest

from polyseme.training import trainer
from polyseme.training.trainer import Reporter, Trainer

LOOK_SECONDS = 0.01  # between checks whether the training was asked to pause


@pytest.fixture
def frequent_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report after each block, before the thread takes the next: a run stops where it should on a busy machine, too."""
    reported = threading.Event()
    clock = itertools.count(1)  # a second for each look
    report_if_due, train_block = Reporter.report_if_due, Trainer._train

    def report(self: Reporter, _: float) -> None:
        report_if_due(self, float(next(clock)))
        reported.set()

    def train(self: Trainer, block: int, thread: int, scratch: object) -> None:
        train_block(self, block, thread, scratch)
        reported.clear()
        while not (reported.wait(LOOK_SECONDS) or self._leave.is_set()):
            pass

    monkeypatch.setattr(trainer, "REPORT_SECONDS", 0.002)
    monkeypatch.setattr(Reporter, "report_if_due", report)
    monkeypatch.setattr(Trainer, "_train", train)
