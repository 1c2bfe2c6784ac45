"""Word analogies, "Athens is to Greece as Baghdad is to ...": the percentage answered correctly (3CosAdd).

The answer to a : b = c : ? is the word nearest to b - a + c, with unit vectors, other than a, b and c:

    words   with global vectors
    mean    with the mean of each word's sense vectors, weighted by their shares
    senses  with sense vectors. Of a and b, the two senses that are nearest to each other; of c, the sense nearest to
            that of a. The answer is the word with the nearest sense.

Only analogies of the MAX_WORDS most frequent words are included, and only these words can be answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError
from polyseme.evaluation.scores import CONTROL_RUNS, Evaluation, Score, accuracy_score
from polyseme.evaluation.text_files import read_lines
from polyseme.model.data import ModelData, unit_rows

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

MAX_WORDS = 50_000
CONTROL_FRACTION = 20  # each run of the control answers one in 20 analogies
BATCH_SIZE = 256
LAYOUT = "four words separated by blanks, or ': ' and the name of a section"

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Analogies:
    """The four words of each analogy, and its section."""

    words: list[tuple[str, ...]]
    sections: list[str]


def analogy(model: SenseModel, path: Path) -> Evaluation:
    """Evaluate on Google's questions-words.txt, or on a file of the same format."""
    data = model._data
    analogies = read_analogies(path)
    ids = np.array([[_frequent_word_id(data, word) for word in words] for words in analogies.words], np.int64)
    known: Bools = np.all(ids >= 0, axis=1)
    if not known.any():
        raise DataError(f"{path}: the model knows all four words of none of the {len(ids):,} analogies.")
    queries = ids[known]
    solver = _Solver(data, min(len(model), MAX_WORDS))
    correct = {}
    if data.arrays.global_vectors is not None:
        correct["words"] = solver.with_words(queries, data.unit_global_vectors[: solver.size])
    if solver.several_senses:
        correct["mean"] = solver.with_words(queries, solver.mean_vectors())
    correct["senses"] = solver.with_senses(queries, solver.nearest_senses(queries))
    control = solver.control(queries) if solver.several_senses else None
    sections = [section for section, is_known in zip(analogies.sections, known.tolist(), strict=True) if is_known]
    table = {
        group: {
            name: _score(answers[members], control if name == "senses" else None, members)
            for name, answers in correct.items()
        }
        for group, members in _groups(sections).items()
    }
    items = f"analogies of the {solver.size:,} most frequent words"
    return Evaluation("analogy", len(queries), len(ids), table, items=items)


def read_analogies(path: Path) -> Analogies:
    """Read lines of four words, under lines `: name of the section`."""
    analogies: list[tuple[str, ...]] = []
    sections: list[str] = []
    section = ""
    for line in read_lines(path):
        if line.text.startswith(":"):
            section = line.text[1:].strip()
            continue
        words = line.text.split()
        if len(words) != 4:
            raise line.error(f"{len(words)} words where 4 are needed: {LAYOUT}.")
        analogies.append(tuple(words))
        sections.append(section)
    if not analogies:
        raise DataError(f"{path} has names of sections, but no analogies.")
    return Analogies(analogies, sections)


def _frequent_word_id(data: ModelData, word: str) -> int:
    """The id of a word that is among the MAX_WORDS most frequent ones, else -1."""
    word_id = data.word_id(word)
    return word_id if word_id is not None and word_id < MAX_WORDS else -1


def _groups(sections: list[str]) -> dict[str, Bools]:
    """The analogies of each group: total, semantic, syntactic (Google's sections `gram...`), and each section."""
    names = np.array(sections)
    syntactic = np.char.startswith(names, "gram")
    groups = {"total": np.ones(len(names), bool), "semantic": ~syntactic, "syntactic": syntactic}
    groups |= {name: names == name for name in dict.fromkeys(sections) if name}
    return {name: members for name, members in groups.items() if members.any()}


def _score(correct: Bools, control: tuple[Ints, Bools] | None, members: Bools) -> Score:
    """The accuracy in a group, with the accuracy of the control's sample of the group."""
    if control is None:
        return accuracy_score(correct)
    sample, sample_correct = control
    in_group = members[sample]
    return accuracy_score(correct, float(sample_correct[in_group].mean()) if in_group.any() else None)


