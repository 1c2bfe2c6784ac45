"""Tagging: the sense number of each ambiguous word, appended to it in the text. One kernel call per text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.lexicon import Lexicon, tokenize
from polyseme.corpus.tokenizers import CallableTokenizer, Tokenizer
from polyseme.kernels.text import END_OF_LINE
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import SenseAssigner

UNKNOWN = -1
MAX_CACHED_WORDS = 1 << 18  # distinct words whose ids are cached between texts


class Tagger:
    """Tags texts with one model. Lines are separate contexts. Caches the ids of the words it has seen."""

    def __init__(self, data: ModelData) -> None:
        self.data = data
        self.assigner = SenseAssigner(data)
        self._lexicon = Lexicon()
        self._ids = np.empty(0, np.int32)  # in the model, of each word of the lexicon

    def tag(self, text: str) -> str:
        """The text with `#` and the sense number after each word that has several senses."""
        tokenizer = self.data.tokenizer
        if isinstance(tokenizer, CallableTokenizer):
            return "\n".join(" ".join(self._tag_tokens(tokenizer(line))) for line in text.split("\n"))
        encoded = text.encode("utf-8", "replace")
        spans = tokenize(encoded, tokenizer)
        lexicon_ids = self._lexicon.add(spans)
        ids = np.append(self._word_ids(tokenizer), np.int32(UNKNOWN))[lexicon_ids]  # END_OF_LINE, -1, is the last item
        line_ends = np.flatnonzero(lexicon_ids == END_OF_LINE)
        numbers = self._sense_numbers(ids, np.concatenate([[0], line_ends, [len(ids)]]))
        tagged = np.flatnonzero(numbers)
        pieces: list[bytes] = []
        position = 0
        for end, number in zip(spans.ends[tagged].tolist(), numbers[tagged].tolist(), strict=True):
            pieces += (encoded[position:end], b"#%d" % number)
            position = end
        pieces.append(encoded[position:])
        if len(self._lexicon) > MAX_CACHED_WORDS:
            self._lexicon, self._ids = Lexicon(), np.empty(0, np.int32)
        return b"".join(pieces).decode()

    def _tag_tokens(self, tokens: list[str]) -> list[str]:
        ids = np.array([self.data.vocabulary.index.get(token, UNKNOWN) for token in tokens], np.int32)
        numbers = self._sense_numbers(ids, np.array([0, len(ids)])).tolist()
        return [f"{token}#{number}" if number else token for token, number in zip(tokens, numbers, strict=True)]

    def _sense_numbers(self, ids: NDArray[np.int32], sentences: NDArray[np.int64]) -> NDArray[np.int32]:
        """The number of the sense of each token; 0 for tokens without several senses."""
        rows, _ = self.assigner.assign(ids, sentences.astype(np.int64), self.assigner.ambiguous)
        return np.where(rows >= 0, self.data.sense_numbers[rows], 0)

    def _word_ids(self, tokenizer: Tokenizer) -> NDArray[np.int32]:
        """The id in the model of each word of the lexicon, or UNKNOWN."""
        index = self.data.vocabulary.index
        new = [index.get(tokenizer.normalize(word), UNKNOWN) for word in self._lexicon.words(len(self._ids))]
        self._ids = np.concatenate([self._ids, np.array(new, np.int32)])
        return self._ids
