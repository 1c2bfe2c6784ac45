"""Checkpoints on disk: every changed bit is noticed, and arrays that do not fit the run never reach a kernel."""

from __future__ import annotations

import hashlib
import json
import os
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme import train
from polyseme._io.tensors import map_tensors, write_tensors
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.planted import plant
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import TrainingError
from polyseme.training.checkpoint import read_config, restore_checkpoint, write_checkpoint
from polyseme.training.config import make_config
from polyseme.training.state import TrainState
from polyseme.training.trainer import Trainer
from polyseme.vocabulary import Vocabulary

CONFIG = make_config(model="np-mssg", dim=8, epochs=1, threads=1, multi_sense_min_count=10, min_count=1)

Arrays = dict[str, NDArray[Any]]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> EncodedCorpus:
    folder = tmp_path_factory.mktemp("corpus")
    text = plant(sentences=300, difficulty=0.3, seed=1).write(folder / "text.txt")
    return encode(find_sources(text), get_tokenizer("words"), folder / "corpus")


def new_trainer(corpus: EncodedCorpus) -> Trainer:
    vocabulary = Vocabulary(corpus.words, corpus.counts)
    return Trainer(TrainState.initial(CONFIG, vocabulary, threads=1), corpus)


@pytest.fixture
def checkpoint(corpus: EncodedCorpus, tmp_path: Path) -> Path:
    """A checkpoint at the end of the training, with whitened vectors."""
    trainer = new_trainer(corpus)
    trainer.run()
    write_checkpoint(tmp_path, trainer)
    return tmp_path / "checkpoint.safetensors"


def refused(checkpoint: Path, corpus: EncodedCorpus) -> str:
    """The message with which a checkpoint is refused; the trainer is not changed."""
    trainer = new_trainer(corpus)
    with pytest.raises(TrainingError, match="cannot be read .*; start again with --force") as error:
        restore_checkpoint(checkpoint.parent, trainer)
    assert "\n" not in str(error.value)
    assert trainer.blocks_done == 0
    return str(error.value)


def rewrite(checkpoint: Path, change: Callable[[Arrays, dict[str, Any]], object]) -> None:
    """Change arrays and state of a checkpoint, with correct digests."""
    mapped, metadata = map_tensors(checkpoint)
    arrays: Arrays = {name: np.array(array) for name, array in mapped.items()}
    state = json.loads(metadata["state"])
    change(arrays, state)
    state["arrays"] = {name: hashlib.sha256(array.tobytes()).hexdigest() for name, array in arrays.items()}
    text = json.dumps(state)
    write_tensors(checkpoint, arrays, {"state": text, "sha256": hashlib.sha256(text.encode()).hexdigest()})


def test_a_checkpoint_restores_the_trainer(checkpoint: Path, corpus: EncodedCorpus) -> None:
    trained, restored = new_trainer(corpus), new_trainer(corpus)
    trained.run()
    rewrite(checkpoint, lambda _arrays, _state: None)
    restore_checkpoint(checkpoint.parent, restored)
    assert restored.blocks_done == trained.blocks_done
    assert restored.totals == trained.totals
    assert read_config(checkpoint.parent) == trained.state.config
    for name, array in trained.state.to_arrays().items():
        np.testing.assert_array_equal(restored.state.to_arrays()[name], array, err_msg=name)


def test_one_flipped_bit_is_noticed_in_every_array(checkpoint: Path, corpus: EncodedCorpus) -> None:
    content = checkpoint.read_bytes()
    start = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:start])
    del header["__metadata__"]
    assert "whitened_vectors" in header
    for name, entry in header.items():
        damaged = bytearray(content)
        damaged[start + entry["data_offsets"][1] - 3] ^= 1
        checkpoint.write_bytes(damaged)
        assert f"the array '{name}' was changed after it was written" in refused(checkpoint, corpus)