class _Solver:
    """Answers analogies with the vectors of a model's most frequent words.

    rows     (n,) the rows of these words' visible senses in the model's arrays
    vectors  (n, d) their unit sense vectors; those of word w are rows offsets[w] to offsets[w + 1]
    word_of  (n,) the word of each
    """

    def __init__(self, data: ModelData, size: int) -> None:
        self.data = data
        self.size = size
        num_senses = data.num_visible_senses[:size]
        self.rows = np.concatenate([np.array(data.rows(word)) for word in range(size)])
        self.vectors = data.unit_sense_vectors[self.rows]
        self.word_of = np.repeat(np.arange(size), num_senses)
        self.offsets = np.concatenate([[0], np.cumsum(num_senses)])
        self.several_senses = len(self.rows) > size

    def mean_vectors(self) -> Floats:
        """(size, d) Unit vectors of the words: the means of their sense vectors, weighted by share."""
        shares = np.concatenate([self.data.shares(word) for word in range(self.size)]).astype(np.float32)
        weighted = shares[:, None] * self.data.arrays.sense_vectors[self.rows]
        return unit_rows(np.add.reduceat(weighted, self.offsets[:-1], axis=0))

    def with_words(self, queries: Ints, vectors: Floats) -> Bools:
        """Whether each analogy is answered correctly with one vector per word, (size, d)."""
        return _correct(queries, queries[:, :3], vectors, np.arange(self.size), np.arange(self.size + 1))

    def with_senses(self, queries: Ints, senses: Ints) -> Bools:
        """Whether each analogy is answered correctly with the given senses of a, b and c, (n, 3)."""
        return _correct(queries, senses, self.vectors, self.word_of, self.offsets)

    def nearest_senses(self, queries: Ints) -> Ints:
        """(n, 3) The senses of a and b that are nearest to each other, and the sense of c nearest to that of a."""
        pairs: dict[tuple[int, int], tuple[int, int]] = {}
        senses = np.empty((len(queries), 3), np.int64)
        for n, (a, b, c, _) in enumerate(queries.tolist()):
            if (a, b) not in pairs:
                pairs[a, b] = self._nearest_pair(a, b)
            i, j = pairs[a, b]
            k = self.offsets[c] + int((self._senses(c) @ self.vectors[i]).argmax())
            senses[n] = i, j, k
        return senses

    def _nearest_pair(self, a: int, b: int) -> tuple[int, int]:
        cosines = self._senses(a) @ self._senses(b).T
        i, j = np.unravel_index(int(cosines.argmax()), cosines.shape)
        return int(self.offsets[a] + i), int(self.offsets[b] + j)

    def _senses(self, word: int) -> Floats:
        return np.asarray(self.vectors[self.offsets[word] : self.offsets[word + 1]])

    def control(self, queries: Ints) -> tuple[Ints, Bools]:
        """A sample of the analogies, and whether senses sampled by their shares answer them correctly."""
        rng = np.random.default_rng(0)
        shares = {int(word): self.data.shares(int(word)) for word in np.unique(queries[:, :3])}
        run_size = max(len(queries) // CONTROL_FRACTION, 1)
        sample = np.concatenate([rng.choice(len(queries), run_size, replace=False) for _ in range(CONTROL_RUNS)])
        senses = np.array(
            [
                [self.offsets[w] + rng.choice(len(shares[w]), p=shares[w]) for w in words]
                for words in queries[sample, :3].tolist()
            ]
        )
        return sample, self.with_senses(queries[sample], senses)


def _correct(queries: Ints, rows: Ints, vectors: Floats, word_of: Ints, offsets: Ints) -> Bools:
    """Whether the word with the vector nearest to b - a + c is the fourth word.

    queries  IN  int64 (n, 4)    words
    rows     IN  int64 (n, 3)    the vectors of a, b and c
    vectors  IN  float32 (R, d)  unit vectors; those of word w are rows offsets[w] to offsets[w + 1]
    word_of  IN  int64 (R,)      the word of each vector
    """
    correct = np.empty(len(queries), bool)
    for start in range(0, len(queries), BATCH_SIZE):
        batch = slice(start, start + BATCH_SIZE)
        a, b, c = (vectors[rows[batch, i]] for i in range(3))
        similarities = (b - a + c) @ vectors.T
        for n, words in enumerate(queries[batch, :3].tolist()):
            for word in words:
                similarities[n, offsets[word] : offsets[word + 1]] = -np.inf
        correct[batch] = word_of[similarities.argmax(axis=1)] == queries[batch, 3]
    return correct
