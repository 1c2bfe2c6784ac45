"""The tests of the package under other conditions: kernels with bounds checks, another processor, many random examples.

A suite per folder of tests, so that they can be run one by one; `../src` has the examples in docstrings. Kernels are
cached apart from those of other settings.
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
FOLDERS = (
    "kernels", "examples", "corpus", "training", "model", "formats", "conformance", "evaluation", "explorer", "cli",
    "experiments", "integrations", "_io", "test_vocabulary.py", "test_docs.py", "../src",
)  # fmt: skip
CONDITIONS = {"bounds checks": {"NUMBA_BOUNDSCHECK": "1"}, "generic processor": {"NUMBA_CPU_NAME": "generic"}}
COMPARED = (
    "kernels/test_text.py",
    "kernels/test_wikitext.py",
    "kernels/test_decimals.py",
    "examples/test_extraction.py",
)
EXAMPLES = 1000  # of each random test, times `Context.size`


class Suite(NamedTuple):
    name: str
    environment: dict[str, str]
    arguments: list[str]


SUITES = [Suite(f"random examples: {file}", {}, [file, "--hypothesis-profile=campaign"]) for file in COMPARED]
SUITES += [
    Suite(f"{name}: {folder.removeprefix('../')}", values, [folder])
    for folder in FOLDERS
    for name, values in CONDITIONS.items()
]


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    cache = context.targets.parent / "kernels"  # kept for the next suites
    for number in numbers:
        name, conditions, (tests, *options) = SUITES[number]
        environment = {**os.environ, **conditions, "POLYSEME_EXAMPLES": str(int(EXAMPLES * context.size))}
        if conditions:
            environment["NUMBA_CACHE_DIR"] = str(cache / name.partition(":")[0].replace(" ", "-"))
        seed = f"--hypothesis-seed={context.seed}"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/{tests}", *options, seed]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        dots = done.stdout.count(".")  # a quiet pytest prints no summary if all tests pass
        counts = {word: float(n) for n, word in re.findall(r"(\d+) (failed|skipped|error)", done.stdout)}
        problem = "" if done.returncode == 0 else done.stdout[-3000:]
        yield Result(name, "failed" if problem else "passed", problem, {"passed": float(dots), **counts})


PART = Part(
    "suites",
    "The tests with bounds checks in kernels, on a generic processor, and with many random examples",
    "all pass",
    len(SUITES),
    cases,
)
