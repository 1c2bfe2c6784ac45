"""Writing a model in the format of another program."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from polyseme._io.atomic import atomic_file, atomic_folder
from polyseme.corpus.readers.names import compression_of
from polyseme.errors import ConfigError, MissingFile, OutputExists
from polyseme.formats.open_model import open_model
from polyseme.formats.registry import Format, format_of_name, get_format
from polyseme.formats.sense_table import SenseTable
from polyseme.model.compact import most_frequent
from polyseme.model.sense_model import SenseModel


def export(
    model: SenseModel | str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    words: int | None = None,
    force: bool = False,
    **options: Any,
) -> None:
    """Write the senses of a model in another format, atomically.

    model    the model, or the path of one
    path     the file or folder to write
    format   'word2vec', 'word2vec-binary', 'glove', 'parquet', 'arrow', 'numpy', 'projector', 'mssg',
             'sentence-transformers' or 'polyseme'; by default the suffix of `path` decides
    words    number of words to write, the most frequent ones; by default all
    force    replace a file, or a folder of the same format, that is there
    options  options of the format 'polyseme': dtype ('int8' or 'float16'), examples (the number of example sentences
             per sense) and global_vectors (whether to keep them)
    Raises OutputExists if the path exists, without `force` or if it has another format.
    Raises ConfigError if the format or an option is unknown.
    Raises MissingExtra if the format needs a package that is not installed.

    >>> polyseme.export(model, "news.vec")
    >>> polyseme.load("news.vec")
    <SenseModel word2vec: 54 words, 56 senses, 8 dimensions>
    >>> polyseme.export(model, "news-small.model", dtype="int8")
    """
    if not isinstance(model, SenseModel):
        model = open_model(model)
    write_model(model, Path(path), choose_format(Path(path), format), words=words, force=force, **options)


def write_model(
    model: SenseModel, path: Path, chosen: Format, *, words: int | None, force: bool, **options: Any
) -> str:
    """The same as `export`; returns what the format could not keep, in a sentence, or an empty string."""
    for name, value in options.items():
        if name not in chosen.options and value is not None:
            raise ConfigError(f"the format {chosen.name} has no option --{name.replace('_', '-')}; remove it.")
    refuse_existing(path, chosen, force)
    data = model._data
    table = SenseTable(data if words is None or words >= len(data.vocabulary) else most_frequent(data, words))
    given = {name: value for name, value in options.items() if value is not None}
    with atomic_folder(path) if chosen.folder else atomic_file(path) as temporary:
        return chosen.write(table, temporary, **given) or ""


def choose_format(path: Path, name: str | None) -> Format:
    """The format with a name, or else that of the suffix of a path. ConfigError for names of compressed files."""
    if compression_of(path):
        raise ConfigError(f"{path.name} is the name of a compressed file; export without {path.suffix}, then compress.")
    return format_of_name(path) if name is None else get_format(name)


def refuse_existing(path: Path, chosen: Format, force: bool) -> None:
    """Raise OutputExists if `path` exists, unless `force` is given and it is of the same kind."""
    if not path.parent.is_dir():
        raise MissingFile(f"the folder {path.parent} does not exist; create it first.")
    if not path.exists() and not path.is_symlink():
        return
    if not force:
        raise OutputExists(f"{path} already exists; choose another name, or overwrite it with --force.")
    if chosen.folder:
        replaceable = path.is_dir() and {file.name for file in path.iterdir()} <= {*chosen.folder, "README.md"}
    else:
        replaceable = path.is_file()
    if not replaceable:
        raise OutputExists(
            f"{path} exists and does not have the format {chosen.name}, so --force does not remove it; "
            "choose another name."
        )
