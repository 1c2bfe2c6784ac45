"""kill -9 at random moments, then the same command again: the result must be the same as without the kill.

Half of the kills come after a random time. The others come just before a random operation on files (open, rename,
remove, mkdir), which an audit hook counts: there are few of them, and most ways to break a folder are between two.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import random
import shutil
import signal
import struct
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .commands import Outcome, run, start
from .mutation import split_tensors
from .results import Context, Part, Result
from .targets import SMALL

FILE_EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "shutil.rmtree")
CHECKPOINT_SECONDS = 0.05
TRAIN = [*SMALL, "--epochs", "20", "--threads", "1", "--checkpoint-minutes", str(CHECKPOINT_SECONDS / 60)]
MAX_KILLS = 3  # of one run


class Job(NamedTuple):
    """A command that is killed, the one that finishes its work, and what it writes."""

    name: str
    command: list[str]
    again: list[str]
    out: str
    existing: str = ""  # a target that is at `out` before


def train_job(name: str, *corpus_and_options: str, existing: str = "") -> Job:
    corpus, *options = corpus_and_options
    command = ["train", corpus, "out", *TRAIN, *options]
    again = [*(part for part in command if part != "--force"), "--resume"]
    return Job(name, command, again, "out", existing)


def _repeated(name: str, command: list[str], out: str, existing: str = "") -> Job:
    """A job whose command is simply given again."""
    return Job(name, command, command, out, existing)


JOBS = [
    *3 * [train_job("train", "text.txt")],
    train_job("train, JSON Lines", "corpus.jsonl"),
    train_job("train --phrases", "text.txt", "--phrases", "--phrase-min-count", "3"),
    train_job("train --force", "text.txt", "--force", existing="np.model"),
    _repeated("train --init", ["train", "text.txt", "out", "--init", "np.model", *TRAIN[8:], "--resume"], "out"),
    Job("encode", ["encode", "text.txt", "out", "--quiet"], ["encode", "text.txt", "out", "--quiet", "--force"], "out"),
    _repeated("refine", ["refine", "np.model", "out", "--min-separation", "2", "--force"], "out"),
    _repeated("refine --force", ["refine", "np.model", "out", "--min-separation", "2", "--force"], "out", "int8.model"),
    _repeated("export word2vec", ["export", "np.model", "out.vec", "--force"], "out.vec"),
    _repeated("export int8", ["export", "np.model", "out.model", "--dtype", "int8", "--force"], "out.model"),
    _repeated("export projector", ["export", "np.model", "out", "--format", "projector", "--force"], "out"),
    _repeated("import", ["import", "v.vec", "out", "--force"], "out"),
]


class Reference(NamedTuple):
    """The result of a job that nobody interrupted, how long it took, and how many operations on files it needed."""

    digest: str
    seconds: float
    events: int


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    references: dict[str, Reference] = {}
    for number in numbers:
        job = JOBS[number % len(JOBS)]
        if job.name not in references:
            references[job.name] = reference(job, context)
        folder = prepared(job, context, number)
        try:
            yield kill(job, references[job.name], folder, random.Random(f"{context.seed} {number}"))
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def prepared(job: Job, context: Context, number: int) -> Path:
    """A folder with links to the files that the job reads."""
    folder = context.scratch / str(number)
    folder.mkdir()
    for name in ("text.txt", "corpus.jsonl", "np.model", "v.vec"):
        (folder / name).symlink_to(context.targets / name)
    if job.existing:
        shutil.copytree(context.targets / job.existing, folder / job.out)
    return folder


def reference(job: Job, context: Context) -> Reference:
    folder = prepared(job, context, -1)
    counter = Counter()
    outcome = run(job.command, folder, before=lambda: counter.count(0))
    assert outcome.status == 0, outcome.stderr
    found = Reference(digest(folder / job.out), outcome.seconds, counter.value)
    shutil.rmtree(folder)
    return found


def kill(job: Job, expected: Reference, folder: Path, rng: random.Random) -> Result:
    """Kill the job, up to MAX_KILLS times, and finish it."""
    command, phases, lost = job.command, [], []
    old = digest(folder / job.out) if job.existing else ""
    for _ in range(rng.randint(1, MAX_KILLS) if "train" in job.name else 1):
        killed, problem = _kill_once(command, expected, folder, rng)
        phases.append(_phase(folder, job) if killed else "finished")
        if problem:
            return Result(job.name, phases[-1], problem)
        if killed:
            lost.append(_lost_seconds(folder / "out.training" / "checkpoint.safetensors"))
            if problem := _state_problem(folder, job):
                return Result(job.name, phases[-1], problem)
        # A run that was killed before it recorded that it replaces a model is not one to resume.
        unknown = (
            job.existing and not (folder / "out.training" / "run.json").exists() and digest(folder / job.out) == old
        )
        command = job.command if unknown else job.again
    before = _blocks_done(folder / "out.training" / "checkpoint.safetensors")
    outcome = run(command, folder, seconds=60)
    facts = {f"kills: {phase}": float(phases.count(phase)) for phase in phases}
    if known := [seconds for seconds in lost if seconds is not None]:
        facts["lost_seconds"] = round(max(known), 3)
    if before is not None:
        facts["resumed_blocks"] = before
    problem = outcome.problem(0) or _difference(folder, job, expected)
    return Result(job.name, phases[0], f"after kills in {', '.join(phases)}: {problem}" if problem else "", facts)


def _kill_once(command: list[str], expected: Reference, folder: Path, rng: random.Random) -> tuple[bool, str]:
    """Whether the process was killed before it ended by itself, and what was wrong if it failed."""
    if rng.random() < 0.5:
        counter = Counter()
        last = rng.randint(1, expected.events)
        outcome: Outcome = start(command, folder, before=lambda: counter.count(last)).wait(60)
    else:
        child = start(command, folder)
        time.sleep(rng.random() * expected.seconds * 1.1)
        child.kill()
        outcome = child.wait(60)
    if outcome.status == -signal.SIGKILL:
        return True, ""
    return False, outcome.problem(0)


class Counter:
    """Counts operations on files in a forked process, in memory that it shares with this one."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, 8)

    @property
    def value(self) -> int:
        return int(struct.unpack("<q", self.memory[:8])[0])

    def count(self, last: int) -> None:
        """Count from now on, and kill this process before operation number `last`."""
        number = 0

        def hook(event: str, _: tuple[object, ...]) -> None:
            nonlocal number
            if event in FILE_EVENTS:
                number += 1
                self.memory[:8] = struct.pack("<q", number)
                if number == last:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)


