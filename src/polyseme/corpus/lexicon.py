"""Tokenizing bytes and assigning ids to words: Python wrappers of `polyseme.kernels.text`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.segmenters import APOSTROPHES, Segmenter
from polyseme.corpus.tokenizers import Tokenizer
from polyseme.kernels import text as kernels

INITIAL_CAPACITY = 1 << 16  # words
LETTERS_PER_WORD = 12
SLOTS_PER_WORD = 2


@dataclass(frozen=True)
class TokenSpans:
    """A text and the byte spans of its tokens. A line end is a token of length 0."""

    letters: NDArray[np.uint8]  # the text, with ASCII letters in lower case if the tokenizer has `lowercase`, and zeros
    bounds: NDArray[np.int32]  # (k, 2): first byte of each token, and the byte after its last

    @property
    def starts(self) -> NDArray[np.int32]:
        return self.bounds[:, 0]

    @property
    def ends(self) -> NDArray[np.int32]:
        return self.bounds[:, 1]

    @cached_property
    def codes(self) -> NDArray[np.uint64]:
        """A number for each token, see `polyseme.kernels.text.code_words`."""
        codes = np.empty(len(self.bounds), np.uint64)
        size = len(self.letters) - kernels.EIGHT
        eights = np.ndarray(size, "<u8", self.letters, strides=(1,))  # overlapping numbers
        kernels.code_words(eights, self.bounds, codes)
        return codes


def tokenize(text: bytes, tokenizer: Tokenizer) -> TokenSpans:
    """Find the tokens of a valid UTF-8 text."""
    letters = np.zeros(len(text) + kernels.EIGHT, np.uint8)
    letters[: len(text)] = np.frombuffer(text, np.uint8)
    if tokenizer.lowercase:
        kernels.lower_ascii(letters)
    bounds = np.empty((len(text) + 2, 2), np.int32)
    n = kernels.find_spans(letters[: len(text)], tokenizer.classes, bounds)
    if tokenizer.segmenter is not None:
        return TokenSpans(letters, _segment(text, bounds[:n], tokenizer.segmenter))
    return TokenSpans(letters, bounds[:n])


def _segment(text: bytes, runs: NDArray[np.int32], segmenter: Segmenter) -> NDArray[np.int32]:
    """The spans of the words in runs of letters. ASCII runs are words, and line ends stay as they are.

    runs  IN  int32 (k, 2)  spans in bytes
    """
    characters = text.decode()
    is_first_byte = (np.frombuffer(text, np.uint8) & 0xC0) != 0x80
    byte_offsets = np.append(np.flatnonzero(is_first_byte), len(text))  # of characters
    run_bounds = np.searchsorted(byte_offsets, runs)  # in characters
    sizes: list[int] = []  # words of each run
    characters_of_words: list[int] = []
    is_word: list[bool] = []
    for start, end in run_bounds.tolist():
        run = characters[start:end]
        words = [run] if run.isascii() else segmenter.split(run)
        sizes.append(len(words))
        characters_of_words += map(len, words)
        is_word += [word not in APOSTROPHES for word in words]
    lengths = np.array(characters_of_words, np.int64)
    word_ends = np.cumsum(lengths)
    gaps = run_bounds[:, 1] - word_ends[np.cumsum(sizes, dtype=np.int64) - 1]  # characters outside of words, so far
    ends = word_ends + np.repeat(gaps, sizes)
    spans = np.stack([ends - lengths, ends], axis=1)[np.array(is_word, np.bool_)]
    return byte_offsets[spans].astype(np.int32)


class Lexicon:
    """Assigns an id to each distinct word, in order of first occurrence, and counts occurrences."""

    def __init__(self) -> None:
        self._arrays = _empty(INITIAL_CAPACITY, INITIAL_CAPACITY * LETTERS_PER_WORD)

    def __len__(self) -> int:
        return int(self._arrays.size[0])

    @property
    def counts(self) -> NDArray[np.int64]:
        return self._arrays.counts[: len(self)]

    def words(self, first: int = 0) -> list[str]:
        """The words from id `first` on."""
        bounds = self._arrays.bounds
        return self._arrays.letters[bounds[first] : bounds[len(self)]].tobytes().decode().split("\n")[:-1]

    def non_ascii_words(self) -> dict[int, str]:
        """The words with non-ASCII characters, by id."""
        if not len(self):
            return {}
        bounds, letters = self._arrays.bounds[: len(self) + 1], self._arrays.letters
        highest = np.maximum.reduceat(letters[: bounds[-1]], bounds[:-1])
        ids = np.flatnonzero(highest >= kernels.NOT_ASCII)
        return {i: letters[bounds[i] : bounds[i + 1] - 1].tobytes().decode() for i in ids.tolist()}

    def to_table(self, order: NDArray[np.int64], counts: NDArray[np.int64]) -> bytes:
        """Lines `word TAB count`, in the format of `write_words`, for the words with these ids."""
        out = np.empty(int(self._arrays.bounds[len(self)]) + kernels.MAX_COUNT_BYTES * len(order), np.uint8)
        n = kernels.write_table(self._arrays.letters, self._arrays.bounds, order, counts, out)
        return out[:n].tobytes()

    def add(self, spans: TokenSpans) -> NDArray[np.int32]:
        """Count the tokens of a text and return their ids, END_OF_LINE for a line end."""
        bounds, codes = spans.bounds, spans.codes
        ids = np.empty(len(bounds), np.int32)
        done = 0
        while done < len(ids):
            done += kernels.assign_ids(spans.letters, bounds[done:], codes[done:], self._arrays, ids[done:])
            if done < len(ids):
                self._grow(int(bounds[done, 1] - bounds[done, 0]) + 1)
        return ids

    def _grow(self, needed: int) -> None:
        """Double the capacity for words or for letters, whichever ran out."""
        old, n = self._arrays, len(self)
        capacity = len(old.counts) * (2 if n == len(old.counts) else 1)
        used, room = int(old.bounds[n]), len(old.letters)
        room *= 2 if used + needed > room else 1
        new = _empty(capacity, max(room, used + needed))
        new.bounds[: n + 1] = old.bounds[: n + 1]
        new.letters[:used] = old.letters[:used]
        new.counts[:n] = old.counts[:n]
        new.size[0] = n
        kernels.copy_slots(old.slots, new.slots)
        self._arrays = new


def _empty(capacity: int, room: int) -> kernels.LexiconArrays:
    return kernels.LexiconArrays(
        slots=np.zeros((capacity * SLOTS_PER_WORD, 2), np.uint64),
        bounds=np.zeros(capacity + 1, np.int64),
        letters=np.empty(room, np.uint8),
        counts=np.empty(capacity, np.int64),
        size=np.zeros(1, np.int64),
    )
