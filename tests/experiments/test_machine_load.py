"""The load by other programs."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from polyseme.experiments import machine_load
from polyseme.experiments.machine_load import LoadMeter


def test_the_load_is_what_other_programs_used_of_all_processors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat, clock = tmp_path / "stat", iter((100.0, 110.0))
    monkeypatch.setattr(machine_load, "STAT", stat)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "sysconf", lambda _: 100)
    own = iter(((1.0, 0.5, 0.0, 0.0), (5.0, 1.0, 0.5, 0.0)))
    monkeypatch.setattr(os, "times", lambda: _times(*next(own)))
    stat.write_text("cpu  100 0 50 900 5 0 0 0 0 0\ncpu0 1 2\n")
    meter = LoadMeter()
    stat.write_text("cpu  700 100 150 1900 5 0 0 100 0 0\ncpu0 1 2\n")  # 9 seconds, of which 5 are this program's
    assert meter.other_load() == pytest.approx(4 / 20)


def test_the_load_is_unknown_where_the_system_does_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_load, "STAT", tmp_path / "missing")
    assert LoadMeter().other_load() is None


def _times(user: float, system: float, children_user: float, children_system: float) -> object:
    return type("Times", (), locals())
