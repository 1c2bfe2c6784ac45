"""How well a model's senses match those of the planted corpus it was trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polyseme.corpus.planted import PlantedCorpus, planted_senses
from polyseme.evaluation.cluster_metrics import adjusted_rand_index, purity
from polyseme.model.sense_assigner import SenseAssigner
from polyseme.model.sense_model import SenseModel


@dataclass(frozen=True)
class PlantedScore:
    """One planted word: its true number of senses, and how the senses found match.

    `ari` is 0 for senses at random and for one sense alone; beside `purity` stands what a single sense gets.
    """

    word: str
    planted: int
    found: int
    uses: int
    ari: float
    purity: float
    single_sense_purity: float
    largest_share: float


def score_planted(model: SenseModel, corpus: PlantedCorpus) -> list[PlantedScore]:
    """Score every planted word that the model knows, by the sense it assigns to each use."""
    index = model.vocabulary.index
    tokens = np.array([index.get(word, -1) for words in corpus.sentences for word in words], np.int32)
    starts = np.concatenate([[0], np.cumsum([len(words) for words in corpus.sentences])]).astype(np.int64)
    every = np.full(len(model), 2**32, np.uint64)
    senses, _ = SenseAssigner(model._data).assign(tokens, starts, every)
    scores = []
    for word, topics in planted_senses().items():
        uses = [use for use in corpus.occurrences if use.word == word]
        if word not in model.vocabulary or not uses:
            continue
        truth = [use.topic for use in uses]
        found = senses[[starts[use.sentence] + use.position for use in uses]]
        largest = np.bincount(found - found.min()).max() / len(found)
        scores.append(
            PlantedScore(
                word=word,
                planted=len(topics),
                found=len(model._data.rows(index[word])),
                uses=len(uses),
                ari=adjusted_rand_index(truth, found),
                purity=purity(truth, found),
                single_sense_purity=purity(truth, np.zeros(len(truth))),
                largest_share=float(largest),
            )
        )
    return scores
