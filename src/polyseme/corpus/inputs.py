"""What `polyseme.train` accepts as a corpus: files, an encoded corpus, or a Python iterable of texts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.sources import AnyPath, Source, find_sources, iterable_source
from polyseme.errors import ConfigError

AnyCorpus = AnyPath | EncodedCorpus | Iterable[Any]


@dataclass(frozen=True)
class CorpusInput:
    """A corpus as the caller gives it. Files and iterables are not read before they are encoded.

    corpus  a path or a list of paths; an encoded corpus; or another iterable, whose items are then texts
    texts   an iterable of texts, token lists or rows, instead of `corpus`
    reader  a ReaderName, for files
    field   the field of the text, for rows
    """

    corpus: AnyCorpus | None
    texts: Iterable[Any] | None = None
    reader: str | None = None
    field: str | None = None

    def __post_init__(self) -> None:
        if (self.corpus is None) == (self.texts is None):
            raise ConfigError("give a corpus: either files, or texts=, an iterable of texts.")
        if self.reader is not None and self._paths() is None:
            raise ConfigError("reader= is for files; an encoded corpus and texts have none.")

    def open_encoded(self) -> EncodedCorpus | None:
        """The corpus if it is encoded already, else None."""
        paths = self._paths()
        if isinstance(self.corpus, EncodedCorpus):
            encoded = self.corpus
        elif paths and len(paths) == 1 and is_encoded(Path(paths[0])):
            encoded = EncodedCorpus.open(Path(paths[0]))
        else:
            return None
        if self.reader is not None or self.field is not None:
            raise ConfigError("--reader and --field are for text; this corpus is encoded already.")
        return encoded

    def _paths(self) -> list[AnyPath] | None:
        """The paths, if the corpus is files: a path, or a list or tuple of paths."""
        if isinstance(self.corpus, str | os.PathLike):
            return [self.corpus]
        if isinstance(self.corpus, list | tuple) and all(isinstance(item, str | os.PathLike) for item in self.corpus):
            return list(self.corpus)
        return None

    def sources(self) -> list[Source]:
        """The sources to encode; MissingFile if a file does not exist."""
        paths = self._paths()
        if paths is not None:
            return find_sources(paths, self.reader, self.field)
        items = self.corpus if self.texts is None else self.texts
        assert items is not None
        assert not isinstance(items, EncodedCorpus | os.PathLike)
        return [iterable_source(items, self.field)]
