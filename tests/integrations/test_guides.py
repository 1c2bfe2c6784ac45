"""The Python examples of the guides run."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.guides import run_examples

# The package that each guide needs. Other guides are tested with the modules that they are about.
GUIDES = {
    "spacy": "spacy",
    "scikit-learn": "sklearn",
    "languages": "rjieba",
    "small-models": "numpy",
    "continuing": "numpy",
    "phrases": "numpy",
}
ELSEWHERE = {"corpora", "formats", "hub", "wikipedia"}


@pytest.mark.parametrize("guide", GUIDES)
def test_the_examples_run(
    guide: str,
    mssg_path: Path,
    planted_text: Path,
    phrase_text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip(GUIDES[guide])
    if guide == "spacy":
        importlib.import_module("polyseme.integrations.spacy")  # where polyseme is not installed: the entry point
    for name in ("news.model", "2023.model"):
        shutil.copytree(mssg_path, tmp_path / name)
    shutil.copy(planted_text, tmp_path / "news-2024.txt")
    shutil.copy(phrase_text, tmp_path / "simplewiki.txt")
    monkeypatch.chdir(tmp_path)
    run_examples(guide)


def test_every_guide_is_tested() -> None:
    assert {page.stem for page in (ROOT / "docs" / "guides").glob("*.md")} == {*GUIDES, *ELSEWHERE}
