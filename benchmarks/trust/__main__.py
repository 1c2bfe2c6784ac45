"""`python -m benchmarks.trust WORK [PART...]`: run parts of the campaign; the part `report` writes docs/trust.md.

Results are in WORK/results, a file per part. A part runs its cases that have no result yet, so a run can be stopped and
continued; `kills:100` runs those of the first 100, and --again those that failed. Case n of a seed is always the same.
The exit status is 1 if a case failed.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # before NumPy is imported: its threads do not survive a fork
    os.environ.setdefault(_name, "1")

from . import disk, hostile, http, inputs, kills, options, races, report, signals, soak, suites, threads  # noqa: E402
from .results import Context, run_part  # noqa: E402
from .targets import LAST_TARGET, warm_up, write_targets  # noqa: E402

MODULES = (kills, signals, inputs, hostile, http, disk, races, options, soak, threads, suites)
PARTS = {module.PART.name: module.PART for module in MODULES}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("work", type=Path, help="folder for targets and results")
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)} or report; kills:100 for the first 100 cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=float, default=1.0, help="of the soak and of the random examples; 1 is all")
    parser.add_argument("--again", action="store_true", help="repeat the cases that failed")
    options = parser.parse_intermixed_args()
    chosen = [name.partition(":")[::2] for name in options.parts] or [(name, "") for name in [*PARTS, "report"]]
    if unknown := [name for name, _ in chosen if name not in PARTS and name != "report"]:
        parser.error(f"unknown part {unknown[0]}")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for jobs in the background
    work = options.work.resolve()
    results = work / "results"
    results.mkdir(parents=True, exist_ok=True)
    if any(name != "report" for name, _ in chosen):
        _prepare(work / "targets")
    failures = 0
    for name, cases in chosen:
        if name == "report":
            report.write(list(PARTS.values()), results)
            continue
        part = PARTS[name]
        started, end = time.monotonic(), min(int(cases or part.total), part.total)
        with tempfile.TemporaryDirectory(dir=work, prefix=f"{name}-") as scratch:
            context = Context(options.seed, work / "targets", Path(scratch), options.size)
            new = run_part(part, context, results / f"{name}.jsonl", end, options.again, print)
        seconds = time.monotonic() - started
        print(f"{name}: seed {options.seed}, {end:,} cases, {new:,} new failures, {seconds:.0f} s", flush=True)
        failures += new
    sys.exit(1 if failures else 0)


def _prepare(targets: Path) -> None:
    """Write the targets, unless they are there, and load everything that the cases need."""
    if not (targets / LAST_TARGET).exists():
        shutil.rmtree(targets, ignore_errors=True)
        write_targets(targets)
    warm_up(targets)
    gc.collect()
    gc.freeze()  # so that forked processes share the memory


if __name__ == "__main__":
    main()
