"""Nearest neighbours in a model that is large enough to select candidates by a sample."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme import SenseModel
from polyseme.errors import ConfigError
from polyseme.model.neighbours import SAMPLE_STEP, _largest
from tests.evaluation.toy import toy

NUM_WORDS = 3000


@pytest.fixture(scope="module")
def vectors() -> NDArray[np.float32]:
    return np.random.default_rng(0).normal(size=(NUM_WORDS, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def model(vectors: NDArray[np.float32]) -> SenseModel:
    return toy({f"w{i}": [(vector.tolist(), 100)] for i, vector in enumerate(vectors)})


@pytest.mark.parametrize("among", ["senses", "words"])
@pytest.mark.parametrize("n", [1, 10, 200])
def test_neighbours_are_those_of_a_complete_sort(
    among: str, n: int, model: SenseModel, vectors: NDArray[np.float32]
) -> None:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit[7]
    expected = [i for i in np.argsort(-cosines).tolist() if i != 7][:n]
    neighbours = model.neighbours("w7", n, among=among)  # type: ignore[arg-type]
    assert [neighbour.word for neighbour in neighbours] == [f"w{i}" for i in expected]
    assert [neighbour.similarity for neighbour in neighbours] == pytest.approx(cosines[expected].tolist(), abs=1e-5)


@pytest.mark.parametrize("n", [1, 50, 70, 5000])
def test_the_largest_values_are_found_if_the_sample_misleads(n: int) -> None:
    values = np.zeros(4000, np.float32)
    values[::SAMPLE_STEP] = 1  # all values of the sample are larger than the others
    values[1:100] += np.arange(99, dtype=np.float32) / 1000
    assert _largest(values, n) == np.argsort(-values, kind="stable")[:n].tolist()


def test_less_than_one_neighbour_is_refused(model: SenseModel) -> None:
    with pytest.raises(ConfigError, match="the number of neighbours must be 1 or more, not 0"):
        model.neighbours("w7", 0)


def test_neighbours_are_among_senses_or_words(model: SenseModel) -> None:
    with pytest.raises(ConfigError, match="among must be senses or words, not 'word'"):
        model.neighbours("w7", among="word")  # type: ignore[arg-type]
