"""Merging the changes of workers."""

from __future__ import annotations

import numpy as np
import pytest

from polyseme.training.cluster.merging import Merged, Merger, Replica, combined_share, num_bytes, words_due
from polyseme.training.config import make_config
from polyseme.training.state import TrainState
from polyseme.training.trainer import TrainingTotals
from polyseme.vocabulary import Vocabulary

NUM_WORDS, DIM = 40, 16
TOTALS = TrainingTotals(10, 100, 30.0)


def new_state() -> TrainState:
    vocabulary = Vocabulary([f"w{i}" for i in range(NUM_WORDS)], np.arange(NUM_WORDS, 0, -1) * 100)
    config = make_config(senses=2, dim=DIM, multi_sense_min_count=1, whitening=0.0, sense_dim=DIM, subsample=0.0)
    state = TrainState.initial(config, vocabulary, threads=1)
    state.split_senses()
    return state


@pytest.fixture
def driver() -> TrainState:
    return new_state()


def replicas(driver: TrainState, number: int) -> list[Replica]:
    made = [Replica(new_state()) for _ in range(number)]
    for replica in made:
        replica.load(driver.to_arrays(), senses_split=True)
    return made


def test_words_of_four_times_the_rank_are_merged_half_as_often() -> None:
    due = np.array([words_due(n, 100_000) for n in range(1, 65)])
    assert [np.sum(due > word) for word in (0, 1024, 4096, 16384)] == [64, 32, 16, 8]


def test_few_steps_are_added_and_many_are_averaged() -> None:
    shares = combined_share(np.array([0.0, 1e-4, 1.0, 100.0]), np.array([4, 4, 4, 4], np.int32))
    assert shares[:2] == pytest.approx([1, 1], abs=1e-3)
    assert shares[2] == pytest.approx((1 - np.exp(-4)) / (4 * (1 - np.exp(-1))))
    assert shares[3] == pytest.approx(1 / 4)


def test_steps_towards_an_optimum_are_combined_to_what_one_worker_would_reach_alone() -> None:
    rate, steps, workers = 0.03, 20, 4
    change = 1 - (1 - rate) ** steps  # of each worker, from 0 towards the optimum 1
    alone = 1 - (1 - rate) ** (steps * workers)
    x = -steps * np.log(1 - rate)
    share = combined_share(np.array([x]), np.array([workers], np.int32))[0]
    assert share * workers * change == pytest.approx(alone)


def test_the_change_of_a_single_worker_is_taken_over(driver: TrainState) -> None:
    worker, other = replicas(driver, 2)
    table = worker.state.parameters.global_vectors
    table[3, :DIM] += 1
    table[30, :DIM] += 2
    expected = table.copy()
    updates = [worker.update(0, 7, 20, TOTALS), other.update(1, 7, 20, TOTALS)]
    merged = Merger(driver).merge(updates, 20, 0.025, 1000)
    assert merged.round == 7
    assert merged.global_vectors.rows.tolist() == [3]  # 30 is not due yet
    np.testing.assert_allclose(driver.parameters.global_vectors[3], expected[3])
    other.apply(merged)
    np.testing.assert_allclose(other.state.parameters.global_vectors[3], expected[3])
    later = worker.update(0, 8, NUM_WORDS, TOTALS)
    assert later.global_vectors.rows.tolist() == [3, 30]  # without `apply`, the worker has not taken over row 3


def test_merged_rows_can_be_applied_twice(driver: TrainState) -> None:
    workers = replicas(driver, 2)
    for i, worker in enumerate(workers):
        worker.state.parameters.sense_vectors[:10, :DIM] += i + 1
        worker.state.parameters.sense_counts[:10] += 5
    merged = merge(driver, workers)
    for worker in workers:
        worker.apply(merged)
        worker.apply(merged)
        for name in ("sense_vectors", "global_vectors", "sense_counts", "cluster_centers"):
            ours, theirs = (getattr(s.parameters, name) for s in (worker.state, driver))
            assert np.array_equal(ours[: len(theirs)], theirs[: len(ours)]), name
        assert num_bytes(worker.update(0, 2, NUM_WORDS, TOTALS)) == 0


def test_counts_are_added_and_centers_are_means_of_all_contexts(driver: TrainState) -> None:
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(2, 6, DIM))
    p = driver.parameters
    p.sense_counts[0], p.cluster_centers[0, :DIM] = 3, 1.0
    workers = replicas(driver, 2)
    for worker, seen in zip(workers, contexts, strict=True):
        own = worker.state.parameters
        own.cluster_centers[0, :DIM] = (3 * np.ones(DIM) + seen.sum(0)) / 9
        own.sense_counts[0] = 9
    merge(driver, workers)
    assert p.sense_counts[0] == 15
    expected = (3 * np.ones(DIM) + contexts.sum((0, 1))) / 15
    np.testing.assert_allclose(p.cluster_centers[0, :DIM], expected, rtol=1e-5)
    assert p.center_inverse_norms[0] == pytest.approx(1 / np.linalg.norm(expected), rel=1e-5)


def test_changes_that_stay_the_same_are_added_also_for_frequent_words(driver: TrainState) -> None:
    """Momentum makes up for the averaging: four workers move a row four times as far as one, in the end."""
    merger, workers = Merger(driver), replicas(driver, 4)
    moves = []
    for _ in range(60):
        for worker in workers:
            worker.state.parameters.global_vectors[0, :DIM] += 1
        before = driver.parameters.global_vectors[0, 0]
        updates = [worker.update(i, 1, NUM_WORDS, TOTALS) for i, worker in enumerate(workers)]
        merged = merger.merge(updates, NUM_WORDS, 0.025, 1e9)
        moves.append(driver.parameters.global_vectors[0, 0] - before)
        for worker in workers:
            worker.apply(merged)
    assert moves[0] == pytest.approx(1)
    assert moves[1] == pytest.approx(1.75)
    assert moves[-1] == pytest.approx(4, rel=1e-3)


def test_centers_of_words_with_one_sense_are_sent_with_the_rows_of_all_words(driver: TrainState) -> None:
    driver.parameters.num_senses[0] = 1
    (worker,) = replicas(driver, 1)
    first_rows = driver.parameters.sense_offsets[:2]
    worker.state.parameters.sense_counts[first_rows] += 5
    assert worker.update(0, 1, 20, TOTALS).clusters.rows.tolist() == [first_rows[1]]
    assert worker.update(0, 1, NUM_WORDS, TOTALS).clusters.rows.tolist() == first_rows.tolist()


def test_the_order_of_updates_is_that_of_the_workers(driver: TrainState) -> None:
    """Sums of floats depend on their order, so the result would not be reproducible otherwise."""
    workers = replicas(driver, 3)
    rng = np.random.default_rng(1)
    for worker in workers:
        worker.state.parameters.global_vectors[:, :DIM] += rng.normal(size=(NUM_WORDS, DIM)).astype(np.float32)
    before = driver.parameters.global_vectors.copy()
    merge(driver, workers)
    first = driver.parameters.global_vectors.copy()
    driver.parameters.global_vectors[:] = before
    merge(driver, workers)
    assert np.array_equal(first, driver.parameters.global_vectors)


def merge(driver: TrainState, workers: list[Replica]) -> Merged:
    updates = [worker.update(i, 1, NUM_WORDS, TOTALS) for i, worker in enumerate(workers)]
    return Merger(driver).merge(updates, NUM_WORDS, 0.025, 1000)
