"""Example sentences: for each sense the uses whose context fits its center best, quoted from the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.encoded import EncodedCorpus
from polyseme.corpus.tokenizers import NUL, Tokenizer
from polyseme.kernels.assignment import keep_best
from polyseme.kernels.text import split
from polyseme.model.assigning import ALL, Assigner
from polyseme.model.results import Example
from polyseme.model.sense_model import SenseModel
from polyseme.training.config import TrainConfig
from polyseme.training.trainer import block_bounds, block_seed

USES = 500  # of each word, chosen at random, are looked at
AROUND = 12  # words quoted on each side
CHUNK_TOKENS = 100_000


def find_examples(
    model: SenseModel, corpus: EncodedCorpus, each: int, threads: int, stop: Callable[[], None]
) -> Callable[[int], list[list[Example]]]:
    """Up to `each` examples of every shown sense of the words that may have several; a reader of them by word id."""
    if each == 0:
        return lambda _: []
    positions = _best_positions(model, corpus, each, threads, stop)
    quotes = _quote(model, corpus, np.unique(positions[positions >= 0]), stop)

    def read(word: int) -> list[list[Example]]:
        return [_different(positions[row].tolist(), quotes) for row in model.rows(word)]

    return read


def _different(positions: list[int], quotes: dict[int, str]) -> list[Example]:
    """The examples at these positions, without those that quote the same words or the same place as a better one."""
    chosen: dict[str, None] = {}
    places: set[int] = set()
    for position in positions:
        if position < 0:
            break
        quote, place = quotes[position], position // (2 * AROUND)
        if quote not in chosen and place not in places:
            chosen[quote] = None
            places.add(place)
    return [_example(quote) for quote in chosen]


def _example(quote: str) -> Example:
    """
    >>> _example("by the river \\0bank\\0 we sat").marked()
    'by the river *bank* we sat'
    """
    left, word, right = quote.split(NUL)
    return Example(left + word + right, len(left), len(left) + len(word))


def _best_positions(
    model: SenseModel, corpus: EncodedCorpus, each: int, threads: int, stop: Callable[[], None]
) -> NDArray[np.int64]:
    """(R, each): where in the corpus the best uses of each sense stand, best first; -1 for none."""
    rows = len(model.arrays.sense_vectors)
    cosines = np.full((rows, each), -2, np.float32)
    positions = np.full((rows, each), -1, np.int64)
    assigner = Assigner(model)
    several = TrainConfig.from_dict(model.config).may_have_several_senses(model.vocabulary)
    chance = np.where(several, np.minimum(USES / model.vocabulary.counts, 1), 0)
    sample = (chance * float(ALL)).astype(np.uint64)
    bounds = block_bounds(corpus.sentences, CHUNK_TOKENS)
    seed = int(model.config["seed"])

    def assign(block: int) -> tuple[int, NDArray[np.int32], NDArray[np.float32]]:
        sentences = np.array(corpus.sentences[bounds[block] : bounds[block + 1] + 1])
        tokens = np.array(corpus.tokens[sentences[0] : sentences[-1]])
        stop()
        return int(sentences[0]), *assigner.assign(tokens, sentences - sentences[0], sample, block_seed(seed, block))

    with ThreadPoolExecutor(threads) as pool:
        for first, senses, similarities in pool.map(assign, range(len(bounds) - 1)):
            keep_best(senses, similarities, first, cosines, positions)
    return positions


def _quote(
    model: SenseModel, corpus: EncodedCorpus, positions: NDArray[np.int64], stop: Callable[[], None]
) -> dict[int, str]:
    """The words around each position (given in rising order), NUL on both sides of the one that stands there.

    From the source text, else from the tokens. There may be a million of them: plain strings cost the least.
    """
    sentence_of = np.searchsorted(corpus.sentences, positions, side="right") - 1
    pairs = zip(sentence_of.tolist(), positions.tolist(), strict=True)
    grouped = [(sentence, [p for _, p in group]) for sentence, group in groupby(pairs, key=lambda pair: pair[0])]
    texts = corpus.texts([sentence for sentence, _ in grouped])
    found: dict[int, str] = {}
    for (sentence, inside), text in zip(grouped, texts, strict=True):
        stop()
        start, end = int(corpus.sentences[sentence]), int(corpus.sentences[sentence + 1])
        spans = _spans(text, model.tokenizer, end - start) if text is not None else None
        if text is not None and spans is not None:
            quotes = _from_text(text, *spans, np.array(inside) - start)
        else:
            quotes = (_from_tokens(corpus, start, end, position) for position in inside)
        found.update(zip(inside, quotes, strict=True))
    return found


def _spans(text: bytes, tokenizer: object, length: int) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
    """Where the words of a sentence stand in its text; None if they are not those that were encoded."""
    if not isinstance(tokenizer, Tokenizer):
        return None
    starts, ends = np.empty(len(text) + 1, np.int32), np.empty(len(text) + 1, np.int32)
    n = split(np.frombuffer(text, np.uint8), tokenizer.classes, starts, ends)
    return (starts[:n], ends[:n]) if n >= length else None


def _from_text(
    text: bytes, starts: NDArray[np.int32], ends: NDArray[np.int32], numbers: NDArray[np.int64]
) -> Iterator[str]:
    """The words of these numbers, each with the words around it."""
    first, last = np.maximum(numbers - AROUND, 0), np.minimum(numbers + AROUND, len(starts) - 1)
    begin = np.where(first > 0, starts[first], 0)
    end = np.where(last < len(starts) - 1, ends[last], len(text))
    for a, b, c, d in zip(begin.tolist(), starts[numbers].tolist(), ends[numbers].tolist(), end.tolist(), strict=True):
        yield b"\0".join((text[a:b], text[b:c], text[c:d])).decode()


def _from_tokens(corpus: EncodedCorpus, start: int, end: int, position: int) -> str:
    """The same, of the words as they were encoded."""
    first, last = max(start, position - AROUND), min(end, position + AROUND + 1)
    left = "".join(f"{corpus.words[t]} " for t in corpus.tokens[first:position])
    right = "".join(f" {corpus.words[t]}" for t in corpus.tokens[position + 1 : last])
    return f"{left}{NUL}{corpus.words[corpus.tokens[position]]}{NUL}{right}"
