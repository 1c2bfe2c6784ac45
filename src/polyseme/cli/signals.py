"""Ctrl-C and SIGTERM while something long runs."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType

from polyseme.errors import Interrupted


class Signals:
    """The two signals as a wish to stop, at the next point from which one can go on; `hint` says how."""

    def __init__(self, hint: str) -> None:
        self.hint = hint
        self.received = 0

    def stop(self) -> bool:
        return self.received != 0

    def __enter__(self) -> Signals:
        self.before = {s: signal.signal(s, self._note) for s in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)
        if isinstance(error, Interrupted):
            stopped = Interrupted(f"{error} {self.hint}")
            stopped.signal = self.received or signal.SIGINT  # type: ignore[attr-defined]
            raise stopped from error

    def _note(self, number: int, _: FrameType | None) -> None:
        if self.received:
            raise KeyboardInterrupt  # asked twice: at once
        self.received = number
