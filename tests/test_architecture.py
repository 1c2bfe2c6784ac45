"""The rules of docs/architecture.md that no linter checks, and the links between pages."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import polyseme
from tests.conftest import ROOT

SOURCE = ROOT / "src" / "polyseme"
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
NUMBA_INTERNALS = ("numba.core", "numba.extending", "llvmlite")


def modules_tested_elsewhere() -> dict[str, list[str]]:
    """The test files of each module in the table of the section "Where each module is tested"."""
    section = PAGE.split("\n## Where each module is tested\n")[1].split("\n## ")[0]
    table: dict[str, list[str]] = {}
    for row in re.findall(r"^\| (`.*) \| (.*) \|$", section, re.MULTILINE):
        modules, tests = (re.findall(r"`([^`]+)`", cell) for cell in row)
        table |= dict.fromkeys(modules, tests)
    return table


def imported_modules(path: Path) -> Iterator[str]:
    """The full names of what a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("module", MODULES)
def test_each_module_has_a_test_file_of_its_own_or_a_line_in_the_architecture_page(module: str) -> None:
    folder, _, name = module.rpartition("/")
    mirror = ROOT / "tests" / folder / f"test_{name}"
    assert mirror.exists() or module in modules_tested_elsewhere(), (
        f"write {mirror}, or add {module} to docs/architecture.md"
    )


def test_the_page_on_the_paper_names_existing_functions() -> None:
    named = re.findall(r"`([\w/]+\.py): (\w+)`", (ROOT / "docs" / "paper.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    for file, name in named:
        source = (SOURCE / file).read_text(encoding="utf-8")
        assert re.search(rf"^\s*(def|class) {name}\b|^{name}\b", source, re.MULTILINE), f"{file} has no {name}"


def test_the_list_of_tests_names_existing_files() -> None:
    table = modules_tested_elsewhere()
    assert set(table) <= set(MODULES)
    for module, tests in table.items():
        assert tests, module
        for test in tests:
            if test == ">>>":
                assert ">>>" in (SOURCE / module).read_text(encoding="utf-8"), f"{module} has no doctest"
            else:
                assert (ROOT / "tests" / test).is_file(), test


def test_modules_in_the_architecture_page_exist() -> None:
    named = {name for name in re.findall(r"`([a-z_0-9/]+\.py)`", PAGE) if not name.startswith("test")}
    assert len(named) > 50
    assert {name for name in named if not (SOURCE / name).exists() and not (ROOT / "tests" / name).exists()} == set()


def test_only_the_simd_kernels_and_the_kernel_cache_import_the_internals_of_numba() -> None:
    importers = {
        module
        for module in MODULES
        for name in imported_modules(SOURCE / module)
        if any(name == internal or name.startswith(f"{internal}.") for internal in NUMBA_INTERNALS)
    }
    assert importers
    assert {module for module in importers if not module.startswith("kernels/simd/")} == {"kernels/kernel_cache.py"}


def test_the_extra_all_has_every_optional_dependency_of_users() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    optional = sorted(extras.keys() - {"all", "benchmark", "docs", "release", "test"})
    assert extras["all"] == [f"polyseme[{','.join(optional)}]"]


def test_the_pre_commit_hooks_are_the_checks_of_make_lint() -> None:
    checks = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert checks
    hooks = re.findall(r"^ +entry: \.venv/bin/(.*)$", (ROOT / ".pre-commit-config.yaml").read_text(), re.MULTILINE)
    assert hooks == re.findall(r"\$\(BIN\)/(.*)", checks[1])


def test_the_citation_has_the_version_of_the_package() -> None:
    assert f"\nversion: {polyseme.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_existing_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []
