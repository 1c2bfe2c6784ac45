"""Agreement of a model's senses with the planted senses of the corpus that it was trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polyseme.corpus.planted import PlantedCorpus, planted_senses
from polyseme.evaluation.cluster_metrics import adjusted_rand_index, purity
from polyseme.model.sense_assigner import ALL_TOKENS, SenseAssigner
from polyseme.model.sense_model import SenseModel


@dataclass(frozen=True)
class PlantedScore:
    """The score of one planted word.

    planted              number of planted senses
    found                number of senses in the model
    ari                  adjusted Rand index: 0 for random senses, and for a single sense
    single_sense_purity  purity of a single sense, the baseline of `purity`
    largest_share        share of the occurrences that are assigned to the most frequent sense
    """

    word: str
    planted: int
    found: int
    occurrences: int
    ari: float
    purity: float
    single_sense_purity: float
    largest_share: float


def score_planted(model: SenseModel, corpus: PlantedCorpus) -> list[PlantedScore]:
    """Score each planted word in the vocabulary by the senses that the model assigns to its occurrences."""
    index = model.vocabulary.index
    tokens = np.array([index.get(word, -1) for words in corpus.sentences for word in words], np.int32)
    starts = np.concatenate([[0], np.cumsum([len(words) for words in corpus.sentences])]).astype(np.int64)
    senses, _ = SenseAssigner(model._data).assign(tokens, starts, np.full(len(model), ALL_TOKENS))
    scores = []
    for word, topics in planted_senses().items():
        occurrences = [occurrence for occurrence in corpus.occurrences if occurrence.word == word]
        if word not in model.vocabulary or not occurrences:
            continue
        labels_true = [occurrence.topic for occurrence in occurrences]
        labels_pred = senses[[starts[occurrence.sentence] + occurrence.position for occurrence in occurrences]]
        scores.append(
            PlantedScore(
                word=word,
                planted=len(topics),
                found=len(model._data.rows(index[word])),
                occurrences=len(occurrences),
                ari=adjusted_rand_index(labels_true, labels_pred),
                purity=purity(labels_true, labels_pred),
                single_sense_purity=purity(labels_true, np.zeros(len(labels_true))),
                largest_share=float(np.unique(labels_pred, return_counts=True)[1].max() / len(labels_pred)),
            )
        )
    return scores
