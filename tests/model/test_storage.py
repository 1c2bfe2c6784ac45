"""The model on disk: damage is noticed, versions are kept apart, nothing is overwritten unasked."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file

import polyseme
from polyseme import SenseModel
from polyseme._io.tensors import map_tensors
from polyseme.errors import MissingFile, ModelError, OutputExists, UnknownWord
from polyseme.model import storage
from polyseme.model.arrays import ModelArrays
from polyseme.training.config import TrainConfig
from tests.model.stored.make import answers

STORED = Path(__file__).parent / "stored"
FILES = ["config.json", "vocabulary.tsv", "model.safetensors", "examples.jsonl"]


@pytest.fixture
def copy(mssg_path: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(mssg_path, tmp_path / "m"))


def refused(path: Path) -> str:
    """The message with which a model is refused."""
    with pytest.raises(ModelError, match=f"{path} is damaged: .* Restore it from a copy, or train it again") as error:
        SenseModel.load(path)
    assert "\n" not in str(error.value)
    return str(error.value)


def change_config(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    config = json.loads((path / "config.json").read_text())
    change(config)
    (path / "config.json").write_text(json.dumps(config))


def update_digests(path: Path) -> None:
    """Make the digests right again, as somebody would who tampers with a file."""

    def update(config: dict[str, Any]) -> None:
        for name, entry in config["files"].items():
            data = (path / name).read_bytes()
            entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())

    change_config(path, update)


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


CURRENT = sorted(path.stem for path in STORED.glob("*.model") if not path.stem.endswith("-1"))


@pytest.mark.parametrize("name", CURRENT)
def test_a_stored_model_of_a_current_version_answers_as_it_did(name: str) -> None:
    path = STORED / f"{name}.model"
    storage.verify(path)
    expected = json.loads((STORED / f"{name}.json").read_text())
    found = answers(SenseModel.load(path))
    for numbers in ("vector", "disambiguate"):
        assert found.pop(numbers) == pytest.approx(expected.pop(numbers), rel=1e-4)
    assert found == expected


def test_every_format_version_has_a_stored_model() -> None:
    versions = {storage.read_config(path)["format_version"] for path in STORED.glob("*.model")}
    assert versions == {*range(1, storage.FORMAT_VERSION + 1)}
    assert all(path.stem.endswith(f"-{storage.read_config(path)['format_version']}") for path in STORED.glob("*.model"))


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
    with pytest.raises(ModelError, match=f"is damaged: config.json: '{name}' is missing"):
        SenseModel.load(copy)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":' * 100_000, "its values are nested too deeply"),
        ("[" * 100_000, "its values are nested too deeply"),
        ('{"format_version": Infinity}', "Infinity is not a finite number"),
        ('{"format_version": ' + "9" * 5000 + "}", "is too large a number"),
        ('{"format_version": true, "files": {}, "settings": {}}', "it does not describe a polyseme model"),
    ],
)
def test_a_config_that_cannot_be_parsed_is_refused(text: str, message: str, copy: Path) -> None:
    (copy / "config.json").write_text(text)
    assert "config.json cannot be read" in refused(copy)
    assert message in refused(copy)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("settings", "window", float("inf")),
        ("settings", "window", 0),
        ("settings", "window", 10**12),
        ("settings", "window", "5"),
        ("settings", "window", True),
        ("settings", "sense_window", -1),
        ("settings", "sense_decay", float("nan")),
        ("settings", "sense_decay", 2),
        ("settings", "min_share", -0.1),
        ("settings", "examples", "5"),
        ("settings", "examples", -1),
        ("settings", "posterior", "bayes"),
        ("settings", "posterior", ["softmax"]),
        ("settings", "subsample", None),
        ("settings", "subsample", -0.5),
        ("settings", "multi_sense_top", 1.5),
        ("settings", "multi_sense_words", 5),
        ("settings", "multi_sense_words", [5]),
        ("settings", "model", ["mssg"]),
        ("corpus", "tokens", [1]),
        ("corpus", "bad_bytes", "none"),
        ("training", "threads", float("-inf")),
        ("training", "seconds", "long"),
        ("files", "vocabulary.tsv", 5),
        ("files", "vocabulary.tsv", {"bytes": "5", "sha256": ""}),
        ("files", "vocabulary.tsv", {"bytes": 5}),
    ],
)
def test_a_config_with_an_invalid_value_is_refused(part: str, name: str, value: object, copy: Path) -> None:
    change_config(copy, lambda config: config[part].update({name: value}))
    assert f"{copy} is damaged: config.json" in refused(copy)


@pytest.mark.parametrize("tokenizer", ["magic", 5, ["words"], None, "x" * 100_000])
def test_an_unknown_tokenizer_in_a_config_is_refused(tokenizer: object, copy: Path) -> None:
    change_config(copy, lambda config: config.update(tokenizer=tokenizer))
    assert len(refused(copy)) < 500


def test_a_version_1_setting_that_is_not_a_string_keeps_its_value(tmp_path: Path) -> None:
    path = Path(shutil.copytree(STORED / "mssg-version-1.model", tmp_path / "m"))
    change_config(path, lambda config: config["settings"].update(kept_vectors=["sum"]))
    assert SenseModel.load(path).config["output_vectors"] == ["sum"]


@pytest.mark.parametrize("name", ["../../secret", "/etc/passwd", "README.md", "examples.jsonl/../../secret", ""])
def test_a_config_that_names_another_file_is_refused(name: str, copy: Path) -> None:
    (copy.parent / "secret").write_text("x")
    change_config(copy, lambda config: config["files"].update({name: {"bytes": 1, "sha256": "0" * 64}}))
    assert f"it names the file '{name}', which a model does not have" in refused(copy)


def test_a_config_without_the_digest_of_a_file_is_refused(copy: Path) -> None:
    change_config(copy, lambda config: config["files"].pop("examples.jsonl"))
    assert "config.json has no digest of examples.jsonl" in refused(copy)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_links_fifos_and_folders_are_refused(kind: str, name: str, copy: Path, tmp_path: Path) -> None:
    (copy / name).rename(tmp_path / "elsewhere")
    make: dict[str, Callable[[], None]] = {
        "link": lambda: (copy / name).symlink_to(tmp_path / "elsewhere"),
        "fifo": lambda: os.mkfifo(copy / name),
        "folder": (copy / name).mkdir,
    }
    make[kind]()
    assert f"{name} is {'a symbolic link' if kind == 'link' else 'not a regular file'}" in refused(copy)
    assert name != "config.json" or not storage.is_model(copy)


def test_the_size_of_a_model_does_not_follow_links(copy: Path) -> None:
    size = storage.size_of(copy)
    (copy / "dangling").symlink_to("missing")
    assert size < storage.size_of(copy) < size + 100


def test_the_size_of_a_model_leaves_out_files_that_vanish(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = storage.size_of(copy)
    (copy / "vanishing").write_text("text")
    found = [*copy.rglob("*")]
    (copy / "vanishing").unlink()
    monkeypatch.setattr(Path, "rglob", lambda *_: found)
    assert storage.size_of(copy) == size


Arrays = dict[str, NDArray[Any]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.update(sense_vectors=a["sense_vectors"].ravel()), "sense_vectors has 1 dimensions"),
        (lambda a: a.update(sense_vectors=np.array(1, np.float32)), "sense_vectors has 0 dimensions"),
        (lambda a: a.update(sense_counts=np.array(1, np.int64)), "sense_counts has 0 dimensions"),
        (lambda a: a.update(sense_offsets=a["sense_offsets"][None]), "sense_offsets has 2 dimensions"),
        (lambda a: a.update({name: a[name][:, :0] for name in ("global_vectors", "sense_vectors")}), "0 dimensions"),
        (lambda a: a.update(example_offsets=a["example_offsets"][:-1]), "does not have an offset per word"),
        (lambda a: a.update(example_offsets=a["example_offsets"].astype(np.int32)), "is missing or not int64"),
        (lambda a: a.update(example_offsets=a["example_offsets"][None]), "does not have an offset per word"),
        (lambda a: a.update(example_offsets=a["example_offsets"][:0]), "does not have an offset per word"),
        (lambda a: a["example_offsets"].__setitem__(0, 10**12), "has offsets that are not in examples.jsonl"),
        (lambda a: a["example_offsets"].__setitem__(0, -2), "has offsets that are not in examples.jsonl"),
        (lambda a: a.pop("example_offsets"), "is missing or not int64"),
        (lambda a: a.pop("sense_counts"), "missing or unknown: sense_counts"),
        (lambda a: a.update(extra=a["sense_counts"]), "missing or unknown: extra"),
        (lambda a: a.update(sense_vectors=a["sense_vectors"].astype(np.float64)), "'sense_vectors' has the dtype F64"),
        (lambda a: a["sense_offsets"].__setitem__(1, -1), "sense_offsets and sense_counts are inconsistent"),
    ],
)
def test_arrays_that_queries_cannot_use_are_refused_despite_correct_digests(
    change: Callable[[Arrays], object], message: str, copy: Path
) -> None:
    mapped, _ = map_tensors(copy / "model.safetensors")
    arrays: Arrays = {name: np.array(array) for name, array in mapped.items()}
    change(arrays)
    save_file(arrays, copy / "model.safetensors")
    update_digests(copy)
    assert message in refused(copy)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["sense_vectors", "global_vectors", "cluster_centers"])
def test_numbers_that_are_not_finite_are_refused_despite_correct_digests(
    name: str, value: float, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapped, _ = map_tensors(copy / "model.safetensors")
    arrays: Arrays = {key: np.array(array) for key, array in mapped.items()}
    arrays[name][-1, -1] = value
    save_file(arrays, copy / "model.safetensors")
    update_digests(copy)
    message = f"{name} of model.safetensors has numbers that are NaN or infinite"
    assert message in refused(copy)
    monkeypatch.setattr(storage, "MAX_DIGESTED_BYTES", 1000)  # a large model is not read as a whole
    model = SenseModel.load(copy)
    if name == "sense_vectors":
        with pytest.raises(ModelError, match="sense_vectors has numbers that are too large, NaN or infinite; train"):
            model.neighbours("bank")
    with pytest.raises(ModelError, match=message):
        storage.verify(copy)


@pytest.mark.parametrize("line", ["x\t-5", "x\t0", "x\t99999999", f"x\t{'9' * 5000}", "x\t1\t1", "x"])
def test_a_vocabulary_with_invalid_counts_is_refused_despite_correct_digests(line: str, copy: Path) -> None:
    lines = (copy / "vocabulary.tsv").read_text().splitlines()
    (copy / "vocabulary.tsv").write_text("\n".join([*lines[:-1], line]) + "\n")
    update_digests(copy)
    assert "vocabulary.tsv" in refused(copy)


@pytest.mark.parametrize(
    "line",
    ["[" * 100_000, '{"senses": [[[1, 2, 3]]]}', '{"senses": [[["a", "b"]]]}', '{"senses": "abc"}',
     '{"senses": [["abc"]]}', '{"senses": {}}', '{"word": "a"}', "[]", "5", '{"senses": Infinity}', "\udcff"],
)  # fmt: skip
def test_examples_that_are_malformed_are_refused_despite_correct_digests(line: str, copy: Path) -> None:
    offset = int(map_tensors(copy / "model.safetensors")[0]["example_offsets"][0])
    data = (copy / "examples.jsonl").read_bytes()
    end = data.index(b"\n", offset)
    (copy / "examples.jsonl").write_bytes(
        data[:offset] + line.encode("utf-8", "surrogateescape").ljust(end - offset) + data[end:]
    )
    update_digests(copy)
    model = SenseModel.load(copy)
    with pytest.raises(ModelError, match=r"is damaged: examples\.jsonl cannot be read") as error:
        model.senses(model.vocabulary.words[0])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("key", ["bank#" + "9" * 5000, "bank#99", "bank#0", "bank#-1", "bank#²", "bank#"])
def test_a_sense_key_with_an_impossible_number_is_an_unknown_word(key: str, mssg: SenseModel) -> None:
    assert key not in mssg
    with pytest.raises(UnknownWord, match=r"^'bank' has 2 senses: bank#1, bank#2\.$"):
        mssg.senses(key)


def test_a_giant_word_is_shortened_in_messages(mssg: SenseModel) -> None:
    for word in ("x" * 1_000_000, "x" * 1_000_000 + "#1", "a\nb\x1b[31m" * 10):
        with pytest.raises(UnknownWord, match="is not among the") as error:
            mssg.vector(word)
        assert len(str(error.value)) < 300
        assert str(error.value).isprintable()


def test_a_model_of_a_newer_version_is_refused(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "format_version": 4}))
    with pytest.raises(ModelError, match="has the format version 4, and this polyseme reads up to version 3; upgrade"):
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
    with pytest.raises(MissingFile, match="is a file, not a model folder; make one with: polyseme import"):
        SenseModel.load(tmp_path / "file")
    with pytest.raises(ModelError, match=r"is not a model: it has no config\.json"):
        SenseModel.load(tmp_path)


def test_paths_in_commands_are_quoted(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="no model does not exist; .*: polyseme train CORPUS '.*/no model'$"):
        SenseModel.load(tmp_path / "no model")
    (tmp_path / "a file").write_text("")
    with pytest.raises(MissingFile, match="make one with: polyseme import '.*/a file' MODEL$"):
        SenseModel.load(tmp_path / "a file")


@pytest.mark.parametrize("name", ["run.json", "corpus", "checkpoint.safetensors"])
def test_a_model_whose_training_is_unfinished_is_refused_with_the_way_to_continue(name: str, tmp_path: Path) -> None:
    (tmp_path / "m.training").mkdir()
    (tmp_path / "m.training" / name).touch()
    for open_it in (SenseModel.load, polyseme.load):
        with pytest.raises(MissingFile, match="m is not finished: its training was stopped or .* --resume"):
            open_it(tmp_path / "m")


def test_a_folder_of_the_user_with_the_name_of_a_working_folder_is_no_unfinished_training(tmp_path: Path) -> None:
    (tmp_path / "m.training").mkdir()
    (tmp_path / "m.training" / "notes.txt").touch()
    with pytest.raises(MissingFile, match="m does not exist"):
        SenseModel.load(tmp_path / "m")


def test_an_existing_model_is_overwritten_only_by_force(mssg: SenseModel, copy: Path) -> None:
    with pytest.raises(OutputExists, match="already exists; choose another name, or overwrite it with --force"):
        mssg.save(copy)
    mssg.save(copy, force=True)
    SenseModel.load(copy)
    assert [p.name for p in copy.parent.iterdir()] == ["m"]


def test_a_model_that_is_replaced_while_it_is_opened_is_opened_as_a_whole(
    mssg: SenseModel, trained: Callable[[str], Path], copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = SenseModel.load(trained("skip-gram"))
    check_file = storage._check_file
    replaced: list[bool] = []

    def replacing(*arguments: Any) -> None:
        check_file(*arguments)
        if not replaced:
            replaced.append(True)
            other.save(copy, force=True)

    monkeypatch.setattr(storage, "_check_file", replacing)
    opened = SenseModel.load(copy)
    assert (opened.config, opened.vector("bank").tolist()) == (other.config, other.vector("bank").tolist())
    assert opened.config != mssg.config


def test_a_model_that_is_replaced_again_and_again_is_refused(
    mssg: SenseModel, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "MAX_REPLACEMENTS", 3)
    monkeypatch.setattr(storage, "_check_file", lambda *_: mssg.save(copy, force=True))
    with pytest.raises(ModelError, match="is being replaced again and again; open it when no program writes to it"):
        SenseModel.load(copy)


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
