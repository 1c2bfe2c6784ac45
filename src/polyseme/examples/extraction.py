"""Snippets from a corpus: a word with the words around it, from the source text where that is still there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from polyseme._io.thread_pool import map_in_order
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.lexicon import tokenize
from polyseme.corpus.tokenizers import AnyTokenizer, Tokenizer
from polyseme.examples.store import quotable, quoted
from polyseme.kernels.quoting import FRAME, quote_words
from polyseme.kernels.text import NEWLINE

TOKENS_AT_ONCE = 30_000

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Snippets:
    """JSON of many snippets: number i is text[bounds[i] : bounds[i + 1]]."""

    text: NDArray[np.uint8]
    bounds: Ints

    def __iter__(self) -> Iterator[bytes]:
        text = self.text.tobytes()
        return (text[a:b] for a, b in pairwise(self.bounds.tolist()))


def extract(
    corpus: EncodedCorpus,
    tokenizer: AnyTokenizer,
    positions: Ints,
    around: int,
    threads: int,
    stop: Callable[[], None] = lambda: None,
) -> Iterator[Snippets]:
    """Quote the tokens at some positions, given in rising order, each with words on each side; some at a time."""
    sentence_of = np.searchsorted(corpus.sentences, positions, side="right") - 1
    sentences = np.unique(sentence_of)
    texts = corpus.texts(sentences)

    def quote_some(some: Ints, here: Ints, of: Ints, texts: list[bytes | None]) -> Snippets:
        starts, ends = corpus.sentences[some], corpus.sentences[some + 1]
        lines = _Lines(texts, tokenizer)
        there = (lines.lengths >= ends - starts)[of]  # a text with fewer words than tokens is not the one encoded
        from_text = lines.extract(of[there], (here - starts[of])[there], around)
        if there.all():
            return from_text
        found = iter(from_text)
        bounds = zip(here.tolist(), starts[of].tolist(), ends[of].tolist(), strict=True)
        return _joined(
            next(found) if is_there else _from_tokens(corpus, *bound, around)
            for is_there, bound in zip(there.tolist(), bounds, strict=True)
        )

    def jobs() -> Iterator[tuple[Ints, Ints, Ints, list[bytes | None]]]:
        ends = np.cumsum(corpus.sentences[sentences + 1] - corpus.sentences[sentences])
        first = 0
        while first < len(sentences):
            stop()
            before = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + TOKENS_AT_ONCE, side="right")))
            some = sentences[first:last]
            inside = slice(*np.searchsorted(sentence_of, (some[0], some[-1] + 1)))
            yield some, positions[inside], np.searchsorted(some, sentence_of[inside]), list(islice(texts, len(some)))
            first = last

    return map_in_order(lambda job: quote_some(*job), jobs(), threads)


class _Lines:
    """Texts of sentences, split into words; one that is None, or not of a tokenizer of ours, has no words."""

    def __init__(self, texts: list[bytes | None], tokenizer: AnyTokenizer) -> None:
        text = b"".join((t or b"") + b"\n" for t in texts)
        if isinstance(tokenizer, Tokenizer):
            words = tokenize(text, tokenizer)
            self.starts, self.ends = words.starts.astype(np.int64), words.ends.astype(np.int64)
        else:
            self.starts = self.ends = np.flatnonzero(np.frombuffer(text, np.uint8) == NEWLINE)
        self.text = quotable(text)
        line_ends = np.flatnonzero(self.starts == self.ends)
        self.firsts = np.concatenate([[0], line_ends[:-1] + 1])  # the first word of each line ...
        self.lengths = line_ends - self.firsts  # ... and how many words it has
        self.stops = self.starts[line_ends]
        self.begins = np.concatenate([[0], self.stops[:-1] + 1])

    def extract(self, lines: Ints, numbers: Ints, around: int) -> Snippets:
        """The words of these numbers in their lines."""
        words, left = self.firsts[lines] + numbers, np.minimum(numbers, around)
        behind = self.lengths[lines] - 1 - numbers
        begins = np.where(numbers > around, self.starts[words - left], self.begins[lines])
        stops = np.where(behind > around, self.ends[words + np.minimum(behind, around)], self.stops[lines])
        out = np.empty(FRAME * len(words) + 2 * int((stops - begins).sum()), np.uint8)
        bounds = np.empty(len(words) + 1, np.int64)
        text = np.frombuffer(self.text, np.uint8)
        quote_words(text, begins, self.starts[words], self.ends[words], stops, out, bounds)
        return Snippets(out[: bounds[-1]].copy(), bounds)


def _from_tokens(corpus: EncodedCorpus, position: int, start: int, end: int, around: int) -> bytes:
    """The same, of the words as they were encoded."""
    words = [corpus.words[t] for t in corpus.tokens[max(start, position - around) : min(end, position + around + 1)]]
    at = position - max(start, position - around)
    parts = ("".join(f"{w} " for w in words[:at]), words[at], "".join(f" {w}" for w in words[at + 1 :]))
    return quoted(*(quotable(part.encode()) for part in parts))


def _joined(snippets: Iterable[bytes]) -> Snippets:
    every = list(snippets)
    return Snippets(np.frombuffer(b"".join(every), np.uint8), np.cumsum([0, *map(len, every)]))
