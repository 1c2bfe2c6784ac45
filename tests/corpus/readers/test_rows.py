"""Rows: how many may be without text, and how texts become blocks."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from polyseme.corpus.readers import rows as module
from polyseme.corpus.readers.rows import BadRow, Rows, document_blocks, text_in
from polyseme.corpus.readers.text import Block
from polyseme.errors import CorpusError


def blocks_of(texts: Iterable[str], rows: Rows | None = None) -> list[Block]:
    return list(document_blocks((text for text in texts), rows or Rows("a.jsonl")))


def test_each_text_ends_with_one_line_end() -> None:
    assert b"".join(block.text for block in blocks_of(["a", "", "b\nc\n", "d"])) == b"a\n\nb\nc\nd\n"


def test_long_texts_are_split_between_words_and_short_ones_are_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK_BYTES", 10)
    blocks = blocks_of(["one", "two", "three four five six", "seven"])
    assert [block.text for block in blocks] == [b"one\ntwo\n", b"three ", b"four five ", b"six\n", b"seven\n"]
    assert [block.offset for block in blocks] == [0, 8, 14, 24, 28]


def test_half_a_surrogate_pair_is_replaced_and_counted() -> None:
    assert blocks_of(["a \ud83d b", "ü"]) == [Block("a ? b\nü\n".encode(), 0, 1)]


def test_a_problem_can_always_be_written() -> None:
    rows = Rows("a.jsonl")
    rows.add_bad("line 1 has no field 'text', only \ud83d")
    assert rows.first_problem == "line 1 has no field 'text', only ?"


def test_a_hundred_bad_rows_without_a_good_one_are_an_error_at_once() -> None:
    rows = Rows("a.jsonl")
    for number in range(99):
        rows.add_bad(f"line {number} is bad")
    with pytest.raises(CorpusError, match=r"a.jsonl: 100 of the 100 rows read have no text \(line 0 is bad\)"):
        rows.add_bad("line 100 is bad")


def test_a_column_that_is_often_empty_is_read_but_more_bad_than_good_rows_at_the_start_are_an_error() -> None:
    rows = Rows("a.jsonl")
    rows.good = 499
    for _ in range(500):
        rows.add_bad("bad")
    with pytest.raises(CorpusError, match="501 of the 1,000 rows"):
        rows.add_bad("bad")


def test_bad_rows_after_the_first_thousand_are_an_error_only_if_they_are_the_most() -> None:
    rows = Rows("a.jsonl")
    rows.good = 1000
    for _ in range(1000):
        rows.add_bad("bad")
    rows.end()
    rows.add_bad("bad")
    with pytest.raises(CorpusError, match="1,001 of the 2,001 rows"):
        rows.end()


@pytest.mark.parametrize(
    ("row", "field", "value"),
    [
        ({"a": 1}, "a", 1),
        ({"a": {"b": {"c": 2}}}, "a.b.c", 2),
        ({"a.b": 3, "a": {"b": 4}}, "a.b", 3),
    ],
)
def test_a_field_is_found(row: object, field: str, value: int) -> None:
    assert text_in(row, field) == value


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"x": 1, "y": 2}, "has no field 'a.b', only x, y"),
        ({"a": {"c": 2}}, "has no field 'a.b', only c"),
        ({"a": 5}, "has no field 'a.b', since it is a value of type int, not an object"),
        ({}, "has no field 'a.b', only none"),
        (["a"], "since it is a list"),
    ],
)
def test_a_missing_field_is_reported_with_those_that_exist(row: object, message: str) -> None:
    with pytest.raises(BadRow, match=message):
        text_in(row, "a.b")
