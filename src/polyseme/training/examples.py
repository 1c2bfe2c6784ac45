"""Example sentences: for each sense the uses whose context fits its center best, quoted from the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.encoded import EncodedCorpus
from polyseme.corpus.lexicon import split
from polyseme.corpus.tokenizers import AnyTokenizer, Tokenizer
from polyseme.kernels.assignment import keep_best
from polyseme.kernels.quoting import quote_words, room_for
from polyseme.kernels.text import NEWLINE
from polyseme.model.assigning import ALL, Assigner
from polyseme.model.examples import ExampleReader, no_examples, quotable, quoted, to_line
from polyseme.model.sense_model import SenseModel
from polyseme.training.trainer import block_bounds, block_seed

USES = 500  # of each word, chosen at random, are looked at
AROUND = 12  # words quoted on each side
CHUNK_TOKENS = 100_000
SENTENCES_AT_ONCE = 1000


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
    sentences = np.unique(sentence_of)
    texts = corpus.texts(sentences)
    found: dict[int, bytes] = {}
    for first in range(0, len(sentences), SENTENCES_AT_ONCE):
        stop()
        some = sentences[first : first + SENTENCES_AT_ONCE]
        inside = slice(*np.searchsorted(sentence_of, (some[0], some[-1] + 1)))
        here, of = positions[inside], np.searchsorted(some, sentence_of[inside])
        starts, ends = corpus.sentences[some], corpus.sentences[some + 1]
        lines = _Lines(list(islice(texts, len(some))), model.tokenizer)
        whole = lines.lengths >= ends - starts  # a text with fewer words than tokens is not the one that was encoded
        exact = whole[of]
        found.update(zip(here[exact].tolist(), lines.quote(of[exact], (here - starts[of])[exact]), strict=True))
        for position, i in zip(here[~exact].tolist(), of[~exact].tolist(), strict=True):
            found[position] = _from_tokens(corpus, int(starts[i]), int(ends[i]), position)
    return found


class _Lines:
    """Texts of sentences, split into words; one that is None, or that our tokenizers did not split, has no words."""

    def __init__(self, texts: list[bytes | None], tokenizer: AnyTokenizer) -> None:
        text = b"\n".join(t or b"" for t in texts) + b"\n"
        if isinstance(tokenizer, Tokenizer):
            words = split(text, tokenizer)
            self.starts, self.ends = words.starts.astype(np.int64), words.ends.astype(np.int64)
        else:
            self.starts = self.ends = np.flatnonzero(np.frombuffer(text, np.uint8) == NEWLINE)
        self.text = quotable(text)
        line_ends = np.flatnonzero(self.starts == self.ends)
        self.firsts = np.concatenate([[0], line_ends[:-1] + 1])  # the first word of each line ...
        self.lengths = line_ends - self.firsts  # ... and how many words it has
        self.stops = self.starts[line_ends]
        self.begins = np.concatenate([[0], self.stops[:-1] + 1])

    def quote(self, lines: NDArray[np.int64], numbers: NDArray[np.int64]) -> Iterator[bytes]:
        """The word of each number in its line, with the words around it, as JSON."""
        first, last = numbers - AROUND, numbers + AROUND
        words = self.firsts[lines] + numbers
        begins = np.where(first > 0, self.starts[words - np.minimum(numbers, AROUND)], self.begins[lines])
        left = np.minimum(self.lengths[lines] - 1 - numbers, AROUND)
        stops = np.where(last < self.lengths[lines] - 1, self.ends[words + left], self.stops[lines])
        out = np.empty(room_for(len(words), int((stops - begins).sum())), np.uint8)
        bounds = np.empty(len(words) + 1, np.int64)
        quote_words(
            np.frombuffer(self.text, np.uint8), begins, self.starts[words], self.ends[words], stops, out, bounds
        )
        quotes = out[: bounds[-1]].tobytes()
        return (quotes[a:b] for a, b in pairwise(bounds.tolist()))


def _from_tokens(corpus: EncodedCorpus, start: int, end: int, position: int) -> bytes:
    """The same, of the words as they were encoded."""
    words = [corpus.words[t] for t in corpus.tokens[max(start, position - AROUND) : min(end, position + AROUND + 1)]]
    at = position - max(start, position - AROUND)
    parts = ("".join(f"{w} " for w in words[:at]), words[at], "".join(f" {w}" for w in words[at + 1 :]))
    return quoted(*(quotable(part.encode()) for part in parts))
