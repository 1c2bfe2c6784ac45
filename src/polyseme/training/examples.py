"""Example sentences: for each sense the uses whose context fits its center best, quoted from the corpus."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.encoded import EncodedCorpus
from polyseme.kernels.assignment import keep_best
from polyseme.kernels.quoting import FRAME, write_lines
from polyseme.model.assigning import ALL, Assigner
from polyseme.model.examples import ExampleReader, beginning, no_examples
from polyseme.model.sense_model import SenseModel
from polyseme.training.quoting import Quotations, quote
from polyseme.training.trainer import block_bounds, block_seed

USES = 500  # of each word, chosen at random, are looked at
AROUND = 12  # words quoted on each side
CHUNK_TOKENS = 100_000


def find_examples(
    model: SenseModel, corpus: EncodedCorpus, each: int, threads: int, stop: Callable[[], None]
) -> ExampleReader:
    """Up to `each` examples of every shown sense."""
    if each == 0:
        return no_examples
    positions = _best_positions(model, corpus, each, threads, stop)
    there = np.flatnonzero(positions >= 0)  # a position is one use of one sense: there is none twice
    order = there[np.argsort(positions.ravel()[there])]
    quotations = quote(corpus, model.tokenizer, positions.ravel()[order], AROUND, threads, stop)
    numbers = np.full(positions.shape, -1, np.int64)
    numbers.ravel()[order] = np.arange(len(order))
    lines, offsets = _lines(model, numbers, quotations)
    return lambda word: lines[offsets[word] : offsets[word + 1]].tobytes()


def _lines(
    model: SenseModel, numbers: NDArray[np.int64], quotations: Quotations
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The lines of all words, and where each begins; `numbers` are those of the quotations of each sense, (R, each)."""
    beginnings = [beginning(word) for word in model.vocabulary.words]
    bounds = np.concatenate([[0], np.cumsum([len(b) for b in beginnings])])
    letters = np.append(np.diff(quotations.bounds), 0)[numbers].sum()  # of number -1 none
    room = bounds[-1] + letters + numbers.size + FRAME * (len(numbers) + len(model))
    lines, offsets = np.empty(room, np.uint8), np.zeros(len(model) + 1, np.int64)
    write_lines(
        np.frombuffer(b"".join(beginnings), np.uint8), bounds, model.arrays.sense_offsets, model.shown_numbers,
        numbers, quotations.text, quotations.bounds, lines, offsets,
    )  # fmt: skip
    return lines[: offsets[-1]], offsets


def _best_positions(
    model: SenseModel, corpus: EncodedCorpus, each: int, threads: int, stop: Callable[[], None]
) -> NDArray[np.int64]:
    """(R, each): where in the corpus the best uses of each sense stand, best first; -1 for none."""
    rows = len(model.arrays.sense_vectors)
    cosines = np.full((rows, each), -2, np.float32)
    positions = np.full((rows, each), -1, np.int64)
    assigner = Assigner(model)
    chance = np.minimum(USES / model.vocabulary.counts, 1)
    sample = (chance * float(ALL)).astype(np.uint64)
    bounds = block_bounds(corpus.sentences, CHUNK_TOKENS)
    seed = int(model.config["seed"])

    def assign(block: int) -> tuple[int, NDArray[np.int32], NDArray[np.float32]]:
        sentences = np.array(corpus.sentences[bounds[block] : bounds[block + 1] + 1])
        tokens = np.array(corpus.tokens[sentences[0] : sentences[-1]])
        stop()
        return int(sentences[0]), *assigner.assign(tokens, sentences - sentences[0], sample, block_seed(seed, block))

    blocks = range(len(bounds) - 1)
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, len(blocks), 4 * threads):  # a few at a time: results must not pile up
            for first, senses, similarities in pool.map(assign, blocks[start : start + 4 * threads]):
                keep_best(senses, similarities, first, 2 * AROUND, cosines, positions)
    return positions