def _phase(folder: Path, job: Job) -> str:
    """What the process was doing when it was killed, from the files that it has left."""
    work = folder / "out.training"
    if "train" not in job.name:
        return job.name.split()[0]
    if not work.exists():
        return "start" if not (folder / job.out).exists() or job.existing else "removing the workspace"
    names = {path.name for path in work.iterdir()}
    log = work / "training.jsonl"
    lines = log.read_bytes().splitlines() if log.exists() else []
    events = [json.loads(line)["event"] for line in lines if line.endswith(b"}")]
    if {"model", "model.old"} & names or (events and events[-1] == "model_saved"):
        return "saving"
    if any(name.startswith(".checkpoint") for name in names):
        return "checkpoint"
    if "training_finished" in events:
        return "examples"
    if "corpus_encoded" not in events:
        return "reading"
    progress = [json.loads(line).get("progress", 0) for line in lines if b'"progress"' in line]
    return "training" if not progress or not 0.35 < progress[-1] < 0.45 else "discovery or training near it"


def _lost_seconds(checkpoint: Path) -> float | None:
    """The age of the last checkpoint: what a kill at this moment costs."""
    return time.time() - checkpoint.stat().st_mtime if checkpoint.exists() else None


def _blocks_done(checkpoint: Path) -> int | None:
    if not checkpoint.exists():
        return None
    header, _ = split_tensors(checkpoint.read_bytes())
    return int(json.loads(header["__metadata__"]["state"])["blocks_done"])


def _state_problem(folder: Path, job: Job) -> str:
    """After the kill: what is at the name of the result must be complete, or nothing."""
    path = folder / job.out
    if path.exists() and (path / "config.json").exists():
        outcome = run(["info", job.out], folder)
        return outcome.problem(0)
    if path.is_dir() and job.name != "encode" and "projector" not in job.name:
        return f"{job.out} is incomplete: {sorted(p.name for p in path.iterdir())}"
    return ""


def _difference(folder: Path, job: Job, expected: Reference) -> str:
    """How the result differs from the one of an uninterrupted job, and what is left behind."""
    if digest(folder / job.out) != expected.digest:
        return "the result differs from that of an uninterrupted run"
    extra = {path.name for path in folder.iterdir() if not path.is_symlink()} - {job.out}
    return f"left behind: {', '.join(sorted(extra))}" if extra else ""


def digest(path: Path) -> str:
    """The SHA-256 of a file or folder, without times of day and durations."""
    found = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file() and file.name not in ("training.jsonl", "README.md"):
            data = file.read_bytes()
            if file.name in ("config.json", "corpus.json"):
                config = json.loads(data)
                config.get("training", {}).pop("seconds", None)
                for entry in config.get("continued_from", []):
                    entry.pop("seconds", None)
                config.pop("sources", None)
                data = json.dumps(config, sort_keys=True).encode()
            found.update(file.relative_to(path).as_posix().encode() + data)
    return found.hexdigest()


PART = Part(
    "kills",
    "kill -9 while reading, training, writing a checkpoint, saving, refining, exporting",
    "the same bits as without the kill (one thread); only progress since the last checkpoint lost; nothing left behind",
    1000,
    cases,
)
