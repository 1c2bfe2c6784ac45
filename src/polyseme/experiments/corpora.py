"""The corpora of `reproduce`: opened or encoded, named, and cut to the size of a profile."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import encode
from polyseme.corpus.readers.names import COMPRESSED
from polyseme.corpus.sources import STDIN, find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import ConfigError, CorpusError
from polyseme.training.events import Listener, silent

MAX_NAME = 60  # characters


@dataclass(frozen=True)
class NamedCorpus:
    """A corpus with its name in tables; the name is also that of folders."""

    name: str
    corpus: EncodedCorpus
    description: str = ""


def open_corpora(
    arguments: Sequence[str],
    folder: Path,
    *,
    tokenizer: str = "words",
    max_tokens: int | None = None,
    descriptions: Sequence[str] = (),
    listen: Listener = silent,
    check: Callable[[], None] = lambda: None,
) -> list[NamedCorpus]:
    """The corpora that arguments name: each a file, a folder, a glob, several joined by commas, or an encoded corpus.

    folder      where texts are encoded; an encoding of the same texts with the same tokenizer is used again
    max_tokens  use only the first tokens of each corpus, in whole sentences
    """
    if descriptions and len(descriptions) != len(arguments):
        raise ConfigError(
            f"there are {len(arguments)} corpora and {len(descriptions)} descriptions; give one --describe per corpus."
        )
    corpora: dict[str, NamedCorpus] = {}
    for i, argument in enumerate(arguments):
        name, corpus = _open(argument, folder, tokenizer, listen, check)
        if name in corpora:
            raise ConfigError(f"two corpora have the name '{name}'; rename one, or encode it under another name.")
        cut = corpus if max_tokens is None else first_tokens(corpus, max_tokens)
        corpora[name] = NamedCorpus(name, cut, descriptions[i] if descriptions else "")
    return list(corpora.values())


def _open(
    argument: str, folder: Path, tokenizer: str, listen: Listener, check: Callable[[], None]
) -> tuple[str, EncodedCorpus]:
    """The name and the encoding of a corpus."""
    chosen = get_tokenizer(tokenizer)
    if is_encoded(Path(argument)):
        corpus = EncodedCorpus.open(Path(argument))
        before = corpus.description["tokenizer"]
        if before != chosen.name:
            raise CorpusError(f"{argument} was encoded with --tokenizer {before}; give the same option here.")
        return _short(Path(argument).resolve().name), corpus
    parts = [argument] if Path(argument).exists() else [part for part in argument.split(",") if part]
    if STDIN in parts:
        raise ConfigError("reproduce reads a corpus more than once; give a file instead of standard input.")
    sources = find_sources(parts)
    name = corpus_name([part for part in parts if Path(part).exists()] or [source.path for source in sources])
    encoded = folder / name
    if is_encoded(encoded):
        corpus = EncodedCorpus.open(encoded)
        if corpus.sources == sources and corpus.description["tokenizer"] == chosen.name:
            return name, corpus
    return name, encode(sources, chosen, encoded, listen, check)


def corpus_name(paths: Sequence[str]) -> str:
    """A name for the corpus in some files or folders.

    >>> corpus_name(["data/enwiki_first.txt.xz", "enwiki_mid.txt"]), corpus_name(["novels/"])
    ('enwiki_first+enwiki_mid', 'novels')
    """
    names = [Path(path).name for path in paths]
    for suffix in (*COMPRESSED, ".txt"):
        names = [name.removesuffix(suffix) for name in names]
    return _short("+".join(names))


def _short(name: str) -> str:
    return re.sub(r"[^\w.+-]", "_", name)[:MAX_NAME] or "corpus"


def first_tokens(corpus: EncodedCorpus, max_tokens: int) -> EncodedCorpus:
    """The first sentences of a corpus with at most `max_tokens` tokens, and at least one sentence."""
    if len(corpus.tokens) <= max_tokens:
        return corpus
    count = max(int(np.searchsorted(corpus.sentences, max_tokens, side="right")) - 1, 1)
    sentences = np.array(corpus.sentences[: count + 1])
    cut = corpus.with_tokens(np.array(corpus.tokens[: sentences[-1]]), corpus.words, sentences)
    description = {
        **cut.description,
        "sources": corpus.description["sources"],
        "tokens": len(cut.tokens),
        "sentences": count,
        "fingerprint": f"{corpus.fingerprint}, first {len(cut.tokens)} tokens",
    }
    return replace(cut, description=description)


def source_names(corpus: EncodedCorpus) -> str:
    """The names of the files of a corpus.

    >>> from types import SimpleNamespace
    >>> from polyseme.corpus.sources import Source
    >>> source_names(SimpleNamespace(sources=[Source("/data/a.txt", 1, 0), Source("/data/b.txt", 1, 0)]))
    'a.txt, b.txt'
    """
    return ", ".join(Path(source.path).name for source in corpus.sources)
