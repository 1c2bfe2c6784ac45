"""The model on disk: a folder, written under a temporary name and then renamed.

config.json        format version, settings, corpus, training run; size and digest of the other files; labels and
                   refinements, if there are any
vocabulary.tsv     word TAB count, most frequent first
model.safetensors  the arrays of `polyseme.model.arrays`, and the offset of each word's line in examples.jsonl
examples.jsonl     one line per word: {"word": ..., "senses": [[[left, word, right], ...], ...]}
phrases.txt        the phrases, if the model has any: words separated by tabs
README.md          the model card
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme._io.atomic import atomic_folder
from polyseme._io.plain_files import plain_file_size
from polyseme._io.strict_json import read_json_object
from polyseme._io.tensors import map_tensors, write_tensors
from polyseme._io.thread_pool import map_in_order
from polyseme.corpus.phrases import read_phrases
from polyseme.corpus.tokenizers import WHITESPACE, AnyTokenizer, get_tokenizer
from polyseme.errors import MissingFile, ModelError, OutputExists, PolysemeError, shorten
from polyseme.examples.store import parse_line
from polyseme.model.arrays import ModelArrays
from polyseme.model.card import card
from polyseme.model.config_checks import check_config
from polyseme.model.data import ModelData
from polyseme.model.version_1 import OLD_ARRAYS, upgrade_settings
from polyseme.vocabulary import Vocabulary, read_words, write_words

FORMAT_VERSION = 2
PHRASES_VERSION = 3  # of a model with phrases: earlier versions of polyseme would not join them in text
CONFIG, WORDS, TENSORS, EXAMPLES, CARD = (
    "config.json",
    "vocabulary.tsv",
    "model.safetensors",
    "examples.jsonl",
    "README.md",
)
PHRASES = "phrases.txt"
DIGESTED = (WORDS, TENSORS, EXAMPLES)  # with PHRASES, the only files that config.json may name
LOG = "training.jsonl"  # the log of the training run, if there is one
WORDS_PER_WRITE = 1000  # whose examples are written together
MAX_DIGESTED_BYTES = 64 << 20  # larger files are digested only by `verify`, so that opening a model stays fast


def save(
    data: ModelData, path: Path, *, force: bool = False, log: Path | None = None, temporary: Path | None = None
) -> None:
    """Write a model folder, with the log of its training, if any. `temporary` is the folder it is prepared in."""
    refuse_existing(path, force)
    with atomic_folder(path, temporary) as folder:
        offsets = _write_examples(folder / EXAMPLES, data)
        write_words(folder / WORDS, data.vocabulary.words, data.vocabulary.counts)
        write_tensors(folder / TENSORS, {**data.arrays.to_dict(), "example_offsets": offsets})
        (folder / CARD).write_text(card(data), encoding="utf-8")
        if log is not None and log.exists():
            (folder / LOG).write_bytes(log.read_bytes())
        files = [folder / name for name in DIGESTED]
        if data.phrases is not None:
            (folder / PHRASES).write_bytes(data.phrases.to_bytes())
            files.append(folder / PHRASES)
        config = {
            "format_version": FORMAT_VERSION if data.phrases is None else PHRASES_VERSION,
            "settings": data.config,
            "tokenizer": data.tokenizer.name,
            "corpus": data.corpus,
            "training": data.training,
            **({"labels": data.labels} if data.labels else {}),
            **({"refinements": data.refinements} if data.refinements else {}),
            "files": {
                path.name: {"bytes": path.stat().st_size, "sha256": digest}
                for path, digest in zip(files, map_in_order(_digest, files, threads=2), strict=True)
            },
        }
        (folder / CONFIG).write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(path: Path, tokenizer: AnyTokenizer | Callable[[str], list[str]] | None = None) -> ModelData:
    """Open a model folder. ModelError, with the reason, if it is incomplete or damaged."""
    config = read_config(path)
    try:
        _check_values(config)
        for name in _files(config):
            _check_file(path, name, config, MAX_DIGESTED_BYTES)
        words, counts = read_words(path / WORDS)
        arrays, offsets = _map_arrays(path, len(words))
        if tokenizer is None:
            tokenizer = WHITESPACE if config["tokenizer"] == "custom" else config["tokenizer"]
        examples = _map_examples(path / EXAMPLES)
        return ModelData(
            vocabulary=Vocabulary(words, counts),
            arrays=arrays,
            tokenizer=get_tokenizer(tokenizer),
            config=config["settings"],
            corpus=config["corpus"],
            training=config["training"],
            labels=config.get("labels", {}),
            refinements=tuple(config.get("refinements", [])),
            phrases=read_phrases(path / PHRASES) if PHRASES in _files(config) else None,
            read_examples=lambda first, end: [
                _read_examples(path, examples, offset) for offset in offsets[first:end].tolist()
            ],
        )
    except ValueError as error:  # a ModelError is a ValueError
        raise _damaged(path, str(error)) from error


def _map_arrays(path: Path, num_words: int) -> tuple[ModelArrays, NDArray[np.int64]]:
    """The arrays of a model, and the offset of each word's line in the examples file; ModelError if inconsistent."""
    tensors, _ = map_tensors(path / TENSORS)
    tensors = {OLD_ARRAYS.get(name, name): array for name, array in tensors.items()}
    offsets = tensors.pop("example_offsets", None)
    names = {field.name for field in fields(ModelArrays)}
    required = {field.name for field in fields(ModelArrays) if field.default is MISSING}
    if different := sorted((tensors.keys() - names) | (required - tensors.keys())):
        raise ModelError(f"these arrays of {TENSORS} are missing or unknown: {shorten(', '.join(different))}")
    arrays = ModelArrays(**tensors)  # type: ignore[arg-type]
    arrays.check(num_words)
    if offsets is None or offsets.shape != (num_words,) or offsets.dtype != np.int64:
        raise ModelError(f"example_offsets of {TENSORS} does not have an offset per word")
    example_offsets, size = offsets.view(np.int64), plain_file_size(path / EXAMPLES)
    if np.any(example_offsets < -1) or np.any(example_offsets >= size):
        raise ModelError(f"example_offsets of {TENSORS} are not in {EXAMPLES}, which has {size:,} bytes")
    return arrays, example_offsets


