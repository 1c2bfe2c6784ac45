"""Events of a training run: `polyseme.train` passes them to a listener and writes them to a log."""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from polyseme.corpus.encoding import EncodingProgress
from polyseme.errors import Interrupted


@dataclass(frozen=True)
class NothingToResume:
    """A run was to be resumed, but there is no unfinished one: training starts from the beginning."""

    model: str


@dataclass(frozen=True)
class CorpusEncoded:
    """The corpus is encoded and the vocabulary chosen."""

    tokens: int
    sentences: int
    words: int  # distinct words of the corpus
    kept: int  # words of the vocabulary
    bad_bytes: int
    seconds: float
    bad_rows: int = 0  # rows without text, which were skipped
    first_bad_row: str = ""  # the first of them, and what is wrong with it


@dataclass(frozen=True)
class ModelContinued:
    """The words of the model that training continues from are compared with those of the corpus."""

    old_words: int
    shared_words: int  # old words that occur in the corpus
    new_words: int
    shared_tokens: float  # share of the corpus' tokens that are old words


@dataclass(frozen=True)
class ClusterStarted:
    """The workers of a run on a Ray cluster are ready."""

    workers: int
    hosts: int
    threads: int  # of all workers


@dataclass(frozen=True)
class WorkerLost:
    """A worker has ended without being asked to."""

    worker: int
    workers: int  # that are left, or replaced
    replaced: bool
    reason: str


@dataclass(frozen=True)
class RoundsMerged:
    """What the workers have sent and received in training."""

    rounds: int
    workers: int
    bytes_sent: int  # to the driver
    bytes_received: int  # from the driver
    seconds_training: float  # that the driver waited for updates
    seconds_merging: float


@dataclass(frozen=True)
class TrainingProgress:
    """Progress of training, about twice a second."""

    epoch: int
    epochs: int
    progress: float  # fraction of all epochs
    tokens_per_second: float
    loss: float  # per pair, since the last event
    learning_rate: float
    senses_per_word: float
    seconds: float
    eta: float


@dataclass(frozen=True)
class CheckpointWritten:
    """A checkpoint was written; or it could not be, for the reason in `problem`."""

    progress: float
    seconds: float
    problem: str | None = None


@dataclass(frozen=True)
class TrainingFinished:
    """All epochs are done."""

    tokens: int  # trained on, over all epochs and after subsampling
    seconds: float
    loss: float  # per pair, over the whole training


@dataclass(frozen=True)
class ModelSaved:
    """The model is written to disk."""

    path: str
    bytes: int
    seconds: float


Event = (
    EncodingProgress
    | NothingToResume
    | CorpusEncoded
    | ModelContinued
    | ClusterStarted
    | WorkerLost
    | RoundsMerged
    | TrainingProgress
    | CheckpointWritten
    | TrainingFinished
    | ModelSaved
)
Listener = Callable[[Event], None]


def warnings_of(event: Event) -> Iterator[str]:
    """What the user should know although nothing failed."""
    match event:
        case CheckpointWritten(problem=str(problem)):
            yield f"the checkpoint could not be written ({problem}); training continues"
        case CorpusEncoded():
            yield from warnings_of_bad_text(event.bad_bytes, event.bad_rows, event.first_bad_row)
        case ModelContinued(shared_words=0):
            yield "no word of the model occurs in the text; is it in another language or spelling?"
        case WorkerLost():
            then = "it is replaced" if event.replaced else f"training continues with {event.workers}"
            yield f"worker {event.worker} is lost ({event.reason}); {then}"
        case TrainingFinished(tokens=0):
            yield "the text is too short: nothing was learned; give more text"


def warnings_of_bad_text(bad_bytes: int, bad_rows: int = 0, first_bad_row: str = "") -> Iterator[str]:
    """What of a text could not be read."""
    if bad_bytes:
        number = "1 byte was not UTF-8 and was" if bad_bytes == 1 else f"{bad_bytes:,} bytes were not UTF-8 and were"
        yield (
            f"{number} read as '?'; if the text has another encoding, convert it, "
            f"for instance: iconv -f latin1 -t utf-8 IN > OUT"
        )
    if bad_rows:
        rows = (
            "1 row had no text and was skipped" if bad_rows == 1 else f"{bad_rows:,} rows had no text and were skipped"
        )
        yield f"{rows}: {first_bad_row}"


def warn(event: Event) -> None:
    """A listener that passes on warnings, as Python's warnings, and nothing else."""
    for text in warnings_of(event):
        warnings.warn(text, stacklevel=2)


def silent(_: Event) -> None:
    """A listener that does nothing."""


def raise_if_stopped(stop: Callable[[], bool]) -> None:
    """Raise Interrupted if `stop` returns True."""
    if stop():
        raise Interrupted("stopped.")


def event_name(event: Event) -> str:
    """The name of an event in the training log.

    >>> event_name(ModelSaved("news.model", 1024, 0.1))
    'model_saved'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()


@contextmanager
def logged(listen: Listener, path: Path) -> Iterator[Listener]:
    """A listener that also appends each event to a log of JSON lines, except EncodingProgress: there are too many."""
    with path.open("a", encoding="utf-8") as log:

        def write(event: Event) -> None:
            if not isinstance(event, EncodingProgress):
                entry = {"time": round(time.time(), 3), "event": event_name(event), **asdict(event)}
                with suppress(OSError):  # a full disk must not stop the training
                    log.write(json.dumps(entry) + "\n")
                    log.flush()
            listen(event)

        yield write
