"""Word sense induction: the senses that a model assigns to labelled instances, compared with the labels.

The predicted sense of an instance is the most probable one. For graded labels, the weight of a sense is its
probability divided by the largest one, and 0 if that is MIN_WEIGHT or less. The measures are in
`polyseme.evaluation.wsi_metrics`, the file formats in `polyseme.evaluation.wsi_data`. Words are looked up by their
lemma. In `including_oov`, a word that is not in the vocabulary is one cluster. Intervals are over samples of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import DataError, shorten
from polyseme.evaluation.controls import Probabilities, with_random_sense
from polyseme.evaluation.fuzzy_metrics import Weights
from polyseme.evaluation.instances import instance_probabilities
from polyseme.evaluation.scores import CONTROL_RUNS, Evaluation, Score, bootstrap_interval
from polyseme.evaluation.wsi_data import LabelledWord, Labels, read_wsi
from polyseme.evaluation.wsi_metrics import Agreement, agreement, mean_over_words
from polyseme.model.data import ModelData

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

MIN_WEIGHT = 0.1  # the upper edge of the lowest bin of `fuzzy_metrics`
GROUPS = {"n": "nouns", "v": "verbs", "a": "adjectives", "j": "adjectives", "r": "adverbs"}

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


def wsi(model: SenseModel, path: Path, *, window: int | None = None) -> Evaluation:
    """Evaluate on a folder of labelled instances, or on its file `dataset.txt`."""
    data = model._data
    words = read_wsi(path)
    known = np.array([data.word_id(word.lemma) is not None for word in words])
    if not known.any():
        word = shorten(words[0].lemma)
        raise DataError(f"{path}: the model knows none of the {len(words)} words, such as '{word}'.")
    num_instances = np.array([len(word.instances) for word in words])
    truths = [_label_weights(word.labels) for word in words]
    measure = partial(agreement, truths, graded=any(len(labels) > 1 for word in words for labels in word.labels))
    predictions = [_Prediction(data, word, window) for word in words]
    predicted = measure([prediction.weights() for prediction in predictions])
    rng = np.random.default_rng(0)
    controls = [measure([prediction.random_weights(rng) for prediction in predictions]) for _ in range(CONTROL_RUNS)]
    groups = {name: members for name, members in _groups(words).items() if (members & known).any()}
    baselines = {
        "one cluster per word": measure([np.ones((n, 1)) for n in num_instances]),
        "one cluster per instance": measure([np.eye(n) for n in num_instances]),
    }
    num_labels = np.array([truth.shape[1] for truth in truths], np.float64)
    return Evaluation(
        task="wsi",
        covered=int(num_instances[known].sum()),
        total=int(num_instances.sum()),
        table={group: _scores(predicted, controls, members, known, num_instances) for group, members in groups.items()},
        notes=tuple(
            f"{group}, {name}: {_format_means(values, members & known, num_instances)}"
            for group, members in groups.items()
            for name, values in baselines.items()
        ),
        items="instances of known words",
        facts={
            "words": len(words),
            "known words": int(known.sum()),
            **{
                f"labelled senses per word, {group}": float(num_labels[members & known].mean())
                for group, members in groups.items()
            },
        },
    )


class _Prediction:
    """The sense probabilities of a word's instances. A word that is not in the vocabulary has one sense."""

    def __init__(self, data: ModelData, word: LabelledWord, window: int | None) -> None:
        word_id = data.word_id(word.lemma)
        self.shares = np.ones(1) if word_id is None else data.shares(word_id)
        self.probabilities = [
            self.shares if word_id is None else instance_probabilities(data, word_id, instance, window=window)
            for instance in word.instances
        ]

    def weights(self) -> Weights:
        return _sense_weights(self.probabilities)

    def random_weights(self, rng: np.random.Generator) -> Weights:
        """The control."""
        return _sense_weights([with_random_sense(p, self.shares, rng) for p in self.probabilities])


def _sense_weights(probabilities: Sequence[Probabilities]) -> Weights:
    """(instances, senses) Probabilities divided by the largest one of the instance; 0 up to MIN_WEIGHT."""
    weights = np.array(probabilities)
    weights /= weights.max(axis=1, keepdims=True)
    return np.where(weights > MIN_WEIGHT, weights, 0.0)


def _label_weights(labels: list[Labels]) -> Weights:
    """(instances, senses) The weights of a word's labels."""
    names = list(dict.fromkeys(sense for senses in labels for sense in senses))
    return np.array([[senses.get(name, 0.0) for name in names] for senses in labels])


def _groups(words: list[LabelledWord]) -> dict[str, Bools]:
    """The words of each group: all, and each part of speech."""
    names = np.array([GROUPS.get(word.pos, word.pos) for word in words])
    return {"all": np.ones(len(words), bool)} | {str(name): names == name for name in dict.fromkeys(names)}


def _scores(
    predicted: Agreement, controls: list[Agreement], members: Bools, known: Bools, num_instances: Ints
) -> dict[str, Score]:
    """The scores of the known words of a group, by measure."""
    scored = members & known
    sizes = num_instances[scored]

    def score(name: str) -> Score:
        values = predicted[name][scored]
        low, high = bootstrap_interval(
            len(values), lambda samples: mean_over_words(name, values[samples], sizes[samples])
        )
        return Score(
            value=float(mean_over_words(name, values, sizes)),
            low=low,
            high=high,
            control=float(np.mean([mean_over_words(name, control[name][scored], sizes) for control in controls])),
            including_oov=float(mean_over_words(name, predicted[name][members], num_instances[members])),
        )

    return {name: score(name) for name in predicted}


def _format_means(values: Agreement, scored: Bools, num_instances: Ints) -> str:
    means = {name: mean_over_words(name, rows[scored], num_instances[scored]) for name, rows in values.items()}
    return ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
