"""Read a Python iterable: texts, token lists, or rows (mappings) that have one of these in a field.

A one-shot generator is enough: each item is taken once. A Hugging Face dataset is an iterable of rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from polyseme.corpus.readers.names import DEFAULT_FIELD, ITERABLE, TOKEN_LISTS
from polyseme.corpus.readers.rows import MAX_BAD_AT_START, BadRow, Rows, as_text, field_names, text_in
from polyseme.corpus.sources import Source
from polyseme.corpus.tokenizers import NUL
from polyseme.errors import ConfigError, CorpusError, shorten


def prepare(source: Source) -> Source:
    """The source to read: the first items decide whether they are rows, and whether they are texts or token lists."""
    items = source.items
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        advice = "give one of its values, such as dataset['train']" if isinstance(items, Mapping) else "give a list"
        raise CorpusError(
            f"texts is of type {type(items).__name__}, not an iterable of texts or token lists; {advice}."
        )
    if hasattr(items, "columns"):  # of pandas or Polars: iterating gives names or whole columns
        raise CorpusError(f"texts is a {type(items).__name__}; give one of its columns, such as frame['text'].")
    iterator = iter(_only_column(items, source.field or DEFAULT_FIELD))
    first_items: list[Any] = []
    reader = ITERABLE
    for item in islice(iterator, MAX_BAD_AT_START):
        first_items.append(item)
        if len(first_items) == 1:
            source = _check_first(item, source)
        value = _value(item, source.field)
        if isinstance(value, str) or _is_token_list(value):
            reader = ITERABLE if isinstance(value, str) else TOKEN_LISTS
            break
    return replace(source, items=chain(first_items, iterator), reader=reader)


def _check_first(item: Any, source: Source) -> Source:
    """The source with its field, if the first item is a row; an error if it is something that cannot be read."""
    if isinstance(item, os.PathLike):
        raise CorpusError(f"the first text is a path, {shorten(item)}; give files as a list of paths.")
    if isinstance(item, Mapping):
        return replace(source, field=source.field or DEFAULT_FIELD)
    if source.field:
        raise ConfigError(f"field= is for rows that are mappings; the first item is of type {type(item).__name__}.")
    return source


def read_documents(source: Source, rows: Rows, wait: Callable[[], None]) -> Generator[str, None, None]:
    """Yield each text, or the tokens of each list, separated by NUL. Other items are bad rows."""
    assert source.items is not None
    convert = _join if source.reader == TOKEN_LISTS else as_text
    for number, item in enumerate(source.items, 1):
        wait()
        try:
            text = convert(text_in(item, source.field) if source.field else item)
        except BadRow as error:
            rows.add_bad(f"item {number:,} {error}")
        else:
            yield text


def _value(item: Any, field: str) -> Any:
    """The text or the token list of an item; None if it has none."""
    try:
        return text_in(item, field) if field else item
    except BadRow:
        return None


def _only_column(items: Iterable[Any], field: str) -> Iterable[Any]:
    """A Hugging Face dataset with only the column that is needed; other iterables as they are."""
    select, columns = getattr(items, "select_columns", None), getattr(items, "column_names", None)
    if select is None or not columns:
        return items
    name = field if field in columns else field.split(".")[0]
    if name not in columns:
        raise CorpusError(f"the dataset has no column '{shorten(field)}', only {field_names(columns)}; give field=.")
    selected: Iterable[Any] = select([name])
    return selected


def _is_token_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _join(tokens: Any) -> str:
    """The tokens of a list, separated by NUL."""
    if not _is_token_list(tokens):
        raise BadRow(f"is of type {type(tokens).__name__}, but the first is a token list")
    tokens = list(tokens)
    try:
        text = NUL.join(tokens)
    except TypeError:
        raise BadRow("has a token that is not a str") from None
    if "\n" in text or "\t" in text or text.count(NUL) > max(len(tokens) - 1, 0):
        raise BadRow("has a token with NUL, tab or line end")
    return text
