"""The model on disk: a folder, written under a temporary name and then renamed.

config.json         format version, settings, corpus, training run; size and digest of the other files; labels,
                    numbers of removed senses, refinements and the models that it was continued from, if there are any;
                    `dtype`, if it is not float32
vocabulary.tsv      word TAB count, most frequent first
model.safetensors   the tensors of `polyseme.model.tensors`, and `example_offsets`, the index of the examples
examples.jsonl      one line per word: {"word": ..., "senses": [[[left, word, right], ...], ...]}
examples.jsonl.zst  the same without the words, compressed, if dtype is not float32; see `polyseme.examples.files`
phrases.txt         the phrases, if the model has any: words separated by tabs
README.md           the model card

Version 3 has vectors of int8 or float16, or phrases. Other models are still written as version 2.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from polyseme._io.atomic import atomic_folder
from polyseme._io.plain_files import plain_file_size
from polyseme._io.strict_json import read_json_object
from polyseme._io.tensors import map_tensors, write_tensors
from polyseme._io.thread_pool import map_in_order
from polyseme.corpus.phrases import read_phrases
from polyseme.corpus.tokenizers import WHITESPACE, AnyTokenizer, get_tokenizer
from polyseme.errors import MissingFile, ModelError, OutputExists, PolysemeError, shorten
from polyseme.examples import files as example_files
from polyseme.examples.store import ExampleReader, parse_line
from polyseme.model.card import card
from polyseme.model.config_checks import check_config
from polyseme.model.data import ModelData
from polyseme.model.tensors import Tensors, from_tensors, to_tensors
from polyseme.model.unfinished import has_unfinished_run
from polyseme.model.version_1 import upgrade_settings
from polyseme.vocabulary import Vocabulary, read_words, write_words

FORMAT_VERSION = 3  # of models with phrases, or whose vectors are not float32
PLAIN_VERSION = 2
CONFIG, WORDS, TENSORS, CARD = "config.json", "vocabulary.tsv", "model.safetensors", "README.md"
EXAMPLES, COMPRESSED_EXAMPLES = "examples.jsonl", "examples.jsonl.zst"
PHRASES = "phrases.txt"
VECTOR_FOLDER = ("modules.json", "tensors.tsv")  # files of other programs' folders that `polyseme.formats` reads
FILES = (
    CONFIG,
    WORDS,
    TENSORS,
    EXAMPLES,
    COMPRESSED_EXAMPLES,
    PHRASES,
    CARD,
)  # all that a model folder needs or may need
LOG = "training.jsonl"  # the log of the training run, if there is one
MAX_REPLACEMENTS = 100  # of a folder while it is opened
MAX_DIGESTED_BYTES = 64 << 20  # larger files are read only by `verify`, so that opening a model stays fast


def save(
    data: ModelData,
    path: Path,
    *,
    force: bool = False,
    log: Path | None = None,
    temporary: Path | None = None,
    metadata: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write a model folder.

    log        the log of its training, if any
    temporary  the folder it is prepared in
    metadata   fields of the front matter of its card
    """
    refuse_existing(path, force)
    with atomic_folder(path, temporary) as folder:
        write(data, folder, log=log, metadata=metadata)


