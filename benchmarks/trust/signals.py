"""SIGINT and SIGTERM at random moments, once and twice, in the first 300 ms of a process, and on idle pipes."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from .commands import MAX_SECONDS, Outcome, run, start
from .kills import JOBS, Job, Reference, digest, prepared, reference
from .results import Context, Part, Result

IDLE = (
    ["train", "-", "out", "--quiet"], ["encode", "-", "out", "--quiet"], ["tag", "np.model"],
    ["disambiguate", "np.model", "bank"], ["train", "fifo", "out", "--quiet"],
    ["explore", "np.model", "--no-browser"],
)  # fmt: skip
TRAINING = next(job for job in JOBS if job.name == "train")
OTHERS = [job for job in JOBS if job.name in ("encode", "refine", "export word2vec", "export int8", "import")]
FIRST_SECONDS = 0.3
HANDLED_SECONDS = 5.0  # by then a forked process handles signals, however busy the machine is


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    references: dict[str, Reference] = {}
    for number in numbers:
        rng = random.Random(f"{context.seed} {number}")
        kind = ("training", "other", "start", "idle pipe")[number % 4]
        job = rng.choice(OTHERS) if kind == "other" else TRAINING
        if job.name not in references:
            references[job.name] = reference(job, context)
        folder = prepared(job, context, number)
        try:
            if kind == "start":
                yield at_start(folder, rng)
            elif kind == "idle pipe":
                yield idle(folder, rng)
            else:
                yield interrupted(kind, job, references[job.name], folder, rng)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def interrupted(kind: str, job: Job, expected: Reference, folder: Path, rng: random.Random) -> Result:
    """A signal, or two, at a random moment of a command; then the command again, which must finish the work."""
    number, twice = rng.choice((signal.SIGINT, signal.SIGTERM)), rng.random() < 0.4
    child = start(job.command, folder)
    _wait_for_handler(child.pid)
    time.sleep(rng.random() * expected.seconds)
    child.kill(number)
    if twice:
        time.sleep(rng.random() * 0.05)
        child.kill(number)
    outcome = child.wait()
    facts = {"signals": 1.0 + twice}
    problem = outcome.problem(0, 128 + number)
    if not problem and outcome.status:
        problem = _not_resumed(job, expected, folder)
    name = f"{kind}: {number.name}{' twice' if twice else ''}"
    return Result(name, "stopped" if outcome.status else "finished", problem, facts)


def _wait_for_handler(pid: int) -> None:
    """Wait until a forked process handles SIGTERM, or has ended."""
    deadline = time.monotonic() + HANDLED_SECONDS
    while time.monotonic() < deadline:
        found = re.search(r"^State:\s+(\w)[^$]*^SigCgt:\s+(\w+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
        if not found or found[1] == "Z" or int(found[2], 16) >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.001)


def _not_resumed(job: Job, expected: Reference, folder: Path) -> str:
    outcome = run(job.again, folder, seconds=60)
    if problem := outcome.problem(0):
        return f"the second run: {problem}"
    if digest(folder / job.out) != expected.digest:
        return "the result differs from that of an uninterrupted run"
    extra = {path.name for path in folder.iterdir() if not path.is_symlink()} - {job.out}
    return f"left behind: {', '.join(sorted(extra))}" if extra else ""


def at_start(folder: Path, rng: random.Random) -> Result:
    """A signal in the first moments of a process that is not forked from this one."""
    number = rng.choice((signal.SIGINT, signal.SIGTERM))
    process = subprocess.Popen(
        [sys.executable, "-m", "polyseme", *TRAINING.command],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(rng.random() * FIRST_SECONDS)
    process.send_signal(number)
    late = False
    try:
        out, err = process.communicate(timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        late = True
    outcome = Outcome(process.returncode, out, err.decode("utf-8", "replace"), 0.0, 0, late)
    problem = outcome.problem(128 + number)
    early = "polyseme" not in outcome.stderr  # Python has not started to run our code, so the signal is not ours yet
    if early and outcome.status in (-number, 128 + number, 1):
        problem = ""
    extra = {path.name for path in folder.iterdir() if not path.is_symlink()}
    if not problem and extra - {"out.training"}:
        problem = f"left behind: {', '.join(sorted(extra))}"
    return Result(f"first 300 ms: {number.name}", "before start-up" if early else "stopped", problem)


def idle(folder: Path, rng: random.Random) -> Result:
    """A signal while a command waits for input that does not come."""
    number, twice = rng.choice((signal.SIGINT, signal.SIGTERM)), rng.random() < 0.3
    os.mkfifo(folder / "fifo")
    command = rng.choice(IDLE)
    reader, writer = os.pipe()
    keep = os.open(folder / "fifo", os.O_RDWR)  # so that the pipe has a writer
    try:
        child = start(command, folder, stdin=reader)
        _wait_for_handler(child.pid)
        time.sleep(rng.random() * 0.4)
        child.kill(number)
        if twice:
            time.sleep(0.02)
            child.kill(number)
        outcome = child.wait()
    finally:
        for descriptor in (reader, writer, keep):
            os.close(descriptor)
    problem = outcome.problem(128 + number)
    extra = {path.name for path in folder.iterdir() if not path.is_symlink()} - {"fifo"}
    if not problem and extra:
        problem = f"left behind: {', '.join(sorted(extra))}"
    return Result(f"idle: {command[0]}", "stopped", problem and f"{command}, {number.name}: {problem}")


PART = Part(
    "signals",
    "SIGINT and SIGTERM, once or twice, also in the first 300 ms and on idle pipes",
    "exit status 130 or 143, no traceback, resumable with the same bits",
    300,
    cases,
)
