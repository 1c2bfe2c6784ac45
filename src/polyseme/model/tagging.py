"""Tagging: the sense of each word of a text, chosen by its context. One kernel call per text, or per batch of texts."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.lexicon import Lexicon, TokenSpans, tokenize
from polyseme.corpus.tokenizers import CallableTokenizer, Tokenizer
from polyseme.kernels.text import END_OF_LINE
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import SenseAssigner

UNKNOWN = -1
MAX_CACHED_WORDS = 1 << 18  # distinct words whose ids are cached between texts


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


class Tagger:
    """Tags texts with one model. Lines are separate contexts. Caches the ids of the words it has seen.

    It can be used by several threads, which then wait for each other.
    """

    def __init__(self, data: ModelData) -> None:
        self.data = data
        self.assigner = SenseAssigner(data)
        self._lexicon = Lexicon()
        self._ids = np.empty(0, np.int32)  # in the model, of each word of the lexicon
        self._lock = threading.Lock()

    def tag(self, text: str) -> str:
        """The text with `#` and the sense number after each word that has several senses."""
        tokenizer = self.data.tokenizer
        if isinstance(tokenizer, CallableTokenizer):
            return "\n".join(" ".join(self._tag_tokens(tokenizer(line))) for line in text.split("\n"))
        encoded = text.encode("utf-8", "replace")
        spans = tokenize(encoded, tokenizer)
        ids, line_ends = self._encode(spans, tokenizer)
        numbers = self._sense_numbers(ids, np.concatenate([[0], line_ends, [len(ids)]]))
        tagged = np.flatnonzero(numbers)
        pieces: list[bytes] = []
        position = 0
        for end, number in zip(spans.ends[tagged].tolist(), numbers[tagged].tolist(), strict=True):
            pieces += (encoded[position:end], b"#%d" % number)
            position = end
        pieces.append(encoded[position:])
        return b"".join(pieces).decode()

    def encode(self, texts: Sequence[str]) -> EncodedTexts:
        """The ids of the words of one or more texts."""
        tokenizer, text = self.data.tokenizer, "\n".join(texts)
        if isinstance(tokenizer, CallableTokenizer):
            of_lines = [self._known_or_unknown(tokenizer(line)) for line in text.split("\n")]
            ids = np.array([i for line in of_lines for i in (*line, UNKNOWN)][:-1], np.int32)
            line_ends = np.cumsum([len(line) + 1 for line in of_lines])[:-1] - 1
        else:
            ids, line_ends = self._encode(tokenize(text.encode("utf-8", "replace"), tokenizer), tokenizer)
        lines = np.concatenate([[0], line_ends, [len(ids)]]).astype(np.int64)
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

    def _encode(self, spans: TokenSpans, tokenizer: Tokenizer) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The id of each word of a text, UNKNOWN for other words and line ends; and the indices of the line ends."""
        with self._lock:
            lexicon_ids = self._lexicon.add(spans)
            ids = np.append(self._word_ids(tokenizer), np.int32(UNKNOWN))[lexicon_ids]  # END_OF_LINE, -1: the last item
            if len(self._lexicon) > MAX_CACHED_WORDS:
                self._lexicon, self._ids = Lexicon(), np.empty(0, np.int32)
        return ids, np.flatnonzero(lexicon_ids == END_OF_LINE)

    def _word_ids(self, tokenizer: Tokenizer) -> NDArray[np.int32]:
        """The id in the model of each word of the lexicon, or UNKNOWN."""
        index = self.data.vocabulary.index
        new = [index.get(tokenizer.normalize(word), UNKNOWN) for word in self._lexicon.words(len(self._ids))]
        self._ids = np.concatenate([self._ids, np.array(new, np.int32)])
        return self._ids
