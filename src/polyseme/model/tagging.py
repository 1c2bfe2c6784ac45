"""Tagging: text in, text out with each word of several senses as its key. One batched pass for a whole text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.lexicon import Lexicon, tokenize
from polyseme.corpus.tokenizers import CallableTokenizer, Tokenizer
from polyseme.kernels.text import END_OF_LINE

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

UNKNOWN = -1


class Tagger:
    """Tags texts with one model; words met once are found faster the next time."""

    def __init__(self, model: SenseModel) -> None:
        self.model = model
        self.assigner = model.assigner
        self._lexicon = Lexicon()
        self._ids = np.empty(0, np.int32)  # of each word of the lexicon

    def tag(self, text: str) -> str:
        """See `SenseModel.tag`. All that is not an ambiguous word stays as it is."""
        tokenizer = self.model.tokenizer
        if isinstance(tokenizer, CallableTokenizer):
            return "\n".join(" ".join(self._tag_tokens(tokenizer(line))) for line in text.split("\n"))
        data = text.encode("utf-8", "replace")
        words = tokenize(data, tokenizer)
        numbers = self._lexicon.add(words)
        ids = np.append(self._vocabulary_ids(tokenizer), np.int32(UNKNOWN))[numbers]
        line_ends = np.flatnonzero(numbers == END_OF_LINE)
        sentences = np.concatenate([[0], line_ends, [len(ids)]]).astype(np.int64)
        senses, _ = self.assigner.assign(ids, sentences, self.assigner.ambiguous)
        tagged = np.flatnonzero(senses >= 0)
        pieces: list[bytes] = []
        position = 0
        for start, end, key in zip(
            words.starts[tagged].tolist(), words.ends[tagged].tolist(), self._keys(ids[tagged], senses[tagged]),
            strict=True,
        ):  # fmt: skip
            pieces += (data[position:start], key)
            position = end
        pieces.append(data[position:])
        return b"".join(pieces).decode()

    def _tag_tokens(self, tokens: list[str]) -> list[str]:
        ids = np.array([self.model.vocabulary.index.get(token, UNKNOWN) for token in tokens], np.int32)
        sentences = np.array([0, len(ids)], np.int64)
        senses, _ = self.assigner.assign(ids, sentences, self.assigner.ambiguous)
        return [self.model.key(s) if s >= 0 else token for s, token in zip(senses.tolist(), tokens, strict=True)]

    def _vocabulary_ids(self, tokenizer: Tokenizer) -> NDArray[np.int32]:
        """The id in the model of each word of the lexicon, or UNKNOWN."""
        index = self.model.vocabulary.index
        new = [index.get(tokenizer.normalize(word), UNKNOWN) for word in self._lexicon.words(len(self._ids))]
        self._ids = np.concatenate([self._ids, np.array(new, np.int32)])
        return self._ids

    def _keys(self, ids: NDArray[np.int32], senses: NDArray[np.int32]) -> list[bytes]:
        """`word#number` of each pair; made once for each different sense."""
        rows, places = np.unique(senses, return_inverse=True)
        words = np.zeros(len(rows), np.int64)
        words[places] = ids
        numbers = rows - self.model.arrays.sense_offsets[words] + 1
        names = self.model.vocabulary.words
        keys = [f"{names[w]}#{k}".encode() for w, k in zip(words.tolist(), numbers.tolist(), strict=True)]
        return [keys[i] for i in places.tolist()]
