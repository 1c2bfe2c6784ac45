"""Many commands one after the other in a forked process, which is much cheaper than a process for each.

A process that crashes, hangs or is stopped is replaced. A problem counts only if the command has it in a process of its
own, too: otherwise it is said to depend on earlier commands.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .commands import MAX_SECONDS, WAITING, Child, Outcome, busy_seconds, command_status

COMMANDS_PER_PROCESS = 200


class Batch:
    """Runs commands as `commands.run` does.

    before  called in each new process
    """

    def __init__(self, scratch: Path, before: Callable[[], None] = lambda: None) -> None:
        self._before = before
        self._scratch = scratch
        self._files = [tempfile.TemporaryFile(dir=scratch) for _ in range(2)]  # noqa: SIM115 - closed with the object
        self._child: Child | None = None

    def run(self, arguments: list[str], folder: Path, stop_after: float) -> Outcome:
        """Run a command, which gets SIGTERM after `stop_after` seconds of processor time (`explore`: elapsed time)."""
        if self._child is None:
            self._start()
        assert self._child is not None
        for file in self._files:
            os.ftruncate(file.fileno(), 0)
        started, busy = time.monotonic(), busy_seconds(self._child.pid)
        os.write(self._requests, json.dumps([arguments, str(folder), stop_after]).encode() + b"\n")
        late = False
        while not select.select([self._answers], [], [], 1.0)[0]:
            elapsed = time.monotonic() - started
            if elapsed > WAITING * MAX_SECONDS or busy_seconds(self._child.pid) - busy > MAX_SECONDS:
                late = True
                self._child.kill()
        line = os.read(self._answers, 1000)
        if line:
            answer = json.loads(line)
        else:
            ended = self._child.wait()
            answer = {"status": ended.status, "peak": ended.peak, "last": True}
        if answer["last"]:
            self._stop()
        out, err = (os.pread(file.fileno(), 1 << 22, 0) for file in self._files)
        seconds = time.monotonic() - started
        return Outcome(answer["status"], out, err.decode("utf-8", "replace"), seconds, answer["peak"], late)

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._stop()
        for file in self._files:
            file.close()

    def _start(self) -> None:
        request_reader, self._requests = os.pipe()
        self._answers, answer_writer = os.pipe()

        def work() -> None:
            os.close(self._requests)
            os.close(self._answers)
            for number, file in enumerate(self._files, 1):
                os.dup2(file.fileno(), number)
            self._before()
            _work(request_reader, answer_writer)

        self._child = Child(work, self._scratch)
        os.close(request_reader)
        os.close(answer_writer)

    def _stop(self) -> None:
        assert self._child is not None
        os.close(self._requests)
        os.close(self._answers)
        self._child.wait()
        self._child = None


def _work(requests: int, answers: int) -> None:
    """Run the commands that are asked for, until one of them was stopped."""
    for alarm in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(alarm, lambda *_: signal.raise_signal(signal.SIGTERM))
    with os.fdopen(requests) as lines:
        for number, line in enumerate(lines, 1):
            arguments, folder, stop_after = json.loads(line)
            os.chdir(folder)
            for descriptor in (1, 2):
                os.lseek(descriptor, 0, os.SEEK_SET)
            # The explorer waits for requests, which takes no processor time.
            timer = signal.ITIMER_REAL if arguments[0] == "explore" else signal.ITIMER_PROF
            signal.setitimer(timer, stop_after)
            status = command_status(arguments)
            signal.setitimer(timer, 0)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            last = status > 2 or number >= COMMANDS_PER_PROCESS
            answer: dict[str, Any] = {"status": status, "peak": peak, "last": last}
            sys.stdout.flush()
            sys.stderr.flush()
            os.write(answers, json.dumps(answer).encode())
            if last:
                return
            if number % 20 == 0:
                gc.collect()
