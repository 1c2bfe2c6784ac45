"""The tasks by name: each takes a model and a data set, and gives an Evaluation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from polyseme.errors import ConfigError
from polyseme.evaluation.analogy import analogy
from polyseme.evaluation.health import health
from polyseme.evaluation.pseudowords import pseudowords
from polyseme.evaluation.scores import Evaluation
from polyseme.evaluation.wic import wic
from polyseme.evaluation.word_similarity import scws, wordsim
from polyseme.evaluation.wsi import wsi
from polyseme.model.sense_model import SenseModel

IN_CONTEXTS: dict[str, Callable[..., Evaluation]] = {"scws": scws, "wic": wic, "wsi": wsi}
OTHERS: dict[str, Callable[[SenseModel, Path], Evaluation]] = {"wordsim": wordsim, "analogy": analogy}


def evaluate(
    model: SenseModel, task: str, data: Path | None = None, *, window: int | None = None, seed: int = 1
) -> Evaluation:
    """Run a task.

    data    the data set's file or folder; for `pseudowords` and, if wanted, for `health` a corpus
    window  words on each side that choose a sense, for the tasks with contexts
    seed    of the choice of pseudowords
    """
    if task == "health":
        return health(model, data)
    if data is None:
        raise ConfigError(f"{task} needs DATA: polyseme evaluate MODEL {task} DATA")
    if task in IN_CONTEXTS:
        return IN_CONTEXTS[task](model, data, window=window)
    if window is not None:
        raise ConfigError(f"--window is for tasks with contexts: {', '.join(IN_CONTEXTS)}.")
    if task == "pseudowords":
        return pseudowords(model, data, seed=seed)
    if task in OTHERS:
        return OTHERS[task](model, data)
    raise ConfigError(f"'{task}' is not a task; take one of {', '.join(TASKS)}.")


TASKS = (*IN_CONTEXTS, *OTHERS, "pseudowords", "health")
