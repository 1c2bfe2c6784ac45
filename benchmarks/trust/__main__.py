"""`python -m benchmarks.trust WORK [PART...]`: run parts of the campaign, and write docs/trust.md with the part `report`.

Results are in WORK/results, a file per part. A part runs the cases below --cases that have no result yet, so a run can
be stopped and continued; --again repeats those that failed. Case n of a seed is always the same. The exit status is 1
if a case failed.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # before NumPy is imported: its threads do not survive a fork
    os.environ.setdefault(_name, "1")

from . import disk, hostile, http, inputs, kills, options, races, report, signals, soak, suites, threads  # noqa: E402
from .results import Context, run_part  # noqa: E402
from .targets import warm_up, write_targets  # noqa: E402

MODULES = (kills, signals, inputs, hostile, http, disk, races, options, soak, threads, suites)
PARTS = {module.PART.name: module.PART for module in MODULES}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("work", type=Path, help="folder for targets and results")
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)} or report; all by default")
    parser.add_argument("--cases", type=int, help="cases of each part; by default the number of the campaign")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=float, default=1.0, help="megabytes and seconds of the soak")
    parser.add_argument("--again", action="store_true", help="repeat the cases that failed")
    options = parser.parse_args()
    chosen = options.parts or [*PARTS, "report"]
    if unknown := [name for name in chosen if name not in PARTS and name != "report"]:
        parser.error(f"unknown part {unknown[0]}")
    work = options.work.resolve()
    (work / "results").mkdir(parents=True, exist_ok=True)
    failures = sum(_run(name, work, options) for name in chosen if name != "report")
    if "report" in chosen:
        report.write(list(PARTS.values()), work / "results")
    sys.exit(1 if failures else 0)


def _run(name: str, work: Path, options: argparse.Namespace) -> int:
    part = PARTS[name]
    started = time.monotonic()
    targets = work / "targets"
    if not (targets / "lists").exists():  # what is written last
        shutil.rmtree(targets, ignore_errors=True)
        write_targets(targets)
    warm_up(targets)
    gc.collect()
    gc.freeze()  # so that forked processes share the memory
    end = part.total if options.cases is None else options.cases
    with tempfile.TemporaryDirectory(dir=work, prefix=f"{name}-") as scratch:
        context = Context(options.seed, targets, Path(scratch), options.size)
        failures = run_part(part, context, work / "results" / f"{name}.jsonl", end, options.again, print)
    print(f"{name}: seed {options.seed}, {end:,} cases, {failures:,} new failures, {time.monotonic() - started:.0f} s")
    return failures


if __name__ == "__main__":
    main()
