"""Tokenizers: Unicode words (the default), white space, or any callable from a line to its words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from polyseme.errors import ConfigError

CODE_POINTS = 0x110000
PLANE = 0x10000  # divides them
PLANES_IN_USE = (0, 1, 2, 3, 14)  # the characters of any other plane are alike: not assigned, or private
NUL = "\0"  # between the tokens of a callable: it cannot stand in a text that is not binary


@dataclass(frozen=True)
class Tokenizer:
    """How a text is cut into words: by classes of characters, then each word brought into its normal form.

    single, word, joiner: regular expressions for one character each, the classes of `polyseme.kernels.text`.
    lowercase: whether ASCII letters are brought into lower case, which is the normal form of words that have no others.
    """

    name: str
    single: str
    word: str
    joiner: str
    normal: Callable[[str], str]
    lowercase: bool

    @cached_property
    def pattern(self) -> regex.Pattern[str]:
        return regex.compile(f"(?V1){self.single}|{self.word}+(?:{self.joiner}{self.word}+)*")

    @cached_property
    def classes(self) -> NDArray[np.uint8]:
        """The class of each code point, for the kernel."""
        from polyseme.kernels.text import JOINER, SINGLE, WORD

        classes = np.zeros(CODE_POINTS, np.uint8)
        kinds = {WORD: self.word, JOINER: self.joiner, SINGLE: self.single}
        expressions = {k: regex.compile(f"(?V1){one}+") for k, one in kinds.items() if one != _NEVER}
        for first in range(0, CODE_POINTS, PLANE):  # all characters at once would take 80 MB
            alike = first // PLANE not in PLANES_IN_USE
            some = chr(first) if alike else "".join(map(chr, range(first, first + PLANE)))
            for kind, expression in expressions.items():
                for match in expression.finditer(some):
                    classes[first + match.start() : first + (PLANE if alike else match.end())] = kind
        return classes

    def __call__(self, text: str) -> list[str]:
        return [self.normal(word) for word in self.pattern.findall(text)]


@dataclass(frozen=True)
class CallableTokenizer:
    """A tokenizer of the user's own: a function from a line to its words."""

    function: Callable[[str], list[str]]
    name: str = "custom"

    def __call__(self, text: str) -> list[str]:
        return [word for word in self.function(text) if word]


def lower_nfc(word: str) -> str:
    """Lower case, composed characters, straight apostrophes.

    >>> lower_nfc("L’Été"), lower_nfc("ΟΔΟΣ")
    ("l'été", 'οδος')
    """
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).lower()).replace("’", "'")


def as_it_is(word: str) -> str:
    return word


# Scripts written without spaces between words; their characters are words by themselves, as in UAX #29.
_UNSPACED = r"[\p{Han}\p{Hiragana}]"
_NEVER = "[a&&b]"  # no character is both

WORDS = Tokenizer(
    "words", single=_UNSPACED, word=rf"[\w--{_UNSPACED}]", joiner="['’]", normal=lower_nfc, lowercase=True
)
WHITESPACE = Tokenizer("whitespace", single=_NEVER, word=r"[^\s\0]", joiner=_NEVER, normal=as_it_is, lowercase=False)
NUL_SEPARATED = Tokenizer("custom", single=_NEVER, word=r"[^\0\n]", joiner=_NEVER, normal=as_it_is, lowercase=False)

AnyTokenizer = Tokenizer | CallableTokenizer


def get_tokenizer(wanted: str | Callable[[str], list[str]] | AnyTokenizer) -> AnyTokenizer:
    """The tokenizer of a name, or of a callable.

    >>> get_tokenizer("words")("The bank's rivers, don’t 東京")
    ['the', "bank's", 'rivers', "don't", '東', '京']
    >>> get_tokenizer("whitespace")("The bank,  as it is.")
    ['The', 'bank,', 'as', 'it', 'is.']
    """
    named: dict[Any, Tokenizer] = {"words": WORDS, "whitespace": WHITESPACE}
    if isinstance(wanted, Tokenizer | CallableTokenizer):
        return wanted
    if wanted in named:
        return named[wanted]
    if callable(wanted):
        return CallableTokenizer(wanted)
    raise ConfigError(f"tokenizer '{wanted}' is not known; take 'words', 'whitespace', or a function of your own.")
