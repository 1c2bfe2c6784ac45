"""The evaluation tasks by name. Each takes a model and a data set and returns an `Evaluation`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from polyseme.errors import ConfigError
from polyseme.evaluation.ambiguity import MIN_COUNT, ambiguity
from polyseme.evaluation.analogy import analogy
from polyseme.evaluation.health import health
from polyseme.evaluation.pseudowords import pseudowords
from polyseme.evaluation.scores import Evaluation
from polyseme.evaluation.wic import wic
from polyseme.evaluation.word_similarity import scws, wordsim
from polyseme.evaluation.wsi import wsi
from polyseme.model.sense_model import SenseModel

CONTEXT_TASKS: dict[str, Callable[..., Evaluation]] = {"scws": scws, "wic": wic, "wsi": wsi}
WORD_TASKS: dict[str, Callable[[SenseModel, Path], Evaluation]] = {"wordsim": wordsim, "analogy": analogy}
TEXT_TASKS = ("pseudowords", "health")
TASKS = (*CONTEXT_TASKS, *WORD_TASKS, "pseudowords", "ambiguity", "health")


def evaluate(
    model: SenseModel,
    task: str,
    data: Path | None = None,
    *,
    window: int | None = None,
    min_count: int | None = None,
    seed: int = 1,
    reader: str | None = None,
    field: str | None = None,
) -> Evaluation:
    """Evaluate a model on a task.

    data       the data set's file or folder; for `pseudowords` a corpus; for `health` a text, or None
    window     number of context words on each side that determine a sense, for tasks with contexts
    min_count  occurrences that a word needs to be judged by `ambiguity`; MIN_COUNT if None
    seed       random seed of `pseudowords` and `health`
    reader     the format of the text of `pseudowords` or `health`; by default its suffix decides
    field      the field of rows that has the text
    """
    if min_count is not None and task != "ambiguity":
        raise ConfigError("--min-count is for the task ambiguity.")
    if window is not None and task not in CONTEXT_TASKS:
        raise ConfigError(f"--window is for tasks with contexts: {', '.join(CONTEXT_TASKS)}.")
    if (reader is not None or field is not None) and task not in TEXT_TASKS:
        raise ConfigError(f"--reader and --field are for tasks that read a corpus: {', '.join(TEXT_TASKS)}.")
    if task == "health":
        return health(model, data, seed=seed, reader=reader, field=field)
    if data is None:
        raise ConfigError(f"{task} needs DATA: polyseme evaluate MODEL {task} DATA")
    if task in CONTEXT_TASKS:
        return CONTEXT_TASKS[task](model, data, window=window)
    if task == "pseudowords":
        return pseudowords(model, data, seed=seed, reader=reader, field=field)
    if task == "ambiguity":
        return ambiguity(model, data, min_count=MIN_COUNT if min_count is None else min_count)
    if task in WORD_TASKS:
        return WORD_TASKS[task](model, data)
    raise ConfigError(f"unknown task '{task}'; choose one of {', '.join(TASKS)}.")
