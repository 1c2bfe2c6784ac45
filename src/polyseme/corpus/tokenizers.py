"""Tokenizers: Unicode words (the default), whitespace, languages without spaces, or any function of the user."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from polyseme.corpus.segmenters import APOSTROPHES, PYTHAINLP, RJIEBA, SUDACHI, Segmenter
from polyseme.errors import ConfigError, shorten

CODE_POINTS = 0x110000
PLANE = 0x10000  # code points per Unicode plane
ASSIGNED_PLANES = (0, 1, 2, 3, 14)  # in every other plane all code points have the same class
NUL = "\0"  # separates the tokens of a callable; no text contains it


@dataclass(frozen=True)
class Tokenizer:
    """Splits text into words by character class, and each of these with a segmenter, then normalizes each word.

    single, word, joiner  regular expressions of one character: the classes of `polyseme.kernels.text`
    normalize             maps a word to its normalized form
    lowercase             whether ASCII letters are lower-cased while splitting; must normalize every ASCII word
    segmenter             for languages without spaces, where words of the classes above are phrases
    """

    name: str
    single: str
    word: str
    joiner: str
    normalize: Callable[[str], str]
    lowercase: bool
    segmenter: Segmenter | None = None

    @cached_property
    def pattern(self) -> regex.Pattern[str]:
        return regex.compile(f"(?V1){self.single}|{self.word}+(?:{self.joiner}{self.word}+)*")

    @cached_property
    def classes(self) -> NDArray[np.uint8]:
        """The class of each code point, as the kernels take it."""
        from polyseme.kernels.text import JOINER, SINGLE, WORD

        classes = np.zeros(CODE_POINTS, np.uint8)
        patterns = {WORD: self.word, JOINER: self.joiner, SINGLE: self.single}
        compiled = {kind: regex.compile(f"(?V1){p}+") for kind, p in patterns.items() if p != _NEVER}
        for first in range(0, CODE_POINTS, PLANE):  # a string of all code points would take 80 MB
            uniform = first // PLANE not in ASSIGNED_PLANES
            points = np.arange(first, first + (1 if uniform else PLANE), dtype="<u4")
            characters = points.tobytes().decode("utf-32-le", "surrogatepass")
            for kind, pattern in compiled.items():
                for match in pattern.finditer(characters):
                    classes[first + match.start() : first + (PLANE if uniform else match.end())] = kind
        return classes

    def __call__(self, text: str) -> list[str]:
        if self.segmenter is None and self.lowercase and text.isascii():
            lowered: list[str] = self.pattern.findall(text.lower())  # the same as for each word, and faster
            return lowered
        runs = self.pattern.findall(text)
        if self.segmenter is None:
            return [self.normalize(word) for word in runs]
        words = (word for run in runs for word in self.segmenter.split(run))
        return [self.normalize(word) for word in words if word not in APOSTROPHES]


@dataclass(frozen=True)
class CallableTokenizer:
    """A user-defined tokenizer: a function from a line to its words."""

    function: Callable[[str], list[str]]
    name: str = "custom"

    def __call__(self, text: str) -> list[str]:
        return [word for word in self.function(text) if word]


def lower_nfc(word: str) -> str:
    """Lower-case a word, compose its characters (NFC), and replace typographic apostrophes.

    >>> lower_nfc("L’Été"), lower_nfc("ΟΔΟΣ")
    ("l'été", 'οδος')

    The dot above that Unicode keeps when it lower-cases the Turkish İ is dropped: İçin and için are one word.
    """
    if word.isascii():
        return word.lower()
    lowered = unicodedata.normalize("NFC", word).lower().replace("i\u0307", "i")
    return unicodedata.normalize("NFC", lowered).replace("’", "'")


def identity(word: str) -> str:
    return word


# Scripts written without spaces: each character is a word, as in UAX #29.
_UNSPACED = r"[\p{Han}\p{Hiragana}]"
_NEVER = "[a&&b]"  # matches no character
# Characters of Unicode's \w that are no letters: variation selectors and the enclosing keycap, which emoji and Japanese
# names contain, and the joiners, which also join letters in Persian and in scripts of India.
_NO_LETTERS = r"[\u200C\u200D\u20E3\uFE00-\uFE0F\U000E0100-\U000E01EF]"
_JOINER = r"['’\u200C\u200D]"

WORDS = Tokenizer(
    "words",
    single=_UNSPACED,
    word=rf"[\w--{_UNSPACED}--{_NO_LETTERS}]",
    joiner=_JOINER,
    normalize=lower_nfc,
    lowercase=True,
)
WHITESPACE = Tokenizer("whitespace", single=_NEVER, word=r"[^\s\0]", joiner=_NEVER, normalize=identity, lowercase=False)
NUL_SEPARATED = Tokenizer("custom", single=_NEVER, word=r"[^\0\n]", joiner=_NEVER, normalize=identity, lowercase=False)

# The tokenizers that users can name.
TOKENIZERS: dict[Any, Tokenizer] = {"words": WORDS, "whitespace": WHITESPACE} | {
    segmenter.name: Tokenizer(
        segmenter.name,
        single=_NEVER,
        word=rf"[\w--{_NO_LETTERS}]",
        joiner=_JOINER,
        normalize=lower_nfc,
        lowercase=True,
        segmenter=segmenter,
    )
    for segmenter in (RJIEBA, SUDACHI, PYTHAINLP)
}

AnyTokenizer = Tokenizer | CallableTokenizer


def get_tokenizer(tokenizer: str | Callable[[str], list[str]] | AnyTokenizer) -> AnyTokenizer:
    """The tokenizer with a name, or of a function.

    >>> get_tokenizer("words")("The bank's rivers, don’t 東京")
    ['the', "bank's", 'rivers', "don't", '東', '京']
    >>> get_tokenizer("whitespace")("The bank,  unchanged.")
    ['The', 'bank,', 'unchanged.']
    """
    if isinstance(tokenizer, Tokenizer | CallableTokenizer):
        return tokenizer
    if tokenizer in TOKENIZERS:
        return TOKENIZERS[tokenizer]
    if callable(tokenizer):
        return CallableTokenizer(tokenizer)
    names = ", ".join(f"'{name}'" for name in TOKENIZERS)
    raise ConfigError(f"tokenizer '{shorten(tokenizer)}' is not known; use {names} or a function.")
