"""Sense assignment for many tokens, against NumPy for one token at a time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme import SenseModel, train
from polyseme.kernels.assign import keep_best
from polyseme.model.disambiguation import TEMPERATURE, context_table, sense_directions
from polyseme.model.sense_assigner import ALL, SenseAssigner


@pytest.mark.parametrize("name", ["mssg", "np-mssg", "mssg-maxout"])
def test_each_token_gets_the_most_probable_sense(name: str, trained: Callable[[str], Path]) -> None:
    model = SenseModel.load(trained(name))
    tokens = np.random.default_rng(0).integers(-1, len(model) + 5, 900).astype(np.int32)
    sentences = np.array([0, 150, 150, 151, 900], np.int64)  # the last is longer than a chunk of `contexts`
    senses, cosines = SenseAssigner(model).assign(tokens, sentences, np.full(len(model), 2**32, np.uint64))
    weights, table, directions = model.context_weights, context_table(model), sense_directions(model)
    for a, b in pairwise(sentences.tolist()):
        known = [t for t in range(a, b) if 0 <= tokens[t] < len(model)]
        assert (senses[[t for t in range(a, b) if t not in known]] == -1).all()
        for k, t in enumerate(known):
            left, right = known[max(0, k - model.reach) : k][::-1], known[k + 1 :][: model.reach]
            context = tokens[left + right]
            decay = model.fade ** np.array([*range(len(left)), *range(len(right))])
            c = (decay * weights[context]) @ table[context]
            rows = model.rows(int(tokens[t]))
            centers = directions[rows.start : rows.stop]
            norms = np.linalg.norm(centers, axis=1) * max(float(np.linalg.norm(c)), 1e-30)
            similarity = centers @ c / norms
            score = similarity + TEMPERATURE * np.log(model.shares(int(tokens[t])))
            chosen = int(senses[t]) - rows.start
            assert score[chosen] == pytest.approx(score.max(), abs=1e-4)
            assert cosines[t] == pytest.approx(similarity[chosen], abs=1e-4)


def test_only_sampled_words_are_assigned(mssg: SenseModel) -> None:
    tokens = np.arange(100, dtype=np.int32)
    sample = np.zeros(len(mssg), np.uint64)
    sample[7] = 2**32
    senses, _ = SenseAssigner(mssg).assign(tokens, np.array([0, 100]), sample)
    assert np.flatnonzero(senses >= 0).tolist() == [7]


def keep(senses: NDArray[np.int32], cosines: NDArray[np.float32], min_distance: int) -> NDArray[np.int64]:
    best, positions = np.full((3, 5), -2, np.float32), np.full((3, 5), -1, np.int64)
    for start in (0, 100, 200):
        keep_best(senses[start : start + 100], cosines[start : start + 100], start, min_distance, best, positions)
    assert (np.diff(best) <= 0).all()
    return positions


def test_the_positions_with_the_highest_cosines_are_kept_in_order() -> None:
    cosines = np.random.default_rng(1).random(300).astype(np.float32)
    senses = np.arange(300, dtype=np.int32) % 4 - 1
    positions = keep(senses, cosines, min_distance=0)
    for row in range(3):
        candidates = np.flatnonzero(senses == row)
        assert positions[row].tolist() == candidates[np.argsort(-cosines[candidates])][:5].tolist()


def test_of_two_close_positions_only_the_better_is_kept() -> None:
    cosines = np.random.default_rng(2).random(300).astype(np.float32)
    positions = keep(np.zeros(300, np.int32), cosines, min_distance=30)[0]
    assert positions[0] == cosines.argmax()
    assert np.diff(np.sort(positions)).min() >= 30


def test_fewer_principal_components_give_nearly_the_same_cosines(planted_text: Path) -> None:
    model = train(planted_text, model="skip-gram", dim=100, epochs=3, threads=1, examples=0)
    tokens = np.random.default_rng(0).integers(0, len(model), 2000).astype(np.int32)
    sentences, all_tokens = np.arange(0, 2001, 20), np.full(len(model), ALL)
    _, cosines = SenseAssigner(model).assign(tokens, sentences, all_tokens)
    _, fewer = SenseAssigner(model, 16).assign(tokens, sentences, all_tokens)
    _, as_many = SenseAssigner(model, 100).assign(tokens, sentences, all_tokens)
    assert np.corrcoef(cosines, fewer)[0, 1] > 0.9
    np.testing.assert_array_equal(as_many, cosines)
