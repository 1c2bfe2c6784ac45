"""What training tells while it runs: events, which the command line draws and a log records."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from polyseme.corpus.encoding import EncodingProgress


@dataclass(frozen=True)
class CorpusEncoded:
    """The corpus is encoded and the vocabulary chosen."""

    tokens: int
    sentences: int
    words: int
    kept: int
    bad_bytes: int
    seconds: float


@dataclass(frozen=True)
class TrainingProgress:
    """A moment of the training."""

    epoch: int
    epochs: int
    progress: float
    tokens_per_second: float
    loss: float  # per pair, over what was trained since the last event
    learning_rate: float
    senses_per_word: float
    seconds: float
    eta: float


@dataclass(frozen=True)
class CheckpointWritten:
    """A checkpoint was written, or could not be."""

    progress: float
    seconds: float
    problem: str | None = None


@dataclass(frozen=True)
class TrainingFinished:
    """The vectors are learned."""

    tokens: int
    seconds: float
    loss: float


@dataclass(frozen=True)
class ModelSaved:
    """The model is on disk."""

    path: str
    bytes: int
    seconds: float


Event = EncodingProgress | CorpusEncoded | TrainingProgress | CheckpointWritten | TrainingFinished | ModelSaved
Listener = Callable[[Event], None]


def silent(_: Event) -> None:
    """A listener that does nothing."""


def event_name(event: Event) -> str:
    """The name of an event in the training log.

    >>> event_name(ModelSaved("news.model", 1024, 0.1))
    'model_saved'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
