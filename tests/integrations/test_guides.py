"""The Python examples of guides that need optional packages run. tests/test_docs.py runs those of the others."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path

import pytest

from tests.guides import run_examples

GUIDES = {"spacy": "spacy", "scikit-learn": "sklearn", "languages": "rjieba"}  # with the package that each one needs


@pytest.mark.parametrize("guide", GUIDES)
def test_the_examples_run(guide: str, mssg_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(GUIDES[guide])
    if guide == "spacy":
        importlib.import_module("polyseme.integrations.spacy")  # where polyseme is not installed: the entry point
    shutil.copytree(mssg_path, tmp_path / "news.model")
    monkeypatch.chdir(tmp_path)
    run_examples(guide)
