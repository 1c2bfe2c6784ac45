"""How readable an example sentence is, by criteria like those of GDEX (Kilgarriff et al. 2008).

A good example is a whole sentence of 10 to 25 words, most of them common, with few names, numbers and symbols.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import regex

from polyseme.examples.store import Example

MIN_WORDS, MAX_WORDS = 10, 25
COMMON_WORDS = 17_000  # as in GDEX: the most frequent words of the corpus
MAX_SHARED = 0.5  # of the words of an example that another one may have, too

# The end of a sentence: a mark, perhaps a closing quote or bracket, then a space and no small letter. Chinese and
# Japanese marks need no space.
_SENTENCE_END = re.compile(r"(?:[.!?…؟۔।]+[\"'”’»)\]]*\s+(?=[^\s\da-zа-я])|[。！？]+[」』”]*\s*)")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:\w\.)*[A-ZÄÖÜА-Я]\w{0,2}\.\s+$")  # Dr. or J. R.
_WHOLE_END = re.compile(r"[.!?…؟۔。！？।][\"'”’»)\]」』]*\s*$")
_ODD = re.compile(r"[<>{}\[\]|\\/=_~^*#@©®•→]|https?:|www\.|\.\.\.|[^\W\d_]\d|�")
# In `regex`, unlike `re`, vowel signs belong to words, as in Hindi and in Arabic with all its vowels.
_WORD = regex.compile(r"\w+(?:['’]\w+)*")
_NUMBER = re.compile(r"\d+")
_OPENING = "\"'([{¿¡«“‘„「『"


class Sentence(NamedTuple):
    """An example cut to its sentence, and whether the sentence is whole."""

    example: Example
    whole: bool


def cut_sentence(example: Example, starts_line: bool, ends_line: bool) -> Sentence:
    """The sentence of a word in the text around it.

    starts_line, ends_line  whether the text begins and ends where its line does

    >>> cut_sentence(Example("It rained. Dr. Hill sat by the ", "bank", " and slept. Then he left."), True, True)
    Sentence(example=Example(left='Dr. Hill sat by the ', word='bank', right=' and slept.'), whole=True)
    """
    starts = [
        m.end() for m in _SENTENCE_END.finditer(example.left) if not _ABBREVIATION.search(example.left[: m.end()])
    ]
    start = starts[-1] if starts else 0
    after = example.word + example.right
    ends = [
        m.end()
        for m in _SENTENCE_END.finditer(after)
        if m.end() > len(example.word) and not _ABBREVIATION.search(after[: m.end()])
    ]
    right = after[len(example.word) : ends[0]].rstrip() if ends else example.right.rstrip()
    left = example.left[start:] if starts else example.left.lstrip()
    whole = bool((starts or starts_line) and (ends or ends_line) and _WHOLE_END.search(right or "-"))
    return Sentence(Example(left, example.word, right), whole and _starts_well(left + example.word))


def _starts_well(text: str) -> bool:
    """Whether a text begins as sentences do: with a capital letter, or a letter of a script without case."""
    first = next((c for c in text if c.isalnum()), "")
    return first.isalpha() and (first == first.upper())


def score(sentence: Sentence, word_ids: Sequence[int]) -> float:
    """How readable a sentence is, from 0 to 1.

    word_ids  the ids of its words in the model, which are ranks by frequency; a large number for unknown words
    """
    text = sentence.example.text
    num_words = max(len(word_ids), 1)
    too_short, too_long = max(MIN_WORDS - num_words, 0) / MIN_WORDS, max(num_words - MAX_WORDS, 0) / MAX_WORDS
    length = max(0.0, 1 - too_short - too_long)
    common = sum(i < COMMON_WORDS for i in word_ids) / num_words
    names = sum(word.lstrip(_OPENING)[:1].isupper() for word in text.split()[1:]) / num_words
    numbers = len(_NUMBER.findall(text)) / num_words
    odd = len(_ODD.findall(text)) + _unbalanced(text)
    plain = max(0.0, 1 - 1.5 * names - 2 * numbers - 0.3 * odd - 0.05 * sum(text.count(c) for c in "(;:"))
    return float(0.4 * sentence.whole + 0.25 * length + 0.2 * plain + 0.15 * common * common) * (1 if plain else 0.5)


def _unbalanced(text: str) -> int:
    """1 if a quotation or bracket is open at the beginning or end."""
    return int(text.count("(") != text.count(")") or text.count('"') % 2 or text.count("“") > text.count("”"))


def choose_diverse(ranked: Sequence[Example], n: int) -> list[int]:
    """The indices of the first n examples that do not have most of their words in common with an earlier one."""
    chosen: list[int] = []
    words_of: list[set[str]] = []
    for i, example in enumerate(ranked):
        if len(chosen) == n:
            break
        words = set(_WORD.findall(example.text.lower()))
        if all(len(words & other) <= MAX_SHARED * max(min(len(words), len(other)), 1) for other in words_of):
            chosen.append(i)
            words_of.append(words)
    return chosen
