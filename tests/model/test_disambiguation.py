"""Context vectors of single contexts and of many tokens of a text."""

from __future__ import annotations

import numpy as np

from polyseme import SenseModel
from polyseme.model.disambiguation import context_between, context_vector, context_vectors


def test_context_vectors_of_a_text_equal_those_of_single_contexts(mssg: SenseModel) -> None:
    data = mssg._data
    tokens = np.random.default_rng(0).integers(0, 50, 60).astype(np.int32)
    sentences = np.array([0, 1, 25, 60])
    positions = np.array([0, 1, 12, 24, 25, 40, 59])
    vectors = context_vectors(data, tokens, sentences, positions)
    for vector, position in zip(vectors, positions.tolist(), strict=True):
        start, end = sentences[sentences <= position].max(), sentences[sentences > position].min()
        context = context_between(data, tokens[start:position].tolist(), tokens[position + 1 : end].tolist())
        np.testing.assert_allclose(vector, context_vector(data, context), rtol=1e-5, atol=1e-6)
