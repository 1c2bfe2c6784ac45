"""Reports: the same table as HTML, Markdown and CSV."""

from __future__ import annotations

from pathlib import Path

from polyseme.experiments.report import Figure, Report, Table

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
    assert "<p>First.</p>\n<p>Second.</p>\n<h2>A &amp; B</h2>" in page
    assert "<tr><td class=text>&lt;i&gt;<td>-<td>3" in page
    assert '<img alt="Figure" src="data:image/png;base64,cG5n">\n<p>Its note.</p>' in page


def test_a_report_is_written_to_a_folder(tmp_path: Path) -> None:
    REPORT.write(tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")} == {
        "report.html", "report.md", "tables/t.csv", "figures/f.png",
    }  # fmt: skip
    assert (tmp_path / "tables" / "t.csv").read_text().split() == ["model,score,n", "a|b,1.25,1200", "<i>,,3"]
    assert (tmp_path / "figures" / "f.png").read_bytes() == b"png"
