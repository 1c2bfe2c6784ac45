"""`polyseme` commands in forked processes: Python, Numba and kernels are loaded once, so a case takes milliseconds."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

MAX_SECONDS = 20.0
WAITING = 10
MAX_BYTES = 1 << 30  # of resident memory, with what the parent has loaded
MAX_MESSAGE = 1000
FAILED = 70  # exit status after an exception that a command must not raise
PROGRESS = (
    "warning",
    "reading",
    "training",
    "saved",
    "Try:",
    "continuing",
    "resume",
    "phrases",
    "discovery",
    "examples",
    "explorer",
    "indexing",
    "indexed",
)
FORBIDDEN = ("Traceback", "internal error", "should not happen", "Error:", "Warning:")


@dataclass(frozen=True)
class Outcome:
    """How a process ended.

    status   exit status; negative for the number of the signal that ended it
    seconds  from the fork to the end
    peak     bytes of resident memory
    late     whether it was killed because it took too long
    """

    status: int
    stdout: bytes
    stderr: str
    seconds: float
    peak: int
    late: bool

    def problem(self, *allowed: int) -> str:
        """What is wrong with it, if anything; `allowed` are the exit statuses that may be, 0, 1 and 2 by default."""
        lines = self.stderr.replace("\r", "\n").splitlines()
        if self.late:
            return f"more than {MAX_SECONDS:.0f} seconds"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}: {self.stderr[-1500:]}"
        if self.status not in (allowed or (0, 1, 2)):
            return f"exit status {self.status}: {self.stderr[-1500:]}"
        if found := next((text for text in FORBIDDEN if text in self.stderr), None):
            return f"{found!r} in the messages: {self.stderr[-3000:]}"
        if other := [line for line in lines if not line.startswith(("polyseme: ", *PROGRESS))]:
            return f"an unexpected line: {other[0][:500]!r}"
        if self.status and not (lines and lines[-1].startswith("polyseme: ") and len(lines[-1]) <= MAX_MESSAGE):
            return f"the error is not a short line: {self.stderr[-1500:]}"
        if self.peak > MAX_BYTES:
            return f"{self.peak / 1e9:.1f} GB of memory"
        return ""


class Child:
    """A forked process that runs a function, with its own working folder and standard streams.

    stdin   a file or pipe; nothing by default
    before  called in the child before the function
    """

    def __init__(
        self, function: Callable[[], int | None], folder: Path, stdin: IO[bytes] | int | None = None,
        before: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 - closed by `wait`
        sys.stdout.flush()
        sys.stderr.flush()
        self.started = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            source = (
                stdin
                if isinstance(stdin, int)
                else os.open(os.devnull, os.O_RDONLY)
                if stdin is None
                else stdin.fileno()
            )
            for number, descriptor in enumerate((source, self._out.fileno(), self._err.fileno())):
                os.dup2(descriptor, number)
            _run(function, folder, before)
        self._outcome: Outcome | None = None

    def stderr(self) -> str:
        """What the process has written to standard error so far."""
        return os.pread(self._err.fileno(), 1 << 20, 0).decode("utf-8", "replace")

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal, if the process is still there."""
        if self._outcome is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def wait(self, seconds: float = MAX_SECONDS, stop_after: float | None = None) -> Outcome:
        """Wait until it ends. It gets SIGTERM after `stop_after`, and is killed after `seconds` of processor time.

        A process that waits is killed after WAITING times as long, since other processes may take most of the machine.
        """
        late = False
        pause = 0.0005
        while self._outcome is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            elapsed = time.monotonic() - self.started
            if pid:
                code = os.waitstatus_to_exitcode(status)
                self._out.seek(0)
                peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
                self._outcome = Outcome(code, self._out.read(), self.stderr(), elapsed, peak, late)
                self._out.close()
                self._err.close()
            elif not late and (elapsed > WAITING * seconds or (elapsed > seconds and busy_seconds(self.pid) > seconds)):
                late = True
                self.kill()
            elif stop_after is not None and elapsed > stop_after and busy_seconds(self.pid) > stop_after:
                self.kill(signal.SIGTERM)
                stop_after = None
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        return self._outcome


def busy_seconds(pid: int) -> float:
    """Processor time of a process so far; infinity where this is not known."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return float("inf")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(
    arguments: list[str], folder: Path, stdin: IO[bytes] | int | None = None, before: Callable[[], None] = lambda: None
) -> Child:
    """Start a `polyseme` command."""

    return Child(lambda: command_status(arguments), folder, stdin, before)


def run(
    arguments: list[str], folder: Path, stdin: IO[bytes] | int | None = None, before: Callable[[], None] = lambda: None,
    seconds: float = MAX_SECONDS, stop_after: float | None = None,
) -> Outcome:  # fmt: skip
    """Run a `polyseme` command until it ends."""
    return start(arguments, folder, stdin, before).wait(seconds, stop_after)


def command_status(arguments: list[str]) -> int:
    """Run a `polyseme` command in this process; returns its exit status."""
    from polyseme.__main__ import main

    sys.argv = ["polyseme", *arguments]
    try:
        main()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    except BaseException:
        traceback.print_exc()
    return FAILED


def _run(function: Callable[[], int | None], folder: Path, before: Callable[[], None]) -> NoReturn:
    status = FAILED
    try:
        os.chdir(folder)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        before()
        status = function() or 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
        with suppress(BaseException):
            sys.stderr.flush()
        os._exit(status)
