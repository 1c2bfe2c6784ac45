"""What the examples in docstrings use: `polyseme`, a small `model`, and a text `news.txt` in an empty folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import polyseme
from tests.small_text import small_text

MODEL = Path(__file__).parents[1] / "tests" / "model" / "stored" / "mssg-version-2.model"


@pytest.fixture(autouse=True)
def example_files(doctest_namespace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("news.txt").write_text(small_text(), encoding="utf-8")
    doctest_namespace.update(polyseme=polyseme, model=polyseme.load(MODEL))
