"""Snippets in bulk: cut out of a text, stored in a temporary file, and written as lines."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.examples import snippets as snippets_module
from polyseme.examples.snippets import Snippets, Spool, join, line_reader, write_spool
from polyseme.examples.store import Example, parse_line, snippet_json
from tests.examples.test_store import SPECIAL

SNIPPETS = [b"one", b"two", b"three", b"four", b"five", b"six"]
SLOTS = np.array([3, 1, 2, 0, 6, 4])  # slot 5 is empty
BY_SLOT = [b"four", b"two", b"three", b"one", b"six", b"", b"five"]


def batches(*sizes: int) -> list[Snippets]:
    return [Snippets.of(SNIPPETS[a:b]) for a, b in pairwise(np.cumsum([0, *sizes]))]


def read(spool: Spool) -> list[bytes]:
    """The snippet in each slot."""
    data = spool.data.tobytes()
    return [data[start : start + size] for start, size in zip(spool.starts, spool.sizes, strict=True)]


@pytest.mark.parametrize("run_bytes", [0, 5, 1000])
def test_each_snippet_is_read_from_its_slot(run_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snippets_module, "RUN_BYTES", run_bytes)
    assert read(write_spool(batches(2, 1, 3), SLOTS, 7, tmp_path)) == BY_SLOT


def test_a_run_is_sorted_by_slot(tmp_path: Path) -> None:
    spool = write_spool(batches(2, 4), SLOTS, 7, tmp_path)
    assert spool.data.tobytes() == b"".join(BY_SLOT)


def test_no_file_is_left_in_the_folder(tmp_path: Path) -> None:
    assert read(write_spool(batches(6), SLOTS, 7, tmp_path))[0] == b"four"
    assert read(write_spool([], SLOTS[:0], 2, tmp_path)) == [b"", b""]
    assert not list(tmp_path.iterdir())


def test_joined_batches_have_all_snippets() -> None:
    assert list(join(batches(2, 0, 4))) == SNIPPETS
    assert list(join([])) == []


@given(st.lists(st.lists(st.text(SPECIAL), min_size=3, max_size=3)))
def test_snippets_cut_from_a_text_are_those_of_their_parts(snippets: list[list[str]]) -> None:
    text = "".join(part for parts in snippets for part in parts).encode()
    sizes = np.array([[len(part.encode()) for part in parts] for parts in snippets], np.int64).reshape(-1, 3)
    ends = np.cumsum(sizes).reshape(-1, 3)
    cut = Snippets.cut(text, ends[:, 0] - sizes[:, 0], ends[:, 0], ends[:, 1], ends[:, 2])
    assert list(cut) == [snippet_json(*parts).encode() for parts in snippets]


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
    spool = write_spool([Snippets.of(snippets)], np.arange(6), 6, tmp_path)
    lines = line_reader(spool, ["x", "y", "z"], np.array([0, 1, 4, 6]), np.array([1, 2, 1], np.int32))
    assert lines(1, 3) == [
        b'{"word":"y","senses":[[["","b",""]],[["","c",""]]]}\n',
        b'{"word":"z","senses":[[["","e",""]]]}\n',
    ]
