"""Numbering words as they come: the growing hash table behind `polyseme.kernels.text`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.tokenizers import Tokenizer
from polyseme.kernels import text as kernels
from polyseme.kernels.bytes import EIGHT

FIRST_CAPACITY = 1 << 16
LETTERS_PER_WORD = 12
SLOTS_PER_WORD = 2


@dataclass(frozen=True)
class Split:
    """A text, and where its words stand in it; a line end is a word of no length."""

    letters: NDArray[np.uint8]  # of the text, in lower case if the tokenizer says so, and some zeros
    bounds: NDArray[np.int32]  # (k, 2): where each word begins, and ends

    @property
    def starts(self) -> NDArray[np.int32]:
        return self.bounds[:, 0]

    @property
    def ends(self) -> NDArray[np.int32]:
        return self.bounds[:, 1]

    @cached_property
    def codes(self) -> NDArray[np.uint64]:
        """A hash of each word."""
        codes = np.empty(len(self.bounds), np.uint64)
        kernels.hash_words(self.letters, self.bounds, codes)
        return codes


def split(text: bytes, tokenizer: Tokenizer) -> Split:
    """Split a valid UTF-8 text into words."""
    letters = np.zeros(len(text) + EIGHT, np.uint8)
    letters[: len(text)] = np.frombuffer(text, np.uint8)
    if tokenizer.lowers:
        kernels.lower_ascii(letters)
    bounds = np.empty((len(text) + 2, 2), np.int32)
    n = kernels.split(letters, len(text), tokenizer.classes, *tokenizer.byte_ranges, bounds)
    return Split(letters, bounds[:n])


class GrowingLexicon:
    """Gives each different word a number, in order of first sight, and counts it."""

    def __init__(self) -> None:
        self._arrays = _empty(FIRST_CAPACITY, FIRST_CAPACITY * LETTERS_PER_WORD)

    def __len__(self) -> int:
        return int(self._arrays.size[0])

    @property
    def counts(self) -> NDArray[np.int64]:
        return self._arrays.counts[: len(self)]

    def words(self, first: int = 0) -> list[str]:
        """The words from number `first` on."""
        bounds = self._arrays.bounds
        return self._arrays.letters[bounds[first] : bounds[len(self)]].tobytes().decode().split("\n")[:-1]

    def not_ascii(self) -> dict[int, str]:
        """The words that have other characters than those of ASCII, by their numbers."""
        if not len(self):
            return {}
        bounds, letters = self._arrays.bounds[: len(self) + 1], self._arrays.letters
        highest = np.maximum.reduceat(letters[: bounds[-1]], bounds[:-1])
        numbers = np.flatnonzero(highest >= kernels.NOT_ASCII)
        return {i: letters[bounds[i] : bounds[i + 1] - 1].tobytes().decode() for i in numbers.tolist()}

    def table(self, order: NDArray[np.int64], counts: NDArray[np.int64]) -> bytes:
        """Lines `word TAB count`, as `write_words` writes them, of the words with these numbers."""
        out = np.empty(int(self._arrays.bounds[len(self)]) + kernels.DIGITS * len(order), np.uint8)
        n = kernels.write_table(self._arrays.letters, self._arrays.bounds, order, counts, out)
        return out[:n].tobytes()

    def number(self, words: Split) -> NDArray[np.int32]:
        """The numbers of the words of a text, END_OF_LINE for a line end."""
        bounds, codes = words.bounds, words.codes
        ids = np.empty(len(bounds), np.int32)
        done = 0
        while done < len(ids):
            done += kernels.number(words.letters, bounds[done:], codes[done:], self._arrays, ids[done:])
            if done < len(ids):
                self._grow(int(bounds[done, 1] - bounds[done, 0]) + 1)
        return ids

    def _grow(self, needed: int) -> None:
        """Twice the words or twice the letters, whichever ran out."""
        old, n = self._arrays, len(self)
        capacity = len(old.hashes) * (2 if n == len(old.hashes) else 1)
        used = int(old.bounds[n])
        room = len(old.letters) - EIGHT
        room *= 2 if used + needed > room else 1
        new = _empty(capacity, max(room, used + needed))
        new.hashes[:n] = old.hashes[:n]
        new.bounds[: n + 1] = old.bounds[: n + 1]
        new.letters[:used] = old.letters[:used]
        new.counts[:n] = old.counts[:n]
        new.size[0] = n
        kernels.fill_slots(new.slots, new.hashes, new.bounds, n)
        self._arrays = new


def _empty(capacity: int, room: int) -> kernels.Lexicon:
    return kernels.Lexicon(
        slots=np.full((capacity * SLOTS_PER_WORD, 2), kernels.EMPTY, np.uint64),
        hashes=np.empty(capacity, np.uint64),
        bounds=np.zeros(capacity + 1, np.int64),
        letters=np.empty(room + EIGHT, np.uint8),
        counts=np.empty(capacity, np.int64),
        size=np.zeros(1, np.int64),
    )
