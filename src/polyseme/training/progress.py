"""Progress of a training run on standard error: a line that is redrawn on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from importlib.util import find_spec
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from polyseme._io.units import format_bytes, format_count, format_duration
from polyseme.corpus.encoding import EncodingProgress
from polyseme.training.events import (
    ClusterStarted,
    CorpusEncoded,
    Event,
    ModelContinued,
    ModelSaved,
    NothingToResume,
    TrainingFinished,
    TrainingProgress,
    warnings_of,
)

PLAIN_SECONDS = 10.0  # between progress lines where they cannot be redrawn


def _count(number: int, noun: str) -> str:
    """
    >>> _count(1, "worker"), _count(2, "worker")
    ('1 worker', '2 workers')
    """
    return f"{number:,} {noun}" + ("s" if number != 1 else "")


def is_watched() -> bool:
    """Whether a person sees standard error: it is a terminal, or the output of a Jupyter notebook."""
    return Console(file=sys.stderr).is_jupyter or (sys.stderr is not None and sys.stderr.isatty())


class _Console(Console):
    """A console that falls silent, instead of ending the training, when the reader of standard error exits."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


class ProgressDisplay:
    """A listener for `polyseme.train` that shows its events. It is a context manager.

    quiet  show warnings only
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.console = _Console(file=sys.stderr, highlight=False, soft_wrap=True)
        # Output of the caller goes above the line that is redrawn, but not if it is redirected to a file.
        above = sys.stdout is not None and sys.stdout.isatty()
        self.live = Live(console=self.console, transient=True, refresh_per_second=8, redirect_stdout=above)
        self.last_plain = time.monotonic()

    def __enter__(self) -> ProgressDisplay:
        redraws = self.console.is_terminal or (self.console.is_jupyter and find_spec("ipywidgets") is not None)
        if redraws and not self.quiet:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.live.stop()

    def __call__(self, event: Event) -> None:
        if not self.quiet:
            self._show(event)
        for text in warnings_of(event):
            self.print_line("warning", text)

    def _show(self, event: Event) -> None:
        match event:
            case ClusterStarted():
                hosts = _count(event.hosts, "machine")
                self.print_line(
                    "cluster", f"{_count(event.workers, 'worker')} on {hosts}, {_count(event.threads, 'thread')}"
                )
            case NothingToResume():
                self.print_line("resume", f"no unfinished run of {event.model} was found: training from the beginning")
            case EncodingProgress():
                fraction = event.bytes_read / event.bytes_total if event.bytes_total else None
                counts = f"{format_count(event.tokens)} tokens, {format_count(event.words)} distinct words"
                self.update("reading", fraction, f"{format_bytes(event.bytes_read)}, {counts}")
            case CorpusEncoded():
                words = f"{format_count(event.kept)} of {format_count(event.words)} words kept"
                self.print_line("reading", f"{format_count(event.tokens)} tokens, {words}", event.seconds)
                self.update("training", None, "starting (the first training on a machine compiles the kernels)")
            case ModelContinued():
                old = f"{format_count(event.shared_words)} of {format_count(event.old_words)} old words occur"
                new = f"{format_count(event.new_words)} are new"
                self.print_line("words", f"{old} ({event.shared_tokens:.0%} of the tokens), {new}")
            case TrainingProgress():
                speed = f"epoch {event.epoch}/{event.epochs}  {format_count(event.tokens_per_second)} tok/s"
                loss = f"loss {event.loss:.3f}  senses/word {event.senses_per_word:.1f}"
                rate = f"rate {event.learning_rate:.4f}"
                self.update("training", event.progress, f"eta {format_duration(event.eta)}  {speed}  {loss}  {rate}")
            case TrainingFinished():
                trained = f"{format_count(event.tokens)} tokens trained, loss {event.loss:.3f}"
                self.print_line("training", trained, event.seconds)
                self.update("examples", None, "selecting example sentences for each sense")
            case ModelSaved():
                self.print_line("saved", f"{event.path} ({format_bytes(event.bytes)})", event.seconds)

    def update(self, step: str, fraction: float | None, text: str) -> None:
        """Replace the current line; where that is not possible, print a new one every few seconds."""
        if self.quiet:
            return
        if self.live.is_started:
            grid = Table.grid(padding=(0, 1))
            bar = ProgressBar(total=1, completed=fraction, width=10) if fraction is not None else Text("")
            grid.add_row(Text(f"{step:<9}", style="bold"), bar, Text(text, no_wrap=True, overflow="ellipsis"))
            self.live.update(grid)
        elif time.monotonic() - self.last_plain > PLAIN_SECONDS:
            self.last_plain = time.monotonic()
            percent = f"{fraction:4.0%}  " if fraction is not None else ""
            self.console.print(f"{step:<9} {percent}{text}", markup=False)

    def print_line(self, step: str, text: str, seconds: float | None = None) -> None:
        """Print a line that stays."""
        took = f"  ({format_duration(seconds)})" if seconds is not None else ""
        self.live.update(Text(""))
        self.console.print(Text(f"{step:<9} ", style="bold").append(f"{text}{took}", style="not bold"))
