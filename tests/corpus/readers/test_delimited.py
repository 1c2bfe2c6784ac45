"""Reading CSV and TSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyseme.corpus.readers import delimited
from polyseme.corpus.readers.registry import read_blocks
from polyseme.corpus.readers.rows import Rows
from polyseme.corpus.sources import find_sources
from polyseme.errors import CorpusError


def read(path: Path, data: str, field: str | None = None) -> tuple[str, Rows]:
    path.write_text(data, encoding="utf-8", newline="")
    rows = Rows(str(path))
    return b"".join(block.text for block in read_blocks(find_sources(path, field=field)[0], rows)).decode(), rows


def test_quoted_fields_may_have_delimiters_quotes_and_line_ends(tmp_path: Path) -> None:
    data = '\ufeffid,body\r\n1,"a, ""b""\r\nc"\r\n\r\n2,d\r\n'
    assert read(tmp_path / "a.csv", data, "body")[0] == 'a, "b"\r\nc\nd\n'


def test_tsv_is_separated_by_tabs(tmp_path: Path) -> None:
    assert read(tmp_path / "a.tsv", 'id\ttext\n1\ta, b "c"\n2\t"d\te"\n')[0] == 'a, b "c"\nd\te\n'


def test_a_field_may_be_longer_than_the_limit_of_the_csv_module(tmp_path: Path) -> None:
    assert read(tmp_path / "a.csv", f"text\n{'word ' * 100_000}\n")[0] == "word " * 100_000 + "\n"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("2,b,c", "line 3 has 3 columns, the header 2"),
        ("2", "line 3 has 1 columns, the header 2"),
        ('2,"b"c', "line 3 is not CSV: ',' expected after '\"'"),
    ],
)
def test_a_bad_row_is_skipped(row: str, problem: str, tmp_path: Path) -> None:
    text, rows = read(tmp_path / "a.csv", f"id,text\n1,a\n{row}\n3,d\n")
    assert text == "a\nd\n"
    assert (rows.bad, rows.first_problem) == (1, problem)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("id,body\n1,a\n", "has no column 'text' in its header, which has id, body; choose one with --field"),
        ("id;text\n1;a\n", "has no column 'text' in its header, which has id;text; separate its columns by commas"),
        ("text,text\n1,a\n", "has several columns 'text'"),
        ('id,text\n1,a\n2,"b\n3,c\n', "line 3: a quoted field does not end"),
        ('id,"text\n', "line 1: a quoted field does not end"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(data: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=message):
        read(tmp_path / "a.csv", data)


def test_a_line_with_nul_is_a_bad_row(tmp_path: Path) -> None:
    text, rows = read(tmp_path / "a.csv", "id,text\n1,a\n2,\0\n3,c\n4,d,e\n5,f\n")
    assert text == "a\nc\nf\n"
    assert (rows.bad, rows.first_problem) == (2, "line 3 has a NUL byte")


def test_a_row_of_small_fields_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "MAX_ROW_BYTES", 1 << 20)
    data = "id,text\n1,a\n2," + '"b\n","c",' * 200_000
    with pytest.raises(CorpusError, match=r"line 3: a quoted field does not end \(the row is larger than 1 MB\)"):
        read(tmp_path / "a.csv", data)
    assert read(tmp_path / "b.csv", "text\n" + "word\n" * 300_000)[1].good == 300_000
