"""The model on disk: damage is noticed, versions are kept apart, nothing is overwritten unasked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import SenseModel
from polyseme.errors import MissingFile, ModelError, OutputExists
from polyseme.model import storage
from polyseme.model.arrays import ModelArrays
from polyseme.training.config import TrainConfig

STORED = Path(__file__).parent / "stored"
FILES = ["config.json", "vocabulary.tsv", "model.safetensors", "examples.jsonl"]


@pytest.fixture
def copy(mssg_path: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(mssg_path, tmp_path / "m"))


@pytest.mark.parametrize("name", ["mssg-version-1", "np-mssg-version-1"])
def test_a_stored_model_of_version_1_answers_as_it_did(name: str) -> None:
    path = STORED / f"{name}.model"
    storage.verify(path)
    model = SenseModel.load(path)
    answers = json.loads((STORED / f"{name}.json").read_text())
    assert model.vector("bank#1").tolist() == pytest.approx(answers["vector"])
    senses = model.disambiguate("bank", "boat on the water by the bank of mud").senses
    assert [sense.probability for sense in senses] == pytest.approx(answers["disambiguate"], rel=1e-4)
    assert model.tag("the boat on the bank\nmoney in the bank") == answers["tags"]
    assert model.senses("bank")[0].examples[0].marked().count("*bank*") == 1


def test_the_settings_of_a_version_1_model_have_their_current_names(tmp_path: Path) -> None:
    model = SenseModel.load(STORED / "np-mssg-version-1.model")
    assert model.config["output_vectors"] == "sense+global"
    assert model.config["min_separation"] == 0.1
    assert TrainConfig.from_dict(model.config).sense_decay == 0.8
    model.save(tmp_path / "m")
    assert json.loads((tmp_path / "m" / "config.json").read_text())["format_version"] == 2
    assert SenseModel.load(tmp_path / "m").senses("bank") == model.senses("bank")


def test_vectors_are_memory_mapped_and_read_only(mssg: SenseModel) -> None:
    assert isinstance(mssg._data.arrays.sense_vectors, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        mssg._data.arrays.sense_vectors[0, 0] = 1


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(name: str, copy: Path) -> None:
    (copy / name).unlink()
    with pytest.raises(ModelError, match=name):
        SenseModel.load(copy)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_truncated_file_is_noticed(name: str, share: float, copy: Path) -> None:
    data = (copy / name).read_bytes()
    (copy / name).write_bytes(data[: int(len(data) * share)])
    with pytest.raises(ModelError, match=f"{copy} is damaged: {name}"):
        SenseModel.load(copy)


@pytest.mark.parametrize("name", FILES[1:])
def test_a_file_that_was_tampered_with_is_noticed(name: str, copy: Path) -> None:
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    with pytest.raises(ModelError, match=f"{name} was changed after it was written"):
        SenseModel.load(copy)


def test_verify_reads_large_files_too(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "MAX_DIGESTED_BYTES", 0)
    data = bytearray((copy / "model.safetensors").read_bytes())
    data[-1] ^= 1
    (copy / "model.safetensors").write_bytes(data)
    SenseModel.load(copy)
    with pytest.raises(ModelError, match=r"model\.safetensors was changed"):
        storage.verify(copy)


@pytest.mark.parametrize("config", ["", "[]", "{}", "null", '{"format_version": "one", "files": {}}', "\udcff"])
def test_a_config_that_is_not_one_is_refused(config: str, copy: Path) -> None:
    (copy / "config.json").write_bytes(config.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelError, match=r"config\.json cannot be read"):
        SenseModel.load(copy)


@pytest.mark.parametrize("name", ["settings", "tokenizer", "corpus", "files", "training"])
def test_a_config_that_lacks_something_is_refused(name: str, copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    del config[name]
    (copy / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="is damaged"):
        SenseModel.load(copy)


@pytest.mark.parametrize(("part", "name"), [("settings", "window"), ("corpus", "tokens"), ("training", "loss")])
def test_a_config_that_lacks_a_detail_is_refused(part: str, name: str, copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    del config[part][name]
    (copy / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=f"is damaged: '{name}'"):
        SenseModel.load(copy)


def test_a_model_of_a_newer_version_is_refused(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "format_version": 3}))
    with pytest.raises(ModelError, match="has the format version 3, and this polyseme reads up to version 2; upgrade"):
        SenseModel.load(copy)


def test_arrays_that_do_not_fit_together_are_refused() -> None:
    good: dict[str, Any] = {
        "global_vectors": np.zeros((2, 3), np.float32),
        "sense_vectors": np.zeros((3, 3), np.float32),
        "sense_offsets": np.array([0, 1, 3]),
        "sense_counts": np.array([1, 2, 3]),
    }
    ModelArrays(**good).check(2)
    inconsistent = "sense_offsets and sense_counts are inconsistent"
    for name, array, message in (
        ("sense_offsets", np.array([0, 2, 2]), inconsistent),
        ("sense_offsets", np.array([0, 3, 3]), inconsistent),
        ("sense_offsets", np.array([1, 2, 3]), inconsistent),
        ("sense_offsets", np.array([0, 1, 4]), inconsistent),
        ("sense_counts", np.array([1, 2, -3]), inconsistent),
        ("sense_counts", np.array([1, 2]), r"sense_counts has the shape \(2,\), not \(3,\)"),
        ("sense_offsets", np.array([0, 3]), r"sense_offsets has the shape \(2,\), not \(3,\)"),
        ("global_vectors", np.zeros((2, 4), np.float32), r"global_vectors has the shape \(2, 4\), not \(2, 3\)"),
        ("global_vectors", np.zeros((2, 3), np.float64), "global_vectors has the dtype float64"),
        ("global_vectors", np.zeros(6, np.float32), "global_vectors has 1 dimensions"),
        ("cluster_centers", np.zeros((3, 4), np.float32), r"cluster_centers has the shape \(3, 4\), not \(3, 3\)"),
        ("whitened_vectors", np.zeros((3, 3), np.float32), r"whitened_vectors has the shape \(3, 3\), not \(2, 3\)"),
    ):
        with pytest.raises(ModelError, match=message):
            ModelArrays(**{**good, name: array}).check(2)


def test_a_path_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="does not exist; train a model with: polyseme train"):
        SenseModel.load(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingFile, match="is a file, not a model folder"):
        SenseModel.load(tmp_path / "file")
    with pytest.raises(ModelError, match=r"is not a model: it has no config\.json"):
        SenseModel.load(tmp_path)


def test_an_existing_model_is_overwritten_only_by_force(mssg: SenseModel, copy: Path) -> None:
    with pytest.raises(OutputExists, match="already exists; choose another name, or overwrite it with --force"):
        mssg.save(copy)
    mssg.save(copy, force=True)
    SenseModel.load(copy)
    assert [p.name for p in copy.parent.iterdir()] == ["m"]


def test_even_force_removes_nothing_that_is_not_a_model(mssg: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("precious")
    (tmp_path / "thesis" / "config.json").write_text('{"architectures": ["of another program"]}')
    with pytest.raises(OutputExists, match="is not a model, so --force does not remove it"):
        mssg.save(tmp_path / "thesis", force=True)
    assert (tmp_path / "thesis" / "chapter1.tex").read_text() == "precious"


def test_a_save_that_fails_leaves_nothing_and_keeps_the_old(
    mssg: SenseModel, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage, "write_words", full)
    with pytest.raises(OSError, match="No space left"):
        mssg.save(copy, force=True)
    with pytest.raises(OSError, match="No space left"):
        mssg.save(copy.parent / "new")
    assert [p.name for p in copy.parent.iterdir()] == ["m"]
    SenseModel.load(copy)


def test_the_card_says_what_the_model_is(mssg_path: Path) -> None:
    card = (mssg_path / "README.md").read_text()
    model = SenseModel.load(mssg_path)
    assert f"{len(model):,} words, {len(model.sense_vectors):,} sense vectors of 32 dimensions" in card
    assert f"Trained on {model.corpus['tokens']:,} tokens in 8,000 sentences" in card
    for name, value in model.config.items():
        assert f"| {name} | {value} |" in card
