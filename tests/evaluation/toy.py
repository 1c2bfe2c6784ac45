"""A model that is small enough to compute its scores by hand."""

from __future__ import annotations

import numpy as np

from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData
from polyseme.model.sense_model import SenseModel
from polyseme.vocabulary import Vocabulary


def toy(
    words: dict[str, list[tuple[list[float], int]]], centers: dict[str, list[list[float]]] | None = None
) -> SenseModel:
    """A model with the given senses.

    words    the (vector, count) of each sense of a word; the first vector is also the word's global vector
    centers  the cluster centers of each word's senses
    """
    senses = [sense for of_word in words.values() for sense in of_word]
    vectors = np.array([vector for vector, _ in senses], np.float32)
    offsets = np.concatenate([[0], np.cumsum([len(of_word) for of_word in words.values()])]).astype(np.int64)
    rows = None if centers is None else np.array([c for word in words for c in centers[word]], np.float32)
    arrays = ModelArrays(
        global_vectors=vectors[offsets[:-1]],
        sense_vectors=vectors,
        sense_offsets=offsets,
        sense_counts=np.array([count for _, count in senses], np.int64),
        cluster_centers=rows,
    )
    arrays.check(len(words))
    counts = np.array([sum(count for _, count in of_word) for of_word in words.values()], np.int64)
    config = {"window": 5, "subsample": 0.0, "model": "mssg", "seed": 1}
    return SenseModel(ModelData(Vocabulary(list(words), counts), arrays, get_tokenizer("words"), config))
