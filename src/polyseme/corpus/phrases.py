"""Phrases: sequences of words that are joined to one token, `new york` to `new_york`.

They are stored in a file of lines of words, separated by tabs. A phrase and a word that the text itself writes with an
underscore, such as `new_york`, are the same word of the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from polyseme.errors import shorten
from polyseme.vocabulary import Vocabulary

JOINER = "_"
MAX_PASSES = 5
MAX_WORDS = 2**MAX_PASSES  # of a phrase: each pass can double the length


@dataclass(frozen=True)
class PhraseSettings:
    """How phrases are found: see `polyseme.corpus.phrase_detection`."""

    threshold: float
    min_count: int
    passes: int

    def __str__(self) -> str:
        """The settings as command-line options."""
        counts = f"--phrase-min-count {self.min_count} --phrase-passes {self.passes}"
        return f"--phrase-threshold {self.threshold:g} {counts}"


@dataclass(frozen=True)
class Phrases:
    """A list of phrases.

    words     the words of each phrase
    settings  those of the search that found the phrases; None if they are from elsewhere
    """

    words: list[tuple[str, ...]]
    settings: PhraseSettings | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def names(self) -> list[str]:
        """The token that each phrase becomes."""
        return [JOINER.join(words) for words in self.words]

    def join(self, tokens: list[str]) -> list[str]:
        """Join the words of phrases: from left to right, at each word the longest phrase that begins there.

        >>> Phrases([("new", "york"), ("new", "york", "times")]).join(["the", "new", "york", "times", "new", "york"])
        ['the', 'new_york_times', 'new_york']
        """
        joined: list[str] = []
        position = 0
        while position < len(tokens):
            node, end = self._trie.get(tokens[position]), position + 1
            length = end
            while node is not None and length < len(tokens):
                node = node.get(tokens[length])
                length += 1
                if node is not None and "" in node:  # a word is not empty
                    end = length
            joined.append(JOINER.join(tokens[position:end]))
            position = end
        return joined

    @cached_property
    def _trie(self) -> dict[str, Any]:
        """Nested dictionaries by word; the key "" marks the end of a phrase."""
        trie: dict[str, Any] = {}
        for words in self.words:
            node = trie
            for word in words:
                node = node.setdefault(word, {})
            node[""] = {}
        return trie

    def known_to(self, vocabulary: Vocabulary) -> Phrases:
        """The phrases that a vocabulary contains."""
        known = [words for words, name in zip(self.words, self.names, strict=True) if name in vocabulary]
        return Phrases(known, self.settings)

    def to_bytes(self) -> bytes:
        return "".join("\t".join(words) + "\n" for words in self.words).encode()


def read_phrases(path: Path, settings: PhraseSettings | None = None) -> Phrases:
    """Read a file of phrases; ValueError if it is malformed."""
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not UTF-8 ({error.reason} at byte {error.start:,})") from None
    if lines.pop() != "":
        raise ValueError(f"the last line of {path.name} has no end")
    phrases = [tuple(line.split("\t")) for line in lines]
    for words in phrases:
        if not 2 <= len(words) <= MAX_WORDS or not all(words):
            raise ValueError(
                f"the lines of {path.name} must be 2 to {MAX_WORDS} words, separated by tabs, "
                f"not '{shorten(' '.join(words))}'"
            )
    return Phrases(phrases, settings)