def _check_values(config: dict[str, Any]) -> None:
    try:
        check_config(config)
    except ValueError as error:
        raise ModelError(f"{CONFIG}: {error}") from error


def verify(path: Path) -> None:
    """Check the digest of every file of a model, large ones included. ModelError if one was changed."""
    load(path)
    config = read_config(path)
    try:
        for name in _files(config):
            _check_file(path, name, config, None)
    except ModelError as error:
        raise _damaged(path, str(error)) from error


def read_config(path: Path) -> dict[str, Any]:
    """The config.json of a model folder, with the settings under their current names."""
    if not path.is_dir():
        problem = "is a file, not a model folder" if path.exists() else "does not exist"
        raise MissingFile(f"{path} {problem}; train a model with: polyseme train CORPUS {path}")
    try:
        config = read_json_object(path / CONFIG)
        version = config.get("format_version")
        if type(version) is not int or not all(isinstance(config.get(name), dict) for name in ("files", "settings")):
            raise ValueError("it does not describe a polyseme model")
        if version <= PHRASES_VERSION and (unknown := sorted(config["files"].keys() - set(_files(config)))):
            raise ValueError(f"it names the file '{shorten(unknown[0])}', which a model does not have")
    except FileNotFoundError:
        raise ModelError(f"{path} is not a model: it has no {CONFIG}. Train one with: polyseme train") from None
    except (OSError, ValueError) as error:
        raise _damaged(path, f"{CONFIG} cannot be read ({error})") from error
    if version > PHRASES_VERSION:
        raise ModelError(
            f"{path} has the format version {version}, and this polyseme reads up to version {PHRASES_VERSION}; "
            f"upgrade with: pip install -U polyseme"
        )
    if version == 1:
        config["settings"] = upgrade_settings(config["settings"])
    return config


def _files(config: dict[str, Any]) -> tuple[str, ...]:
    """The files of a model that config.json has digests of."""
    return (*DIGESTED, PHRASES) if config["format_version"] >= PHRASES_VERSION else DIGESTED


def is_model(path: Path) -> bool:
    """Whether a folder is a polyseme model, and not one of another program that also has a config.json."""
    try:
        return bool(read_config(path)["files"].keys() >= {WORDS, TENSORS})
    except PolysemeError:
        return False


def refuse_existing(path: Path, force: bool) -> None:
    """Raise OutputExists if `path` exists, unless `force` is given and it is a model or an empty folder."""
    if not path.exists():
        return
    if not force:
        raise OutputExists(f"{path} already exists; choose another name, or overwrite it with --force.")
    if not (path.is_dir() and (is_model(path) or not any(path.iterdir()))):
        raise OutputExists(f"{path} exists and is not a model, so --force does not remove it; choose another name.")


def size_of(path: Path) -> int:
    """The size of a model folder in bytes."""
    return sum(file.lstat().st_size for file in path.iterdir())


def _damaged(path: Path, reason: str) -> ModelError:
    return ModelError(f"{path} is damaged: {shorten(reason, 200)}. Restore it from a copy, or train it again.")


def _check_file(path: Path, name: str, config: dict[str, Any], max_bytes: int | None) -> None:
    """Check type and size of a file; its digest too, unless the file is larger than `max_bytes`."""
    entry = config["files"].get(name)
    if entry is None:
        raise ModelError(f"{CONFIG} has no digest of {name}")
    try:
        size = plain_file_size(path / name)
    except FileNotFoundError:
        raise ModelError(f"{name} is missing") from None
    if size != entry["bytes"]:
        raise ModelError(f"{name} has {size:,} bytes instead of {entry['bytes']:,}")
    if (max_bytes is None or size <= max_bytes) and _digest(path / name) != entry["sha256"]:
        raise ModelError(f"{name} was changed after it was written")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_examples(path: Path, data: ModelData) -> NDArray[np.int64]:
    """Write the example lines of all words; returns the offset of each word's line, -1 for words without one."""
    num_words = len(data.vocabulary)
    lengths = np.empty(num_words, np.int64)
    with path.open("wb") as file:
        for first in range(0, num_words, WORDS_PER_WRITE):
            lines = data.read_examples(first, min(first + WORDS_PER_WRITE, num_words))
            file.writelines(lines)
            lengths[first : first + len(lines)] = [len(line) for line in lines]
    return np.where(lengths > 0, np.cumsum(lengths) - lengths, -1)


def _map_examples(path: Path) -> mmap.mmap | bytes:
    """The examples file, memory-mapped: it can be read even after another model has replaced the folder."""
    with path.open("rb") as file:
        is_empty = not file.read(1)  # an empty file cannot be mapped
        return b"" if is_empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _read_examples(path: Path, examples: mmap.mmap | bytes, offset: int) -> bytes:
    """The line at an offset of the examples of a model; empty for the offset -1."""
    if offset < 0:
        return b""
    try:
        line = examples[offset : examples.find(b"\n", offset) + 1]
        parse_line(line)
        return line
    except ValueError as error:
        raise _damaged(path, f"{EXAMPLES} cannot be read ({error})") from error
