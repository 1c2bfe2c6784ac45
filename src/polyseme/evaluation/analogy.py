"""Word analogies, "Athens is to Greece as Baghdad is to ...": the share of questions whose answer is nearest (3CosAdd).

For a question a : b = c : ? with unit vectors, the answer is the word nearest to b - a + c that is none of the three:

    words   by global vectors
    mean    by the mean of each word's senses, weighted with their shares
    senses  by sense vectors. The senses of a and b are the two that are nearest to each other, that of c the one
            nearest to a's: the answer has no say. A word is as near as the nearest of its senses.

Answers are sought, and questions asked, among the MOST_WORDS most frequent words.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError
from polyseme.evaluation.scores import DRAWS, Evaluation, Score, share_score
from polyseme.evaluation.text_files import read_lines
from polyseme.model.data import unit_rows

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

MOST_WORDS = 50_000
CONTROL_PART = 20  # each draw of the control asks one question of so many
BATCH = 256
LAYOUT = "four words parted by blanks, or ': ' and the name of a section"

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Questions:
    """Questions as words, and the section of each."""

    words: list[tuple[str, ...]]
    sections: list[str]


def analogy(model: SenseModel, path: Path) -> Evaluation:
    """Google's questions-words, or a file like it."""
    questions = read_questions(path)
    ids = np.array([[_id(model, word) for word in words] for words in questions.words], np.int64)
    known: Bools = np.all(ids >= 0, axis=1)
    if not known.any():
        raise DataError(f"{path}: the model knows all four words of none of the {len(ids):,} questions.")
    asked = ids[known]
    size = min(len(model), MOST_WORDS)
    ways = _Ways(model, size)
    right = {"words": ways.by_words(asked, model._data.unit_global_vectors[:size])}
    if ways.several:
        right["mean"] = ways.by_words(asked, ways.mean_vectors())
    right["senses"] = ways.by_senses(asked, ways.fitting_senses(asked))
    control = ways.control(asked) if ways.several else None
    groups = _groups([section for section, k in zip(questions.sections, known.tolist(), strict=True) if k])
    table = {
        group: {way: _score(found[where], control if way == "senses" else None, where) for way, found in right.items()}
        for group, where in groups.items()
    }
    return Evaluation("analogy", len(asked), len(ids), table, what=f"questions of the {size:,} most frequent words")


def read_questions(path: Path) -> Questions:
    """Lines of four words under lines `: name of the section`."""
    words: list[tuple[str, ...]] = []
    sections: list[str] = []
    section = ""
    for line in read_lines(path):
        if line.text.startswith(":"):
            section = line.text[1:].strip()
            continue
        four = line.text.split()
        if len(four) != 4:
            raise line.wrong(f"{len(four)} words where 4 are needed: {LAYOUT}.")
        words.append(tuple(four))
        sections.append(section)
    if not words:
        raise DataError(f"{path} has no questions, only names of sections.")
    return Questions(words, sections)


def _id(model: SenseModel, word: str) -> int:
    """The id of a word that is frequent enough, or -1."""
    found = model._data.word_id(word)
    return found if found is not None and found < MOST_WORDS else -1


def _groups(sections: list[str]) -> dict[str, Bools]:
    """Which questions are in each section, and which are syntactic: Google's sections of those begin with `gram`."""
    names = np.array(sections)
    syntactic = np.char.startswith(names, "gram")
    groups = {"total": np.ones(len(names), bool), "semantic": ~syntactic, "syntactic": syntactic}
    groups |= {name: names == name for name in dict.fromkeys(sections) if name}
    return {name: where for name, where in groups.items() if where.any()}


def _score(right: Bools, control: tuple[Ints, Bools] | None, where: Bools) -> Score:
    if control is None:
        return share_score(right)
    numbers, drawn = control
    inside = where[numbers]
    return share_score(right, float(drawn[inside].mean()) if inside.any() else None)


