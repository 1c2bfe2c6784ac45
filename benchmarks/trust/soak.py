"""Long runs: `tag` through a pipe, the explorer under steady requests, and many trainings in one process.

Memory is flat if its largest value in the last quarter is at most 5% or 20 MB above that of the second quarter.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from .commands import Child, start
from .http import COMPLETE, Requests, Server
from .results import Context, Part, Result

TAG_MEGABYTES = 10_000
EXPLORER_SECONDS = 3600.0
REQUESTS_PER_SECOND = 20.0
TRAININGS = 100
SAMPLES = 200


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    for number in numbers:
        yield (tag, explorer, trainings)[number](context)


def growth(samples: list[int]) -> str:
    """What is wrong with the course of the memory, if anything."""
    quarter = max(len(samples) // 4, 1)
    before, after = max(samples[quarter : 2 * quarter], default=0), max(samples[-quarter:], default=0)
    return (
        f"memory grew from {before >> 20} to {after >> 20} MB"
        if after > max(1.05 * before, before + (20 << 20))
        else ""
    )


def memory(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 if found else 0


def tag(context: Context) -> Result:
    """TAG_MEGABYTES of text, times the size of the context, through a pipe."""
    text = (context.targets / "text.txt").read_bytes()
    block = text * (1 + (1 << 20) // len(text))
    total = int(context.size * TAG_MEGABYTES * 1e6)
    reader, writer = os.pipe()
    command = ["tag", str(context.targets / "np.model")]
    # A copy of the writing end in the child would keep the pipe open.
    child = start(command, context.scratch, stdin=reader, before=lambda: os.close(writer))
    os.close(reader)
    samples: list[int] = []
    sent, started = 0, time.monotonic()
    while sent < total:
        sent += os.write(writer, block[: min(len(block), total - sent)])
        if sent * SAMPLES // total > len(samples):
            samples.append(memory(child.pid))
    os.close(writer)
    outcome = child.wait(600)
    problem = outcome.problem(0) or growth(samples)
    facts = {
        "megabytes_sent": sent // 10**6,
        "seconds": round(time.monotonic() - started),
        "megabytes": max(samples) >> 20,
    }
    return Result("tag through a pipe", "finished", problem, facts)


def explorer(context: Context) -> Result:
    """Steady requests for EXPLORER_SECONDS, times the size of the context."""
    folder = context.scratch / "explorer"
    folder.mkdir()
    shutil.copytree(context.targets / "np.model", folder / "np.model")
    server = Server(folder)
    samples: list[int] = []
    number, problem = 0, ""
    started, total = time.monotonic(), context.size * EXPLORER_SECONDS
    while (elapsed := time.monotonic() - started) < total and not problem:
        kind, data = Requests(f"{context.seed} soak {number}", server).make()
        status, answer = server.send(data, complete=kind in COMPLETE)
        if status == 500:
            problem = f"status 500: {answer[-300:]!r}"
        number += 1
        if elapsed * SAMPLES / total > len(samples):
            samples.append(memory(server.child.pid))
        time.sleep(max(started + number / REQUESTS_PER_SECOND - time.monotonic(), 0))
    server.child.kill(signal.SIGTERM)
    problem = problem or server.child.wait(total).problem(143) or growth(samples)
    facts = {"requests": number, "seconds": round(elapsed), "megabytes": max(samples) >> 20}
    return Result("explorer", "finished", problem, facts)


def trainings(context: Context) -> Result:
    """Many models trained one after the other in one process, with two threads."""

    def train() -> None:
        import polyseme

        for number in range(TRAININGS):
            model = polyseme.train(
                context.targets / "text.txt", dim=8, epochs=2, min_count=2, multi_sense_min_count=10, seed=number,
                threads=2, quiet=True,
            )  # fmt: skip
            model.neighbours("bank", 3)
            print(number, threading.active_count(), len(os.listdir("/proc/self/fd")), flush=True)  # noqa: PTH208

    child = Child(train, context.scratch)
    samples = []
    alive = True
    while alive:
        time.sleep(0.1)
        try:
            samples.append(memory(child.pid))
            alive = samples[-1] > 0
        except FileNotFoundError:
            alive = False
    outcome = child.wait(600)
    lines = [line.split() for line in outcome.stdout.decode().splitlines()]
    problem = outcome.problem(0) or growth([sample for sample in samples if sample])
    if not problem and (len(lines) != TRAININGS or lines[-1][1:] != lines[10][1:]):
        problem = f"threads or open files grew: {lines[10]} to {lines[-1]}"
    facts = {"trainings": len(lines), "seconds": round(outcome.seconds), "megabytes": max(samples) >> 20}
    return Result(f"{TRAININGS} trainings in one process", "finished", problem, facts)


PART = Part(
    "soak", "Long runs: tag through a pipe, the explorer, 100 trainings in one process", "constant memory", 3, cases
)
