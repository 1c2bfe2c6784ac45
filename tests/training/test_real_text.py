"""np-mssg on a real text: function words keep one sense, and other words are split."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest

import polyseme
from polyseme import SenseModel, train
from tests.conftest import DATA

TEXTS = (
    Path(polyseme.__file__).parent / "data" / "simplewiki.txt.xz",
    DATA / "corpora" / "simplewiki_2M.txt.xz",
)
TOKENS = 1_500_000
FUNCTION_WORDS = (
    "the", "of", "and", "in", "to", "a", "is", "was", "for", "as", "on", "with", "by", "that", "at", "from", "it",
    "are", "or", "an", "be", "this", "which", "were", "have", "has", "not", "also", "but", "they", "its", "been",
    "when", "there", "other", "more", "some", "into", "than", "then", "because", "most", "only", "many", "between",
    "during", "however",
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    source = next((path for path in TEXTS if path.is_file()), None)
    if source is None:
        pytest.skip("needs the text of the package, or simplewiki_2M.txt.xz")
    path = tmp_path_factory.mktemp("real") / "text.txt"
    remaining = TOKENS
    with lzma.open(source, "rb") as text, path.open("wb") as out:
        while remaining > 0 and (line := text.readline()):
            out.write(line)
            remaining -= len(line.split())
    # One thread, so that the result is the same each time.
    return train(path, model="np-mssg", dim=50, epochs=3, seed=1, threads=1, examples=0, quiet=True)


def test_function_words_are_not_split(model: SenseModel) -> None:
    split = [word for word in FUNCTION_WORDS if len(model.senses(word)) > 1]
    assert len(split) <= 0.03 * len(FUNCTION_WORDS), split


def test_the_most_frequent_words_are_rarely_split(model: SenseModel) -> None:
    split = [word for word in model.vocabulary.words[:100] if len(model.senses(word)) > 1]
    assert len(split) <= 8, split


def test_words_with_a_topic_are_split(model: SenseModel) -> None:
    """Without this, a model that splits no word would pass."""
    split = model._data.num_visible_senses > 1
    assert np.count_nonzero(split) > 100