def write(
    data: ModelData, folder: Path, *, log: Path | None = None, metadata: Mapping[str, Any] = MappingProxyType({})
) -> None:
    """Write the files of a model into an empty folder; see `save`."""
    is_float32 = data.dtype == "float32"
    examples = EXAMPLES if is_float32 else COMPRESSED_EXAMPLES
    write_examples = example_files.write_plain if is_float32 else example_files.write_compressed
    offsets = write_examples(folder / examples, data.read_examples, len(data.vocabulary))
    write_words(folder / WORDS, data.vocabulary.words, data.vocabulary.counts)
    write_tensors(folder / TENSORS, {**to_tensors(data.arrays, data.dtype), "example_offsets": offsets})
    (folder / CARD).write_text(card(data, metadata), encoding="utf-8")
    if log is not None and log.exists():
        (folder / LOG).write_bytes(log.read_bytes())
    files = [folder / name for name in (WORDS, TENSORS, examples)]
    if data.phrases is not None:
        (folder / PHRASES).write_bytes(data.phrases.to_bytes())
        files.append(folder / PHRASES)
    config = {
        "format_version": PLAIN_VERSION if is_float32 and data.phrases is None else FORMAT_VERSION,
        **({} if is_float32 else {"dtype": data.dtype}),
        "settings": data.config,
        "tokenizer": data.tokenizer.name,
        "corpus": data.corpus,
        "training": data.training,
        **({"labels": data.labels} if data.labels else {}),
        **({"last_numbers": data.last_numbers} if data.last_numbers else {}),
        **({"refinements": data.refinements} if data.refinements else {}),
        **({"continued_from": data.continued_from} if data.continued_from else {}),
        "files": {
            path.name: {"bytes": path.stat().st_size, "sha256": digest}
            for path, digest in zip(files, map_in_order(_digest, files, threads=2), strict=True)
        },
    }
    (folder / CONFIG).write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(
    path: Path, tokenizer: AnyTokenizer | Callable[[str], list[str]] | None = None, *, blobs: Path | None = None
) -> ModelData:
    """Open a model folder. ModelError, with the reason, if it is incomplete or damaged.

    If another process replaces the folder meanwhile, the new one is opened.

    blobs  a folder whose files may be linked from the model folder; other symbolic links are refused
    """
    for _ in range(MAX_REPLACEMENTS):
        before = _identity(path)
        try:
            data = _load(path, tokenizer, blobs)
        except (PolysemeError, OSError):
            if _identity(path) == before:
                raise
        else:
            if _identity(path) == before:
                return data
    raise ModelError(f"{path} is being replaced again and again; open it when no program writes to it.")


