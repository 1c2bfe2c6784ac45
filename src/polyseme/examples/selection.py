"""Selecting example sentences: for each sense the occurrences whose contexts have the highest cosine with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyseme._io.thread_pool import map_in_order
from polyseme.corpus.blocks import block_bounds, block_seed
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.phrases import Phrases
from polyseme.corpus.tokenizers import AnyTokenizer
from polyseme.examples.extraction import extract_snippets
from polyseme.examples.snippets import line_reader, write_spool
from polyseme.examples.store import ExampleReader
from polyseme.kernels.assign import keep_best
from polyseme.vocabulary import Vocabulary

MAX_OCCURRENCES = 500  # expected size of the random sample of a word's occurrences
SNIPPET_WINDOW = 12  # words on each side
BLOCK_TOKENS = 100_000

Ints = NDArray[np.int64]


class Assigner(Protocol):
    """Assigns senses to tokens, as `polyseme.model.sense_assigner.SenseAssigner` does. Called from several threads."""

    def assign(
        self, tokens: NDArray[np.int32], sentences: Ints, sample: NDArray[np.uint64], seed: int, /
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The row of each token's sense (-1 if it is not in the sample), and the cosine of sense and context.

        tokens     IN  int32 (n,)      ids
        sentences  IN  int64 (m + 1,)  start of each sentence in tokens, and the end of the last
        sample     IN  uint64 (V,)     probability, times 2^32, that an occurrence of a word is in the sample
        """
        ...


def collect_examples(
    assigner: Assigner,
    corpus: EncodedCorpus,
    vocabulary: Vocabulary,
    sense_offsets: Ints,
    visible_senses: NDArray[np.int32],
    tokenizer: AnyTokenizer,
    *,
    phrases: Phrases | None = None,
    per_sense: int,
    seed: int,
    threads: int,
    stop: Callable[[], None],
    folder: Path,
) -> ExampleReader:
    """Select up to `per_sense` (1 or more) examples of each visible sense, and store them in a temporary file.

    sense_offsets   IN  int64 (V + 1,)  the senses of word w are rows sense_offsets[w] to sense_offsets[w + 1]
    visible_senses  IN  int32 (V,)      number of senses per word that get examples: the first of its rows
    phrases         those that were joined in the corpus
    stop            called regularly; raises an exception to stop
    folder          of the temporary file, which has no name and disappears with the reader
    """
    num_rows = int(sense_offsets[-1])
    _, best = best_occurrences(assigner, corpus, vocabulary.counts, num_rows, per_sense, seed, threads, stop)
    positions = best.ravel()
    slots = np.flatnonzero(positions >= 0)
    slots = slots[np.argsort(positions[slots])]  # in text order; no position is in two slots
    snippets = extract_snippets(corpus, tokenizer, positions[slots], SNIPPET_WINDOW, threads, stop, phrases)
    spool = write_spool(snippets, slots, len(positions), folder)
    return line_reader(spool, vocabulary.words, sense_offsets, visible_senses)


def best_occurrences(
    assigner: Assigner,
    corpus: EncodedCorpus,
    counts: Ints,
    num_rows: int,
    per_sense: int,
    seed: int,
    threads: int,
    stop: Callable[[], None],
) -> tuple[NDArray[np.float32], Ints]:
    """The best occurrences of each sense, best first: cosines and positions, (num_rows, per_sense); -1 for none."""
    cosines = np.full((num_rows, per_sense), -2, np.float32)
    positions = np.full((num_rows, per_sense), -1, np.int64)
    sample = (np.minimum(MAX_OCCURRENCES / counts, 1) * 2.0**32).astype(np.uint64)
    bounds = block_bounds(corpus.sentences, BLOCK_TOKENS)

    def assign(block: int) -> tuple[int, NDArray[np.int32], NDArray[np.float32]]:
        stop()
        first, last = bounds[block : block + 2]
        assigned = assigner.assign(*corpus.read(first, last), sample, block_seed(seed, block))
        return int(corpus.sentences[first]), *assigned

    for first, senses, similarities in map_in_order(assign, range(len(bounds) - 1), threads):
        keep_best(senses, similarities, first, 2 * SNIPPET_WINDOW, cosines, positions)
    return cosines, positions