def test_one_flipped_bit_is_noticed_in_the_header(checkpoint: Path, corpus: EncodedCorpus) -> None:
    content = checkpoint.read_bytes()
    header_bytes = 8 + struct.unpack("<Q", content[:8])[0]
    before = new_trainer(corpus)
    restore_checkpoint(checkpoint.parent, before)
    chance = random.Random(0)
    num_refused = 0
    for _ in range(200):
        damaged = bytearray(content)
        damaged[chance.randrange(header_bytes)] ^= 1 << chance.randrange(8)
        checkpoint.write_bytes(damaged)
        trainer = new_trainer(corpus)
        try:
            restore_checkpoint(checkpoint.parent, trainer)
        except TrainingError:
            num_refused += 1
        else:  # a bit of the header's white space
            assert vars(trainer.totals) == vars(before.totals)
            assert trainer.blocks_done == before.blocks_done
    assert num_refused > 190


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, _: a["sense_offsets"].__setitem__(1, -5), "sense_offsets do not fit"),
        (lambda a, _: a["sense_offsets"].__setitem__(-1, 2**40), "sense_offsets do not fit"),
        (lambda a, _: a["num_senses"].__setitem__(0, 0), "num_senses does not fit"),
        (lambda a, _: a["num_senses"].__setitem__(0, 2**31 - 1), "num_senses does not fit"),
        (lambda a, _: a["sense_counts"].__setitem__(0, -1), "a sense has a negative count"),
        (lambda a, _: a["global_vectors"].__setitem__((0, 0), np.nan), "global_vectors has values that are not finite"),
        (lambda a, _: a.update(sense_vectors=a["sense_vectors"][:-1]), "sense_vectors is float32"),
        (lambda a, _: a.update(sense_vectors=a["sense_vectors"].ravel()), "sense_vectors is float32"),
        (lambda a, _: a.update(sense_counts=a["sense_counts"].astype(np.float32)), "sense_counts is float32"),
        (lambda a, _: a.update(whitened_vectors=a["whitened_vectors"][:, :4]), "whitened_vectors is float32"),
        (lambda a, _: a.pop("num_senses"), "missing or unknown: num_senses"),
        (lambda a, _: a.pop("whitened_vectors"), "missing or unknown: whitened_vectors"),
        (lambda a, _: a.update(other=a["sense_counts"]), "missing or unknown: other"),
        (lambda _, s: s.update(senses_split=False), "missing or unknown: whitened_vectors"),
        (lambda _, s: s.update(senses_split=1), "'senses_split' must be true or false"),
        (lambda _, s: s.update(blocks_done=-1), "it has -1 blocks of"),
        (lambda _, s: s.update(blocks_done=10**9), "it has 1,000,000,000 blocks of"),
        (lambda _, s: s.update(blocks_done=1.5), "'blocks_done' must be a whole number"),
        (lambda _, s: s.update(seconds=float("inf")), "Infinity is not a finite number"),
        (lambda _, s: s["totals"].update(tokens="many"), "'tokens' must be a whole number"),
        (lambda _, s: s["totals"].pop("loss"), "'loss' is missing"),
        (lambda _, s: s.update(totals=[]), "it does not describe a run"),
        (lambda _, s: s.update(config=None), "it does not describe a run"),
        (lambda _, s: s["config"].update(dim=0), "--dim must be between 1 and 10000"),
    ],
)  # fmt: skip
def test_arrays_and_values_that_do_not_fit_the_run_are_refused_despite_correct_digests(
    change: Callable[[Arrays, dict[str, Any]], object], message: str, checkpoint: Path, corpus: EncodedCorpus
) -> None:
    rewrite(checkpoint, change)
    assert message in refused(checkpoint, corpus)


def test_a_checkpoint_without_digests_is_one_of_an_older_version(checkpoint: Path, corpus: EncodedCorpus) -> None:
    arrays, metadata = map_tensors(checkpoint)
    state = json.loads(metadata["state"])
    del state["arrays"]
    copies = {name: np.array(array) for name, array in arrays.items()}
    write_tensors(checkpoint, copies, {"state": json.dumps({**state, "format_version": 3})})
    assert "another version of polyseme wrote it, in format 3" in refused(checkpoint, corpus)


@pytest.mark.parametrize("state", ["[" * 50_000, '{"a":' * 50_000, "null", "[]", "", '{"format_version": NaN}'])
def test_a_state_that_is_not_a_json_object_is_refused(state: str, checkpoint: Path, corpus: EncodedCorpus) -> None:
    arrays, _ = map_tensors(checkpoint)
    copies = {name: np.array(array) for name, array in arrays.items()}
    write_tensors(checkpoint, copies, {"state": state, "sha256": hashlib.sha256(state.encode()).hexdigest()})
    refused(checkpoint, corpus)
    with pytest.raises(TrainingError, match="cannot be read"):
        read_config(checkpoint.parent)


@pytest.mark.parametrize("kind", ["link", "dangling link", "fifo", "folder"])
def test_a_checkpoint_that_is_not_a_regular_file_is_refused(
    kind: str, checkpoint: Path, corpus: EncodedCorpus, tmp_path: Path
) -> None:
    checkpoint.rename(tmp_path / "elsewhere")
    make: dict[str, Callable[[], None]] = {
        "link": lambda: checkpoint.symlink_to("elsewhere"),
        "dangling link": lambda: checkpoint.symlink_to("missing"),
        "fifo": lambda: os.mkfifo(checkpoint),
        "folder": checkpoint.mkdir,
    }
    make[kind]()
    assert "symbolic link" in refused(checkpoint, corpus) or "not a regular file" in refused(checkpoint, corpus)


@pytest.mark.parametrize("name", ["lock", "training.jsonl", "corpus", "model"])
@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_training_does_not_write_through_links_and_fifos_of_its_working_folder(
    kind: str, name: str, corpus: EncodedCorpus, tmp_path: Path
) -> None:
    workspace = tmp_path / "m.training"
    workspace.mkdir()
    (workspace / "lock").touch()
    target = tmp_path / "target"
    (target.mkdir if name in ("corpus", "model") else target.touch)()
    (workspace / name).unlink(missing_ok=True)
    (workspace / name).symlink_to(target) if kind == "link" else os.mkfifo(workspace / name)
    with pytest.raises(TrainingError, match=f"{name} is not a .*; remove it") as error:
        train(corpus, tmp_path / "m", config=CONFIG, force=True, quiet=True)
    assert "\n" not in str(error.value)
    assert list(target.iterdir()) == [] if target.is_dir() else target.read_bytes() == b""
