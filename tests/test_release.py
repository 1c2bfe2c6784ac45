"""The release: what the wheel contains, and that files that state a version or a Python agree."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import polyseme
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = ROOT / ".github" / "workflows"
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
# Files of the package other than modules. The page of the explorer is in explorer/static.
DATA = {"py.typed", "data/ATTRIBUTION.md", "data/simplewiki.txt.xz"}
METADATA = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
METADATA |= {"licenses/src/polyseme/data/ATTRIBUTION.md"}
MAX_WHEEL_BYTES = 4_500_000  # of which 3.2 MB are the demo's text


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_has_the_code_and_the_demo_text_and_nothing_else(wheel: Path) -> None:
    source = ROOT / "src" / "polyseme"
    modules = {path.relative_to(source).as_posix() for path in source.rglob("*.py")}
    static = source / "explorer" / "static"
    page = {path.relative_to(source).as_posix() for path in static.rglob("*") if path.is_file()}
    information = f"polyseme-{polyseme.__version__}.dist-info"
    expected = {f"polyseme/{name}" for name in modules | page | DATA} | {f"{information}/{name}" for name in METADATA}
    assert set(zipfile.ZipFile(wheel).namelist()) == expected


def test_the_wheel_is_small_and_its_size_is_stated(wheel: Path) -> None:
    size = wheel.stat().st_size
    assert size < MAX_WHEEL_BYTES
    contributing = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    stated = re.search(rf"wheel of {polyseme.__version__} has ([\d.]+) MB", contributing)
    assert stated
    assert abs(float(stated[1]) - size / 1e6) < 0.1


def test_the_wheel_is_for_every_platform(wheel: Path) -> None:
    assert wheel.name == f"polyseme-{polyseme.__version__}-py3-none-any.whl"


def test_all_files_state_the_same_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {polyseme.__version__}\n" in citation
    assert re.fullmatch(r"\d+\.\d+\.\d+", polyseme.__version__), "semantic versioning"
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", changelog, re.MULTILINE)[:2] == ["Unreleased", polyseme.__version__]


def test_the_changelog_has_each_kind_of_change_once_in_a_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for version in changelog.split("\n## ")[1:]:
        kinds = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert len(kinds) == len(set(kinds)), version.partition("\n")[0]


def test_the_classifiers_name_every_supported_python() -> None:
    versions = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if "Python :: 3." in name]
    assert versions == PYTHONS


def test_the_readme_is_short_and_has_one_picture() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.count("\n") < 120
    assert readme.count("![") == 1


def test_the_workflows_call_make_on_every_supported_python_and_system() -> None:
    tests = (WORKFLOWS / "test.yml").read_text(encoding="utf-8")
    assert PROJECT["requires-python"] == ">=3.11"
    assert re.findall(r'"(3\.\d+)"', tests) == PYTHONS
    for system in ("ubuntu", "macos", "windows"):
        assert f"{system}-" in tests
    assert "make test" in tests


def test_actions_are_pinned_to_a_version_and_get_no_more_permissions_than_needed() -> None:
    for path in WORKFLOWS.glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        assert "\npermissions:\n  contents: read\n" in text, path
        assert all(re.fullmatch(r"[\w/-]+@(v\d[\d.]*|release/v1)", use) for use in re.findall(r"uses: (\S+)", text)), (
            path
        )


def test_every_dependency_has_a_lower_bound() -> None:
    extras = [requirement for extra in PROJECT["optional-dependencies"].values() for requirement in extra]
    for requirement in [*PROJECT["dependencies"], *extras]:
        assert ">=" in requirement or requirement.startswith("polyseme["), requirement
