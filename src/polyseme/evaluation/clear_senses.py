"""Words with clearly different senses, and sentences with them, to show what a model has learned.

With N_k the nearest neighbours of sense k of a word, and s the smallest share of its senses, the clarity of the word is

    (min over k of mean cos(a, b), a != b in N_k   -   max over k != m of mean cos(a, b), a in N_k, b in N_m) s^(1/4)

It is high if the neighbours of each sense are similar to each other, and those of different senses are not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import combinations

import numpy as np

from polyseme.kernels.linkage import sense_separation
from polyseme.model.data import ModelData, unit_rows
from polyseme.model.results import Neighbour, Senses
from polyseme.model.sense_model import SenseModel

MIN_OCCURRENCES = 125
MAX_SENSES = 4
MIN_LETTERS = 3  # many shorter words are abbreviations
NUM_NEIGHBOURS = 8
MAX_NUMBERS = 2  # among the neighbours of a sense; more do not tell its meaning
MAX_WORDS = 300  # the most frequent ones: readers know them
MAX_CANDIDATES = 100

SENTENCE_WORDS = (8, 25)  # minimum and maximum
MAX_SENTENCES = 50  # in which words are disambiguated
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def clearest_words(model: SenseModel, n: int, max_candidates: int = MAX_CANDIDATES) -> list[str]:
    """Up to n frequent words with two to four clearly different senses, clearest first.

    Names are left out, and so are words that are near a sense of a clearer word: `stars` after `star`.

    max_candidates  words whose neighbours are compared: those with the most separated cluster centers
    """
    data = model._data
    num_senses, counts, names = data.num_visible_senses, data.vocabulary.counts, data.vocabulary.words
    split = np.flatnonzero((num_senses > 1) & (num_senses <= MAX_SENSES) & (counts >= MIN_OCCURRENCES)).tolist()
    candidates = [w for w in split if names[w].isalpha() and _is_long_enough(names[w])][:MAX_WORDS]
    candidates.sort(key=lambda w: -_separation(data, w))
    scored = []
    for w in candidates[:max_candidates]:
        senses = model.senses(names[w])
        neighbours = [sense.neighbours(NUM_NEIGHBOURS) for sense in senses]
        smallest_share = min(sense.share for sense in senses)
        if min(map(len, neighbours)) > 1 and not _is_name(senses) and not any(map(_are_numbers, neighbours)):
            scored.append((_clarity(model, neighbours) * smallest_share**0.25, names[w], neighbours))
    chosen: list[str] = []
    near: set[str] = set()
    for _, word, neighbours in sorted(scored, key=lambda item: -item[0]):
        if word not in near and len(chosen) < n:
            chosen.append(word)
            near |= {neighbour.word for of_sense in neighbours for neighbour in of_sense}
    return chosen


def _is_long_enough(word: str) -> bool:
    """Whether a word is more than an abbreviation: Chinese, Japanese and Korean words may have one letter.

    >>> _is_long_enough("us"), _is_long_enough("star"), _is_long_enough("银行")
    (False, True, True)
    """
    return len(word) >= MIN_LETTERS or unicodedata.east_asian_width(word[0]) == "W"


def _separation(data: ModelData, word: int) -> float:
    """The lowest separation of two senses of a word, relative to that of other words; 0 if a sense has no tokens."""
    rows = slice(data.rows(word).start, data.rows(word).stop)
    centers, vectors, counts = data.sense_centers[rows], data.arrays.sense_vectors[rows], data.arrays.sense_counts[rows]
    if not counts.all():
        return 0.0
    return min(
        float(sense_separation(centers, vectors, counts, 1.0, k, m)) for k, m in combinations(range(len(counts)), 2)
    )


def _clarity(model: SenseModel, neighbours: list[list[Neighbour]]) -> float:
    """The clarity of a word with these neighbours of its senses, without the factor of the shares."""
    vectors = [unit_rows(np.stack([model.vector(n.key) for n in of_sense])) for of_sense in neighbours]
    within = min((np.sum(x @ x.T) - len(x)) / (len(x) * (len(x) - 1)) for x in vectors)
    between = max(np.mean(x @ y.T) for x, y in combinations(vectors, 2))
    return float(within - between)


def _is_name(senses: Senses) -> bool:
    """Whether a word is capitalized in most of its example sentences."""
    capitalized = [example.word[:1].isupper() for sense in senses for example in sense.examples]
    return sum(capitalized) > len(capitalized) / 2


def _are_numbers(neighbours: list[Neighbour]) -> bool:
    return sum(any(c.isdigit() for c in neighbour.word) for neighbour in neighbours) > MAX_NUMBERS


def clearest_sentence(model: SenseModel, lines: Iterable[str], words: list[str]) -> str | None:
    """The sentence with most of the `words` in which the model is most confident of their senses.

    None if no sentence has one of them. Long sentences and those with digits are left out.
    """
    if not words:
        return None
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
    words_of = {
        sentence: {word.lower() for word in pattern.findall(sentence)}
        for line in lines
        if pattern.search(line)
        for sentence in SENTENCE_END.split(line.strip())
        if _is_simple(sentence) and pattern.search(sentence)
    }
    num_words = max(map(len, words_of.values()), default=0)
    best = sorted((s for s in words_of if len(words_of[s]) == num_words), key=lambda s: (len(s), s))[:MAX_SENTENCES]

    def confidence(sentence: str) -> float:
        return min(model.disambiguate(word, sentence).best.probability for word in words_of[sentence])

    return max(best, key=confidence, default=None)


def _is_simple(sentence: str) -> bool:
    """Whether this is a sentence of moderate length without digits."""
    low, high = SENTENCE_WORDS
    complete = sentence[:1].isupper() and sentence.endswith((".", "!", "?"))
    return complete and low <= len(sentence.split()) <= high and not any(c.isdigit() for c in sentence)
