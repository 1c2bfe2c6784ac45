"""Word similarity against human ratings: Spearman x 100, of word pairs (`wordsim`) and in contexts (`scws`).

In `including_oov`, a pair with a word that is not in the vocabulary gets the mean similarity of the other pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from polyseme.errors import DataError
from polyseme.evaluation.controls import PairProbabilities, Probabilities, with_random_sense
from polyseme.evaluation.instances import Instance, instance_probabilities, parse_marked
from polyseme.evaluation.scores import CONTROL_RUNS, Evaluation, Score, bootstrap_indices, bootstrap_interval
from polyseme.evaluation.text_files import Line, is_number, read_lines
from polyseme.model.data import ModelData
from polyseme.model.disambiguation import Posterior
from polyseme.model.similarity import similarity_in_context

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

Floats = NDArray[np.float64]
Measures = dict[str, Floats]  # by name: the similarity of each pair

SCWS_LAYOUT = "id, word, pos, word, pos, context, context, mean rating, in columns separated by tabs"
PAIR_LAYOUT = "word, word, rating, in columns separated by tabs, commas or blanks"
ITEMS = "pairs with known words"


@dataclass(frozen=True)
class RatedPair:
    """Two words, with or without contexts, and the human rating of their similarity."""

    a: Instance
    b: Instance
    rating: float


def scws(model: SenseModel, path: Path, *, window: int | None = None) -> Evaluation:
    """Evaluate on Stanford's Contextual Word Similarities, with every measure and posterior."""
    data = model._data
    pairs = _known_pairs(data, read_scws(path), path)
    table = {"words": pairs.scores(_without_contexts(data, pairs), pairs.random_senses)}
    for posterior in get_args(Posterior):
        probabilities = pairs.probabilities(partial(instance_probabilities, data, posterior=posterior, window=window))
        table[posterior] = pairs.scores_in_context(probabilities)
    return Evaluation("scws", len(pairs.known), len(pairs.pairs), table, items=ITEMS)


def wordsim(model: SenseModel, path: Path) -> Evaluation:
    """Evaluate on a file of word pairs and ratings."""
    data = model._data
    pairs = _known_pairs(data, read_pairs(path), path)
    table = {"words": pairs.scores(_without_contexts(data, pairs), pairs.random_senses)}
    return Evaluation("wordsim", len(pairs.known), len(pairs.pairs), table, items=ITEMS)


def _known_pairs(data: ModelData, pairs: list[RatedPair], path: Path) -> KnownPairs:
    cosines = partial(sense_cosines, data)
    return KnownPairs(pairs, path, word_id=data.word_id, shares=data.shares, cosines=cosines)


def sense_cosines(data: ModelData, a: int, b: int) -> NDArray[np.float32]:
    """The cosines of the visible senses of two words, (senses of a, senses of b)."""
    u, v = (data.unit_sense_vectors[data.rows(w).start : data.rows(w).stop] for w in (a, b))
    return np.asarray(u @ v.T)


def _without_contexts(data: ModelData, pairs: KnownPairs) -> Measures:
    measures = {}
    if data.arrays.global_vectors is not None:
        words = data.unit_global_vectors
        measures["global_sim"] = np.array([words[a] @ words[b] for a, b in pairs.ids])
    return {
        **measures,
        "avg_sim": np.array([cosines.mean() for cosines in pairs.cosines]),
        "max_sim": np.array([cosines.max() for cosines in pairs.cosines]),
    }


