"""Word-in-Context (Pilehvar and Camacho-Collados 2019): does a word mean the same in two sentences?

With p and q the probabilities of the word's senses u_i in the two sentences:

    same_sense   sum of p_i q_i, the probability that both are of one sense
    avg_sim_c    sum of p_i q_j cos(u_i, u_j)
    local_sim    cosine of the two most probable senses
    context_sim  cosine of the two context vectors; it knows no senses, and shows what they add

A measure says yes from a threshold on: the one with the most right answers on the train part, the middle one of
several. Scores are the percent of right answers on the test part, or the dev part where the test part has no answers.
The control fits its thresholds anew. With unknown words counted, the answer for them is the commoner one of train.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError, MissingFile
from polyseme.evaluation.controls import Probabilities, drawn_instead
from polyseme.evaluation.instances import Instance, probabilities_of
from polyseme.evaluation.scores import DRAWS, Evaluation, share_score
from polyseme.evaluation.text_files import Line, read_lines
from polyseme.model.data import unit_rows
from polyseme.model.disambiguation import context_around, context_vector
from polyseme.model.similarity import similarity_in_context

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

LAYOUT = "word, part of speech, its places in the two sentences as in 2-5, sentence, sentence, parted by tabs"

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Measures = dict[str, Floats]
Both = tuple[Probabilities, Probabilities]


@dataclass(frozen=True)
class Pair:
    """A word in two sentences, and whether it means the same."""

    a: Instance
    b: Instance
    same: bool


def wic(model: SenseModel, path: Path, *, window: int | None = None) -> Evaluation:
    """The folder of the data set, with its parts train and test or dev."""
    if not path.is_dir():
        raise MissingFile(f"{path} is not a folder; name the one that holds train/ and dev/ or test/.")
    name = "test" if (path / "test" / "test.gold.txt").is_file() else "dev"
    train, test = (_Part(model, read_part(path, part), window) for part in ("train", name))
    for part, pairs in (("train", train), (name, test)):
        if not pairs.known.any():
            raise DataError(f"{path / part}: the model knows none of the words of the {len(pairs.known):,} pairs.")
    learned, answered = ({**part.with_senses(part.probabilities), **part.without_senses()} for part in (train, test))
    thresholds = {measure: fit_threshold(values, train.same) for measure, values in learned.items()}
    controls = _controls(train, test)
    commoner = 2 * np.count_nonzero(train.every) >= len(train.every)
    scores = {}
    for measure, threshold in thresholds.items():
        right = (answered[measure] >= threshold) == test.same
        unknown = test.every[~test.known] == commoner
        every = 100 * float(np.concatenate([right, unknown]).mean())
        scores[measure] = replace(share_score(right, controls.get(measure)), with_unknown=every)
    return Evaluation(
        task="wic",
        covered=len(test.same),
        total=len(test.every),
        table={name: scores},
        notes=(f"Scored on {name}; thresholds fitted on {len(train.same):,} of {len(train.every):,} pairs of train.",),
        what="pairs of known words",
        facts={f"threshold of {measure}": threshold for measure, threshold in thresholds.items()},
    )


def read_part(path: Path, part: str) -> list[Pair]:
    """The pairs of a part: `dev/dev.data.txt`, and a T or an F for each line in `dev/dev.gold.txt`."""
    data, gold = (list(read_lines(path / part / f"{part}.{kind}.txt")) for kind in ("data", "gold"))
    if len(data) != len(gold):
        raise DataError(f"{gold[0].path} has {len(gold)} answers for the {len(data)} pairs of {data[0].path}.")
    return [_pair(line, answer) for line, answer in zip(data, gold, strict=True)]


def _pair(line: Line, answer: Line) -> Pair:
    if answer.text.strip() not in ("T", "F"):
        raise answer.wrong(f"'{answer.text.strip()}' is neither T nor F.")
    word, _, places, *sentences = line.columns(5, LAYOUT)
    i, mark, j = places.partition("-")
    if not (mark and i.isdecimal() and j.isdecimal()):
        raise line.wrong(f"'{places}' are no places: {LAYOUT}.")
    a, b = (_occurrence(word, text, int(place), line) for text, place in zip(sentences[:2], (i, j), strict=True))
    return Pair(a, b, answer.text.strip() == "T")


def _occurrence(word: str, sentence: str, place: int, line: Line) -> Instance:
    tokens = sentence.split()
    if place >= len(tokens):
        raise line.wrong(f"'{word}' cannot be at place {place} of a sentence of {len(tokens)} words.")
    return Instance(word, " ".join(tokens[:place]), " ".join(tokens[place + 1 :]))


def fit_threshold(values: Floats, same: Bools) -> float:
    """From which value on to say yes; halfway between two values, and of equally good ones the middle one.

    >>> fit_threshold(np.array([0.1, 0.2, 0.6, 0.8]), np.array([False, False, True, True]))
    0.4
    """
    order = np.argsort(values, kind="stable")
    ordered, yes = values[order], same[order].astype(np.int64)
    right = np.concatenate([[0], np.cumsum(1 - yes)]) + yes.sum() - np.concatenate([[0], np.cumsum(yes)])
    last = np.nextafter(ordered[-1], np.inf)  # all no
    cuts = np.concatenate([ordered[:1], (ordered[:-1] + ordered[1:]) / 2, [last]])
    possible = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])  # equal values are not parted
    best = np.flatnonzero(possible & (right == right[possible].max()))
    return float(cuts[best[(len(best) - 1) // 2]])


def _controls(train: _Part, test: _Part) -> dict[str, float]:
    """The share of right answers of each measure with senses drawn in both parts, and thresholds fitted to them."""
    random = np.random.default_rng(0)
    shares: dict[str, list[float]] = {}
    for _ in range(DRAWS):
        learned, answered = (part.with_senses(part.drawn(random)) for part in (train, test))
        for measure, values in learned.items():
            right = (answered[measure] >= fit_threshold(values, train.same)) == test.same
            shares.setdefault(measure, []).append(float(right.mean()))
    return {measure: float(np.mean(values)) for measure, values in shares.items()}


class _Part:
    """The pairs of a part whose word a model knows, and their measures."""

    def __init__(self, model: SenseModel, pairs: list[Pair], window: int | None) -> None:
        words = [model._data.word_id(pair.a.word) for pair in pairs]
        ids = [word for word in words if word is not None]
        self.model = model
        self.window = window
        self.known = np.array([word is not None for word in words])
        self.every = np.array([pair.same for pair in pairs])
        self.same = self.every[self.known]
        self.pairs = [pair for pair, known in zip(pairs, self.known, strict=True) if known]
        self.shares = [model._data.shares(word) for word in ids]
        self.cosines = [self._cosines(word) for word in ids]
        self.probabilities: list[Both] = [
            (probabilities_of(model, pair.a, window=window), probabilities_of(model, pair.b, window=window))
            for pair in self.pairs
        ]

    def _cosines(self, word: int) -> NDArray[np.float32]:
        """Of the senses of a word with each other."""
        rows = self.model._data.rows(word)
        senses = self.model._data.unit_sense_vectors[rows.start : rows.stop]
        return np.asarray(senses @ senses.T)

    def with_senses(self, probabilities: list[Both]) -> Measures:
        rows = [
            {"same_sense": float(p @ q), **similarity_in_context(cosines, p, q)}
            for cosines, (p, q) in zip(self.cosines, probabilities, strict=True)
        ]
        return {name: np.array([row[name] for row in rows]) for name in ("same_sense", "avg_sim_c", "local_sim")}

    def drawn(self, random: np.random.Generator) -> list[Both]:
        return [
            (drawn_instead(p, shares, random), drawn_instead(q, shares, random))
            for (p, q), shares in zip(self.probabilities, self.shares, strict=True)
        ]

    def without_senses(self) -> Measures:
        def contexts(uses: Iterable[Instance]) -> NDArray[np.float32]:
            around = (context_around(self.model._data, use.left, use.right, self.window) for use in uses)
            return unit_rows(np.array([context_vector(self.model._data, context) for context in around]))

        a, b = contexts(pair.a for pair in self.pairs), contexts(pair.b for pair in self.pairs)
        return {"context_sim": np.einsum("ij,ij->i", a, b, dtype=np.float64)}
