"""The tasks by name: which function they call, and with which arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyseme.errors import ConfigError
from polyseme.evaluation import tasks
from polyseme.evaluation.tasks import CONTEXT_TASKS, TASKS, WORD_TASKS, evaluate
from tests.evaluation.toy import toy

MODEL = toy({"bank": [([1.0, 0.0], 20)], "river": [([0.0, 1.0], 10)]})
DATA = Path("data")


@pytest.mark.parametrize(
    ("task", "given", "passed"),
    [
        ("scws", {"window": 3}, {"window": 3}),
        ("wic", {}, {"window": None}),
        ("wsi", {"window": 1}, {"window": 1}),
        ("wordsim", {}, {}),
        ("analogy", {}, {}),
        ("pseudowords", {"seed": 5}, {"seed": 5, "reader": None, "field": None}),
        ("pseudowords", {"reader": "csv", "field": "a"}, {"seed": 1, "reader": "csv", "field": "a"}),
    ],
)
def test_a_task_gets_its_options(
    task: str, given: dict[str, Any], passed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def record(*arguments: object, **options: object) -> Any:
        return arguments, options

    for table in (CONTEXT_TASKS, WORD_TASKS):
        if task in table:
            monkeypatch.setitem(table, task, record)
    monkeypatch.setattr(tasks, "pseudowords", record)
    recorded: Any = evaluate(MODEL, task, DATA, **given)
    assert recorded == ((MODEL, DATA), passed)


def test_health_needs_no_data() -> None:
    assert evaluate(MODEL, "health").task == "health"


def test_invalid_combinations_are_refused() -> None:
    with pytest.raises(ConfigError, match="scws needs DATA: polyseme evaluate MODEL scws DATA"):
        evaluate(MODEL, "scws")
    with pytest.raises(ConfigError, match="--window is for tasks with contexts: scws, wic, wsi."):
        evaluate(MODEL, "analogy", DATA, window=3)
    with pytest.raises(ConfigError, match="--reader and --field are for tasks that read a corpus: pseudowords, health"):
        evaluate(MODEL, "wordsim", DATA, reader="csv")
    with pytest.raises(ConfigError, match=f"unknown task 'poetry'; choose one of {', '.join(TASKS)}"):
        evaluate(MODEL, "poetry", DATA)
