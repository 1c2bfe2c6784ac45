"""A report of tables and figures, written as a self-contained HTML page, as Markdown, and as one CSV file per table."""

from __future__ import annotations

import base64
import csv
import html
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyseme._io.atomic import atomic_file

STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 84rem; margin: 2rem auto; padding: 0 1rem }
p, nav { max-width: 50rem }
table { border-collapse: collapse; margin: 1rem 0; font-size: .92rem }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #8886; text-align: right }
td { white-space: nowrap }
th { border-bottom: 2px solid #888; vertical-align: bottom }
.label, .text { text-align: left }
.text { white-space: normal }
img { max-width: 100% }
nav { font-size: .92rem }
.scroll { overflow-x: auto }
"""
VIEWPORT = '<meta name=viewport content="width=device-width">'
MAX_LABEL = 45  # characters of a cell that is not wrapped

NOT_RUN = "not run yet"
NUMBERS = re.compile(r"[-+]?\d[\d.,]*( \([-\d.]+\)| \[[-\d.]+, [-\d.]+\])?")  # 66.9, 66.9 (61.2), 66.9 [65.1, 68.5]

Cell = str | float | int | None


@dataclass(frozen=True)
class Table:
    """Rows of cells; None if there is no value. Floats are shown with `digits` decimal places."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    digits: int = 1


@dataclass(frozen=True)
class Figure:
    """An image in PNG format."""

    name: str
    title: str
    png: bytes = field(repr=False)
    note: str = ""


@dataclass(frozen=True)
class Report:
    """A title, an introduction, and tables and figures in order."""

    title: str
    intro: str
    parts: Sequence[Table | Figure]

    def write(self, folder: Path) -> None:
        """Write report.html, report.md with figures/, and tables/*.csv into a folder."""
        for part in self.parts:
            if isinstance(part, Table):
                _write(folder / "tables" / f"{part.name}.csv", _csv(part))
            else:
                _write(folder / "figures" / f"{part.name}.png", part.png)
        _write(folder / "report.md", "\n".join(self.markdown()))
        _write(folder / "report.html", "\n".join(self.html()))

    def markdown(self) -> Iterator[str]:
        yield f"# {self.title}\n\n{self.intro}\n"
        for part in self.parts:
            yield f"## {part.title}\n"
            if isinstance(part, Figure):
                yield f"![{part.title}](figures/{part.name}.png)\n"
            else:
                yield f"| {' | '.join(part.columns)} |"
                yield "|" + "|".join("---" if _is_text(part, i) else "---:" for i in range(len(part.columns))) + "|"
                yield from (f"| {' | '.join(format_cell(cell, part.digits) for cell in row)} |" for row in part.rows)
                yield ""
            if part.note:
                yield f"{part.note}\n"

    def html(self) -> Iterator[str]:
        title = html.escape(self.title)
        yield f"<!doctype html><html lang=en><meta charset=utf-8>{VIEWPORT}<title>{title}</title><style>{STYLE}</style>"
        yield f"<h1>{title}</h1>"
        yield from (f"<p>{_html_text(paragraph)}</p>" for paragraph in self.intro.split("\n\n"))
        links = (f'<li><a href="#{html.escape(part.name)}">{html.escape(part.title)}</a>' for part in self.parts)
        yield f"<nav><ul>{''.join(links)}</ul></nav>"
        for part in self.parts:
            yield f'<h2 id="{html.escape(part.name)}">{html.escape(part.title)}</h2>'
            if isinstance(part, Figure):
                data = base64.b64encode(part.png).decode()
                yield f'<img alt="{html.escape(part.title)}" src="data:image/png;base64,{data}">'
            else:
                yield "<div class=scroll><table>"
                classes = [_css_class(part, i) for i in range(len(part.columns))]
                for tag, cells in (("th", part.columns), *(("td", row) for row in part.rows)):
                    yield "<tr>" + "".join(
                        f"<{tag}{css_class}>{html.escape(format_cell(cell, part.digits))}"
                        for cell, css_class in zip(cells, classes, strict=True)
                    )
                yield "</table></div>"
            if part.note:
                yield f"<p>{_html_text(part.note)}</p>"


def format_cell(cell: Cell, digits: int = 1) -> str:
    """
    >>> format_cell(65.049), format_cell(1200), format_cell(None), format_cell("MSSG")
    ('65.0', '1,200', '-', 'MSSG')
    """
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell.replace("|", "/")
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.{digits}f}"


def _html_text(text: str) -> str:
    """
    >>> _html_text("`a < b` & c")
    '<code>a &lt; b</code> &amp; c'
    """
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def _is_text(table: Table, column: int) -> bool:
    """Whether a column has text, and not only numbers, which are aligned to the right."""
    cells = [cell for row in table.rows if isinstance(cell := row[column], str)]
    return any(cell != NOT_RUN and not NUMBERS.fullmatch(cell) for cell in cells)


def _css_class(table: Table, column: int) -> str:
    """The class of the cells of a column: numbers have none, short texts are not wrapped."""
    if not _is_text(table, column):
        return ""
    longest = max(len(format_cell(row[column])) for row in table.rows)
    return " class=label" if longest <= MAX_LABEL else " class=text"


def _csv(table: Table) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([table.columns, *(["" if cell is None else cell for cell in row] for row in table.rows)])
    return out.getvalue()


def _write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as temporary:
        temporary.write_bytes(content if isinstance(content, bytes) else content.encode())