def _identity(path: Path) -> tuple[int, ...]:
    """What changes if another folder is renamed to a path; empty if there is none."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_ctime_ns


def _load(path: Path, tokenizer: AnyTokenizer | Callable[[str], list[str]] | None, blobs: Path | None) -> ModelData:
    config = read_config(path, blobs)
    try:
        _check_values(config)
        files = {name: _member(path, name, blobs) for name in digested_files(config)}
        for name, file in files.items():
            _check_file(file, name, config, MAX_DIGESTED_BYTES)
        words, counts = read_words(files[WORDS])
        dtype = config.get("dtype", "float32")
        tensors, _ = map_tensors(files[TENSORS])
        if config["files"][TENSORS]["bytes"] <= MAX_DIGESTED_BYTES:
            _refuse_not_finite(tensors)
        read_examples = _open_examples(path, files, tensors, words)
        arrays = from_tensors(tensors, dtype, len(words))
        if tokenizer is None:
            tokenizer = WHITESPACE if config["tokenizer"] == "custom" else config["tokenizer"]
        return ModelData(
            vocabulary=Vocabulary(words, counts),
            arrays=arrays,
            tokenizer=get_tokenizer(tokenizer),
            config=config["settings"],
            corpus=config["corpus"],
            training=config["training"],
            labels=config.get("labels", {}),
            last_numbers=config.get("last_numbers", {}),
            refinements=tuple(config.get("refinements", [])),
            continued_from=tuple(config.get("continued_from", [])),
            read_examples=read_examples,
            dtype=dtype,
            phrases=read_phrases(files[PHRASES]) if PHRASES in files else None,
        )
    except ValueError as error:  # a ModelError is a ValueError
        raise _damaged(path, str(error)) from error


def digested_files(config: dict[str, Any]) -> tuple[str, ...]:
    """The only files that a config.json may name."""
    if config["format_version"] <= PLAIN_VERSION:
        return WORDS, TENSORS, EXAMPLES
    examples = COMPRESSED_EXAMPLES if "dtype" in config else EXAMPLES
    return (WORDS, TENSORS, examples, PHRASES) if PHRASES in config["files"] else (WORDS, TENSORS, examples)


def _member(path: Path, name: str, blobs: Path | None) -> Path:
    """The path of a file of a model folder; for a link into the folder `blobs`, the file that it leads to."""
    file = path / name
    if blobs is not None and file.is_symlink():
        target = file.resolve()
        if target.parent == blobs.resolve():
            return target
    return file


def _refuse_not_finite(tensors: Tensors) -> None:
    """Raise ModelError if a number is NaN or infinite."""
    for name, tensor in tensors.items():
        if tensor.dtype.kind == "f" and tensor.size and not np.isfinite([tensor.min(), tensor.max()]).all():
            raise ModelError(f"{name} of {TENSORS} has numbers that are NaN or infinite")


def _open_examples(path: Path, files: Mapping[str, Path], tensors: Tensors, words: list[str]) -> ExampleReader:
    """An ExampleReader of a model folder, which also checks the lines; takes their index out of the tensors."""
    name = EXAMPLES if EXAMPLES in files else COMPRESSED_EXAMPLES
    index = tensors.pop("example_offsets", None)
    if index is None or index.dtype != np.int64:
        raise ModelError(f"example_offsets of {TENSORS} is missing or not int64")
    offsets = index.view(np.int64)
    try:
        if name == EXAMPLES:
            read_lines = example_files.plain_reader(files[name], offsets, len(words))
        else:
            read_lines = example_files.compressed_reader(files[name], offsets, words)
    except ValueError as error:
        raise ModelError(f"example_offsets of {TENSORS} {error}") from error

    def read(first: int, end: int) -> list[bytes]:
        try:
            lines = read_lines(first, end)
            for line in lines:
                parse_line(line)
            return lines
        except ValueError as error:
            raise _damaged(path, f"{name} cannot be read ({error})") from error

    return read


def _check_values(config: dict[str, Any]) -> None:
    try:
        check_config(config)
    except ValueError as error:
        raise ModelError(f"{CONFIG}: {error}") from error


def verify(path: Path) -> None:
    """Check the digest of every file of a model, large ones included, and the numbers of its vectors.

    Raises ModelError if a file was changed, or a number is NaN or infinite.
    """
    load(path)
    config = read_config(path)
    try:
        for name in digested_files(config):
            _check_file(path / name, name, config, None)
        _refuse_not_finite(map_tensors(path / TENSORS)[0])
    except ModelError as error:
        raise _damaged(path, str(error)) from error


def read_config(path: Path, blobs: Path | None = None) -> dict[str, Any]:
    """The config.json of a model folder, with the settings under their current names."""
    if path.exists() and not path.is_dir():
        advice = f"make one with: polyseme import {shlex.quote(str(path))} MODEL"
        raise MissingFile(f"{path} is a file, not a model folder; {advice}")
    if not path.is_dir() and has_unfinished_run(path):
        raise MissingFile(
            f"{path} is not finished: its training was stopped or is still running; continue it with the same train "
            f"command and --resume."
        )
    if not path.is_dir():
        advice = f"train a model with: polyseme train CORPUS {shlex.quote(str(path))}"
        raise MissingFile(f"{path} does not exist; {advice}")
    try:
        config = read_json_object(_member(path, CONFIG, blobs))
        version = config.get("format_version")
        if type(version) is not int or not all(isinstance(config.get(name), dict) for name in ("files", "settings")):
            raise ValueError("it does not describe a polyseme model")
        if version <= FORMAT_VERSION and (unknown := sorted(config["files"].keys() - {*digested_files(config)})):
            raise ValueError(f"it names the file '{shorten(unknown[0])}', which a model does not have")
    except FileNotFoundError:
        advice = "Train one with: polyseme train"
        if any((path / name).exists() for name in VECTOR_FOLDER):
            advice = f"Make one with: polyseme import {shlex.quote(str(path))} MODEL"
        raise ModelError(f"{path} is not a model: it has no {CONFIG}. {advice}") from None
    except (OSError, ValueError) as error:
        raise _damaged(path, f"{CONFIG} cannot be read ({error})") from error
    if version > FORMAT_VERSION:
        raise ModelError(
            f"{path} has the format version {version}, and this polyseme reads up to version {FORMAT_VERSION}; "
            f"upgrade with: pip install -U polyseme"
        )
    if version == 1:
        config["settings"] = upgrade_settings(config["settings"])
    return config


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
    """The size of a model folder, or of vectors of another program, in bytes."""
    size = 0
    for file in path.rglob("*") if path.is_dir() else [path]:
        with suppress(FileNotFoundError):  # another process may replace the folder meanwhile
            size += file.lstat().st_size
    return size


def _damaged(path: Path, reason: str) -> ModelError:
    return ModelError(f"{path} is damaged: {shorten(reason, 200)}. Restore it from a copy, or train it again.")


def _check_file(file: Path, name: str, config: dict[str, Any], max_bytes: int | None) -> None:
    """Check type and size of a file; its digest too, unless the file is larger than `max_bytes`."""
    entry = config["files"].get(name)
    if entry is None:
        raise ModelError(f"{CONFIG} has no digest of {name}")
    try:
        size = plain_file_size(file)
    except FileNotFoundError:
        raise ModelError(f"{name} is missing") from None
    if size != entry["bytes"]:
        raise ModelError(f"{name} has {size:,} bytes instead of {entry['bytes']:,}")
    if (max_bytes is None or size <= max_bytes) and _digest(file) != entry["sha256"]:
        raise ModelError(f"{name} was changed after it was written")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
