"""Example sentences: for each sense the uses whose context fits its center best, quoted from the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.encoded import EncodedCorpus
from polyseme.corpus.lexicon import Split, split
from polyseme.corpus.tokenizers import Tokenizer
from polyseme.kernels.assignment import keep_best
from polyseme.model.assigning import ALL, Assigner
from polyseme.model.examples import ExampleReader, no_examples, quotable, quoted, to_line
from polyseme.model.sense_model import SenseModel
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
    quotes = _quote(model, corpus, np.unique(positions[positions >= 0]), stop)

    def read(word: int) -> bytes:
        rows = model.rows(word)
        senses = [
            list(dict.fromkeys(quotes[p] for p in best if p >= 0))
            for best in positions[rows.start : rows.stop].tolist()
        ]
        return to_line(model.vocabulary.words[word], senses) if any(senses) else b""

    return read


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


def _quote(
    model: SenseModel, corpus: EncodedCorpus, positions: NDArray[np.int64], stop: Callable[[], None]
) -> dict[int, bytes]:
    """The words around each position (given in rising order), as JSON: from the source text, else from the tokens."""
    sentence_of = np.searchsorted(corpus.sentences, positions, side="right") - 1
    sentences, firsts = np.unique(sentence_of, return_index=True)
    groups = np.split(positions, firsts[1:]) if len(positions) else []
    tokenizer = model.tokenizer
    found: dict[int, bytes] = {}
    bounds = zip(corpus.sentences[sentences].tolist(), corpus.sentences[sentences + 1].tolist(), strict=True)
    for (start, end), inside, text in zip(bounds, groups, corpus.texts(sentences), strict=True):
        stop()
        words = split(text, tokenizer) if text is not None and isinstance(tokenizer, Tokenizer) else None
        if words is not None and len(words.starts) >= end - start:
            quotes = _from_text(words, inside - start)
        else:
            quotes = (_from_tokens(corpus, start, end, position) for position in inside.tolist())
        found.update(zip(inside.tolist(), quotes, strict=True))
    return found


def _from_text(words: Split, numbers: NDArray[np.int64]) -> Iterator[bytes]:
    """The words of these numbers, each with the words around it."""
    text, starts, ends = quotable(words.text), words.starts, words.ends
    first, last = np.maximum(numbers - AROUND, 0), np.minimum(numbers + AROUND, len(starts) - 1)
    begin = np.where(first > 0, starts[first], 0)
    end = np.where(last < len(starts) - 1, ends[last], len(text))
    for a, b, c, d in zip(begin.tolist(), starts[numbers].tolist(), ends[numbers].tolist(), end.tolist(), strict=True):
        yield quoted(text[a:b], text[b:c], text[c:d])


def _from_tokens(corpus: EncodedCorpus, start: int, end: int, position: int) -> bytes:
    """The same, of the words as they were encoded."""
    words = [corpus.words[t] for t in corpus.tokens[max(start, position - AROUND) : min(end, position + AROUND + 1)]]
    at = position - max(start, position - AROUND)
    parts = ("".join(f"{w} " for w in words[:at]), words[at], "".join(f" {w}" for w in words[at + 1 :]))
    return quoted(*(quotable(part.encode()) for part in parts))
