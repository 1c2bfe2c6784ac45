"""Reading JSON Lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from polyseme.corpus.readers import rows as rows_module
from polyseme.corpus.readers.registry import read_blocks
from polyseme.corpus.readers.rows import Rows
from polyseme.corpus.sources import find_sources
from polyseme.errors import CorpusError


def read(path: Path, data: str | bytes, field: str | None = None) -> tuple[str, Rows]:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    rows = Rows(str(path))
    return b"".join(block.text for block in read_blocks(find_sources(path, field=field)[0], rows)).decode(), rows


def test_the_text_of_a_nested_field_is_read(tmp_path: Path) -> None:
    data = '\ufeff{"page": {"body": "one"}}\n\n  \n{"page": {"body": "two\\nthree"}}'
    assert read(tmp_path / "a.jsonl", data, "page.body")[0] == "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('{"text": "cut', "line 2 is not JSON: "),
        ('{"text": null}', "line 2 has null instead of a text"),
        ('{"text": 5}', "line 2 has a value of type int instead of a text"),
        ('{"text": ["a"]}', "line 2 has a list instead of a text"),
        ('{"body": "a", "id": 1}', "line 2 has no field 'text', only body, id"),
        ("[" * 100_000, "line 2 is not JSON: maximum recursion depth"),
        ('"a"', "line 2 has no field 'text', since it is a string, not an object"),
        (f'{{"text": {"9" * 5000}}}', "line 2 is not JSON: Exceeds the limit"),
    ],
)
def test_a_bad_row_is_skipped(row: str, problem: str, tmp_path: Path) -> None:
    text, rows = read(tmp_path / "a.jsonl", f'{{"text": "one"}}\n{row}\n{{"text": "two"}}\n')
    assert text == "one\ntwo\n"
    assert rows.bad == 1
    assert rows.first_problem.startswith(problem)


def test_nul_becomes_a_space_and_invalid_bytes_are_counted(tmp_path: Path) -> None:
    data = b'{"text": "a\\u0000b"}\n{"text": "caf\xe9"}\n'
    assert read(tmp_path / "a.jsonl", data)[0] == "a b\ncaf?\n"
    blocks = list(read_blocks(find_sources(tmp_path / "a.jsonl")[0]))
    assert [block.bad_bytes for block in blocks] == [1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'[\n{"text": "a"}\n]', r"line 1 starts a JSON array.*jq -c"),
        (b'\0{"text": "a"}\n', "its first line has a NUL byte"),
        ('{"text": "a"}'.encode("utf-16"), "is UTF-16 or UTF-32"),
    ],
)
def test_what_is_not_json_lines_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=message):
        read(tmp_path / "a.jsonl", data)


def test_a_truncated_archive_is_refused(tmp_path: Path) -> None:
    data = gzip.compress(b"".join(b'{"text": "%d"}\n' % i for i in range(1000)))
    with pytest.raises(CorpusError, match=r"a.jsonl.gz is truncated or damaged"):
        read(tmp_path / "a.jsonl.gz", data[:-20])


@pytest.mark.parametrize(("row", "problem"), [("b" * (3 << 20), "more than 1 MB"), ("\0", "a NUL byte")])
def test_a_line_that_is_too_long_or_has_nul_is_a_bad_row(
    row: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "MAX_ROW_BYTES", 1 << 20)
    text, rows = read(tmp_path / "a.jsonl", f'{{"text": "a"}}\n{{"text": "{row}"}}\n{{"text": "c"}}\n{{')
    assert text == "a\nc\n"
    assert (rows.bad, rows.first_problem) == (2, f"line 2 has {problem}")
    with pytest.raises(CorpusError, match=f"its first line has {problem}"):
        read(tmp_path / "b.jsonl", f'{{"text": "{row}"}}\n{{"text": "c"}}\n')
