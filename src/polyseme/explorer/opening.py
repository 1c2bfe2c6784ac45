"""Opening models with their indexes: an index is built if a corpus is given, and used if it fits the model.

Numba is imported only if there is an index: importing it takes as long as opening a model.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from polyseme.errors import ModelError, OutputExists
from polyseme.explorer.models import ExploredModel, Session

if TYPE_CHECKING:
    from polyseme.corpus.encoding import EncodingProgress
    from polyseme.corpus.inputs import CorpusInput


def index_path(model: Path) -> Path:
    """The folder of the index of a model."""
    path = Path(os.path.abspath(model))  # noqa: PTH100 - does not follow symbolic links
    return path.with_name(f"{path.name}.index")


def open_session(
    paths: list[str],
    corpus: list[str] | None = None,
    reader: str | None = None,
    field: str | None = None,
    *,
    quiet: bool = False,
    check: Callable[[], None] = lambda: None,
) -> Session:
    """Open one or two models; with a corpus, build the index of the first unless it is there already."""
    models = [ExploredModel(path) for path in paths]
    if corpus is not None:
        from polyseme.corpus.inputs import CorpusInput

        index_corpus(models[0], CorpusInput(corpus, reader=reader, field=field), quiet, check)
    for model in models:
        open_index(model)
    if corpus is not None:
        _warn_of_another_text(models[0])
    return Session(models)


def _warn_of_another_text(model: ExploredModel) -> None:
    """Say if the indexed text is not one that the model was trained on: shares then differ from occurrences."""
    index = model.index
    if index is not None and not model.was_trained_on_index:
        print(
            f"polyseme: {model.name} was not trained on the indexed text ({index.text_name}, "
            f"{index.arrays.description['tokens']:,} words), but on another one "
            f"({model.data.corpus['tokens']:,} words).",
            file=sys.stderr,
        )


def open_index(model: ExploredModel) -> None:
    """Open the index beside a model if there is one. If it cannot be used, say and keep why."""
    folder = index_path(model.path)
    if not os.path.lexists(folder):
        return
    from polyseme.explorer import index_files as files
    from polyseme.explorer.index import SenseIndex

    try:
        if files.read_description(folder)["model"] != files.model_fingerprint(model.path):
            raise ModelError(f"{folder} belongs to another version of the model")
        model.index = SenseIndex(model.data, folder)
    except ModelError as error:
        model.index_problem = f"{error} and is not used"
        print(
            f"polyseme: {model.index_problem}; build it again with: {model.info()['how_to_index']}",
            file=sys.stderr,
        )


def index_corpus(model: ExploredModel, corpus: CorpusInput, quiet: bool, check: Callable[[], None]) -> None:
    """Build the index of a corpus beside a model, unless it is there already."""
    from polyseme.corpus.encoding import EncodingProgress
    from polyseme.explorer import index_files as files
    from polyseme.explorer.index_building import build_index
    from polyseme.training.progress import ProgressDisplay

    folder = index_path(model.path)
    if os.path.lexists(folder):
        if not (folder / files.DESCRIPTION_FILE).is_file():
            raise OutputExists(f"{folder} exists and is not an index; rename it, or remove it.")
        if _is_current(folder, model, corpus):
            return
    start = time.monotonic()
    with ProgressDisplay(quiet) as progress:

        def report(event: tuple[str, float] | EncodingProgress) -> None:
            if isinstance(event, EncodingProgress):
                progress(event)
            else:
                progress.update("indexing", event[1], event[0])

        build_index(model.data, model.path, corpus, folder, report, check)
        if not quiet:
            tokens = files.read_description(folder)["tokens"]
            progress.print_line("indexed", f"{tokens:,} tokens in {folder}", time.monotonic() - start)


def _is_current(folder: Path, model: ExploredModel, corpus: CorpusInput) -> bool:
    """Whether an index is complete and made from this model and this corpus."""
    from polyseme.explorer import index_files as files
    from polyseme.explorer.index import SenseIndex

    try:
        description = files.read_description(folder)
        if description["model"] != files.model_fingerprint(model.path):
            return False
        encoded = corpus.open_encoded()
        same = (
            files.sources_of(description) == corpus.sources()
            if encoded is None
            else description["corpus"] == encoded.fingerprint
        )
        if same:
            SenseIndex(model.data, folder)
    except ModelError:
        return False
    return same
