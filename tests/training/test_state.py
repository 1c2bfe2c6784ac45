"""The arrays of a run: the split into senses, and the arrays of the final model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polyseme.errors import ConfigError
from polyseme.training.config import make_config
from polyseme.training.state import TrainState
from polyseme.vocabulary import Vocabulary

VOCABULARY = Vocabulary([f"w{i}" for i in range(6)], np.array([500, 400, 300, 120, 40, 5], np.int64))


@pytest.mark.parametrize("subsample", [1e-300, 1e-20, 5e-324])
@pytest.mark.parametrize("model", ["mssg", "skip-gram"])
def test_a_subsampling_threshold_that_drops_all_tokens_is_refused(model: str, subsample: float) -> None:
    with pytest.raises(
        ConfigError, match=f"--subsample {subsample} drops all of the 1,365 tokens; give a larger value"
    ):
        TrainState.initial(make_config(dim=4, model=model, subsample=subsample), VOCABULARY, 1)


def test_a_small_corpus_is_not_refused_because_of_subsampling() -> None:
    tiny = Vocabulary(["a", "b"], np.array([1, 1], np.int64))
    assert TrainState.initial(make_config(dim=4, epochs=1, subsample=1e-3), tiny, 1).tables.keep.min() > 0


def test_after_a_warm_up_senses_start_as_copies_of_the_words_vector() -> None:
    state = TrainState.initial(make_config(dim=4, senses=3), VOCABULARY, 1)
    state.parameters.sense_counts[0] = 1
    state.split_senses()
    senses = state.parameters.sense_vectors[:3]
    assert (senses == senses[0]).all()
    assert state.parameters.sense_counts.sum() == 0
    assert state.parameters.num_senses.tolist() == [3, 3, 3, 3, 1, 1]


def test_without_a_warm_up_senses_start_at_random() -> None:
    state = TrainState.initial(make_config(dim=4, senses=3, warmup=0.0), VOCABULARY, 1)
    state.split_senses()
    assert not np.allclose(state.parameters.sense_vectors[0], state.parameters.sense_vectors[1])


def test_without_whitening_contexts_are_made_of_the_global_vectors() -> None:
    state = TrainState.initial(make_config("paper", dim=4), VOCABULARY, 1)
    state.split_senses()
    assert state.tables.context_table is state.parameters.global_vectors


@pytest.mark.parametrize(("settings", "window"), [({}, 20), ({"whitening": 0.0}, 0), ({"model": "mssg-maxout"}, 0)])
def test_the_sense_window_needs_a_whitened_table_because_global_vectors_change_during_training(
    settings: dict[str, Any], window: int
) -> None:
    state = TrainState.initial(make_config(dim=4, **settings), VOCABULARY, 1)
    state.split_senses()
    assert state.kernel_config.sense_window == window


def test_the_model_has_the_senses_in_use_sorted_by_frequency() -> None:
    state = TrainState.initial(make_config(dim=4, model="np-mssg", max_senses=4), VOCABULARY, 1)
    p = state.parameters
    p.num_senses[0] = 3
    p.sense_counts[:4] = [5, 9, 7, 0]
    kept = (p.sense_vectors[[1, 2, 0]] + p.global_vectors[0])[:, :4]
    last = (p.sense_vectors[p.sense_offsets[5]] + p.global_vectors[5])[:4]
    arrays = state.to_model_arrays()
    assert arrays.sense_counts[:3].tolist() == [9, 7, 5]
    assert arrays.sense_offsets.tolist() == [0, 3, 4, 5, 6, 7, 8]
    np.testing.assert_allclose(arrays.sense_vectors[:3] - arrays.sense_vectors[0], kept - kept[0], atol=1e-6)
    np.testing.assert_allclose(arrays.sense_vectors[7] - arrays.sense_vectors[0], last - kept[0], atol=1e-6)
    np.testing.assert_allclose(np.mean(arrays.sense_vectors, axis=0), 0, atol=1e-6)
    arrays.check(len(VOCABULARY))


def test_the_paper_recipe_outputs_sense_vectors_as_trained() -> None:
    state = TrainState.initial(make_config("paper", dim=4), VOCABULARY, 1)
    before = state.parameters.sense_vectors[state.parameters.sense_offsets[:-1], :4]
    np.testing.assert_array_equal(state.to_model_arrays().sense_vectors, before)


@pytest.mark.parametrize(("recipe", "threads", "copies"), [("default", 2, 6), ("default", 1, 0), ("paper", 2, 0)])
def test_threads_copy_frequent_rows_only_with_sgd(recipe: str, threads: int, copies: int) -> None:
    state = TrainState.initial(make_config(recipe, dim=4), VOCABULARY, threads)
    assert state.kernel_config.hot_rows == copies
    assert len(state.parameters.global_vectors) == len(VOCABULARY) + threads * copies


def test_the_size_of_chunks_does_not_change_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    one_chunk, several_chunks = (_state_with_random_senses() for _ in range(2))
    expected = one_chunk.to_model_arrays()
    monkeypatch.setattr("polyseme.training.state.CHUNK_WORDS", 2)
    result = several_chunks.to_model_arrays()
    assert expected.sense_offsets.tolist() == [0, 3, 4, 6, 10, 11, 12]
    np.testing.assert_array_equal(result.sense_vectors, expected.sense_vectors)
    np.testing.assert_array_equal(result.cluster_centers, expected.cluster_centers)


def _state_with_random_senses() -> TrainState:
    state = TrainState.initial(make_config(dim=4, model="np-mssg", max_senses=4), VOCABULARY, 1)
    random = np.random.default_rng(1)
    state.parameters.num_senses[:] = [3, 1, 2, 4, 1, 1]
    state.parameters.sense_counts[:] = random.integers(0, 99, len(state.parameters.sense_counts))
    state.parameters.cluster_centers[:] = random.random(state.parameters.cluster_centers.shape, np.float32)
    return state


def test_maxout_compares_contexts_with_the_sense_vectors_as_trained() -> None:
    state = TrainState.initial(make_config(dim=4, model="mssg-maxout"), VOCABULARY, 1)
    before = state.parameters.sense_vectors[0, :4].copy()
    arrays = state.to_model_arrays()
    assert arrays.cluster_centers is not None
    np.testing.assert_array_equal(arrays.cluster_centers[0], before)
    assert not np.allclose(arrays.sense_vectors[0], arrays.cluster_centers[0])


def test_initial_vectors_do_not_depend_on_the_number_of_threads() -> None:
    one, two = (TrainState.initial(make_config(dim=4), VOCABULARY, n).parameters for n in (1, 2))
    np.testing.assert_array_equal(one.global_vectors, two.global_vectors[:6])
    np.testing.assert_array_equal(one.sense_vectors, two.sense_vectors)
