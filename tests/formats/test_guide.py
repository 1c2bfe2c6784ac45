"""The examples of docs/guides/formats.md."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from polyseme.formats.registry import ALL
from tests.conftest import ROOT
from tests.formats.toy import toy_model

GUIDE = ROOT / "docs" / "guides" / "formats.md"


def test_the_examples_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gensim")
    monkeypatch.chdir(tmp_path)
    toy_model().save("news.model")
    failed, attempted = doctest.testfile(str(GUIDE), module_relative=False)
    assert attempted > 8
    assert failed == 0


def test_the_guide_has_every_format_and_suffix() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for entry in ALL:
        assert f"`{entry.name}`" in text
        assert all(suffix in text for suffix in entry.suffixes)
