"""gensim's KeyedVectors from a model, gensim reading what we export, and the calls that are spelled as in gensim."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import export, load
from polyseme.errors import ConfigError, MissingExtra, UnknownWord
from tests.formats.toy import KEYS, toy_model


def test_a_model_is_converted_and_survives_the_way_back(tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    model = toy_model()
    vectors = model.to_gensim()
    assert vectors.index_to_key == model.index_to_key == KEYS
    assert all(np.array_equal(vectors[key], model[key]) for key in KEYS)
    assert [vectors.get_vecattr(key, "count") for key in KEYS[:3]] == [900, 300, 200]
    assert vectors.most_similar("bank#1", topn=2)
    vectors.save_word2vec_format(tmp_path / "v.txt")
    loaded = load(tmp_path / "v.txt")
    assert sorted(loaded.index_to_key) == sorted(KEYS)
    assert all(np.array_equal(loaded[key], model[key]) for key in KEYS)


@pytest.mark.parametrize(("name", "binary"), [("v.txt", False), ("v.bin", True)])
def test_gensim_reads_the_word2vec_formats(name: str, binary: bool, tmp_path: Path) -> None:
    gensim: Any = pytest.importorskip("gensim.models.keyedvectors")
    model = toy_model()
    export(model, tmp_path / name)
    vectors = gensim.KeyedVectors.load_word2vec_format(tmp_path / name, binary=binary)
    assert vectors.index_to_key == [key.replace(" ", "_") for key in KEYS]
    assert np.array_equal(vectors.vectors, np.array([model[key] for key in KEYS]))


def test_gensim_reads_the_glove_format(tmp_path: Path) -> None:
    gensim: Any = pytest.importorskip("gensim.models.keyedvectors")
    export(toy_model(), tmp_path / "v.glove")
    vectors = gensim.KeyedVectors.load_word2vec_format(tmp_path / "v.glove", no_header=True)
    assert len(vectors) == len(KEYS)
    assert np.array_equal(vectors["bank#2"], toy_model()["bank#2"])


def test_a_missing_gensim_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingExtra, match=r"to_gensim needs gensim.*: pip install 'polyseme\[gensim\]'"):
        toy_model().to_gensim()


def test_vectors_are_indexed_by_key_as_in_gensim() -> None:
    model = toy_model()
    assert np.array_equal(model["bank#2"], model.vector("bank#2"))
    assert "bank" in model
    assert "bank#2" in model
    assert "bank#3" not in model  # hidden
    with pytest.raises(UnknownWord):
        model["bank#9"]
    assert 5 not in model


def test_words_and_sums_of_words_have_the_neighbours_of_gensim() -> None:
    pytest.importorskip("gensim")
    model = toy_model()
    near, neighbours = model.most_similar("bank#1", topn=3), model.neighbours("bank#1", 3)
    assert [key for key, _ in near] == [neighbour.key for neighbour in neighbours]
    assert [cosine for _, cosine in near] == pytest.approx([neighbour.similarity for neighbour in neighbours])
    vectors = model.to_gensim()
    for positive, negative in ((["flüsse", "bank#2"], []), (["bank#2", "c#"], ["flüsse"]), ([], ["c#"])):
        words = {model._data.find(key)[0] for key in (*positive, *negative)}
        all_near = vectors.most_similar(positive, negative, topn=len(vectors))
        expected = next((key, cosine) for key, cosine in all_near if model._data.find(key)[0] not in words)
        [(key, cosine)] = model.most_similar(positive, negative, topn=1)
        assert key == expected[0]
        assert cosine == pytest.approx(expected[1], abs=1e-6)
    with pytest.raises(UnknownWord):
        model.most_similar("bank", ["nothing"])
    with pytest.raises(ConfigError, match="most_similar needs a word or sense"):
        model.most_similar()
