"""Words, counts, subsampling, and the noise distribution that negatives are drawn from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import CorpusError, UnknownWord

TWO_32 = float(2**32)


@dataclass(frozen=True)
class Vocabulary:
    """The words of a model, most frequent first; a word's id is its place in the list."""

    words: list[str]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    @cached_property
    def index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def unknown(self, word: str) -> UnknownWord:
        """The error for a word that is not there; it names close ones."""
        close = [w for w in (word.lower(), word.capitalize(), word.upper()) if w in self.index]
        close += [w for w in get_close_matches(word, self.words[:50_000], n=3) if w not in close]
        hint = f" Closest: {', '.join(close)}." if close else ""
        return UnknownWord(
            f"'{word}' is not among the {len(self):,} words of this model "
            f"(the rarest was seen {int(self.counts[-1]):,} times).{hint}"
        )

    def keep_thresholds(self, subsample: float) -> NDArray[np.uint64]:
        """For each word, the number out of 2^32 under which a random draw keeps a token (word2vec's rule).

        p(keep) = (sqrt(f / t) + 1) * t / f, where f is the word's frequency and t the threshold.
        """
        if subsample <= 0:
            return np.full(len(self), 2**32, np.uint64)
        ratio = subsample * self.counts.sum() / self.counts
        return np.asarray(np.minimum(np.sqrt(ratio) + ratio, 1.0) * TWO_32).astype(np.uint64)

    def negative_table(self, power: float = 0.75) -> NDArray[np.uint32]:
        """An alias table of unigram^power: (V, 2) of a threshold out of 2^32, and the word taken above it.

        Draw a slot at random and a number r < 2^32: the noise word is the slot if r < threshold, else the alias.
        """
        mass = self.counts.astype(np.float64) ** power
        mass *= len(self) / mass.sum()
        table = np.empty((len(self), 2), np.uint32)
        table[:, 0] = 2**32 - 1
        table[:, 1] = np.arange(len(self))
        poor = [int(i) for i in np.flatnonzero(mass < 1)]
        rich = [int(i) for i in np.flatnonzero(mass >= 1)]
        left = mass.tolist()
        while poor and rich:
            small, large = poor.pop(), rich[-1]
            table[small] = (int(left[small] * (2**32 - 1)), large)
            left[large] -= 1 - left[small]
            if left[large] < 1:
                poor.append(rich.pop())
        return table

    def multi_sense_mask(self, *, top: int, min_count: int, listed: Collection[str] | None) -> NDArray[np.bool_]:
        """Which words may have several senses: the `top` most frequent with `min_count` uses, or those `listed`."""
        chosen = np.zeros(len(self), np.bool_)
        if listed is not None:
            chosen[[self.index[word] for word in listed if word in self.index]] = True
        else:
            chosen[:top] = self.counts[:top] >= min_count
        return chosen


def cut(words: list[str], counts: NDArray[np.int64], *, min_count: int, max_size: int | None) -> Vocabulary:
    """The vocabulary of the words seen at least `min_count` times, at most `max_size` of them."""
    size = int(np.searchsorted(-counts, -min_count, side="right"))
    if max_size is not None:
        size = min(size, max_size)
    if size < 2:
        seen = f"the most frequent, '{words[0]}', {int(counts[0]):,} times" if words else "no word at all"
        raise CorpusError(
            f"{size} words are left of {len(words):,} ({seen}); at least 2 are needed. "
            f"Give more text or a lower --min-count than {min_count}."
        )
    return Vocabulary(words[:size], counts[:size].copy())


def write_words(path: Path, words: list[str], counts: NDArray[np.int64]) -> None:
    """Write `word TAB count` lines, most frequent first."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{word}\t{count}\n" for word, count in zip(words, counts.tolist(), strict=True))


def read_words(path: Path) -> tuple[list[str], NDArray[np.int64]]:
    """Read what `write_words` wrote; a ValueError if a line is not of that form."""
    fields = path.read_bytes().decode("utf-8").replace("\n", "\t").split("\t")
    if fields.pop() != "" or len(fields) % 2:
        raise ValueError("lines must be: word TAB count")
    return fields[0::2], np.array(fields[1::2], dtype=np.int64)
