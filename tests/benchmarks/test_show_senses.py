"""The script that writes lists of senses into Markdown files."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from polyseme import SenseModel
from tests.evaluation.toy import toy

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "show_senses.py"
ROOT = SCRIPT.parents[1]
PAGE = "# Title\n<!-- senses -->\nold\n\n    list\n<!-- /senses -->\nThe end.\n"

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="the source distribution has no benchmarks")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    words = {
        "bank": [([1.0, 0.0], 30), ([0.0, 1.0], 10)],
        "loan": [([0.9, 0.1], 20)],
        "river": [([0.1, 0.9], 20)],
    }
    corpus = {"tokens": 2_000_000, "sentences": 1, "fingerprint": ""}
    training = {"loss": 0.0, "seconds": 0.0, "threads": 1}
    SenseModel(replace(toy(words)._data, corpus=corpus, training=training)).save(tmp_path / "toy.model")
    return tmp_path / "toy.model"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)


def test_only_the_text_between_the_markers_is_replaced(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    block = (
        "`mssg`, 2 dimensions, trained on 2.0M tokens:\n\n"
        "    bank#1      75%  loan\n"
        "    bank#2      25%  river\n"
        "    loan       100%  bank\n"
    )
    for _ in range(2):
        done = run(model, "bank", "loan", "--neighbours", "1", "--write", page)
        assert (done.returncode, done.stdout) == (0, block), done.stderr
        assert page.read_text() == f"# Title\n<!-- senses -->\n{block}<!-- /senses -->\nThe end.\n"


def test_a_page_without_markers_is_not_changed(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n<!-- senses -->\n")
    done = run(model, "bank", "--write", page)
    assert done.returncode == 2
    assert "has no lines <!-- senses --> and <!-- /senses -->" in done.stderr
    assert page.read_text() == "# Title\n<!-- senses -->\n"


def test_the_readme_has_the_markers() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert lines.index("<!-- senses -->") < lines.index("<!-- /senses -->")
