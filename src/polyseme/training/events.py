"""What training tells while it runs: events, which the command line draws and a log records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from polyseme.corpus.encoding import Encoding


@dataclass(frozen=True)
class Encoded:
    """The corpus is encoded and the vocabulary chosen."""

    tokens: int
    sentences: int
    words: int
    kept: int
    bad_bytes: int
    seconds: float


@dataclass(frozen=True)
class Training:
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
class Checkpointed:
    """A checkpoint was written, or could not be."""

    progress: float
    seconds: float
    problem: str | None = None


@dataclass(frozen=True)
class Trained:
    """The vectors are learned."""

    tokens: int
    seconds: float
    loss: float


@dataclass(frozen=True)
class Saved:
    """The model is on disk."""

    path: str
    bytes: int
    seconds: float


Event = Encoding | Encoded | Training | Checkpointed | Trained | Saved
Listener = Callable[[Event], None]


def silent(_: Event) -> None:
    """A listener that does nothing."""
