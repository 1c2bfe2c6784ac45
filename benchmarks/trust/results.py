"""Results of cases: a file of JSON lines per part, to which each run adds the cases that are not in it yet."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Result:
    """What a case was and what went wrong.

    kind     of the case, by which it is counted
    outcome  such as 'answer', 'error' or the phase that was interrupted
    problem  empty if everything that must hold did
    facts    measured numbers
    """

    kind: str
    outcome: str
    problem: str = ""
    facts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """What all cases of a run share.

    seed     case n of a seed is always the same
    targets  valid files, which cases must not change
    scratch  an empty folder for the cases
    size     of the parts that take long, relative to the whole campaign
    """

    seed: int
    targets: Path
    scratch: Path
    size: float = 1.0


Cases = Callable[[Context, Iterable[int]], Iterator[Result]]


@dataclass(frozen=True)
class Part:
    """A row of the campaign.

    total  the number of cases to run by default
    holds  what must hold
    """

    name: str
    title: str
    holds: str
    total: int
    cases: Cases


def commit() -> str:
    """The commit of the code, with a plus sign if files of the package were changed since."""
    here = Path(__file__).parent

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=here, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--", "../../src") else "")


def read_results(path: Path) -> dict[int, dict[str, Any]]:
    """The last result of each case."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {entry["case"]: entry for entry in map(json.loads, lines)}


def run_part(part: Part, context: Context, path: Path, end: int, again: bool, show: Callable[[str], None]) -> int:
    """Run the cases below `end` that have no result yet, or that failed if `again`; returns the number of failures."""
    known = read_results(path)
    numbers = [n for n in range(end) if n not in known or (again and known[n]["problem"])]
    code, failures = commit(), 0
    with path.open("a", encoding="utf-8") as file:
        for number, result in zip(numbers, part.cases(context, numbers), strict=True):
            entry = {"case": number, "seed": context.seed, "commit": code, **vars(result)}
            file.write(json.dumps(entry) + "\n")
            file.flush()
            if result.problem:
                failures += 1
                show(f"{part.name} case {number}, {result.kind}: {result.problem[:1500]}\n")
    return failures
