"""Reports: the same table as HTML, Markdown and CSV."""

from __future__ import annotations

import re
from pathlib import Path

from polyseme.experiments.report import NOT_RUN, Figure, Report, Table

TABLE = Table("t", "A & B", ["model", "score", "n"], [["a|b", 1.25, 1200], ["<i>", None, 3]], "A note.", digits=2)
REPORT = Report("Title", "First.\n\nSecond.", [TABLE, Figure("f", "Figure", b"png", "Its note.")])


def test_the_markdown_of_a_report() -> None:
    assert "\n".join(REPORT.markdown()).splitlines() == [
        "# Title", "", "First.", "", "Second.", "",
        "## A & B", "",
        "| model | score | n |", "|---|---:|---:|", "| a/b | 1.25 | 1,200 |", "| <i> | - | 3 |", "", "A note.", "",
        "## Figure", "",
        "![Figure](figures/f.png)", "", "Its note.",
    ]  # fmt: skip


def test_the_html_is_escaped_and_has_the_image_inside() -> None:
    page = "\n".join(REPORT.html())
    assert "<p>First.</p>\n<p>Second.</p>\n<nav>" in page
    assert "color-scheme: light dark" in page
    assert not re.search(r"\bcolor: #", page)  # it would be hard to read on one of the two backgrounds
    assert '<h2 id="t">A &amp; B</h2>' in page
    assert '<a href="#t">A &amp; B</a>' in page
    assert "<tr><td class=label>&lt;i&gt;<td>-<td>3" in page
    assert '<img alt="Figure" src="data:image/png;base64,cG5n">\n<p>Its note.</p>' in page


def test_columns_of_scores_are_aligned_like_numbers() -> None:
    table = Table(
        "t", "T", ["score", "text"], [["66.9 (61.2)", "1st"], [NOT_RUN, "2"], ["66.9 [65.1, 68.5]", "3"], ["+0.8", "4"]]
    )
    assert "|---:|---|" in "\n".join(Report("R", "", [table]).markdown())


def test_a_report_is_written_to_a_folder(tmp_path: Path) -> None:
    REPORT.write(tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")} == {
        "report.html", "report.md", "tables/t.csv", "figures/f.png",
    }  # fmt: skip
    assert (tmp_path / "tables" / "t.csv").read_text().split() == ["model,score,n", "a|b,1.25,1200", "<i>,,3"]
    assert (tmp_path / "figures" / "f.png").read_bytes() == b"png"
