"""Snippets in a temporary file, and the JSON lines made of them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.examples import store
from polyseme.examples.store import Example, Spool, line_reader, no_examples, parse_line, snippet_json, write_spool

SNIPPETS = [b"one", b"two", b"three", b"four", b"five", b"six"]
SLOTS = np.array([3, 1, 2, 0, 6, 4])  # slot 5 is empty
BY_SLOT = [b"four", b"two", b"three", b"one", b"six", b"", b"five"]


def batches(*sizes: int) -> list[list[bytes]]:
    return [SNIPPETS[a:b] for a, b in pairwise(np.cumsum([0, *sizes]))]


@pytest.mark.parametrize("run_bytes", [0, 5, 1000])
def test_each_snippet_is_read_from_its_slot(run_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "RUN_BYTES", run_bytes)
    spool = write_spool(batches(2, 1, 3), SLOTS, 7, tmp_path)
    assert spool.read(slice(None)) == BY_SLOT
    assert spool.read(slice(2, 6)) == BY_SLOT[2:6]


def test_a_run_is_sorted_by_slot(tmp_path: Path) -> None:
    spool = write_spool(batches(2, 4), SLOTS, 7, tmp_path)
    assert spool.data.tobytes() == b"".join(BY_SLOT)


def test_no_file_is_left_in_the_folder(tmp_path: Path) -> None:
    assert write_spool(batches(6), SLOTS, 7, tmp_path).read(slice(1)) == [b"four"]
    assert write_spool([], SLOTS[:0], 2, tmp_path).read(slice(2)) == [b"", b""]
    assert not list(tmp_path.iterdir())


SPECIAL = st.sampled_from('"\\/é') | st.characters(min_codepoint=32, exclude_categories=["Cs"])


@given(st.lists(st.text(SPECIAL), min_size=3, max_size=3))
def test_the_json_of_a_snippet_is_that_of_the_standard_library(parts: list[str]) -> None:
    assert snippet_json(*parts) == json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


@given(st.lists(st.lists(st.lists(st.integers(-1, 5), min_size=3, max_size=3), min_size=1, max_size=4), min_size=1))
def test_a_line_has_each_snippet_of_a_sense_once(words: list[list[list[int]]]) -> None:
    snippets = [b'["","a",""]', b'["b","a",""]', b'["","a",""]', b'["","a","c"]', b'["","a","d"]', b'["","a","e"]']
    data = b"".join(snippets)
    starts = np.cumsum([0, *map(len, snippets)])
    slots = np.array([snippet for senses in words for row in senses for snippet in row])
    sizes = np.where(slots >= 0, np.diff(starts)[slots], 0).astype(np.int32)
    spool = Spool(np.frombuffer(data, np.uint8), starts[slots], sizes)
    offsets = np.cumsum([0, *map(len, words)])
    names = [f'"{i}' for i in range(len(words))]
    lines = line_reader(spool, names, offsets, np.diff(offsets).astype(np.int32))(0, len(words))
    for name, line, senses in zip(names, lines, words, strict=True):
        expected = [[json.loads(t) for t in dict.fromkeys(snippets[n] for n in row if n >= 0)] for row in senses]
        if any(expected):
            assert line.endswith(b"}\n")
            assert json.loads(line) == {"word": name, "senses": expected}
            assert parse_line(line) == [[Example(*snippet) for snippet in sense] for sense in expected]
        else:
            assert line == b""


def test_a_reader_gives_the_lines_of_some_words_and_their_visible_senses(tmp_path: Path) -> None:
    snippets = [f'["","{c}",""]'.encode() for c in "abcdef"]
    spool = write_spool([snippets], np.arange(6), 6, tmp_path)
    read = line_reader(spool, ["x", "y", "z"], np.array([0, 1, 4, 6]), np.array([1, 2, 1], np.int32))
    assert read(1, 3) == [
        b'{"word":"y","senses":[[["","b",""]],[["","c",""]]]}\n',
        b'{"word":"z","senses":[[["","e",""]]]}\n',
    ]


def test_a_model_without_examples_has_empty_lines() -> None:
    assert no_examples(3, 5) == [b"", b""]
    assert parse_line(b"") == []
