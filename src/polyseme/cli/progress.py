"""Drawing the events of a training run on standard error: a live line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from polyseme.cli.output import in_bytes, in_short, in_time
from polyseme.corpus.encoding import EncodingProgress
from polyseme.training.events import (
    CheckpointWritten,
    CorpusEncoded,
    Event,
    ModelSaved,
    TrainingFinished,
    TrainingProgress,
)

PLAIN_SECONDS = 10.0


class _Console(Console):
    """A console whose reader may leave: then nothing more is drawn, and the training goes on."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


class Progress:
    """A listener for `polyseme.train`, to be used with `with`."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.console = _Console(file=sys.stderr, highlight=False, soft_wrap=True)
        self.live = Live(console=self.console, transient=True, refresh_per_second=8)
        self.last_plain = time.monotonic()

    def __enter__(self) -> Progress:
        if self.console.is_terminal and not self.quiet:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.live.stop()

    def __call__(self, event: Event) -> None:
        if isinstance(event, CheckpointWritten) and event.problem:
            self._say("warning", f"no checkpoint could be written ({event.problem}); training goes on")
        if self.quiet:
            return
        match event:
            case EncodingProgress():
                share = event.bytes_read / event.bytes_total if event.bytes_total else None
                words = f"{in_short(event.tokens)} tokens, {in_short(event.words)} different words"
                self._show("reading", share, f"{in_bytes(event.bytes_read)}, {words}")
            case CorpusEncoded():
                kept = f"{in_short(event.tokens)} tokens, {in_short(event.kept)} of {in_short(event.words)} words kept"
                self._say("reading", kept, event.seconds)
                if event.bad_bytes:
                    self._say("warning", f"{event.bad_bytes:,} bytes were not UTF-8 and were read as '?'")
            case TrainingProgress():
                speed = f"epoch {event.epoch}/{event.epochs}  {in_short(event.tokens_per_second)} tok/s"
                figures = f"loss {event.loss:.3f}  senses/word {event.senses_per_word:.1f}"
                rate = f"rate {event.learning_rate:.4f}"
                self._show("training", event.progress, f"eta {in_time(event.eta)}  {speed}  {figures}  {rate}")
            case TrainingFinished():
                self._say("training", f"{in_short(event.tokens)} tokens trained, loss {event.loss:.3f}", event.seconds)
                self._show("examples", None, "looking for the sentences that fit each sense best")
            case ModelSaved():
                self._say("saved", f"{event.path} ({in_bytes(event.bytes)})", event.seconds)

    def _show(self, what: str, share: float | None, text: str) -> None:
        """A line that the next one replaces; on no terminal, only every few seconds."""
        if self.live.is_started:
            grid = Table.grid(padding=(0, 1))
            bar = ProgressBar(total=1, completed=share, width=10) if share is not None else Text("")
            grid.add_row(Text(f"{what:<9}", style="bold"), bar, Text(text, no_wrap=True, overflow="ellipsis"))
            self.live.update(grid)
        elif time.monotonic() - self.last_plain > PLAIN_SECONDS:
            self.last_plain = time.monotonic()
            percent = f"{share:4.0%}  " if share is not None else ""
            self.console.print(f"{what:<9} {percent}{text}", markup=False)

    def _say(self, what: str, text: str, seconds: float | None = None) -> None:
        took = f"  ({in_time(seconds)})" if seconds is not None else ""
        self.live.update(Text(""))
        self.console.print(Text(f"{what:<9} ", style="bold").append(f"{text}{took}", style="not bold"))