class KnownPairs:
    """The pairs whose words a model knows, and their scores.

    word_id  returns the id of a word, or None if it is not in the vocabulary
    shares   returns the shares of a word's senses
    cosines  returns the cosines of two words' senses, (senses of a, senses of b)
    """

    def __init__(
        self,
        pairs: list[RatedPair],
        path: Path,
        *,
        word_id: Callable[[str], int | None],
        shares: Callable[[int], Floats],
        cosines: Callable[[int, int], NDArray[np.float32]],
    ) -> None:
        ids = [(word_id(pair.a.word), word_id(pair.b.word)) for pair in pairs]
        self.pairs = pairs
        self.known = [i for i, (a, b) in enumerate(ids) if a is not None and b is not None]
        self.ids = [(a, b) for a, b in ids if a is not None and b is not None]
        if len(self.known) < 2:
            raise DataError(
                f"{path}: the model knows both words of {len(self.known)} of {len(pairs)} pairs; 2 are needed."
            )
        self.ratings = np.array([pairs[i].rating for i in self.known])
        self.shares = [(shares(a), shares(b)) for a, b in self.ids]
        self.cosines = [cosines(a, b) for a, b in self.ids]

    def random_senses(self, rng: np.random.Generator) -> Measures:
        """The control of measures without contexts: the cosine of one sense of each word, sampled by share."""
        values = np.array(
            [
                cosines[rng.choice(len(p), p=p), rng.choice(len(q), p=q)]
                for cosines, (p, q) in zip(self.cosines, self.shares, strict=True)
            ]
        )
        return {"avg_sim": values, "max_sim": values}

    def probabilities(self, of: Callable[[int, Instance], Probabilities]) -> list[PairProbabilities]:
        """The sense probabilities of both words of each pair; `of` returns those of a word id in an instance."""
        pairs = [self.pairs[i] for i in self.known]
        return [(of(a, pair.a), of(b, pair.b)) for (a, b), pair in zip(self.ids, pairs, strict=True)]

    def scores_in_context(self, probabilities: list[PairProbabilities]) -> dict[str, Score]:
        """The scores of the measures that depend on contexts."""

        def random_senses(rng: np.random.Generator) -> Measures:
            return self._in_context(
                [
                    (with_random_sense(p, shares_a, rng), with_random_sense(q, shares_b, rng))
                    for (p, q), (shares_a, shares_b) in zip(probabilities, self.shares, strict=True)
                ]
            )

        return self.scores(self._in_context(probabilities), random_senses)

    def _in_context(self, probabilities: list[PairProbabilities]) -> Measures:
        rows = [
            similarity_in_context(cosines, p, q) for cosines, (p, q) in zip(self.cosines, probabilities, strict=True)
        ]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def scores(
        self, measures: Measures, control: Callable[[np.random.Generator], Measures] = lambda _: {}
    ) -> dict[str, Score]:
        """The score of each measure; `control` returns the measures of one run with random senses."""
        rng = np.random.default_rng(0)
        runs = [control(rng) for _ in range(CONTROL_RUNS)]
        return {
            name: self._score(values, [run[name] for run in runs if name in run]) for name, values in measures.items()
        }

    def _score(self, values: Floats, controls: list[Floats]) -> Score:
        low, high = bootstrap_interval(
            len(values), lambda samples: _correlation(rankdata(values[samples], axis=-1), self._sampled_ranks)
        )
        all_values = np.full(len(self.pairs), values.mean())
        all_values[self.known] = values
        return Score(
            value=100 * float(spearman(values, self.ratings)),
            low=100 * low,
            high=100 * high,
            control=100 * float(np.mean([spearman(run, self.ratings) for run in controls])) if controls else None,
            including_oov=100 * float(spearman(all_values, [pair.rating for pair in self.pairs])),
        )

    @cached_property
    def _sampled_ranks(self) -> Floats:
        """The ranks of the ratings in each bootstrap sample: the same for every measure."""
        return np.asarray(rankdata(self.ratings[bootstrap_indices(len(self.ratings))], axis=-1))


def spearman(a: ArrayLike, b: ArrayLike) -> Floats:
    """Spearman's rank correlation along the last axis; NaN if one side is constant."""
    return _correlation(*(rankdata(np.asarray(x), axis=-1) for x in (a, b)))


def _correlation(a: Floats, b: Floats) -> Floats:
    x, y = (r - r.mean(axis=-1, keepdims=True) for r in (a, b))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1)))


def read_scws(path: Path) -> list[RatedPair]:
    """Read the file `ratings.txt` of SCWS."""
    pairs = []
    for line in read_lines(path):
        columns = line.columns(8, SCWS_LAYOUT)
        a, b = (parse_marked(word, text, line) for word, text in ((columns[1], columns[5]), (columns[3], columns[6])))
        pairs.append(RatedPair(a, b, line.parse_number(columns[7])))
    return pairs


def read_pairs(path: Path) -> list[RatedPair]:
    """Read two words and a rating per line, separated by tabs, commas, semicolons or blanks.

    A header may name the column of the rating (in SimLex-999 it is not the third). Words may have a part of speech, as
    in MEN's lemma form (`sun-n`).
    """
    lines = [line for line in read_lines(path) if not line.text.startswith("#")]
    if not lines:
        raise DataError(f"{path} has no pairs, only comments.")
    separator = next((mark for mark in ("\t", ",", ";") if mark in lines[0].text), None)
    rating = 2
    if header := _header(lines[0], separator):
        rating = next((i for i, name in enumerate(header) if name.lower().startswith(("simlex", "human", "score"))), 2)
        lines = lines[1:]
    if not lines:
        raise DataError(f"{path} has no pairs, only a header.")
    pairs = []
    for line in lines:
        columns = line.columns(rating + 1, PAIR_LAYOUT, separator)
        a, b = (Instance(_without_pos(word), "", "") for word in columns[:2])
        pairs.append(RatedPair(a, b, line.parse_number(columns[rating])))
    return pairs


def _header(line: Line, separator: str | None) -> list[str]:
    """The names of the columns if the line is a header, which has no numbers; else nothing."""
    columns = [column.strip() for column in line.text.split(separator)]
    return columns if len(columns) >= 3 and not any(map(is_number, columns)) else []


def _without_pos(word: str) -> str:
    """
    >>> _without_pos("sun-n"), _without_pos("well-known")
    ('sun', 'well-known')
    """
    stem, _, tag = word.rpartition("-")
    return stem if stem and tag in ("n", "v", "j", "a", "r") else word
