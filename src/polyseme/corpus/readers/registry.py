"""The readers by name: each turns a source into blocks of valid UTF-8."""

from __future__ import annotations

from collections.abc import Callable, Generator
from importlib import import_module
from typing import TYPE_CHECKING

from polyseme._io.thread_pool import available_cores
from polyseme.corpus.readers import text
from polyseme.corpus.readers.names import ITERABLE, TOKEN_LISTS
from polyseme.corpus.readers.rows import Rows, document_blocks

if TYPE_CHECKING:
    from polyseme.corpus.readers.text import Block
    from polyseme.corpus.sources import Source

# Modules with `read_documents(source, rows, wait)`, a generator of texts. They are imported when they are needed.
MODULES = {
    "jsonl": "jsonl",
    "csv": "delimited",
    "tsv": "delimited",
    "parquet": "parquet",
    ITERABLE: "iterables",
    TOKEN_LISTS: "iterables",
}

MAX_THREADS = 8  # that remove the markup of a Wikipedia dump; one thread parses its XML


def read_blocks(
    source: Source, rows: Rows | None = None, wait: Callable[[], None] = lambda: None
) -> Generator[Block, None, None]:
    """Yield the text of a source in blocks of about 1 MB; CorpusError if it cannot be read to the end.

    rows  counts the rows, or the articles of a dump
    wait  called again and again while a pipe or an iterable has no data; it may raise
    """
    rows = rows or Rows(source.path, source.field)
    if source.reader == "text":
        return text.read_blocks(source, wait=wait)
    if source.reader == "wikipedia":
        return document_blocks(_read_articles(source, rows, wait), rows)
    module = import_module(f"polyseme.corpus.readers.{MODULES[source.reader]}")
    return document_blocks(module.read_documents(source, rows, wait), rows)


def _read_articles(source: Source, rows: Rows, wait: Callable[[], None]) -> Generator[str, None, None]:
    """Yield the text of each article of a Wikipedia dump."""
    wikipedia = import_module("polyseme.corpus.readers.wikipedia")
    with text.opened(source, wait) as stream:
        threads = min(available_cores(), MAX_THREADS)
        yield from wikipedia.read_articles(stream, rows.add_bad, name=source.path, threads=threads)
