"""The formats of vectors: one entry each. Their modules are imported when they are used.

A format is a module of this package with two functions:

    read(path) -> ImportedVectors            raises DataError with the file, and the line or row
    write(table, path, **options)            to a temporary path that is renamed afterwards; for a folder, it exists.
                                             Returns what the format could not keep, in a sentence, or nothing

`table` is a `SenseTable`; `table.data` is the whole model, for formats that contain more than its visible senses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyseme.errors import ConfigError, shorten

if TYPE_CHECKING:
    from polyseme.formats.imported import ImportedVectors
    from polyseme.formats.sense_table import SenseTable


@dataclass(frozen=True)
class Format:
    """A format of vectors.

    name      its name for --format
    content   what it is, for messages
    suffixes  of file names, by which export chooses the format
    module    of this package
    reader    name of the function that reads it; empty for model folders, which are opened by `SenseModel.load`
    writer    name of the function that writes it
    folder    names of the files of a folder; empty if the format is a single file
    options   names of the options of the writer
    """

    name: str
    content: str
    suffixes: tuple[str, ...]
    module: str
    reader: str = "read"
    writer: str = "write"
    folder: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def read(self, path: Path) -> ImportedVectors:
        return self._function(self.reader)(path)  # type: ignore[no-any-return]

    def write(self, table: SenseTable, path: Path, **options: Any) -> str | None:
        return self._function(self.writer)(table, path, **options)  # type: ignore[no-any-return]

    def _function(self, name: str) -> Callable[..., Any]:
        return getattr(import_module(f"polyseme.formats.{self.module}"), name)  # type: ignore[no-any-return]


ALL = (
    Format("word2vec", "word2vec text", (".vec", ".w2v", ".txt"), "word2vec"),
    Format("word2vec-binary", "word2vec binary", (".bin",), "word2vec_binary"),
    Format("glove", "GloVe text", (".glove",), "glove"),
    Format("parquet", "Parquet", (".parquet",), "arrow", "read_parquet", "write_parquet"),
    Format("arrow", "Arrow (Feather)", (".arrow", ".feather"), "arrow", "read_arrow", "write_arrow"),
    Format("numpy", "NumPy archive", (".npz",), "numpy_archive"),
    Format("projector", "TensorBoard projector", (), "projector", folder=("tensors.tsv", "metadata.tsv")),
    Format("mssg", "format of the paper's authors", (".mssg",), "mssg_release"),
    Format(
        "sentence-transformers",
        "sentence-transformers StaticEmbedding",
        (),
        "static_embedding",
        folder=("modules.json", "config_sentence_transformers.json", "0_StaticEmbedding"),
    ),
    Format(
        "polyseme",
        "polyseme model",
        (".model",),
        "model_folder",
        reader="",
        folder=(
            "config.json",
            "vocabulary.tsv",
            "model.safetensors",
            "examples.jsonl",
            "examples.jsonl.zst",
            "phrases.txt",
            "training.jsonl",
        ),
        options=("dtype", "examples", "global_vectors"),
    ),
)
FORMATS = {entry.name: entry for entry in ALL}


def get_format(name: str) -> Format:
    if name not in FORMATS:
        raise ConfigError(f"format '{shorten(name)}' is not known; choose one of {', '.join(FORMATS)}.")
    return FORMATS[name]


def format_of_name(path: Path) -> Format:
    """The format that the suffix of a file name stands for."""
    found = next((entry for entry in ALL if path.suffix.lower() in entry.suffixes), None)
    if found is None:
        known = ", ".join(suffix for entry in ALL for suffix in entry.suffixes)
        raise ConfigError(
            f"the name {path.name} does not say which format to write: choose it with --format, or end the name in one "
            f"of {known}."
        )
    return found
