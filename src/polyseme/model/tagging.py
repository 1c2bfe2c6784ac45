"""Tagging: the sense of each word of a text, chosen by its context. One kernel call per text, or per batch of texts."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.lexicon import Lexicon, TokenSpans, tokenize
from polyseme.corpus.phrase_joining import PhraseMatcher
from polyseme.corpus.tokenizers import CallableTokenizer, Tokenizer
from polyseme.kernels.text import END_OF_LINE
from polyseme.model.data import ModelData
from polyseme.model.disambiguation import context_vectors, probabilities_in_contexts
from polyseme.model.sense_assigner import SenseAssigner

UNKNOWN = -1
MAX_CACHED_WORDS = 1 << 18  # distinct words whose ids are cached between texts

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class EncodedTexts:
    """The words of several texts, one text after the other.

    ids     int32 (n,)      id of each word in the model; UNKNOWN for other words and for line ends
    lines   int64 (l + 1,)  index of the first word of each line, then n
    bounds  int64 (m + 1,)  index of the first word of each text, then n
    """

    ids: NDArray[np.int32]
    lines: NDArray[np.int64]
    bounds: NDArray[np.int64]


@dataclass(frozen=True)
class TaggedPiece:
    """A piece of a text: a word with several senses, or what is between two of them.

    key            of the most probable sense; None for text between
    probabilities  of all senses, by key
    """

    text: str
    key: str | None = None
    probabilities: dict[str, float] = field(default_factory=dict)


class Tagger:
    """Tags texts with one model. Lines are separate contexts. Caches the ids of the words it has seen.

    It can be used by several threads, which then wait for each other.
    """

    def __init__(self, data: ModelData) -> None:
        self.data = data
        self.assigner = SenseAssigner(data)
        self._matcher = None if data.phrases is None else PhraseMatcher(data.phrases)
        names, index = ([] if data.phrases is None else data.phrases.names), data.vocabulary.index
        self._phrase_ids = np.array([index.get(name, UNKNOWN) for name in names], np.int32)
        self._lock = threading.Lock()
        self._forget_words()

    def _forget_words(self) -> None:
        self._lexicon = Lexicon()
        self._ids = np.array([UNKNOWN], np.int32)  # in the model, of each word of the lexicon, and of a line end
        self._parts = np.array([UNKNOWN], np.int32)  # the same in phrases

    def tag(self, text: str) -> str:
        """The text with `#` and the sense number after each word that has several senses.

        The words of a phrase with several senses are joined by `_`, as in its key.
        """
        tokenizer = self.data.tokenizer
        if isinstance(tokenizer, CallableTokenizer):
            return "\n".join(" ".join(self._tag_tokens(self.data.tokenize(line))) for line in text.split("\n"))
        encoded = text.encode("utf-8", "replace")
        spans = tokenize(encoded, tokenizer)
        ids, starts, lines = self._encode(spans, tokenizer)
        numbers = self._sense_numbers(ids, lines)
        tagged = np.flatnonzero(numbers)
        pieces: list[bytes] = []
        position = 0
        firsts, lasts = starts[tagged].tolist(), (starts[tagged + 1] - 1).tolist()
        for first, last, number in zip(firsts, lasts, numbers[tagged].tolist(), strict=True):
            for word in range(first, last):
                pieces += (encoded[position : spans.ends[word]], b"_")
                position = int(spans.starts[word + 1])
            end = int(spans.ends[last])
            pieces += (encoded[position:end], b"#%d" % number)
            position = end
        pieces.append(encoded[position:])
        return b"".join(pieces).decode()

    def pieces(self, text: str) -> list[TaggedPiece]:
        """The text cut into words with several senses and what is between them; together the pieces are the text."""
        encoded = text.encode("utf-8", "replace")
        ids, spans, lines = self._spans(encoded)
        known = np.flatnonzero(ids >= 0)
        ambiguous = known[self.data.num_visible_senses[ids[known]] > 1]
        pieces: list[TaggedPiece] = []
        position = 0
        for (start, end), probabilities in zip(
            spans[ambiguous].tolist(), self.probabilities(ids, lines, ambiguous), strict=True
        ):
            if start > position:
                pieces.append(TaggedPiece(encoded[position:start].decode()))
            best = max(probabilities, key=probabilities.__getitem__)
            pieces.append(TaggedPiece(encoded[start:end].decode(), best, probabilities))
            position = end
        if position < len(encoded):
            pieces.append(TaggedPiece(encoded[position:].decode()))
        return pieces

    def _spans(self, text: bytes) -> tuple[NDArray[np.int32], Ints, Ints]:
        """The ids of the words and phrases of a text, their byte spans (n, 2), and the first of each line."""
        tokenizer = self.data.tokenizer
        if isinstance(tokenizer, CallableTokenizer):
            return self._find_tokens(text)
        spans = tokenize(text, tokenizer)
        ids, starts, lines = self._encode(spans, tokenizer)
        bounds = np.stack([spans.starts[starts[:-1]], spans.ends[starts[1:] - 1]], axis=1)
        return ids, bounds.astype(np.int64), lines

    def _find_tokens(self, text: bytes) -> tuple[NDArray[np.int32], Ints, Ints]:
        """The same for a function as tokenizer: its tokens are searched in the text, and skipped if they differ."""
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        lines = [0]
        line_start = 0
        for line in text.split(b"\n"):
            position = 0
            for token in self.data.tokenize(line.decode()):
                start = line.lower().find(token.encode("utf-8", "replace").lower(), position)
                if start >= 0:
                    position = start + len(token.encode("utf-8", "replace"))
                    spans.append((line_start + start, line_start + position))
                    ids += self._known_or_unknown([token])
            lines.append(len(ids))
            line_start += len(line) + 1
        return np.array(ids, np.int32), np.array(spans, np.int64).reshape(-1, 2), np.array(lines, np.int64)

    def probabilities(self, ids: NDArray[np.int32], lines: Ints, positions: Ints) -> Iterator[dict[str, float]]:
        """Yield the probabilities of the senses of the words at these positions, by key."""
        vectors = context_vectors(self.data, ids, lines, positions)
        words = ids[positions]
        rows = [np.empty(0)] * len(positions)
        for word in np.unique(words).tolist():
            of_word = np.flatnonzero(words == word)
            for i, row in zip(
                of_word.tolist(), probabilities_in_contexts(self.data, word, vectors[of_word]), strict=True
            ):
                rows[i] = row
        for word, probabilities in zip(words.tolist(), rows, strict=True):
            keys = [self.data.key(row) for row in self.data.rows(word)]
            yield dict(zip(keys, probabilities.tolist(), strict=True))

    def encode(self, texts: Sequence[str]) -> EncodedTexts:
        """The ids of the words of one or more texts."""
        tokenizer, text = self.data.tokenizer, "\n".join(texts)
        if isinstance(tokenizer, CallableTokenizer):
            of_lines = [self._known_or_unknown(self.data.tokenize(line)) for line in text.split("\n")]
            ids = np.array([i for line in of_lines for i in (*line, UNKNOWN)][:-1], np.int32)
            lines = line_bounds(np.cumsum([len(line) + 1 for line in of_lines])[:-1] - 1, len(ids))
        else:
            ids, _, lines = self._encode(tokenize(text.encode("utf-8", "replace"), tokenizer), tokenizer)
        return EncodedTexts(ids, lines, lines[np.cumsum([0, *(text.count("\n") + 1 for text in texts)])])

    def sense_rows(self, ids: NDArray[np.int32], sentences: NDArray[np.int64]) -> NDArray[np.int32]:
        """The row of the sense of each word, those of words with one sense included; UNKNOWN for other ids.

        ids        IN  int32 (n,)      ids outside the vocabulary are unknown words
        sentences  IN  int64 (m + 1,)  index of the first word of each context, then n
        """
        rows, _ = self.assigner.assign(ids, sentences.astype(np.int64), self.assigner.ambiguous)
        unambiguous = np.flatnonzero((rows == UNKNOWN) & (ids >= 0))
        rows[unambiguous] = self.data.arrays.sense_offsets[ids[unambiguous]]
        return rows

    def _tag_tokens(self, tokens: list[str]) -> list[str]:
        ids = np.array(self._known_or_unknown(tokens), np.int32)
        numbers = self._sense_numbers(ids, np.array([0, len(ids)])).tolist()
        return [f"{token}#{number}" if number else token for token, number in zip(tokens, numbers, strict=True)]

    def _sense_numbers(self, ids: NDArray[np.int32], sentences: NDArray[np.int64]) -> NDArray[np.int32]:
        """The number of the sense of each token; 0 for tokens without several senses."""
        rows, _ = self.assigner.assign(ids, sentences.astype(np.int64), self.assigner.ambiguous)
        return np.where(rows >= 0, self.data.sense_numbers[rows], 0)

    def _known_or_unknown(self, tokens: list[str]) -> list[int]:
        return [self.data.vocabulary.index.get(token, UNKNOWN) for token in tokens]

    def _encode(self, spans: TokenSpans, tokenizer: Tokenizer) -> tuple[NDArray[np.int32], Ints, Ints]:
        """The words and phrases of a text.

        Returns their ids in the model, UNKNOWN for other words and for line ends; the first word of each, and the end;
        and the first of each line, and the end.
        """
        with self._lock:
            lexicon_ids = self._lexicon.add(spans)
            self._look_up(tokenizer)
            lines = line_bounds(np.flatnonzero(lexicon_ids == END_OF_LINE), len(lexicon_ids))
            ids = self._ids[lexicon_ids]  # END_OF_LINE, -1: the last item
            parts = ids if self._matcher is None else self._parts[lexicon_ids]
            if len(self._lexicon) > MAX_CACHED_WORDS:
                self._forget_words()
        return self.join_phrases(ids, parts, lines)

    def part_id(self, word: str) -> int:
        """The id of a word among the words of phrases, or UNKNOWN."""
        return UNKNOWN if self._matcher is None else self._matcher.index.get(word, UNKNOWN)

    def join_phrases(
        self, ids: NDArray[np.int32], parts: NDArray[np.int32], lines: Ints
    ) -> tuple[NDArray[np.int32], Ints, Ints]:
        """Join the words of phrases, if the model has any; returns the same as `_encode`.

        ids    IN  int32 (n,)      id of each word
        parts  IN  int32 (n,)      id of each word among the words of phrases, as from `part_id`
        lines  IN  int64 (m + 1,)  index of the first word of each line, then n; no phrase crosses the end of a line
        """
        if self._matcher is None:
            return ids, np.arange(len(ids) + 1), lines
        phrases, starts, lines = self._matcher.match(parts, lines)
        ids = ids[starts[:-1]]
        joined = phrases >= 0
        ids[joined] = self._phrase_ids[phrases[joined]]
        return ids, starts, lines

    def _look_up(self, tokenizer: Tokenizer) -> None:
        """Look up the words that are new in the lexicon."""
        index = self.data.vocabulary.index
        words = [tokenizer.normalize(word) for word in self._lexicon.words(len(self._ids) - 1)]
        new = np.array([*(index.get(word, UNKNOWN) for word in words), UNKNOWN], np.int32)
        self._ids = np.concatenate([self._ids[:-1], new])
        if self._matcher is not None:
            self._parts = np.concatenate([self._parts[:-1], self._matcher.word_ids([*words, ""])])


def line_bounds(line_ends: Ints, num_words: int) -> Ints:
    """The index of the first word of each line, and the end; a line begins with the end of the one before."""
    return np.concatenate([[0], line_ends, [num_words]]).astype(np.int64)
