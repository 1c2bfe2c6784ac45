"""Full, small, read-only, forbidden and slow disks. Needs root, for mounts and to become another user.

A slow disk is imitated: each operation on files (audit hook) waits for 20 ms.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .commands import run
from .kills import FILE_EVENTS, JOBS, Job, digest, prepared
from .results import Context, Part, Result

NOBODY = 65534
SLOW_SECONDS = 0.02
SIZES = (8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768)  # kB of a disk, or of the largest file
JOBS_BY_NAME = {job.name: job for job in JOBS}
CASES = [(kind, name, size) for kind in ("full", "quota") for size in SIZES for name in JOBS_BY_NAME]
CASES += [(kind, name, 0) for kind in ("read-only", "forbidden", "slow") for name in JOBS_BY_NAME]


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    for number in numbers:
        kind, name, size = CASES[number]
        job = JOBS_BY_NAME[name]
        with _disk(kind, size, context, job) as (folder, before):
            old = digest(folder / job.out) if job.existing else ""
            outcome = run(job.command, folder, before=before, seconds=60)
            problem = outcome.problem(0, 2)
            if not problem and kind in ("read-only", "forbidden") and outcome.status == 0:
                problem = "it wrote to a folder that it may not write to"
            if not problem and outcome.status and job.existing and digest(folder / job.out) != old:
                problem = "the existing result was changed"
            if not problem and outcome.status:
                problem = _left(folder, job)
            yield Result(
                kind, "finished" if outcome.status == 0 else "refused", problem and f"{name}, {size} kB: {problem}"
            )


@contextmanager
def _disk(kind: str, size: int, context: Context, job: Job) -> Iterator[tuple[Path, Callable[[], None]]]:
    """A prepared folder on a disk of this kind, and what to call in the process."""
    context.scratch.chmod(0o755)
    mounted = kind in ("full", "read-only")
    if mounted:
        place = context.scratch / "mount"
        place.mkdir(exist_ok=True)
        existing = _size(context.targets / job.existing) if job.existing else 0
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={existing + (size or 4096) * 1024}", "tmpfs", place], check=True
        )
        folder = prepared(job, Context(context.seed, context.targets, place), 0)
    else:
        folder = prepared(job, context, 0)
    try:
        if kind == "read-only":
            subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        yield (
            folder,
            {"quota": lambda: _limit_files(size), "forbidden": _become_nobody, "slow": _be_slow}.get(
                kind, lambda: None
            ),
        )
    finally:
        if mounted:
            subprocess.run(["umount", place], check=True)
        else:
            shutil.rmtree(folder)


def _size(folder: Path) -> int:
    return sum(-(-path.stat().st_size // 4096) * 4096 + 4096 for path in folder.rglob("*"))


def _limit_files(size: int) -> None:
    """No file can be larger: writing gives EFBIG, as a quota gives EDQUOT."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size * 1024, size * 1024))


def _become_nobody() -> None:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def _be_slow() -> None:
    sys.addaudithook(lambda event, _: time.sleep(SLOW_SECONDS) if event in FILE_EVENTS else None)


def _left(folder: Path, job: Job) -> str:
    known = {f"{job.out}.training", *([job.out] if job.existing else [])}
    extra = {path.name for path in folder.iterdir() if not path.is_symlink()} - known
    return f"left behind: {', '.join(sorted(extra))}" if extra else ""


PART = Part(
    "disk",
    "Full disk, quota, read-only, no permission, slow disk",
    "one line; what existed before is untouched; nothing left behind",
    len(CASES),
    cases,
)
