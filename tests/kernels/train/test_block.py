"""The training kernel against its reference implementation, on one thread, for every model and optimizer.

The kernel computes in float32 and approximates exp; the reference computes in float64 with math.exp. After a few
hundred pairs their vectors may differ by at most 1e-4, and all counts must be equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyseme.kernels import reference
from polyseme.kernels.nearest_sense import AT_RANDOM, BY_CENTER, BY_VECTOR, ONE_SENSE
from polyseme.kernels.simd.padding import padded_rows, zero_padded_rows
from polyseme.kernels.train.block import KernelConfig, Parameters, Tables, make_scratch, train_block
from polyseme.vocabulary import Vocabulary

TOLERANCE = 1e-4
LEARNING_RATE = 0.0625  # exact in float32
LONGEST = 40

# Rule, new_sense_threshold, fill_empty.
RULES = {
    "skip-gram": (ONE_SENSE, -2.0, False),
    "mssg, first contexts as centers": (BY_CENTER, -2.0, True),
    "mssg, zero centers": (BY_CENTER, -2.0, False),
    "np-mssg": (BY_CENTER, 0.2, True),
    "mssg-maxout": (BY_VECTOR, -2.0, False),
    "random-senses": (AT_RANDOM, -2.0, True),
}


@dataclass
class Case:
    """A small random corpus, and hyper-parameters."""

    tokens: NDArray[np.int32]
    sentences: NDArray[np.int64]
    words: int
    senses: int
    dim: int
    window: int
    sense_window: int
    sense_decay: float
    negatives: int
    max_negatives: int
    negative_sharing: int
    seed: int


@st.composite
def cases(draw: st.DrawFn) -> Case:
    words = draw(st.integers(2, 12))
    texts = draw(st.lists(st.lists(st.integers(0, words + 1), max_size=LONGEST), min_size=1, max_size=4))
    return Case(
        tokens=np.array([t for text in texts for t in text], np.int32),
        sentences=np.cumsum([0, *map(len, texts)]).astype(np.int64),
        words=words,
        senses=draw(st.integers(1, 4)),
        dim=draw(st.integers(1, 40)),
        window=draw(st.integers(1, 6)),
        sense_window=draw(st.integers(0, 8)),
        sense_decay=draw(st.sampled_from([0.0, 0.5, 0.85, 1.0])),
        negatives=draw(st.integers(1, 6)),
        max_negatives=draw(st.integers(1, 40)),
        negative_sharing=draw(st.integers(1, 5)),
        seed=draw(st.integers(0, 2**64 - 1)),
    )


def make(case: Case, rule: str, adagrad: bool, hot_rows: int = 0) -> tuple[Parameters, Tables, KernelConfig]:
    """Random parameters and tables for a case, and the kernel's config."""
    random = np.random.default_rng(case.seed)
    rows = case.words * case.senses
    kind, threshold, fill_empty = RULES[rule]

    # At least 2: in one dimension unit contexts are 1 or -1, and rounding decides whether their mean is 0.
    sense_dim = case.dim if rule == "mssg-maxout" else max((case.dim + 1) // 2, 2)

    def vectors(n: int, dim: int = case.dim) -> NDArray[np.float32]:
        return padded_rows(random.normal(0, 0.5, (n, dim)).astype(np.float32))

    table = np.concatenate([vectors(case.words), zero_padded_rows(hot_rows, case.dim)])
    parameters = Parameters(
        global_vectors=table,
        global_squares=zero_padded_rows(len(table) if adagrad else 0, case.dim),
        sense_vectors=vectors(rows),
        sense_squares=zero_padded_rows(rows if adagrad else 0, case.dim),
        cluster_centers=zero_padded_rows(rows, sense_dim),
        center_inverse_norms=np.zeros(rows, np.float32),
        sense_counts=np.zeros(rows, np.int64),
        sense_offsets=np.arange(0, rows + 1, case.senses, dtype=np.int64),
        num_senses=np.full(case.words, 1 if rule == "np-mssg" else case.senses, np.int32),
    )
    counts = np.sort(random.integers(5, 100, case.words))[::-1].astype(np.int64)
    vocabulary = Vocabulary([str(i) for i in range(case.words)], counts)
    tables = Tables(vocabulary.keep_thresholds(0.05), vocabulary.negative_table(), vectors(case.words, sense_dim))
    config = KernelConfig(
        rule=kind,
        window=case.window,
        sense_window=case.sense_window,
        sense_decay=case.sense_decay,
        negatives=case.negatives,
        max_negatives=case.max_negatives,
        negative_sharing=case.negative_sharing,
        new_sense_threshold=threshold,
        fill_empty=fill_empty,
        adagrad=adagrad,
        adagrad_delta=0.1,
        hot_rows=hot_rows,
    )
    return parameters, tables, config


def arrays(parameters: Parameters) -> list[NDArray[Any]]:
    return list(parameters)


def run_kernel(case: Case, parameters: Parameters, tables: Tables, config: KernelConfig) -> tuple[int, int, float]:
    scratch = make_scratch(LONGEST, case.dim, tables.context_table.shape[1], config)
    trained, pairs, loss = train_block(
        case.tokens,
        case.sentences,
        parameters,
        tables,
        config,
        scratch,
        np.uint64(case.seed),
        np.float32(LEARNING_RATE),
        0,
        1,
    )
    return trained, pairs, loss


@pytest.mark.parametrize("adagrad", [False, True], ids=["sgd", "adagrad"])
@pytest.mark.parametrize("rule", RULES)
@given(case=cases())
@settings(max_examples=60)
def test_kernel_and_reference_give_the_same_numbers(rule: str, adagrad: bool, case: Case) -> None:
    fast, tables, config = make(case, rule, adagrad)
    slow = Parameters._make(a.astype(np.float64) if a.dtype == np.float32 else a.copy() for a in arrays(fast))
    trained, pairs, loss = run_kernel(case, fast, tables, config)
    expected = reference.train_block(case.tokens, case.sentences, slow, tables, config, case.seed, LEARNING_RATE)
    assert (trained, pairs) == expected[:2]
    assert loss == pytest.approx(expected[2], rel=1e-4, abs=1e-4)
    for name, a, b in zip(Parameters._fields, arrays(fast), arrays(slow), strict=True):
        if a.dtype == np.float32:
            np.testing.assert_allclose(a, b, atol=TOLERANCE, rtol=TOLERANCE, err_msg=name)
        else:
            np.testing.assert_array_equal(a, b, err_msg=name)


@given(case=cases())
@settings(max_examples=60)
def test_steps_are_multiplied_by_the_rate_of_their_row(case: Case) -> None:
    fast, tables, config = make(case, "mssg, first contexts as centers", adagrad=False)
    random = np.random.default_rng(case.seed)
    global_rates, sense_rates = (
        random.choice([0.0, 0.25, 1.0], len(vectors)).astype(np.float32)
        for vectors in (fast.global_vectors, fast.sense_vectors)
    )
    tables = tables._replace(global_rates=global_rates, sense_rates=sense_rates)
    before = fast._replace(global_vectors=fast.global_vectors.copy(), sense_vectors=fast.sense_vectors.copy())
    slow = Parameters._make(a.astype(np.float64) if a.dtype == np.float32 else a.copy() for a in arrays(fast))
    run_kernel(case, fast, tables, config)
    reference.train_block(case.tokens, case.sentences, slow, tables, config, case.seed, LEARNING_RATE)
    np.testing.assert_allclose(fast.global_vectors, slow.global_vectors, atol=TOLERANCE, rtol=TOLERANCE)
    np.testing.assert_allclose(fast.sense_vectors, slow.sense_vectors, atol=TOLERANCE, rtol=TOLERANCE)
    np.testing.assert_array_equal(fast.global_vectors[global_rates == 0], before.global_vectors[global_rates == 0])
    np.testing.assert_array_equal(fast.sense_vectors[sense_rates == 0], before.sense_vectors[sense_rates == 0])


@given(case=cases())
@settings(max_examples=30)
def test_hot_rows_change_nothing_on_one_thread(case: Case) -> None:
    plain, tables, config = make(case, "skip-gram", adagrad=False)
    run_kernel(case, plain, tables, config)
    hot, tables, config = make(case, "skip-gram", adagrad=False, hot_rows=2)
    run_kernel(case, hot, tables, config)
    np.testing.assert_allclose(hot.global_vectors[: case.words], plain.global_vectors, atol=1e-5)
    np.testing.assert_allclose(hot.sense_vectors, plain.sense_vectors, atol=1e-5)


@given(case=cases())
@settings(max_examples=30)
def test_counts_add_up_and_inverse_norms_match_the_centers(case: Case) -> None:
    parameters, tables, config = make(case, "mssg, first contexts as centers", adagrad=False)
    trained, _, _ = run_kernel(case, parameters, tables, config)
    assert parameters.sense_counts.sum() == trained
    empty = parameters.sense_counts == 0
    assert not parameters.cluster_centers[empty].any()
    norms = np.linalg.norm(parameters.cluster_centers.astype(np.float64), axis=1)
    np.testing.assert_allclose(parameters.center_inverse_norms * norms, norms > 0, atol=1e-4)


@given(case=cases())
@settings(max_examples=30)
def test_adagrad_with_a_delta_of_zero_stays_finite_and_keeps_the_padding_zero(case: Case) -> None:
    parameters, tables, config = make(case, "skip-gram", adagrad=True)
    run_kernel(case, parameters, tables, config._replace(adagrad_delta=0.0))
    for vectors in (parameters.sense_vectors, parameters.global_vectors):
        assert np.isfinite(vectors).all()
        assert not vectors[:, case.dim :].any()


@pytest.mark.parametrize("rule", RULES)
def test_a_token_without_context_trains_nothing_and_adds_no_sense(rule: str) -> None:
    case = Case(np.array([0, 1, 1], np.int32), np.arange(4, dtype=np.int64), 2, 3, 8, 5, 0, 1.0, 2, 10, 1, seed=1)
    parameters, tables, config = make(case, rule, adagrad=False)
    before = [array.copy() for array in arrays(parameters)]
    assert run_kernel(case, parameters, tables, config) == (0, 0, 0.0)
    for name, old, new in zip(Parameters._fields, before, arrays(parameters), strict=True):
        np.testing.assert_array_equal(old, new, err_msg=name)


def test_the_papers_context_is_divided_by_twice_the_window_at_the_ends_of_a_sentence() -> None:
    tokens = np.array([0, 1, 2], np.int32)
    case = Case(tokens, np.array([0, 3], np.int64), 3, 1, 8, 1, 0, 1.0, 1, 10, 1, seed=1)
    parameters, tables, config = make(case, "mssg, zero centers", adagrad=False)
    everything = tables._replace(keep=np.full(3, 2**32, np.uint64))
    run_kernel(case, parameters, everything, config)
    table = tables.context_table
    expected = [table[1] / 2, (table[0] + table[2]) / 2, table[1] / 2]
    np.testing.assert_allclose(parameters.cluster_centers, expected, atol=1e-6)


def test_np_mssg_adds_no_more_senses_than_a_word_has_rows() -> None:
    tokens = np.random.default_rng(0).integers(0, 12, 4000).astype(np.int32)
    case = Case(tokens, np.arange(0, 4001, 40, dtype=np.int64), 12, 3, 16, 3, 5, 0.85, 2, 10, 3, seed=2)
    parameters, tables, config = make(case, "np-mssg", adagrad=False)
    run_kernel(case, parameters, tables, config._replace(new_sense_threshold=0.9))
    assert parameters.num_senses.tolist() == [3] * 12
