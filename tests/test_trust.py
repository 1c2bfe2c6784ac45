"""A few cases of each part of the campaign of faults (benchmarks/trust)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import ROOT

CASES = {"kills": 14, "signals": 4, "inputs": 60, "hostile": 12, "http": 40, "races": 3, "options": 30}

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not (ROOT / "benchmarks" / "trust").exists(), reason="needs benchmarks/trust and Linux"
)


def read(folder: Path, part: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "results" / f"{part}.jsonl").read_text().splitlines()]


def test_what_must_hold_under_faults_holds_in_some_cases_of_each_part(tmp_path: Path) -> None:
    parts = [f"{part}:{cases}" for part, cases in CASES.items()]
    command = [sys.executable, "-m", "benchmarks.trust", str(tmp_path), *parts, "--seed", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for part, cases in CASES.items():
        assert len(read(tmp_path, part)) == cases
    inputs = Counter(result["outcome"] for result in read(tmp_path, "inputs"))
    assert inputs["answer"] >= 2  # some damage has no effect, such as that of a letter of a word
    assert inputs["error"] >= 20
    assert inputs["answer"] + inputs["error"] == CASES["inputs"]


def test_a_part_continues_where_it_was_stopped_and_repeats_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    results = import_module("benchmarks.trust.results")
    problems = {2: "broken"}
    ran: list[int] = []

    def cases(_: object, numbers: list[int]) -> Iterator[object]:
        for number in numbers:
            ran.append(number)
            yield results.Result("kind", "outcome", problems.get(number, ""))

    part = results.Part("part", "title", "holds", 10, cases)
    context = results.Context(1, tmp_path, tmp_path)
    for end, again, failures in ((4, False, 1), (6, False, 0), (6, True, 1)):
        assert results.run_part(part, context, tmp_path / "part.jsonl", end, again, lambda _: None) == failures
    assert ran == [0, 1, 2, 3, 4, 5, 2]
    problems.clear()
    assert results.run_part(part, context, tmp_path / "part.jsonl", 6, True, lambda _: None) == 0
    assert results.run_part(part, context, tmp_path / "part.jsonl", 6, True, lambda _: None) == 0
