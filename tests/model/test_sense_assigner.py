"""SenseAssigner: sense assignment for many tokens, against NumPy for one token at a time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from polyseme import SenseModel, train
from polyseme.model.disambiguation import TEMPERATURE
from polyseme.model.sense_assigner import ALL_TOKENS, SenseAssigner


@pytest.mark.parametrize("name", ["mssg", "np-mssg", "mssg-maxout"])
def test_each_token_gets_the_most_probable_sense(name: str, trained: Callable[[str], Path]) -> None:
    model = SenseModel.load(trained(name))
    tokens = np.random.default_rng(0).integers(-1, len(model) + 5, 900).astype(np.int32)
    sentences = np.array([0, 150, 150, 151, 900], np.int64)  # the last is longer than a chunk of `contexts`
    senses, cosines = SenseAssigner(model._data).assign(tokens, sentences, np.full(len(model), 2**32, np.uint64))
    data = model._data
    weights, table = data.context_weights, data.context_table
    for a, b in pairwise(sentences.tolist()):
        known = [t for t in range(a, b) if 0 <= tokens[t] < len(model)]
        assert (senses[[t for t in range(a, b) if t not in known]] == -1).all()
        for k, t in enumerate(known):
            left, right = known[max(0, k - data.sense_window) : k][::-1], known[k + 1 :][: data.sense_window]
            context = tokens[left + right]
            decay = data.sense_decay ** np.array([*range(len(left)), *range(len(right))])
            c = (decay * weights[context]) @ table[context]
            rows = data.rows(int(tokens[t]))
            centers = data.sense_centers[rows.start : rows.stop]
            norms = np.linalg.norm(centers, axis=1) * max(float(np.linalg.norm(c)), 1e-30)
            similarity = centers @ c / norms
            score = similarity + TEMPERATURE * np.log(data.shares(int(tokens[t])))
            chosen = int(senses[t]) - rows.start
            assert score[chosen] == pytest.approx(score.max(), abs=1e-4)
            assert cosines[t] == pytest.approx(similarity[chosen], abs=1e-4)


def test_only_sampled_words_are_assigned(mssg: SenseModel) -> None:
    tokens = np.arange(100, dtype=np.int32)
    sample = np.zeros(len(mssg), np.uint64)
    sample[7] = 2**32
    senses, _ = SenseAssigner(mssg._data).assign(tokens, np.array([0, 100]), sample)
    assert np.flatnonzero(senses >= 0).tolist() == [7]


def test_fewer_principal_components_give_nearly_the_same_cosines(planted_text: Path) -> None:
    model = train(planted_text, model="skip-gram", dim=100, epochs=3, threads=1, examples=0)
    tokens = np.random.default_rng(0).integers(0, len(model), 2000).astype(np.int32)
    sentences, all_tokens = np.arange(0, 2001, 20), np.full(len(model), ALL_TOKENS)
    _, cosines = SenseAssigner(model._data).assign(tokens, sentences, all_tokens)
    _, fewer = SenseAssigner(model._data, 16).assign(tokens, sentences, all_tokens)
    _, as_many = SenseAssigner(model._data, 100).assign(tokens, sentences, all_tokens)
    assert np.corrcoef(cosines, fewer)[0, 1] > 0.9
    np.testing.assert_array_equal(as_many, cosines)
