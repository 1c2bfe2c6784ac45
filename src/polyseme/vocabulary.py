"""The vocabulary: words, counts, subsampling, and the distribution of negative samples."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from unicodedata import combining, normalize

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import CorpusError, UnknownWord, shorten

TWO_32 = float(2**32)


@dataclass(frozen=True)
class Vocabulary:
    """The words of a model with their counts, most frequent first; a word's id is its index in the list."""

    words: list[str]
    counts: NDArray[np.int64]

    @classmethod
    def from_counts(
        cls, words: list[str], counts: NDArray[np.int64], *, min_count: int, max_size: int | None
    ) -> Vocabulary:
        """The vocabulary of the words that occur at least `min_count` times, at most `max_size` of them.

        words, counts  all words of a corpus, most frequent first
        """
        size = int(np.searchsorted(-counts, -min_count, side="right"))
        if max_size is not None:
            size = min(size, max_size)
        if size < 2:
            top = f" (the most frequent, '{shorten(words[0])}', occurs {int(counts[0]):,} times)" if words else ""
            raise CorpusError(
                f"{size} of {len(words):,} distinct words are in the vocabulary{top}; at least 2 are needed. "
                f"Give more text or a lower --min-count than {min_count}."
            )
        return cls(words[:size], counts[:size].copy())

    def __repr__(self) -> str:
        return f"<Vocabulary: {len(self):,} words>"  # all of them would fill many screens

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    @cached_property
    def index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def unknown(self, word: str, counted: bool = True) -> UnknownWord:
        """The error for a word that is not in the vocabulary; its message suggests similar words.

        counted  whether the counts are known, and not assumed
        """
        close = [w for w in (word.lower(), word.capitalize(), word.upper()) if w in self.index]
        frequent = self.words[:50_000]
        folded = fold(word)
        close += [w for w in frequent if fold(w) == folded and w not in close]
        close += [w for w in get_close_matches(word, frequent, n=3) if w not in close]
        hint = f" Closest: {', '.join(map(shorten, close))}." if close else ""
        rarest = f" (the rarest occurs {int(self.counts[-1]):,} times)" if counted else ""
        return UnknownWord(f"'{shorten(word)}' is not among the {len(self):,} words of this model{rarest}.{hint}")

    def keep_thresholds(self, subsample: float) -> NDArray[np.uint64]:
        """Probability, times 2^32, that subsampling keeps a token of each word, (V,).

        p(keep) = (sqrt(f / t) + 1) * t / f, as in word2vec, where f is the relative frequency of the word and t is
        `subsample`; 0 keeps all tokens.
        """
        if subsample <= 0:
            return np.full(len(self), 2**32, np.uint64)
        ratio = subsample * self.counts.sum() / self.counts
        return np.asarray(np.minimum(np.sqrt(ratio) + ratio, 1.0) * TWO_32).astype(np.uint64)

    def negative_table(self, power: float = 0.75) -> NDArray[np.uint32]:
        """Alias table of the distribution of negative samples, unigram^power: (V, 2), threshold and alias.

        To sample a word, draw a slot and a number r below 2^32: the word is the slot if r < threshold, else the alias.
        """
        mass = self.counts.astype(np.float64) ** power
        mass *= len(self) / mass.sum()
        table = np.empty((len(self), 2), np.uint32)
        table[:, 0] = 2**32 - 1
        table[:, 1] = np.arange(len(self))
        small = [int(i) for i in np.flatnonzero(mass < 1)]
        large = [int(i) for i in np.flatnonzero(mass >= 1)]
        remaining = mass.tolist()
        while small and large:
            slot, alias = small.pop(), large[-1]
            table[slot] = (int(remaining[slot] * (2**32 - 1)), alias)
            remaining[alias] -= 1 - remaining[slot]
            if remaining[alias] < 1:
                small.append(large.pop())
        return table

    def multi_sense_mask(self, *, top: int, min_count: int, listed: Collection[str] | None) -> NDArray[np.bool_]:
        """Which words may have several senses, (V,).

        Those `listed`, if it is given, else those of the `top` most frequent that occur at least `min_count` times.
        """
        mask = np.zeros(len(self), np.bool_)
        if listed is not None:
            mask[[self.index[word] for word in listed if word in self.index]] = True
        else:
            mask[:top] = self.counts[:top] >= min_count
        return mask


def write_words(path: Path, words: list[str], counts: NDArray[np.int64]) -> None:
    """Write lines `word TAB count`."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{word}\t{count}\n" for word, count in zip(words, counts.tolist(), strict=True))


def read_words(path: Path) -> tuple[list[str], NDArray[np.int64]]:
    """Read a file written by `write_words`.

    ValueError if it is malformed, or if the counts are not positive and descending, which lookups and sampling rely on.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not UTF-8 ({error.reason} at byte {error.start:,})") from None
    fields = text.replace("\n", "\t").split("\t")
    if fields.pop() != "" or len(fields) % 2 or not fields:
        raise ValueError(f"the lines of {path.name} must be: word TAB count")
    try:
        counts = np.array(fields[1::2], dtype=np.int64)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"a count in {path.name} is not a whole number ({shorten(error)})") from None
    if counts[-1] < 1 or np.any(counts[1:] > counts[:-1]) or counts.sum(dtype=np.float64) >= 2**63:
        raise ValueError(f"the counts in {path.name} are not 1 or more, in descending order")
    return fields[0::2], counts


def fold(word: str) -> str:
    """The word without case and accents, as many people type it.

    >>> fold("Élan"), fold("Straße")
    ('elan', 'strasse')
    """
    if word.isascii():
        return word.lower()
    decomposed = normalize("NFKD", word.casefold())
    return "".join(c for c in decomposed if not combining(c)).casefold()
