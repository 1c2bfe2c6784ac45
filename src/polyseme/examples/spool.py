"""Snippets on disk: they come in the order of the text, may be more than fits in memory, and are read by words.

They are written in runs, each sorted, so that whoever goes through the words reads every run from its begin to its end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme._io.thread_pool import map_in_order
from polyseme.examples.extraction import Snippets
from polyseme.kernels.quoting import sort_quotations

RUN_BYTES = 1 << 20

Ints = NDArray[np.int64]


def spooled(snippets: Iterable[Snippets], keys: Ints, folder: Path) -> tuple[Snippets, Ints]:
    """All of them in a file that has no name, and the number that each, in the order in which they come, has there.

    keys  IN  int64 (k,)  what a run is sorted by
    """
    numbers, lengths = np.empty_like(keys), np.zeros(len(keys) + 1, np.int64)
    with tempfile.TemporaryFile(dir=folder) as file:
        done = 0

        def write_run(run: list[Snippets]) -> None:
            nonlocal done
            text = np.concatenate([some.text for some in run])
            sizes = np.concatenate([np.diff(some.bounds) for some in run])
            order = np.argsort(keys[done : done + len(sizes)])
            sorted_text = np.empty_like(text)
            sort_quotations(text, np.concatenate([[0], np.cumsum(sizes)]), order, sorted_text)
            file.write(sorted_text.data)
            numbers[done + order] = done + np.arange(len(order))
            lengths[done + 1 : done + len(sizes) + 1] = sizes[order]
            done += len(sizes)

        for _ in map_in_order(write_run, _runs(snippets), threads=1):  # one after the other, while more are made
            pass
        file.flush()
        bounds = np.cumsum(lengths)
        text = np.memmap(file, np.uint8, "r", shape=(int(bounds[-1]),)) if bounds[-1] else np.empty(0, np.uint8)
    return Snippets(text, bounds), numbers


def _runs(snippets: Iterable[Snippets]) -> Iterator[list[Snippets]]:
    """As many at a time as are sorted together."""
    run: list[Snippets] = []
    size = 0
    for some in snippets:
        run.append(some)
        size += len(some.text)
        if size > RUN_BYTES:
            yield run
            run, size = [], 0
    if run:
        yield run
