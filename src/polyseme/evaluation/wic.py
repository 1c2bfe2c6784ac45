"""Word-in-Context (Pilehvar and Camacho-Collados 2019): does a word have the same meaning in two sentences?

With p and q the probabilities of the word's senses u_i in the two sentences:

    same_sense   sum of p_i q_i, the probability of the same sense in both
    avg_sim_c    sum of p_i q_j cos(u_i, u_j)
    local_sim    cosine of the two most probable senses
    context_sim  cosine of the two context vectors, a baseline without senses

The answer is yes if a measure reaches a threshold: the one with the highest accuracy on the train part, or the middle
one if there are several. The score is the accuracy in percent on the test part, or on the dev part if the test part
has no answers. The control has thresholds of its own. In `including_oov`, the answer for words that are not in the
vocabulary is the most frequent one of the train part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError, MissingFile, shorten
from polyseme.evaluation.controls import PairProbabilities, with_random_sense
from polyseme.evaluation.instances import Instance, instance_probabilities
from polyseme.evaluation.scores import CONTROL_RUNS, Evaluation, accuracy_score
from polyseme.evaluation.text_files import WHOLE_NUMBER, Line, read_lines
from polyseme.evaluation.word_similarity import sense_cosines
from polyseme.model.data import ModelData, unit_rows
from polyseme.model.disambiguation import context_around, context_vector
from polyseme.model.similarity import similarity_in_context

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

LAYOUT = "word, part of speech, its positions in the two sentences as in 2-5, sentence, sentence, separated by tabs"

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Measures = dict[str, Floats]  # by name: the value of each pair


@dataclass(frozen=True)
class LabelledPair:
    """A word in two sentences, and whether it has the same meaning in both."""

    a: Instance
    b: Instance
    same: bool


def wic(model: SenseModel, path: Path, *, window: int | None = None) -> Evaluation:
    """Evaluate on the folder of the data set, with its parts train and test or dev."""
    if not path.is_dir():
        raise MissingFile(f"{path} is not a folder; name the folder that has train/ and dev/ or test/.")
    test_part = "test" if (path / "test" / "test.gold.txt").is_file() else "dev"
    train, test = (_KnownPairs(model._data, path, part, window) for part in ("train", test_part))
    thresholds = {measure: fit_threshold(values, train.same) for measure, values in train.measures().items()}
    test_measures = test.measures()
    controls = _controls(train, test)
    majority = 2 * np.count_nonzero(train.all_same) >= len(train.all_same)
    correct_oov = test.all_same[~test.known] == majority
    scores = {}
    for measure, threshold in thresholds.items():
        correct = (test_measures[measure] >= threshold) == test.same
        including_oov = 100 * float(np.concatenate([correct, correct_oov]).mean())
        scores[measure] = replace(accuracy_score(correct, controls.get(measure)), including_oov=including_oov)
    fitted = f"thresholds fitted on {len(train.same):,} of {len(train.all_same):,} pairs of train"
    return Evaluation(
        task="wic",
        covered=len(test.same),
        total=len(test.all_same),
        table={test_part: scores},
        notes=(f"Scored on {test_part}; {fitted}.",),
        items="pairs with known words",
        facts={f"threshold of {measure}": threshold for measure, threshold in thresholds.items()},
    )


def read_part(path: Path, part: str) -> list[LabelledPair]:
    """Read the pairs of a part: `dev/dev.data.txt`, and T or F for each line in `dev/dev.gold.txt`."""
    data, gold = (list(read_lines(path / part / f"{part}.{kind}.txt")) for kind in ("data", "gold"))
    if len(data) != len(gold):
        raise DataError(f"{gold[0].path} has {len(gold)} answers for the {len(data)} pairs of {data[0].path}.")
    return [_parse_pair(line, answer) for line, answer in zip(data, gold, strict=True)]


def _parse_pair(line: Line, answer: Line) -> LabelledPair:
    if answer.text.strip() not in ("T", "F"):
        raise answer.error(f"'{shorten(answer.text.strip())}' is neither T nor F.")
    word, _, positions, *sentences = line.columns(5, LAYOUT)
    i, mark, j = positions.partition("-")
    if not (mark and WHOLE_NUMBER.fullmatch(i) and WHOLE_NUMBER.fullmatch(j)):
        raise line.error(f"'{shorten(positions)}' is not a pair of positions: {LAYOUT}.")
    a, b = (_instance(word, text, int(n), line) for text, n in zip(sentences[:2], (i, j), strict=True))
    return LabelledPair(a, b, answer.text.strip() == "T")


def _instance(word: str, sentence: str, position: int, line: Line) -> Instance:
    tokens = sentence.split()
    if position >= len(tokens):
        name = shorten(word)
        raise line.error(f"position {position} of '{name}' is past the end of a sentence of {len(tokens)} words.")
    return Instance(word, " ".join(tokens[:position]), " ".join(tokens[position + 1 :]))


def fit_threshold(values: Floats, same: Bools) -> float:
    """The threshold with the highest accuracy, halfway between two values; the middle one if there are several.

    >>> fit_threshold(np.array([0.1, 0.2, 0.6, 0.8]), np.array([False, False, True, True]))
    0.4
    """
    order = np.argsort(values, kind="stable")
    ordered, yes = values[order], same[order].astype(np.int64)
    correct = np.concatenate([[0], np.cumsum(1 - yes)]) + yes.sum() - np.concatenate([[0], np.cumsum(yes)])
    above_all = np.nextafter(ordered[-1], np.inf)  # answers no to all
    thresholds = np.concatenate([ordered[:1], (ordered[:-1] + ordered[1:]) / 2, [above_all]])
    possible = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])  # no threshold separates equal values
    best = np.flatnonzero(possible & (correct == correct[possible].max()))
    return float(thresholds[best[(len(best) - 1) // 2]])


def _controls(train: _KnownPairs, test: _KnownPairs) -> dict[str, float]:
    """The accuracy of each measure with random senses in both parts, and thresholds fitted to them."""
    rng = np.random.default_rng(0)
    accuracies: dict[str, list[float]] = {}
    for _ in range(CONTROL_RUNS):
        train_measures, test_measures = (part.sense_measures(part.random_senses(rng)) for part in (train, test))
        for measure, values in train_measures.items():
            correct = (test_measures[measure] >= fit_threshold(values, train.same)) == test.same
            accuracies.setdefault(measure, []).append(float(correct.mean()))
    return {measure: float(np.mean(values)) for measure, values in accuracies.items()}


class _KnownPairs:
    """The pairs of a part whose word is in the vocabulary, and their measures.

    all_same, known  the answers of all pairs, and whether the pair's word is known
    same             the answers of the known pairs; all other attributes are of these pairs
    """

    def __init__(self, data: ModelData, path: Path, part: str, window: int | None) -> None:
        pairs = read_part(path, part)
        words = [(data.word_id(pair.a.word), pair) for pair in pairs]
        known = [(word, pair) for word, pair in words if word is not None]
        if not known:
            raise DataError(f"{path / part}: the model knows none of the words of the {len(pairs):,} pairs.")
        self.all_same = np.array([pair.same for pair in pairs])
        self.known = np.array([word is not None for word, _ in words])
        self.same = self.all_same[self.known]
        self.shares = [data.shares(word) for word, _ in known]
        self.cosines = [sense_cosines(data, word, word) for word, _ in known]
        self.probabilities: list[PairProbabilities] = [
            (
                instance_probabilities(data, word, pair.a, window=window),
                instance_probabilities(data, word, pair.b, window=window),
            )
            for word, pair in known
        ]
        a, b = (
            unit_rows(np.array([_context_vector(data, instance, window) for instance in instances]))
            for instances in ([pair.a for _, pair in known], [pair.b for _, pair in known])
        )
        self.context_sim = np.einsum("ij,ij->i", a, b, dtype=np.float64)

    def measures(self) -> Measures:
        return {**self.sense_measures(self.probabilities), "context_sim": self.context_sim}

    def sense_measures(self, probabilities: list[PairProbabilities]) -> Measures:
        """The measures that depend on senses."""
        rows = [
            {"same_sense": float(p @ q), **similarity_in_context(cosines, p, q)}
            for cosines, (p, q) in zip(self.cosines, probabilities, strict=True)
        ]
        return {name: np.array([row[name] for row in rows]) for name in ("same_sense", "avg_sim_c", "local_sim")}

    def random_senses(self, rng: np.random.Generator) -> list[PairProbabilities]:
        return [
            (with_random_sense(p, shares, rng), with_random_sense(q, shares, rng))
            for (p, q), shares in zip(self.probabilities, self.shares, strict=True)
        ]


def _context_vector(data: ModelData, instance: Instance, window: int | None) -> NDArray[np.float32]:
    return context_vector(data, context_around(data, instance.left, instance.right, window))
