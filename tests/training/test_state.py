"""The arrays of a run: the split into senses, and what a model keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polyseme.training.config import make_config
from polyseme.training.state import TrainState
from polyseme.vocabulary import Vocabulary

VOCABULARY = Vocabulary([f"w{i}" for i in range(6)], np.array([500, 400, 300, 120, 40, 5], np.int64))


def test_senses_start_from_the_words_own_vector_after_a_warm_up() -> None:
    state = TrainState.fresh(make_config(dim=4), VOCABULARY, 1)
    state.parameters.sense_counts[0] = 1
    state.split_senses()
    own = state.parameters.sense_vectors[:3]
    assert (own == own[0]).all()
    assert state.parameters.sense_counts.sum() == 0
    assert state.parameters.num_senses.tolist() == [3, 3, 3, 3, 1, 1]


def test_without_a_warm_up_senses_start_at_random() -> None:
    state = TrainState.fresh(make_config(dim=4, warmup=0.0), VOCABULARY, 1)
    state.split_senses()
    assert not np.allclose(state.parameters.sense_vectors[0], state.parameters.sense_vectors[1])


def test_contexts_are_made_from_the_global_vectors_themselves_without_whitening() -> None:
    state = TrainState.fresh(make_config("paper", dim=4), VOCABULARY, 1)
    state.split_senses()
    assert state.tables.context_table is state.parameters.global_vectors


@pytest.mark.parametrize(("settings", "window"), [({}, 20), ({"whitening": 0.0}, 0), ({"model": "mssg-maxout"}, 0)])
def test_only_a_table_that_stays_as_it_is_is_summed_over_a_sliding_window(
    settings: dict[str, Any], window: int
) -> None:
    state = TrainState.fresh(make_config(dim=4, **settings), VOCABULARY, 1)
    state.split_senses()
    assert state.settings.sense_window == window


def test_a_model_keeps_the_senses_that_are_there_most_frequent_first() -> None:
    state = TrainState.fresh(make_config(dim=4, model="np-mssg", max_senses=4), VOCABULARY, 1)
    p = state.parameters
    p.num_senses[0] = 3
    p.sense_counts[:4] = [5, 9, 7, 0]
    kept = (p.sense_vectors[[1, 2, 0]] + p.global_vectors[0])[:, :4]
    last = (p.sense_vectors[p.sense_offsets[5]] + p.global_vectors[5])[:4]
    arrays = state.learned()
    assert arrays.sense_counts[:3].tolist() == [9, 7, 5]
    assert arrays.sense_offsets.tolist() == [0, 3, 4, 5, 6, 7, 8]
    np.testing.assert_allclose(arrays.sense_vectors[:3] - arrays.sense_vectors[0], kept - kept[0], atol=1e-6)
    np.testing.assert_allclose(arrays.sense_vectors[7] - arrays.sense_vectors[0], last - kept[0], atol=1e-6)
    np.testing.assert_allclose(arrays.sense_vectors.mean(axis=0), 0, atol=1e-6)
    arrays.check(len(VOCABULARY))


def test_the_paper_keeps_sense_vectors_as_they_were_learned() -> None:
    state = TrainState.fresh(make_config("paper", dim=4), VOCABULARY, 1)
    before = state.parameters.sense_vectors[state.parameters.sense_offsets[:-1], :4]
    np.testing.assert_array_equal(state.learned().sense_vectors, before)


def test_what_is_kept_is_made_a_few_words_at_a_time_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, some = (_with_some_senses() for _ in range(2))
    expected = at_once.learned()
    monkeypatch.setattr("polyseme.training.state.WORDS_AT_ONCE", 2)
    found = some.learned()
    assert expected.sense_offsets.tolist() == [0, 3, 4, 6, 10, 11, 12]
    np.testing.assert_array_equal(found.sense_vectors, expected.sense_vectors)
    np.testing.assert_array_equal(found.cluster_centers, expected.cluster_centers)


def _with_some_senses() -> TrainState:
    state = TrainState.fresh(make_config(dim=4, model="np-mssg", max_senses=4), VOCABULARY, 1)
    random = np.random.default_rng(1)
    state.parameters.num_senses[:] = [3, 1, 2, 4, 1, 1]
    state.parameters.sense_counts[:] = random.integers(0, 99, len(state.parameters.sense_counts))
    state.parameters.cluster_centers[:] = random.random(state.parameters.cluster_centers.shape, np.float32)
    return state


def test_maxout_goes_on_comparing_contexts_with_what_was_learned() -> None:
    state = TrainState.fresh(make_config(dim=4, model="mssg-maxout"), VOCABULARY, 1)
    before = state.parameters.sense_vectors[0, :4].copy()
    arrays = state.learned()
    assert arrays.cluster_centers is not None
    np.testing.assert_array_equal(arrays.cluster_centers[0], before)
    assert not np.allclose(arrays.sense_vectors[0], arrays.cluster_centers[0])


def test_threads_do_not_change_the_start() -> None:
    one, two = (TrainState.fresh(make_config(dim=4), VOCABULARY, n).parameters for n in (1, 2))
    np.testing.assert_array_equal(one.global_vectors, two.global_vectors[:6])
    np.testing.assert_array_equal(one.sense_vectors, two.sense_vectors)
