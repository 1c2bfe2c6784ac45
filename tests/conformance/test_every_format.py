"""Behaviours that every format of vectors must have."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from polyseme import SenseModel, export, load
from polyseme.cli.export import FormatName
from polyseme.errors import ConfigError, DataError, ModelError, OutputExists, PolysemeError
from polyseme.formats.registry import ALL, FORMATS
from polyseme.vocabulary import Vocabulary
from tests.formats.toy import KEYS, SENSES, toy_model

NAMES = tuple(FORMATS)
WITH_COUNTS = {"parquet", "arrow", "numpy", "projector", "polyseme"}
WITHOUT_SPACES = {"word2vec", "word2vec-binary", "glove", "mssg"}
RENUMBERED = {"spring#5": "spring#1", "spring#2": "spring#2"}  # by mssg, which has no numbers
SHARES = [s.share for word in SENSES for s in toy_model().senses(word)]

every_format = pytest.mark.parametrize("name", NAMES)


def saved(name: str, folder: Path, model: SenseModel | None = None) -> Path:
    if name in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    path = folder / "vectors"
    export(toy_model() if model is None else model, path, format=name)
    return path


def original_keys(name: str) -> dict[str, str]:
    """The keys that a model has after the round trip, each with the key that it had before."""
    if name == "sentence-transformers":
        return {word: word for word in SENSES}
    keys = {key.replace(" ", "_") if name in WITHOUT_SPACES else key: key for key in KEYS}
    return {RENUMBERED.get(key, key): original for key, original in keys.items()} if name == "mssg" else keys


def files_of(path: Path) -> list[Path]:
    return [file for file in sorted(path.rglob("*")) if file.is_file()] if path.is_dir() else [path]


@every_format
def test_keys_and_vectors_survive_the_round_trip(name: str, tmp_path: Path) -> None:
    model = toy_model()
    loaded = load(saved(name, tmp_path))
    assert sorted(loaded.index_to_key) == sorted(original_keys(name))
    words = [word.replace(" ", "_") if name in WITHOUT_SPACES else word for word in SENSES]
    assert sorted(loaded.vocabulary.words) == sorted(words)
    for key, original in original_keys(name).items():
        if name == "sentence-transformers":
            assert loaded[key] == pytest.approx(model[original], rel=1e-6)
        else:
            assert loaded[key].tobytes() == model[original].tobytes(), key


@every_format
def test_counts_and_shares_survive_if_the_format_has_them(name: str, tmp_path: Path) -> None:
    model, loaded = toy_model(), load(saved(name, tmp_path))
    if name == "sentence-transformers":
        return
    senses = [sense for word in loaded.vocabulary.words for sense in loaded.senses(word)]
    if name in WITH_COUNTS:
        assert [sense.share for sense in senses] == pytest.approx(SHARES, abs=1e-9)
        assert loaded.vocabulary.counts.tolist() == model.vocabulary.counts.tolist()
        assert [loaded.senses(w)[0].count for w in SENSES] == [model.senses(w)[0].count for w in SENSES]
    else:
        assert {sense.share for sense in senses} == {1, 0.5}
        assert "counts" in loaded.config["missing"]


@every_format
def test_an_imported_model_can_be_queried_saved_and_exported_again(name: str, tmp_path: Path) -> None:
    loaded = load(saved(name, tmp_path))
    loaded.save(tmp_path / "imported.model")
    again = load(tmp_path / "imported.model")
    assert again.senses("bank") == loaded.senses("bank")
    assert again.neighbours("bank", 3) == loaded.neighbours("bank", 3)
    assert again.similarity("bank", "c#") == loaded.similarity("bank", "c#")
    assert again.disambiguate("bank", "flüsse") == loaded.disambiguate("bank", "flüsse")
    assert again.tag("the Bank") == loaded.tag("the Bank")
    export(again, tmp_path / "twice", format=name)
    assert load(tmp_path / "twice").index_to_key == loaded.index_to_key


@every_format
def test_the_format_is_the_same_whether_recognised_or_named(name: str, tmp_path: Path) -> None:
    path = saved(name, tmp_path)
    recognised, named = load(path), load(path, format=name)
    assert named.config == recognised.config
    assert named.config.get("imported_from", "polyseme") == name
    assert named.index_to_key == recognised.index_to_key


@pytest.mark.parametrize("name", [entry.name for entry in ALL if entry.folder and entry.reader])
def test_a_folder_of_vectors_that_is_loaded_as_a_model_is_refused_with_the_command_that_imports_it(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=r"is not a model: .* Make one with: polyseme import .*/vectors MODEL$"):
        SenseModel.load(saved(name, tmp_path))


@every_format
def test_only_the_most_frequent_words_are_exported_on_request(name: str, tmp_path: Path) -> None:
    if name in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    export(toy_model(), tmp_path / "vectors", format=name, words=3)
    loaded = load(tmp_path / "vectors")
    assert loaded.vocabulary.words == ["the", "bank", "flüsse"]
    export(toy_model(), tmp_path / "vectors", format=name, words=1000, force=True)
    assert len(load(tmp_path / "vectors")) == len(SENSES)
    with pytest.raises(ConfigError, match="--words must be 2 or more, not 0"):
        export(toy_model(), tmp_path / "other", format=name, words=0)


@every_format
def test_an_existing_output_is_kept_unless_it_is_of_the_same_kind_and_force_is_given(name: str, tmp_path: Path) -> None:
    path = saved(name, tmp_path)
    before = [file.read_bytes() for file in files_of(path)]
    with pytest.raises(OutputExists, match="vectors already exists"):
        export(toy_model(2), path, format=name)
    assert [file.read_bytes() for file in files_of(path)] == before
    export(toy_model(2), path, format=name, force=True)
    assert [file.read_bytes() for file in files_of(path)] != before
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious.txt").write_text("x")
    with pytest.raises(OutputExists, match="so --force does not remove it"):
        export(toy_model(), other, format=name, force=True)
    assert (other / "precious.txt").read_text() == "x"
    assert {file.name for file in tmp_path.iterdir()} == {"vectors", "other"}


@every_format
def test_vectors_that_are_not_finite_are_refused_and_leave_nothing_behind(name: str, tmp_path: Path) -> None:
    if name == "polyseme":
        pytest.skip("a model folder can be saved with any vectors")
    if name in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    model = toy_model()
    model.sense_vectors[-1, 2] = np.nan
    with pytest.raises(ModelError, match="the vector of 'l'été' contains nan or inf"):
        export(model, tmp_path / "vectors", format=name)
    assert list(tmp_path.iterdir()) == []


@every_format
def test_a_damaged_file_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    path = saved(name, tmp_path)
    for file in files_of(path):
        if name == "polyseme" and file.name in ("README.md", "examples.jsonl"):
            continue
        data = file.read_bytes()
        if b"similarity_fn_name" in data:  # of sentence-transformers itself
            continue
        # Cut in the middle of a line, but not in its last number, which could still be a number.
        cut = data[: 1 + len(data) * 6 // 10]
        cut = cut[: cut.rfind(b"\n") + 8] if name in ("glove", "word2vec", "mssg", "projector") else cut
        for damaged in (cut, b"", np.random.default_rng(1).bytes(3000), b"\xff" * 3000, b"[" * 3000):
            file.write_bytes(damaged)
            with pytest.raises(PolysemeError) as caught:
                load(path, format=name)
            assert str(path) in str(caught.value)
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 700
        file.write_bytes(data)
    assert load(path).index_to_key


@every_format
def test_a_missing_or_wrong_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(PolysemeError, match="does not exist"):
        load(tmp_path / "missing", format=name)
    path = saved(name, tmp_path)
    for file in files_of(path):
        if file.name in ("README.md", "config_sentence_transformers.json"):
            continue
        moved = file.rename(tmp_path / "moved")
        with pytest.raises(PolysemeError):
            load(path, format=name)
        shutil.move(moved, file)


@pytest.mark.parametrize("name", sorted(WITHOUT_SPACES))
@pytest.mark.parametrize("same", ["new_york", "new\u00a0york"])
def test_words_that_differ_only_in_spaces_are_refused_by_text_formats(name: str, same: str, tmp_path: Path) -> None:
    data = toy_model()._data
    words = [same if word == "c#" else word for word in SENSES]
    model = SenseModel(replace(data, vocabulary=Vocabulary(words, data.vocabulary.counts)))
    with pytest.raises(DataError, match="and 'new york' would have the same key in this format"):
        export(model, tmp_path / "vectors", format=name)
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_knows_every_format() -> None:
    assert set(get_args(FormatName)) == set(NAMES)


def test_suffixes_stand_for_one_format_each() -> None:
    suffixes = [suffix for entry in ALL for suffix in entry.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(re.fullmatch(r"\.[a-z0-9]+", suffix) for suffix in suffixes)
