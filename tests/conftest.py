"""Fixtures for several test files: a planted corpus, models trained on it, and the command line as a process."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import string
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import get_args

import coverage
import pytest
from hypothesis import settings

from polyseme import SenseModel, train
from polyseme.corpus.planted import PlantedCorpus, plant
from polyseme.training.config import ModelName, make_config
from tests import forked_commands

# Shells start background jobs with SIGINT ignored, and nohup with SIGHUP. Commands that tests stop would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def unchanged_environment() -> Iterator[None]:
    """Restore the environment after each test: `explore` limits the threads of BLAS, which changes bits of training."""
    before = dict(os.environ)
    yield
    if os.environ != before:
        os.environ.clear()
        os.environ.update(before)


settings.register_profile("polyseme", deadline=None, derandomize=True)
settings.register_profile("campaign", deadline=None, max_examples=int(os.environ.get("POLYSEME_EXAMPLES", "1000")))
settings.load_profile("polyseme")  # unless --hypothesis-profile is given, which is loaded later

os.environ.pop("PYTHONUNBUFFERED", None)  # processes that tests start must buffer their output as those of users do
if "PYTEST_XDIST_WORKER" in os.environ:  # it is measured; of the processes that tests start, see `measured_environment`
    os.environ.pop("COVERAGE_PROCESS_START", None)

MODELS: tuple[ModelName, ...] = get_args(ModelName)
ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("POLYSEME_DATA", ROOT.parent / "shared" / "data"))

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name binary parameters after the argument: compressed data has the time in it, and so differs between workers."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def planted() -> PlantedCorpus:
    return plant(sentences=8000, difficulty=0.3, seed=7)


@pytest.fixture(scope="session")
def planted_text(planted: PlantedCorpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted.write(tmp_path_factory.mktemp("planted") / "planted.txt")


@pytest.fixture(scope="session")
def phrase_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text of random words such as `aa` and `zm`, with `New York` 120 times, 40 of these in `New York Times`."""
    rng = random.Random(1)
    words = [f"{first}{second}" for first in string.ascii_lowercase for second in "abcdefghijklm"]
    lines = [rng.choices(words, k=12) for _ in range(6000)]
    for i in range(120):
        lines[50 * i][5:5] = ["New", "York", "Times"] if i < 40 else ["New", "York"]
    path = tmp_path_factory.mktemp("phrases") / "phrases.txt"
    path.write_text("\n".join(" ".join(line) for line in lines))
    return path


@pytest.fixture(scope="session")
def trained(planted_text: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Returns the folder of a model trained on the planted corpus, by model name. Tests must not change the folder."""
    folder = tmp_path_factory.mktemp("models")

    def make(model: str) -> Path:
        path = folder / f"{model}.model"
        if not path.exists():
            train(planted_text, path, config=make_config(model=model, senses=2, dim=32, seed=1, threads=1))
        return path

    return make


@pytest.fixture(scope="session")
def mssg_path(trained: Callable[[str], Path]) -> Path:
    return trained("mssg")


@pytest.fixture
def mssg(mssg_path: Path) -> SenseModel:
    return SenseModel.load(mssg_path)


@pytest.fixture
def polyseme_command(tmp_path: Path) -> Run:
    """Run `polyseme` in a temporary folder, in a process of its own."""

    def run(
        *arguments: str | Path, stdin: str | bytes = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return run_polyseme([str(argument) for argument in arguments], tmp_path, stdin, env)

    return run


def run_polyseme(
    arguments: list[str], folder: Path, stdin: str | bytes = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `polyseme` in a folder, in a process of its own."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    if "forkserver" in multiprocessing.get_all_start_methods():
        measured = coverage.Coverage.current() is not None
        done = forked_commands.run(arguments, data, folder, environment or os.environ, measured=measured)
    else:
        done = subprocess.run(
            command(*arguments), input=data, capture_output=True, cwd=folder, env=environment,
            timeout=forked_commands.TIMEOUT, check=False,
        )  # fmt: skip
    return subprocess.CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())


def command(*arguments: str | Path) -> list[str]:
    """The command line of `polyseme`, with this Python."""
    return [sys.executable, "-m", "polyseme", *map(str, arguments)]


def measured_environment() -> dict[str, str]:
    """The environment for a process whose coverage is measured if that of the tests is."""
    if coverage.Coverage.current() is None:
        return dict(os.environ)
    settings, data = ROOT / "pyproject.toml", ROOT / ".coverage"
    return {**os.environ, "COVERAGE_PROCESS_START": str(settings), "COVERAGE_FILE": str(data)}
