"""What SIGINT (Ctrl-C), SIGTERM and SIGHUP do to a command: a handler for each phase.

start-up    `exit_on_signals`   exit at once: there is nothing to clean up, and an exception in the middle of an import
                                can print a traceback or leave the import lock held
short work  `interruptible`     raise KeyboardInterrupt, so that temporary files are removed
long work   `Signals`           ask the command to stop at the next checkpoint

A KeyboardInterrupt cannot leave a finalizer: Python prints a traceback and goes on. The signal is then sent again.

This module is imported before all others and imports little itself. Signals that are ignored (nohup) stay ignored.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType

from polyseme.errors import Interrupted

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
STOPPED = "stopped."
REPEAT_SECONDS = 0.01  # by then the finalizer has ended

received: list[int] = []  # the numbers of all signals, first to last, except those that end the process at once
hints: list[Callable[[], str]] = []  # of the command that is running: how to continue it, if it ends now

Handler = Callable[[int, FrameType | None], None]


def exit_on_signals() -> None:
    """From now on, a signal ends the process at once."""
    _install(_exit)
    sys.unraisablehook = _repeat_lost_signal


@contextmanager
def interruptible() -> Iterator[None]:
    """Within the block, a signal raises KeyboardInterrupt with the number of the signal."""
    old_handlers = _install(_raise)
    try:
        yield
    except Interrupted as error:  # training turns KeyboardInterrupt into this
        error.signal = received[0] if received else error.signal
        raise
    finally:
        _restore(old_handlers)


class Signals:
    """A context manager in which the first signal is a request to stop at the next checkpoint.

    The second signal raises KeyboardInterrupt, the third ends the process at once.

    hint  called when the command ends early; returns how to continue it, or nothing
    """

    def __init__(self, hint: Callable[[], str] = lambda: "") -> None:
        self.hint = hint
        self.count = 0

    def stop(self) -> bool:
        """Whether a signal was received."""
        return self.count > 0

    def check(self) -> None:
        """Raise Interrupted if a signal was received."""
        if self.stop():
            raise Interrupted(STOPPED)

    def __enter__(self) -> Signals:
        hints[:] = [self.hint]
        self.old_handlers = _install(self._receive)
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _restore(self.old_handlers)
        if isinstance(error, Interrupted) and received:
            error.signal = received[0]

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.count == 1:
            received.append(number)
        elif self.count == 2:
            _raise(number, frame)
        else:
            _exit(number, frame)


def with_hint(message: str = STOPPED) -> str:
    """The message of a command that ends early, with how to continue it."""
    return " ".join([message, *filter(None, (hint() for hint in hints))])


def _exit(number: int, _: FrameType | None) -> None:
    with suppress(OSError):  # standard error may be closed
        os.write(2, f"polyseme: {with_hint()}\n".encode())
    os._exit(128 + number)


def _raise(number: int, _: FrameType | None) -> None:
    received.append(number)
    raise KeyboardInterrupt(number)


def _repeat_lost_signal(lost: sys.UnraisableHookArgs) -> None:
    """Send a signal again whose KeyboardInterrupt was raised in a finalizer; report other errors as Python does.

    After a signal, other errors are ignored: an object whose creation was interrupted can fail in its finalizer.
    """
    if not isinstance(lost.exc_value, KeyboardInterrupt):
        if not received:
            sys.__unraisablehook__(lost)
        return
    import threading  # it is imported by now

    number = lost.exc_value.args[0] if lost.exc_value.args else signal.SIGINT
    if hasattr(signal, "pthread_kill"):  # to the main thread, so that it interrupts what that thread waits for
        again = threading.Timer(REPEAT_SECONDS, signal.pthread_kill, [threading.main_thread().ident, number])
    else:
        again = threading.Timer(REPEAT_SECONDS, signal.raise_signal, [number])
    again.daemon = True
    again.start()


def _install(handler: Handler) -> dict[int, object]:
    """Handle all signals that are not ignored; returns their old handlers."""
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    return {n: signal.signal(n, handler) for n in numbers if signal.getsignal(n) is not signal.SIG_IGN}


def _restore(old_handlers: dict[int, object]) -> None:
    for number, handler in old_handlers.items():
        signal.signal(number, handler)  # type: ignore[arg-type]