class _Ways:
    """Answering questions with the vectors of a model's most frequent words."""

    def __init__(self, model: SenseModel, size: int) -> None:
        self.model = model
        self.size = size
        rows = [model._data.rows(word) for word in range(size)]
        self.rows_of = rows
        shown = np.concatenate([np.arange(r.start, r.stop) for r in rows])
        self.vectors = model._data.unit_sense_vectors[shown]
        self.word_of = np.repeat(np.arange(size), [len(r) for r in rows])
        self.first = np.concatenate([[0], np.cumsum([len(r) for r in rows])])
        self.several = len(shown) > size

    def mean_vectors(self) -> Floats:
        weights = np.concatenate([self.model._data.shares(word) for word in range(self.size)]).astype(np.float32)
        senses = self.model._data.arrays.sense_vectors[
            np.concatenate([np.arange(r.start, r.stop) for r in self.rows_of])
        ]
        return unit_rows(np.add.reduceat(weights[:, None] * senses, self.first[:-1], axis=0))

    def by_words(self, asked: Ints, vectors: Floats) -> Bools:
        """Whether each question is answered right with one vector a word."""
        return _answers(asked, asked[:, :3], vectors, np.arange(self.size), np.arange(self.size + 1))

    def by_senses(self, asked: Ints, senses: Ints) -> Bools:
        """The same with the senses, (n, 3), of the words asked."""
        return _answers(asked, senses, self.vectors, self.word_of, self.first)

    def fitting_senses(self, asked: Ints) -> Ints:
        """For each question the senses of a and b nearest to each other, and that of c nearest to a's."""
        pairs: dict[tuple[int, int], tuple[int, int]] = {}
        chosen = np.empty((len(asked), 3), np.int64)
        for n, (a, b, c, _) in enumerate(asked.tolist()):
            if (a, b) not in pairs:
                pairs[a, b] = self._nearest_pair(a, b)
            i, j = pairs[a, b]
            k = self.first[c] + int((self._senses(c) @ self.vectors[i]).argmax())
            chosen[n] = i, j, k
        return chosen

    def _nearest_pair(self, a: int, b: int) -> tuple[int, int]:
        cosines = self._senses(a) @ self._senses(b).T
        i, j = np.unravel_index(int(cosines.argmax()), cosines.shape)
        return int(self.first[a] + i), int(self.first[b] + j)

    def _senses(self, word: int) -> Floats:
        return np.asarray(self.vectors[self.first[word] : self.first[word + 1]])

    def control(self, asked: Ints) -> tuple[Ints, Bools]:
        """Questions, some for each draw, and whether senses drawn by their shares answer them right."""
        random = np.random.default_rng(0)
        shares = {int(word): self.model._data.shares(int(word)) for word in np.unique(asked[:, :3])}
        part = max(len(asked) // CONTROL_PART, 1)
        numbers = np.concatenate([random.choice(len(asked), part, replace=False) for _ in range(DRAWS)])
        senses = np.array(
            [
                [self.first[w] + random.choice(len(shares[w]), p=shares[w]) for w in asked[n, :3].tolist()]
                for n in numbers
            ]
        )
        return numbers, self.by_senses(asked[numbers], senses)


def _answers(asked: Ints, rows: Ints, vectors: Floats, word_of: Ints, first: Ints) -> Bools:
    """Whether the word whose vector is nearest to b - a + c is the fourth.

    asked    IN  int64 (n, 4)    words
    rows     IN  int64 (n, 3)    the vectors of a, b, c
    vectors  IN  float32 (R, d)  unit vectors; those of word w are rows first[w] to first[w + 1]
    """
    right = np.empty(len(asked), bool)
    for start in range(0, len(asked), BATCH):
        batch = slice(start, start + BATCH)
        a, b, c = (vectors[rows[batch, i]] for i in range(3))
        nearness = (b - a + c) @ vectors.T
        for n, words in enumerate(asked[batch, :3].tolist()):
            for word in words:
                nearness[n, first[word] : first[word + 1]] = -np.inf
        right[batch] = word_of[nearness.argmax(axis=1)] == asked[batch, 3]
    return right
