"""Where the working folder of a training run is, and whether there is an unfinished run. See `training.workspace`."""

from __future__ import annotations

import os
from pathlib import Path

from polyseme.errors import OutputExists

RUN, CORPUS, CHECKPOINT = "run.json", "corpus", "checkpoint.safetensors"  # an unfinished run has one of these


def workspace_path(model: Path) -> Path:
    """The working folder of a model.

    >>> workspace_path(Path("news.model")).name
    'news.model.training'
    """
    if not model.name:
        raise OutputExists(f"{model} is not the name of a model; choose another name.")
    return model.with_name(f"{model.name}.training")


def has_unfinished_run(model: Path) -> bool:
    """Whether the training of a model was stopped before it was saved, or is still running."""
    if not model.name:
        return False
    folder = workspace_path(model)
    # Path.exists raises OSError for a name that is too long.
    return any(os.path.exists(folder / name) for name in (RUN, CORPUS, CHECKPOINT))  # noqa: PTH110
