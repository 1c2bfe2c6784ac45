"""Handling of Ctrl-C and SIGTERM by commands that run long."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType

from polyseme.errors import Interrupted


class Signals:
    """Turns the first signal into a request to stop at the next checkpoint, and the second into KeyboardInterrupt.

    hint  added to the message of Interrupted: how to continue
    """

    def __init__(self, hint: str) -> None:
        self.hint = hint
        self.received = 0

    def stop(self) -> bool:
        return self.received != 0

    def __enter__(self) -> Signals:
        self.old_handlers = {s: signal.signal(s, self._receive) for s in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self.old_handlers.items():
            signal.signal(number, handler)
        if isinstance(error, Interrupted):
            stopped = Interrupted(f"{error} {self.hint}")
            stopped.signal = self.received or signal.SIGINT  # type: ignore[attr-defined]
            raise stopped from error

    def _receive(self, number: int, _: FrameType | None) -> None:
        if self.received:
            raise KeyboardInterrupt
        self.received = number
