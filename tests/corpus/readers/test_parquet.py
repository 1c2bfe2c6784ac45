"""Reading a column of a Parquet file."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from polyseme.corpus.readers import parquet
from polyseme.corpus.readers.registry import read_blocks
from polyseme.corpus.readers.rows import Rows
from polyseme.corpus.sources import find_sources
from polyseme.errors import CorpusError, MissingExtra

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def read(path: Path, columns: dict[str, Any] | None = None, field: str | None = None) -> tuple[str, Rows]:
    if columns is not None:
        pq.write_table(pa.table(columns), path, row_group_size=2)
    rows = Rows(str(path))
    return b"".join(block.text for block in read_blocks(find_sources(path, field=field)[0], rows)).decode(), rows


@pytest.mark.parametrize(
    "texts",
    [
        pa.array(["a", "b", "ü"]),
        pa.array(["a", "b", "ü"], pa.large_string()),
        pa.array(["a", "b", "ü"]).dictionary_encode(),
    ],
    ids=lambda texts: str(texts.type)[:10],
)
def test_columns_of_all_types_of_text_are_read(texts: Any, tmp_path: Path) -> None:
    assert read(tmp_path / "a.parquet", {"id": [1, 2, 3], "text": texts})[0] == "a\nb\nü\n"


def test_a_nested_column_is_read(tmp_path: Path) -> None:
    pages = [{"text": "a", "n": 1}, None, {"text": "b", "n": 2}]
    text, rows = read(tmp_path / "a.parquet", {"page": pages}, "page.text")
    assert (text, rows.bad, rows.first_problem) == ("a\nb\n", 1, "row 2 is null")


def test_a_column_whose_name_has_a_dot_is_read(tmp_path: Path) -> None:
    assert read(tmp_path / "a.parquet", {"page.text": ["a"]}, "page.text")[0] == "a\n"


def test_only_the_column_of_the_text_is_read(tmp_path: Path) -> None:
    """The bytes of the other column are overwritten."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"other": ["x" * 100], "text": ["a"]}), path, compression="none", use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"x" * 50, b"\xff" * 50))
    assert read(path)[0] == "a\n"


def test_bytes_that_are_not_utf8_are_replaced_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["caf_", None]}), path, compression="none", use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"caf_", b"caf\xe9"))
    blocks = list(read_blocks(find_sources(path)[0]))
    assert [(block.text, block.bad_bytes) for block in blocks] == [(b"caf?\n", 1)]


@pytest.mark.parametrize(
    ("columns", "field", "message"),
    [
        ({"id": [1], "body": ["a"]}, None, "has no column 'text', only id, body; choose one with --field"),
        ({"text": [1]}, None, "column 'text' is of type int64, not text"),
        ({"text": [["a"]]}, None, "column 'text' is of type list<.*>, not text"),
        ({"text": [b"a"]}, None, "column 'text' is of type binary, not text"),
        ({"a": [{"b": "x"}]}, "a", "column 'a' is of type struct<.*>, not text"),
        ({"a": [{"b": "x"}]}, "a.c", "has no column 'a.c', only a.b;"),
        ({"a": ["x"]}, "a.c", "has no column 'a.c', only a;"),
    ],
)
def test_a_column_that_is_not_text_is_refused(
    columns: dict[str, Any], field: str | None, message: str, tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match=message):
        read(tmp_path / "a.parquet", columns, field)


def test_a_damaged_file_is_refused_with_the_number_of_the_row(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = [f"text {i} " * 20 for i in range(200)]
    pq.write_table(pa.table({"text": texts}), path, compression="none", use_dictionary=False, row_group_size=100)
    data = path.read_bytes()
    path.write_bytes(data[:-20])
    with pytest.raises(CorpusError, match="a.parquet is truncated or damaged"):
        read(path)
    length = data.index(b"text 120 ") - 4
    path.write_bytes(data[:length] + b"\xff\xff\xff\x7f" + data[length + 4 :])
    with pytest.raises(CorpusError, match=r"a.parquet is truncated or damaged \(after row \d+: ") as error:
        read(path)
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_read_from_its_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="Parquet cannot be read from standard input"):
        find_sources("-", reader="parquet")
    os.mkfifo(tmp_path / "pipe.parquet")
    with pytest.raises(CorpusError, match="is a pipe, and Parquet is read from its end"):
        read(tmp_path / "pipe.parquet")
    (tmp_path / "a.parquet.gz").write_bytes(gzip.compress(b"PAR1"))
    with pytest.raises(CorpusError, match="decompress it first"):
        read(tmp_path / "a.parquet.gz")


def test_without_pyarrow_the_message_is_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'polyseme\[parquet\]'"):
        read(tmp_path / "a.parquet")


def test_a_value_that_is_too_long_is_a_bad_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MAX_ROW_BYTES", 1 << 20)
    text, rows = read(tmp_path / "a.parquet", {"text": ["a", "b" * (1 << 20) + "b", "c"]})
    assert (text, rows.bad, rows.first_problem) == ("a\nc\n", 1, "row 2 has more than 1 MB")


def test_few_long_rows_are_read_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "BATCH_BYTES", 1000)
    texts = pa.array([f"{i} " * 200 for i in range(100, 140)] + [str(i) for i in range(500)])
    pq.write_table(
        pa.table({"page": [{"text": text} for text in texts.to_pylist()]}), tmp_path / "a", row_group_size=40
    )
    sizes = [batch.num_rows for batch in parquet._batches(pq.ParquetFile(tmp_path / "a"), "page.text")]
    assert sizes[:40] == [1] * 40
    assert max(sizes[40:]) == 40
