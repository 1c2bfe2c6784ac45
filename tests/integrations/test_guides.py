"""The Python examples of the guides run."""

from __future__ import annotations

import importlib
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT

GUIDES = {"spacy": "spacy", "scikit-learn": "sklearn", "languages": "rjieba"}  # and the package that each needs


@pytest.mark.parametrize("guide", GUIDES)
def test_the_examples_run(guide: str, mssg_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(GUIDES[guide])
    if guide == "spacy":
        importlib.import_module("polyseme.integrations.spacy")  # where polyseme is not installed: the entry point
    shutil.copytree(mssg_path, tmp_path / "news.model")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "guides" / f"{guide}.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert examples
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, guide, "exec"), names)
