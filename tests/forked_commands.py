"""Runs `polyseme` commands in forks of a process that has imported the package, in a fraction of the time.

Imports take most of the time of a short command. Tests of start-up, signals, terminals and closed streams start
processes of their own.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import coverage

TIMEOUT = 300  # seconds; far more than any command needs
SETTINGS = Path(__file__).resolve().parents[1] / "pyproject.toml"
PRELOADED = (__name__, "numba", "polyseme.cli.app", "polyseme.training.run", "polyseme.evaluation.tasks")
STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def run(
    arguments: list[str], stdin: bytes, folder: Path, environment: Mapping[str, str], *, measured: bool
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a folder, as `subprocess.run` does with `capture_output`.

    environment  variables that Python itself reads, such as PYTHONPATH, have no effect
    measured     whether to measure the coverage
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    with TemporaryDirectory() as name:
        streams = Path(name)
        (streams / "stdin").write_bytes(stdin)
        process = context.Process(target=_run, args=(arguments, streams, folder, dict(environment), measured))
        process.start()
        process.join(TIMEOUT)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(arguments, TIMEOUT, stderr=(streams / "stderr").read_bytes())
        output, errors = ((streams / stream).read_bytes() for stream in ("stdout", "stderr"))
        return subprocess.CompletedProcess(arguments, process.exitcode, output, errors)


def _run(arguments: list[str], streams: Path, folder: Path, environment: dict[str, str], measured: bool) -> None:
    """Run a command in this process."""
    for descriptor, (name, mode) in enumerate(STREAMS):
        with (streams / name).open(mode) as file:
            os.dup2(file.fileno(), descriptor)
        stream = open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["polyseme", *arguments]
    measurement = coverage.Coverage(config_file=str(SETTINGS), data_file=str(SETTINGS.with_name(".coverage")))
    if measured:
        measurement.start()
    try:
        from polyseme.__main__ import main

        main()
    finally:
        if measured:
            measurement.stop()
            measurement.save()
