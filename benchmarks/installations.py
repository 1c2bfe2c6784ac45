"""Install the wheel in fresh environments and use it: python benchmarks/installations.py [PYTHON ...]

For each Python (by default the one that runs this script) and for the oldest and the newest versions that
pyproject.toml allows. Oldest: the lowest allowed version of each direct dependency that has a wheel for this Python.
`--extras eval,parquet` installs extras, too; `--tests PATH ...` runs these tests, with the newest pytest.
"""

from __future__ import annotations

import argparse
import bisect
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TEST_TOOLS = ("pytest", "pytest-xdist", "hypothesis", "coverage")
USE = """
import polyseme
from polyseme.model.compact import save_compact
lines = ["the bank gave a loan and money", "a boat at the bank of the river"] * 300
model = polyseme.train(texts=lines, out="m", senses=2, multi_sense_words=("bank",), dim=16, seed=1, quiet=True)
save_compact(model, "small")
for path in ("m", "small"):
    model = polyseme.load(path)
    senses = [model.disambiguate("bank", text).best.key for text in ("a loan and money", "a boat at the river")]
    assert sorted(senses) == ["bank#1", "bank#2"], senses
    assert model.tag("the bank").startswith("the bank#") and model.senses("bank")[0].examples
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--versions", nargs="*", choices=["oldest", "newest"], default=["oldest", "newest"])
    parser.add_argument("--extras", default="", help="extras to install as well, separated by commas")
    parser.add_argument("--tests", nargs="*", default=[], metavar="PATH")
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(Path(folder))
        print("| Python | versions | result | installed |\n|---|---|---|---|", flush=True)
        for python in arguments.pythons:
            for which in arguments.versions:
                result = try_install(Path(folder), wheel, python, which, arguments.extras, arguments.tests)
                print(result, flush=True)
                failed = failed or "| works |" not in result
    return int(failed)


def build_wheel(folder: Path) -> Path:
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def try_install(folder: Path, wheel: Path, python: str, which: str, extras: str, tests: list[str]) -> str:
    """A row of the table: whether polyseme can be installed and used, and with which versions."""
    environment = Path(tempfile.mkdtemp(dir=folder))
    run([python, "-m", "venv", str(environment / "venv")], environment)
    venv = environment / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    version = run([str(venv), "-c", "import platform; print(platform.python_version())"], environment).strip()
    requirements = direct_requirements(venv, extras.split(",") if extras else [])
    target = f"{wheel}[{extras}]" if extras else str(wheel)
    try:
        pins = [f"{r.name}=={oldest(venv, r, environment)}" for r in requirements] if which == "oldest" else []
        tools = [*TEST_TOOLS] if tests else []
        run([str(venv), "-m", "pip", "install", "--quiet", "--only-binary=:all:", target, *pins, *tools], environment)
        run([str(venv), "-c", USE], environment)
        run([str(venv), "-m", "polyseme", "info", "m", "--verify"], environment)
        if tests:
            command = [str(venv), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile"]
            run([*command, *[str(ROOT / test) for test in tests]], ROOT)
        result = "works"
    except subprocess.CalledProcessError as error:
        last = [line for line in ((error.stdout or "") + (error.stderr or "")).splitlines() if line.strip()]
        result = f"fails: {last[-1] if last else error}".replace("|", "/")
    frozen = run([str(venv), "-m", "pip", "list", "--format=freeze"], environment)
    names = {requirement.name.lower() for requirement in requirements}
    found = [line.replace("==", " ") for line in frozen.splitlines() if line.split("==")[0].lower() in names]
    return f"| {version} | {which} | {result} | {', '.join(found)} |"


def direct_requirements(python: Path, extras: list[str]) -> list[Requirement]:
    """The requirements of polyseme and of extras that hold for this Python."""
    texts = [*PROJECT["dependencies"], *(text for extra in extras for text in PROJECT["optional-dependencies"][extra])]
    version = run([str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], ROOT).strip()
    parsed = [Requirement(text) for text in texts]
    return [r for r in parsed if r.marker is None or r.marker.evaluate({"python_version": version})]


def oldest(python: Path, requirement: Requirement, folder: Path) -> str:
    """The lowest allowed version that has a wheel for this Python. Later versions are assumed to have one as well."""
    pip = [str(python), "-m", "pip"]
    listed = re.search(r"Available versions: (.*)", run([*pip, "index", "versions", requirement.name], folder))
    assert listed, requirement
    versions = [Version(text) for text in listed[1].split(", ") if re.fullmatch(r"[\d.]+", text)]
    check = [*pip, "install", "--quiet", "--dry-run", "--no-deps", "--only-binary=:all:"]

    def has_wheel(version: Version) -> bool:
        with contextlib.suppress(subprocess.CalledProcessError):
            run([*check, f"{requirement.name}=={version}"], folder)
            return True
        return False

    allowed = sorted(version for version in versions if version in requirement.specifier)
    first = bisect.bisect_left(allowed, True, key=has_wheel)
    assert first < len(allowed), f"{requirement} has no wheel for {python}"
    return str(allowed[first])


def run(command: list[str], folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
