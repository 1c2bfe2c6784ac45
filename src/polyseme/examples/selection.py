"""Example sentences: for each sense the uses whose context fits its center best, quoted from the corpus."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme._io.memory_map import release_pages
from polyseme._io.thread_pool import map_in_order
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.examples.extraction import Snippets, extract
from polyseme.examples.spool import spooled
from polyseme.examples.store import ExampleReader, beginning, no_examples
from polyseme.kernels.assign import keep_best
from polyseme.kernels.quoting import FRAME, write_lines
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import ALL_TOKENS, SenseAssigner
from polyseme.training.trainer import block_bounds, block_seed

USES = 500  # of each word, chosen at random, are looked at
AROUND = 12  # words quoted on each side
DIRECTIONS = 64  # in which contexts are compared
CHUNK_TOKENS = 100_000


def select_examples(
    data: ModelData, corpus: EncodedCorpus, each: int, threads: int, stop: Callable[[], None], folder: Path
) -> ExampleReader:
    """Up to `each` examples of every shown sense; they wait in a file without a name in `folder`."""
    if each == 0:
        return no_examples
    positions = best_positions(data, corpus, each, threads, stop)
    there = np.flatnonzero(positions >= 0)  # a position is one use of one sense: there is none twice
    order = there[np.argsort(positions.ravel()[there])]
    snippets = extract(corpus, data.tokenizer, positions.ravel()[order], AROUND, threads, stop)
    numbers = positions  # in the same place: there may be many
    numbers[:] = -1
    every, numbers.ravel()[order] = spooled(snippets, order, folder)
    return _line_reader(data, numbers, every)


def _line_reader(data: ModelData, numbers: NDArray[np.int64], snippets: Snippets) -> ExampleReader:
    """Writes the lines of words; `numbers` are those of the snippets of each sense, (R, each)."""
    words, offsets, shown = data.vocabulary.words, data.arrays.sense_offsets, data.num_visible_senses
    lengths = np.append(np.diff(snippets.bounds), 0)  # of number -1 none

    def read(first: int, end: int) -> list[bytes]:
        beginnings = [beginning(word) for word in words[first:end]]
        bounds = np.cumsum([0, *map(len, beginnings)])
        of_these = numbers[offsets[first] : offsets[end]]
        room = bounds[-1] + lengths[of_these].sum() + of_these.size + FRAME * (len(of_these) + end - first)
        lines, line_bounds = np.empty(room, np.uint8), np.empty(end - first + 1, np.int64)
        write_lines(
            np.frombuffer(b"".join(beginnings), np.uint8), bounds, offsets[first : end + 1], shown[first:end],
            numbers, snippets.text, snippets.bounds, lines, line_bounds,
        )  # fmt: skip
        release_pages(snippets.text)
        text = lines[: line_bounds[-1]].tobytes()
        return [text[a:b] for a, b in pairwise(line_bounds.tolist())]

    return read


def best_positions(
    data: ModelData, corpus: EncodedCorpus, each: int, threads: int, stop: Callable[[], None]
) -> NDArray[np.int64]:
    """(R, each): where in the corpus the best uses of each sense stand, best first; -1 for none."""
    rows = len(data.arrays.sense_vectors)
    cosines = np.full((rows, each), -2, np.float32)
    positions = np.full((rows, each), -1, np.int64)
    assigner = SenseAssigner(data, DIRECTIONS)
    assigner.prepare()
    chance = np.minimum(USES / data.vocabulary.counts, 1)
    sample = (chance * float(ALL_TOKENS)).astype(np.uint64)
    bounds = block_bounds(corpus.sentences, CHUNK_TOKENS)
    seed = int(data.config["seed"])

    def assign(block: int) -> tuple[int, NDArray[np.int32], NDArray[np.float32]]:
        stop()
        read = corpus.read(bounds[block], bounds[block + 1])
        return int(corpus.sentences[bounds[block]]), *assigner.assign(*read, sample, block_seed(seed, block))

    for first, senses, similarities in map_in_order(assign, range(len(bounds) - 1), threads):
        keep_best(senses, similarities, first, 2 * AROUND, cosines, positions)
    return positions
