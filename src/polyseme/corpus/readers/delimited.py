"""Read CSV and TSV: the first row has the names of the columns, of which one is the text."""

from __future__ import annotations

import csv
from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from polyseme.corpus.readers.rows import MAX_ROW_BYTES, Rows, field_names, read_lines
from polyseme.corpus.sources import Source
from polyseme.errors import CorpusError, shorten

DELIMITERS = {"csv": ",", "tsv": "\t"}
UNCLOSED = ("unexpected end of data", "field larger than field limit", "the row is larger than")  # errors of csv


def read_documents(source: Source, rows: Rows, wait: Callable[[], None]) -> Generator[str, None, None]:
    """Yield the text of each row. A row with more or fewer columns than the header is a bad row."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_ROW_BYTES))  # of the process: 128 KB is too short for articles
    with closing(read_lines(source, rows, wait)) as lines:
        size = 0  # of the lines since the last row

        def counted() -> Iterator[str]:
            nonlocal size
            for line in lines:
                size += len(line)
                if size > MAX_ROW_BYTES:
                    raise csv.Error(f"{UNCLOSED[-1]} {MAX_ROW_BYTES >> 20} MB")
                yield line

        table = csv.reader(counted(), delimiter=DELIMITERS[source.reader], strict=True)
        header, column = None, -1
        while True:
            before, size = table.line_num, 0
            try:
                row = next(table, None)
            except csv.Error as error:
                if header is None or str(error).startswith(UNCLOSED):
                    raise CorpusError(
                        f"{source.path}, line {before + 1:,}: a quoted field does not end ({error}); close the quote, "
                        f"and write each quote inside a quoted field twice."
                    ) from None
                rows.add_bad(f"line {before + 1:,} is not {source.reader.upper()}: {error}")
                continue
            if row is None:
                return
            if not row:  # a blank line
                continue
            if header is None:
                header, column = row, _column(row, source)
            elif len(row) != len(header):
                rows.add_bad(f"line {before + 1:,} has {len(row):,} columns, the header {len(header):,}")
            else:
                yield row[column]


def _column(header: list[str], source: Source) -> int:
    """The number of the text's column; CorpusError unless the header has it once."""
    if header.count(source.field) != 1:
        problem = "several columns" if source.field in header else "no column"
        separators = "commas" if source.reader == "csv" else "tabs"
        advice = "choose one with --field" if len(header) > 1 else f"separate its columns by {separators}"
        raise CorpusError(
            f"{source.path} has {problem} '{shorten(source.field)}' in its header, which has {field_names(header)}; "
            f"{advice}."
        )
    return header.index(source.field)
