"""Snippets of a corpus: a word with the text around it, from the source text where that is still available."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from polyseme._io.thread_pool import map_in_order
from polyseme.corpus.blocks import block_bounds
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.lexicon import tokenize
from polyseme.corpus.phrase_joining import PhraseMatcher
from polyseme.corpus.phrases import Phrases
from polyseme.corpus.tokenizers import AnyTokenizer, Tokenizer
from polyseme.examples.snippets import Snippets
from polyseme.examples.store import snippet_json
from polyseme.kernels.text import NEWLINE

BATCH_TOKENS = 30_000
BLANK_CONTROLS = bytes(ord(" ") if byte < ord(" ") else byte for byte in range(256))

Ints = NDArray[np.int64]


def extract_snippets(
    corpus: EncodedCorpus,
    tokenizer: AnyTokenizer,
    positions: Ints,
    window: int,
    threads: int,
    stop: Callable[[], None] = lambda: None,
    phrases: Phrases | None = None,
) -> Iterator[Snippets]:
    """Yield the snippets of the tokens at these positions, in batches.

    positions  IN  int64 (k,)  ascending
    window     number of words on each side, within the sentence
    phrases    those that were joined in the corpus; each counts as a word, and is shown as in the source

    Where the source is missing or has changed, and where the tokenizer is a callable, a snippet consists of the encoded
    words, joined by spaces. Control characters become spaces.
    """
    sentence_of = np.searchsorted(corpus.sentences, positions, side="right") - 1
    sentences, first_positions = np.unique(sentence_of, return_index=True)
    first_positions = np.append(first_positions, len(positions))
    lengths = corpus.sentences[sentences + 1] - corpus.sentences[sentences]
    texts = corpus.source_texts(sentences)
    matcher = None if phrases is None else PhraseMatcher(phrases)

    def batches() -> Iterator[_Batch]:
        bounds = block_bounds(np.concatenate([[0], np.cumsum(lengths)]), BATCH_TOKENS)
        for first, last in pairwise(bounds.tolist()):
            stop()
            in_batch = slice(first_positions[first], first_positions[last])
            line_of = np.searchsorted(sentences[first:last], sentence_of[in_batch])
            yield _Batch(sentences[first:last], list(islice(texts, last - first)), positions[in_batch], line_of)

    return map_in_order(lambda batch: batch.extract(corpus, tokenizer, matcher, window), batches(), threads)


@dataclass(frozen=True)
class _Batch:
    """Consecutive sentences with positions to extract.

    sentences  int64 (m,)  numbers of the sentences in the corpus
    texts      their source texts, None if not available
    positions  int64 (k,)  positions in the corpus
    line_of    int64 (k,)  index into `sentences` of each position
    """

    sentences: Ints
    texts: list[bytes | None]
    positions: Ints
    line_of: Ints

    def extract(
        self, corpus: EncodedCorpus, tokenizer: AnyTokenizer, matcher: PhraseMatcher | None, window: int
    ) -> Snippets:
        starts, ends = corpus.sentences[self.sentences], corpus.sentences[self.sentences + 1]
        lines = _Lines(self.texts, tokenizer, matcher)
        # A text with fewer words than the sentence has tokens is not the one that was encoded.
        in_text = (lines.lengths >= ends - starts)[self.line_of]
        from_text = lines.snippets(self.line_of[in_text], (self.positions - starts[self.line_of])[in_text], window)
        if in_text.all():
            return from_text
        texts = iter(from_text)
        bounds = zip(self.positions.tolist(), starts[self.line_of].tolist(), ends[self.line_of].tolist(), strict=True)
        return Snippets.of(
            [
                next(texts) if use_text else _snippet_of_tokens(corpus, *bound, window)
                for use_text, bound in zip(in_text.tolist(), bounds, strict=True)
            ]
        )


class _Lines:
    """Lines of text split into words and phrases. They have none if the text is None or the tokenizer is a callable."""

    def __init__(
        self, texts: list[bytes | None], tokenizer: AnyTokenizer, matcher: PhraseMatcher | None = None
    ) -> None:
        text = b"".join([(line or b"") + b"\n" for line in texts])
        self.text = text.translate(BLANK_CONTROLS)
        if isinstance(tokenizer, Tokenizer):
            spans = tokenize(text, tokenizer)
            if matcher is not None:
                spans = matcher.join_spans(spans, tokenizer)
            self.starts, self.ends = spans.starts, spans.ends
        else:
            self.starts = self.ends = np.flatnonzero(np.frombuffer(text, np.uint8) == NEWLINE).astype(np.int32)
        line_ends = np.flatnonzero(self.starts == self.ends)  # a line end is a word of length 0
        self.first_words = np.concatenate([[0], line_ends[:-1] + 1])
        self.lengths = line_ends - self.first_words  # in words
        self.line_ends = self.starts[line_ends]
        self.line_starts = np.concatenate([[0], self.line_ends[:-1] + 1])

    def snippets(self, lines: Ints, numbers: Ints, window: int) -> Snippets:
        """The snippets of words, given by their line and their number in it."""
        words, last_numbers = self.first_words[lines] + numbers, self.lengths[lines] - 1
        first_words = words - np.minimum(numbers, window)
        last_words = words + np.minimum(last_numbers - numbers, window)
        lefts = np.where(numbers > window, self.starts[first_words], self.line_starts[lines])
        rights = np.where(last_numbers - numbers > window, self.ends[last_words], self.line_ends[lines])
        return Snippets.cut(self.text, lefts, self.starts[words], self.ends[words], rights)


def _snippet_of_tokens(corpus: EncodedCorpus, position: int, start: int, end: int, window: int) -> bytes:
    """The snippet of a position in the sentence tokens[start:end], from the encoded words."""
    first = max(start, position - window)
    words = [corpus.words[token] for token in corpus.tokens[first : min(end, position + window + 1)]]
    word = position - first
    parts = ("".join(f"{w} " for w in words[:word]), words[word], "".join(f" {w}" for w in words[word + 1 :]))
    return snippet_json(*(part.encode().translate(BLANK_CONTROLS).decode() for part in parts)).encode()
