"""Word sense induction: the senses that a model finds in labelled contexts, against the labels.

The sense of a context is the most probable one; in graded labels its weights are the probabilities by the largest of
them, and a sense with PRESENT of that or less is absent. The measures are in `polyseme.evaluation.wsi_metrics`, the
layouts of the data in `polyseme.evaluation.wsi_data`. A word is looked up by its lemma. With unknown words counted,
each of them is one cluster. Intervals are over samples of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError
from polyseme.evaluation.controls import Probabilities, drawn_instead
from polyseme.evaluation.fuzzy_metrics import Weights
from polyseme.evaluation.instances import probabilities_of
from polyseme.evaluation.scores import DRAWS, Evaluation, Score, bootstrap
from polyseme.evaluation.wsi_data import LabelledWord, Labels, read_wsi
from polyseme.evaluation.wsi_metrics import Agreement, agreement, over_words

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

PRESENT = 0.1  # where the lowest of the tenths of `fuzzy` ends
GROUPS = {"n": "nouns", "v": "verbs", "a": "adjectives", "j": "adjectives", "r": "adverbs"}

Bools = NDArray[np.bool_]


def wsi(model: SenseModel, path: Path, *, window: int | None = None) -> Evaluation:
    """A folder of labelled contexts, or its file `dataset.txt`."""
    words = read_wsi(path)
    known = np.array([model._data.word_id(word.lemma) is not None for word in words])
    if not known.any():
        raise DataError(f"{path}: the model knows none of the {len(words)} words, such as '{words[0].lemma}'.")
    uses = np.array([len(word.uses) for word in words])
    truths = [_table(word.labels) for word in words]
    measure = partial(agreement, truths, graded=any(len(labels) > 1 for word in words for labels in word.labels))
    found = [_Found(model, word, window) for word in words]
    chosen = measure([word.chosen() for word in found])
    random = np.random.default_rng(0)
    draws = [measure([word.drawn(random) for word in found]) for _ in range(DRAWS)]
    groups = {name: where for name, where in _groups(words).items() if (where & known).any()}
    baselines = {
        "one cluster a word": measure([np.ones((n, 1)) for n in uses]),
        "one cluster a context": measure([np.eye(n) for n in uses]),
    }
    return Evaluation(
        task="wsi",
        covered=int(uses[known].sum()),
        total=int(uses.sum()),
        table={group: _scores(chosen, draws, where, known, uses) for group, where in groups.items()},
        notes=tuple(
            f"{group}, {name}: {_figures(values, where & known, uses)}"
            for group, where in groups.items()
            for name, values in baselines.items()
        ),
        what="contexts of known words",
        facts={
            "words": len(words),
            "known words": int(known.sum()),
            **{
                f"labelled senses, {group}": float(np.mean([truths[i].shape[1] for i in np.flatnonzero(where & known)]))
                for group, where in groups.items()
            },
        },
    )


class _Found:
    """The probabilities of a word's senses in its contexts; a word that is not known has one sense."""

    def __init__(self, model: SenseModel, word: LabelledWord, window: int | None) -> None:
        known = model._data.word_id(word.lemma)
        self.shares = np.ones(1) if known is None else model._data.shares(known)
        self.probabilities = [
            self.shares if known is None else probabilities_of(model, use, window=window) for use in word.uses
        ]

    def chosen(self) -> Weights:
        return _weights(self.probabilities)

    def drawn(self, random: np.random.Generator) -> Weights:
        """With senses drawn by their shares, for the control."""
        return _weights([drawn_instead(p, self.shares, random) for p in self.probabilities])


def _weights(probabilities: Sequence[Probabilities]) -> Weights:
    """Probabilities with the largest as 1, and nothing for senses that are hardly there."""
    weights = np.array(probabilities)
    weights /= weights.max(axis=1, keepdims=True)
    return np.where(weights > PRESENT, weights, 0.0)


def _table(labels: list[Labels]) -> Weights:
    """The weights of a word's labels, (uses, senses)."""
    names = list(dict.fromkeys(sense for senses in labels for sense in senses))
    return np.array([[senses.get(name, 0.0) for name in names] for senses in labels])


def _groups(words: list[LabelledWord]) -> dict[str, Bools]:
    """Which words are in each group: all, and by their part of speech."""
    names = np.array([GROUPS.get(word.pos, word.pos) for word in words])
    return {"all": np.ones(len(words), bool)} | {str(name): names == name for name in dict.fromkeys(names)}


def _scores(
    chosen: Agreement, draws: list[Agreement], where: Bools, known: Bools, uses: NDArray[np.int64]
) -> dict[str, Score]:
    scored = where & known
    sizes = uses[scored]

    def score(name: str) -> Score:
        values = chosen[name][scored]
        low, high = bootstrap(len(values), lambda samples: over_words(name, values[samples], sizes[samples]))
        return Score(
            value=float(over_words(name, values, sizes)),
            low=low,
            high=high,
            control=float(np.mean([over_words(name, draw[name][scored], sizes) for draw in draws])),
            with_unknown=float(over_words(name, chosen[name][where], uses[where])),
        )

    return {name: score(name) for name in chosen}


def _figures(values: Agreement, scored: Bools, uses: NDArray[np.int64]) -> str:
    means = {name: over_words(name, rows[scored], uses[scored]) for name, rows in values.items()}
    return ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
