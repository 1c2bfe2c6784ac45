"""The tests of the package under other conditions: kernels with bounds checks, another processor, many random examples.

Numba's cache does not know these settings, so each suite has a cache of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .results import Context, Part, Result

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ["tests/kernels", "tests/corpus", "tests/examples", "tests/formats", "tests/model", "tests/training"]
BYTES = ["tests/kernels/test_text.py", "tests/kernels/test_wikitext.py", "tests/kernels/test_decimals.py",
         "tests/examples/test_extraction.py", "tests/corpus/test_phrases.py"]  # fmt: skip


class Suite(NamedTuple):
    name: str
    environment: dict[str, str]
    arguments: list[str]


SUITES = (
    Suite("bounds checks", {"NUMBA_BOUNDSCHECK": "1"}, KERNELS),
    Suite("generic processor", {"NUMBA_CPU_NAME": "generic"}, KERNELS),
    Suite(
        "random examples", {}, [*BYTES, "--hypothesis-profile=campaign", "--hypothesis-seed=1", "-k", "given or text"]
    ),
)


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    for number in numbers:
        suite = SUITES[number]
        environment = {**os.environ, **suite.environment, "POLYSEME_EXAMPLES": str(int(1000 * context.size))}
        if suite.environment:
            environment["NUMBA_CACHE_DIR"] = str(context.scratch / "cache")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suite.arguments],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        counts = {name: int(n) for n, name in re.findall(r"(\d+) (passed|failed|skipped|error)", done.stdout)}
        problem = "" if done.returncode == 0 else done.stdout[-3000:]
        yield Result(
            suite.name, "passed" if not problem else "failed", problem, {k: float(v) for k, v in counts.items()}
        )


PART = Part(
    "suites",
    "The tests with bounds checks in kernels, on a generic processor, with many random examples",
    "all pass",
    3,
    cases,
)
