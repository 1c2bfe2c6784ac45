"""Snippets in bulk, as JSON in bytes: batches of them, and a temporary file from which lines of examples are made."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme._io.memory_map import release_pages
from polyseme.examples.store import ExampleReader
from polyseme.kernels.snippets import (
    LINE_PUNCTUATION,
    PUNCTUATION,
    SENSE_PUNCTUATION,
    gather_snippets,
    write_lines,
    write_snippets,
)

RUN_BYTES = 1 << 20

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
AnyInts = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Snippets:
    """Snippets as JSON (see `polyseme.examples.store.snippet_json`), one after the other.

    data   uint8 (n,)
    sizes  int32 (k,)  bytes of each snippet
    """

    data: Bytes
    sizes: NDArray[np.int32]

    @classmethod
    def of(cls, snippets: list[bytes]) -> Snippets:
        return cls(np.frombuffer(b"".join(snippets), np.uint8), np.array([len(s) for s in snippets], np.int32))

    @classmethod
    def cut(cls, text: bytes, lefts: AnyInts, starts: AnyInts, ends: AnyInts, rights: AnyInts) -> Snippets:
        """The snippets of words in a text; see `write_snippets`."""
        out = np.empty(2 * int((rights - lefts).sum()) + PUNCTUATION * len(starts), np.uint8)
        sizes = np.empty(len(starts), np.int32)
        bounds = (np.asarray(bound, np.int64) for bound in (lefts, starts, ends, rights))
        size = write_snippets(np.frombuffer(text, np.uint8), *bounds, out, sizes)
        return cls(out[:size], sizes)

    def __len__(self) -> int:
        return len(self.sizes)

    def __iter__(self) -> Iterator[bytes]:
        data = self.data.tobytes()
        for start, end in pairwise([0, *np.cumsum(self.sizes).tolist()]):
            yield data[start:end]


def join(batches: Iterable[Snippets]) -> Snippets:
    """The snippets of all batches."""
    batches = list(batches)
    if not batches:
        return Snippets(np.empty(0, np.uint8), np.empty(0, np.int32))
    return Snippets(np.concatenate([b.data for b in batches]), np.concatenate([b.sizes for b in batches]))


@dataclass(frozen=True)
class Spool:
    """Snippets in a temporary file, addressed by slot: a corpus may have more snippets than fit in memory.

    data    uint8 (n,)  memory-mapped
    starts  int64 (k,)  the snippet in slot i is data[starts[i] : starts[i] + sizes[i]]
    sizes   int32 (k,)  0 for an empty slot
    """

    data: Bytes
    starts: Ints
    sizes: NDArray[np.int32]


def write_spool(batches: Iterable[Snippets], slots: Ints, num_slots: int, folder: Path) -> Spool:
    """Write snippets to an unnamed temporary file in `folder`.

    slots  IN  int64 (k,)  slot of each snippet, in the order of the batches

    The file consists of runs of about RUN_BYTES, each sorted by slot: reading all slots in order then reads every run
    sequentially.
    """
    starts, sizes = np.zeros(num_slots, np.int64), np.zeros(num_slots, np.int32)
    num_snippets = num_bytes = 0
    with tempfile.TemporaryFile(dir=folder) as file:
        for run in _runs(batches):
            run_slots = slots[num_snippets : num_snippets + len(run)]
            order = np.argsort(run_slots)
            run_starts = np.cumsum(run.sizes, dtype=np.int64) - run.sizes
            run_sizes = run.sizes[order]
            data = np.empty(len(run.data), np.uint8)
            gather_snippets(run.data, run_starts[order], run_sizes, data)
            starts[run_slots[order]] = num_bytes + np.cumsum(run_sizes, dtype=np.int64) - run_sizes
            sizes[run_slots[order]] = run_sizes
            num_bytes += file.write(data.data)
            num_snippets += len(run)
        file.flush()
        # An empty file cannot be mapped; a map stays valid after its file is closed.
        mapped = np.memmap(file, np.uint8, "r", shape=(num_bytes,)) if num_bytes else np.empty(0, np.uint8)
    return Spool(mapped, starts, sizes)


def _runs(batches: Iterable[Snippets]) -> Iterator[Snippets]:
    """Join consecutive batches into runs of more than RUN_BYTES, except the last."""
    run: list[Snippets] = []
    for batch in batches:
        run.append(batch)
        if sum(len(b.data) for b in run) > RUN_BYTES:
            yield join(run)
            run = []
    if run:
        yield join(run)


def line_reader(
    spool: Spool, words: list[str], sense_offsets: Ints, visible_senses: NDArray[np.int32]
) -> ExampleReader:
    """An ExampleReader of the snippets in a spool, without duplicates within a sense.

    sense_offsets   IN  int64 (V + 1,)  the senses of word w are rows sense_offsets[w] to sense_offsets[w + 1]
    visible_senses  IN  int32 (V,)      number of senses to write per word; the first ones of its rows

    A row has the same number of consecutive slots as every other, best snippet first.
    """
    per_row = len(spool.starts) // int(sense_offsets[-1])
    data = np.asarray(spool.data)
    data.setflags(write=False)

    def read(first: int, end: int) -> list[bytes]:
        names = [encode_basestring(word).encode() for word in words[first:end]]
        slots = slice(*(sense_offsets[[first, end]] * per_row).tolist())
        sizes, num_senses = spool.sizes[slots], visible_senses[first:end]
        num_bytes = int(sizes.sum(dtype=np.int64)) + len(sizes) + SENSE_PUNCTUATION * int(num_senses.sum())
        lines = np.empty(num_bytes + sum(map(len, names)) + LINE_PUNCTUATION * len(names), np.uint8)
        line_ends = np.empty(len(names), np.int64)
        write_lines(
            data, spool.starts[slots], sizes, per_row, sense_offsets[first:end] * per_row - slots.start, num_senses,
            np.frombuffer(b"".join(names), np.uint8), np.cumsum([len(name) for name in names]), lines, line_ends,
        )  # fmt: skip
        release_pages(spool.data)
        text = lines[: line_ends[-1] if len(line_ends) else 0].tobytes()
        return [text[a:b] for a, b in pairwise([0, *line_ends.tolist()])]

    return read
