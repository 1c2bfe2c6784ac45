"""A small model with all kinds of keys: several senses, one, a hidden one, gaps in numbers, `#`, spaces, Unicode."""

from __future__ import annotations

import numpy as np

from polyseme import SenseModel
from polyseme.corpus.tokenizers import WORDS
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData
from polyseme.vocabulary import Vocabulary

DIM = 7
SENSES: dict[str, dict[int, int]] = {  # word -> sense number -> count
    "the": {1: 900},
    "bank": {1: 300, 2: 200, 3: 2},  # bank#3 has less than 1% of the tokens and is not shown
    "flüsse": {1: 400},
    "東京": {1: 210, 2: 90},
    "c#": {1: 100},
    "new york": {1: 60, 2: 40},
    "top#1": {1: 80},
    "#1": {1: 70},
    "spring": {5: 30, 2: 20},  # refined: numbers have a gap, and are not in the order of the counts
    "l'été": {1: 9},
}
KEYS = [
    "the", "bank#1", "bank#2", "flüsse", "東京#1", "東京#2", "c#", "new york#1", "new york#2", "top#1", "#1",
    "spring#5", "spring#2", "l'été",
]  # fmt: skip


def toy_model(scale: float = 1.0) -> SenseModel:
    rng = np.random.default_rng(3)
    counts = [count for senses in SENSES.values() for count in senses.values()]
    offsets = np.cumsum([0, *map(len, SENSES.values())])
    vectors = (rng.normal(size=(len(counts), DIM)) * scale).astype(np.float32)
    vectors[0, :3] = [0, -1e-30, 12345678]
    arrays = ModelArrays(
        global_vectors=rng.normal(size=(len(SENSES), DIM)).astype(np.float32),
        sense_vectors=vectors,
        sense_offsets=offsets,
        sense_counts=np.array(counts),
        cluster_centers=rng.normal(size=vectors.shape).astype(np.float32),
        sense_numbers=np.array([number for senses in SENSES.values() for number in senses], np.int32),
    )
    words = Vocabulary(list(SENSES), 1000 - 90 * np.arange(len(SENSES)))
    config = {"model": "mssg", "window": 5, "subsample": 0.0}
    return SenseModel(
        ModelData(
            words,
            arrays,
            WORDS,
            config,
            corpus={"tokens": 9, "sentences": 1},
            training={"seconds": 1.0, "loss": 0.5, "threads": 1},
        )
    )
