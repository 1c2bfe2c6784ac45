"""Snippets on disk."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from polyseme.examples import spool
from polyseme.examples.extraction import Snippets
from polyseme.examples.spool import spooled

TEXTS = [b"one", b"two", b"", b"four", b"five", b"six"]
KEYS = np.array([3, 1, 2, 0, 5, 4])


def in_pieces(*sizes: int) -> list[Snippets]:
    firsts = np.cumsum([0, *sizes])
    pieces = [TEXTS[a:b] for a, b in pairwise(firsts)]
    return [Snippets(np.frombuffer(b"".join(p), np.uint8), np.cumsum([0, *map(len, p)])) for p in pieces]


@pytest.mark.parametrize("run_bytes", [0, 5, 1000])
def test_each_quotation_has_the_number_that_it_is_given(
    run_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "RUN_BYTES", run_bytes)
    every, numbers = spooled(in_pieces(2, 1, 3), KEYS, tmp_path)
    found = list(every)
    assert [found[n] for n in numbers] == TEXTS


def test_a_run_is_sorted(tmp_path: Path) -> None:
    every, numbers = spooled(in_pieces(6), KEYS, tmp_path)
    assert list(every) == [TEXTS[i] for i in np.argsort(KEYS)]
    assert numbers.tolist() == KEYS.tolist()


def test_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    spooled(in_pieces(6), KEYS, tmp_path)
    spooled([], KEYS[:0], tmp_path)
    assert not list(tmp_path.iterdir())
