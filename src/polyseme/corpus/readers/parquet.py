"""Read one column of a Parquet file, a few rows at a time."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

from polyseme.corpus.readers.names import compression_of
from polyseme.corpus.readers.rows import MAX_ROW_BYTES, Rows, field_names
from polyseme.corpus.readers.text import damaged, opened, replace_bad_bytes
from polyseme.corpus.sources import Source
from polyseme.corpus.tokenizers import NUL
from polyseme.errors import CorpusError, MissingExtra, shorten

BATCH_ROWS, BATCH_BYTES = 64, 1 << 24  # read at a time; fewer rows if they are long
BUFFER_BYTES = 1 << 20  # read at a time from a column chunk, which can be larger than memory


def read_documents(source: Source, rows: Rows, wait: Callable[[], None]) -> Generator[str, None, None]:
    """Yield the text of each row; null is a bad row."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise MissingExtra("reading Parquet needs pyarrow: pip install 'polyseme[parquet]'") from error
    _refuse_streams(source)
    number = 0
    with opened(source, wait) as stream:
        try:
            file = parquet.ParquetFile(stream, buffer_size=BUFFER_BYTES, pre_buffer=False)
            path = _check_column(file.schema_arrow, source)
            for batch in _batches(file, source.field):
                wait()
                for text in _texts(batch, path, rows):
                    number += 1
                    if text is None:
                        rows.add_bad(f"row {number:,} is null")
                    elif len(text) > MAX_ROW_BYTES:
                        rows.add_bad(f"row {number:,} has more than {MAX_ROW_BYTES >> 20} MB")
                    else:
                        yield text.replace(NUL, " ")
        except (pyarrow.ArrowException, OSError) as error:
            raise damaged(source, f"after row {number:,}: {error}" if number else error) from error
        stream.seek(0, io.SEEK_END)  # shows `opened` that the file has been read


def _refuse_streams(source: Source) -> None:
    """Raise CorpusError for what cannot be read from its end: pipes, and files compressed as a whole."""
    if not Path(source.path).is_file():
        raise CorpusError(f"{source.path} is a pipe, and Parquet is read from its end; give a file.")
    if compression_of(source.path):
        raise CorpusError(f"{source.path}: a Parquet file compressed as a whole cannot be read; decompress it first.")


def _check_column(schema: Any, source: Source) -> list[str]:
    """The path to the column of texts, one name unless it is nested; CorpusError if it is missing or has no text."""
    import pyarrow
    from pyarrow import types

    path = [source.field] if source.field in schema.names else source.field.split(".")
    fields: Any = schema
    names = "none"
    for depth, name in enumerate(path):
        names = field_names(".".join([*path[:depth], field.name]) for field in fields) if len(fields) else names
        indices = fields.get_all_field_indices(name)
        if len(indices) != 1:
            problem = "several columns" if indices else "no column"
            raise CorpusError(
                f"{source.path} has {problem} '{shorten(source.field)}', only {names}; choose one with --field."
            )
        kind = fields.field(indices[0]).type
        fields = kind if types.is_struct(kind) else pyarrow.schema([])
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)):
        raise CorpusError(
            f"{source.path}: column '{shorten(source.field)}' is of type {shorten(kind)}, not text; "
            f"choose another with --field ({names})."
        )
    return path


def _batches(file: Any, field: str) -> Iterator[Any]:
    """Yield the rows of a column, of each row group so many at a time that they fit in memory."""
    for group in range(file.num_row_groups):
        metadata = file.metadata.row_group(group)
        columns = (metadata.column(i) for i in range(metadata.num_columns))
        size = sum(column.total_uncompressed_size for column in columns if column.path_in_schema == field)
        num_rows = min(max(BATCH_BYTES * metadata.num_rows // max(size, 1), 1), BATCH_ROWS)
        yield from file.iter_batches(num_rows, row_groups=[group], columns=[field], use_threads=False)


def _texts(batch: Any, path: list[str], rows: Rows) -> list[str | None]:
    """The values of a column; bytes that are not UTF-8 become '?'."""
    import pyarrow
    import pyarrow.compute

    column = batch.column(path[0])
    if len(path) > 1:
        column = pyarrow.compute.struct_field(column, path[1:])
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        if pyarrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        values: list[str | None] = []
        for value in column.cast(pyarrow.large_binary()).to_pylist():
            text, bad_bytes = (None, 0) if value is None else replace_bad_bytes(value)
            rows.bad_bytes += bad_bytes
            values.append(None if text is None else text.decode())
        return values
