"""Tagging: the sense number of each ambiguous word, appended to it in the text. One kernel call per text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.lexicon import Lexicon, tokenize
from polyseme.corpus.phrase_joining import PhraseMatcher
from polyseme.corpus.tokenizers import CallableTokenizer, Tokenizer
from polyseme.kernels.text import END_OF_LINE
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import SenseAssigner

UNKNOWN = -1
MAX_CACHED_WORDS = 1 << 18  # distinct words whose ids are cached between texts

Ints = NDArray[np.int64]


class Tagger:
    """Tags texts with one model. Lines are separate contexts. Caches the ids of the words it has seen."""

    def __init__(self, data: ModelData) -> None:
        self.data = data
        self.assigner = SenseAssigner(data)
        self._matcher = None if data.phrases is None else PhraseMatcher(data.phrases)
        names, index = ([] if data.phrases is None else data.phrases.names), data.vocabulary.index
        self._phrase_ids = np.array([index.get(name, UNKNOWN) for name in names], np.int32)
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
        lexicon_ids = self._lexicon.add(spans)
        self._look_up(tokenizer)
        line_ends = np.flatnonzero(lexicon_ids == END_OF_LINE)  # -1: the last of self._ids
        sentences = np.concatenate([[0], line_ends, [len(lexicon_ids)]]).astype(np.int64)
        ids, starts, sentences = self._join(lexicon_ids, sentences)
        numbers = self._sense_numbers(ids, sentences)
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
        if len(self._lexicon) > MAX_CACHED_WORDS:
            self._forget_words()
        return b"".join(pieces).decode()

    def _tag_tokens(self, tokens: list[str]) -> list[str]:
        ids = np.array([self.data.vocabulary.index.get(token, UNKNOWN) for token in tokens], np.int32)
        numbers = self._sense_numbers(ids, np.array([0, len(ids)])).tolist()
        return [f"{token}#{number}" if number else token for token, number in zip(tokens, numbers, strict=True)]

    def _join(self, lexicon_ids: NDArray[np.int32], sentences: Ints) -> tuple[NDArray[np.int32], Ints, Ints]:
        """The ids in the model of words and phrases; the first word of each, and the end; and the starts of sentences.

        lexicon_ids  IN  int32 (n,)
        sentences    IN  int64 (m + 1,)
        """
        ids = self._ids[lexicon_ids]
        if self._matcher is None:
            return ids, np.arange(len(ids) + 1), sentences
        phrases, starts, sentences = self._matcher.match(self._parts[lexicon_ids], sentences)
        ids = ids[starts[:-1]]
        joined = phrases >= 0
        ids[joined] = self._phrase_ids[phrases[joined]]
        return ids, starts, sentences

    def _sense_numbers(self, ids: NDArray[np.int32], sentences: Ints) -> NDArray[np.int32]:
        """The number of the sense of each token; 0 for tokens without several senses."""
        rows, _ = self.assigner.assign(ids, sentences, self.assigner.ambiguous)
        return np.where(rows >= 0, self.data.sense_numbers[rows], 0)

    def _look_up(self, tokenizer: Tokenizer) -> None:
        """Look up the words that are new in the lexicon."""
        index = self.data.vocabulary.index
        words = [tokenizer.normalize(word) for word in self._lexicon.words(len(self._ids) - 1)]
        new = np.array([*(index.get(word, UNKNOWN) for word in words), UNKNOWN], np.int32)
        self._ids = np.concatenate([self._ids[:-1], new])
        if self._matcher is not None:
            self._parts = np.concatenate([self._parts[:-1], self._matcher.word_ids([*words, ""])])
