"""A corpus as token ids on disk, memory-mapped.

`polyseme.corpus.encoding` writes it and training reads it. It is a folder of these files:

    corpus.json       format version, tokenizer, sources, number of tokens, sentences and bad bytes, fingerprint
    words.tsv         every distinct word of the text with its count, most frequent first; the line number is the id
    tokens.bin        int32: the text as ids
    sentences.bin     int64: start of each sentence in tokens.bin, and the end of the last
    byte_offsets.bin  int64: byte offset of each sentence in its (decompressed) source

A vocabulary is a prefix of words.tsv, so one encoded corpus can be used with any minimum count.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyseme._io.memory_map import release_pages
from polyseme.corpus.readers.text import replace_bad_bytes
from polyseme.corpus.sources import Source
from polyseme.errors import CorpusError, PolysemeError
from polyseme.vocabulary import read_words

FORMAT_VERSION = 2
DESCRIPTION_FILE = "corpus.json"
WORDS_FILE = "words.tsv"
TOKENS_FILE = "tokens.bin"
SENTENCES_FILE = "sentences.bin"
BYTE_OFFSETS_FILE = "byte_offsets.bin"
REQUIRED_KEYS = {"fingerprint", "bad_bytes", "tokenizer", "offsets_are_exact"}

# Names in format version 1.
VERSION_1_BYTE_OFFSETS_FILE = "places.bin"
VERSION_1_KEYS = {"places_are_exact": "offsets_are_exact"}

MAX_SENTENCE_TOKENS = 10_000  # longer lines are split
MAX_LINE_BYTES = 1 << 20  # bytes read for the last sentence of a source, whose length is not stored
RELEASE_TOKENS = 1 << 20  # pages of the memory map are released each time this many tokens were read


@dataclass(frozen=True)
class EncodedCorpus:
    """Token ids, sentence boundaries, and the byte offsets of the sentences in the source texts."""

    tokens: NDArray[np.int32]
    sentences: NDArray[np.int64]
    byte_offsets: NDArray[np.int64]
    words: list[str]
    counts: NDArray[np.int64]
    description: dict[str, Any]

    @classmethod
    def open(cls, folder: Path) -> EncodedCorpus:
        """Open a folder written by `encode`."""
        try:
            return cls._open(folder)
        except PolysemeError:
            raise
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CorpusError(
                f"{folder} is not a complete encoded corpus ({error}); encode the text again with: polyseme encode"
            ) from error

    @classmethod
    def _open(cls, folder: Path) -> EncodedCorpus:
        description = json.loads((folder / DESCRIPTION_FILE).read_text(encoding="utf-8"))
        version = description["format_version"]
        if version > FORMAT_VERSION:
            raise CorpusError(f"{folder} was written by a newer polyseme; upgrade with: pip install -U polyseme")
        byte_offsets_file = BYTE_OFFSETS_FILE
        if version == 1:
            byte_offsets_file = VERSION_1_BYTE_OFFSETS_FILE
            description = {VERSION_1_KEYS.get(key, key): value for key, value in description.items()}
        num_tokens, num_sentences = description["tokens"], description["sentences"]
        words, counts = read_words(folder / WORDS_FILE)
        corpus = cls(
            np.memmap(folder / TOKENS_FILE, np.int32, "r", shape=(num_tokens,)),
            np.memmap(folder / SENTENCES_FILE, np.int64, "r", shape=(num_sentences + 1,)),
            np.memmap(folder / byte_offsets_file, np.int64, "r", shape=(num_sentences,)),
            words,
            counts,
            description,
        )
        corpus._check()
        return corpus

    def _check(self) -> None:
        """Raise ValueError, KeyError or TypeError if the files are inconsistent."""
        if self.sentences[0] != 0 or self.sentences[-1] != len(self.tokens) or self.counts.sum() != len(self.tokens):
            raise ValueError("the number of tokens differs between files")
        lengths = np.diff(self.sentences)
        if not (lengths.min() >= 1 and lengths.max() <= MAX_SENTENCE_TOKENS):
            raise ValueError(f"a sentence does not have 1 to {MAX_SENTENCE_TOKENS:,} tokens")
        if self.tokens.min() < 0:
            raise ValueError("a token id is negative")
        release_pages(self.tokens)
        if missing := REQUIRED_KEYS - self.description.keys():
            raise ValueError(f"{DESCRIPTION_FILE} has no {', '.join(sorted(missing))}")
        _ = self.sources
        [int(first) for first in self.description["source_sentences"]]

    @property
    def fingerprint(self) -> str:
        """A digest of words and tokens: the same for the same text and tokenizer."""
        return str(self.description["fingerprint"])

    @property
    def num_sentences(self) -> int:
        return len(self.sentences) - 1

    @cached_property
    def sources(self) -> list[Source]:
        return [Source(**source) for source in self.description["sources"]]

    def with_tokens(
        self, tokens: NDArray[np.int32], words: list[str], sentences: NDArray[np.int64] | None = None
    ) -> EncodedCorpus:
        """A corpus in memory with other tokens and no source text.

        tokens     IN  int32 (n,)      indices into `words`; the new corpus orders the words by frequency
        sentences  IN  int64 (m + 1,)  start of each sentence, and the end of the last; by default those of this corpus
        """
        counts = np.bincount(tokens, minlength=len(words))
        order = np.argsort(-counts, kind="stable")
        ids = np.empty(len(order), np.int32)
        ids[order] = np.arange(len(order), dtype=np.int32)
        present = order[: np.count_nonzero(counts)]
        return replace(
            self,
            tokens=ids[tokens],
            sentences=self.sentences if sentences is None else sentences,
            words=[words[word] for word in present.tolist()],
            counts=counts[present],
            description={**self.description, "sources": [], "source_sentences": [0], "offsets_are_exact": False},
        )

    def read(self, first: int, last: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Copy sentences `first` to `last - 1`: their tokens, and the start of each sentence in these, and the end."""
        sentences = np.array(self.sentences[first : last + 1])
        tokens = np.array(self.tokens[sentences[0] : sentences[-1]])
        if sentences[0] // RELEASE_TOKENS != sentences[-1] // RELEASE_TOKENS:
            release_pages(self.tokens)
        return tokens, sentences - sentences[0]

    def source_texts(self, sentences: ArrayLike) -> Iterator[bytes | None]:
        """Yield the source text of each sentence; None if it is not known, or the source is missing or has changed.

        sentences  IN  int64 (k,)  numbers of sentences, ascending
        """
        all_sentences = np.asarray(sentences, np.int64)
        if not self.description["offsets_are_exact"]:
            yield from (None for _ in all_sentences)
            return
        for source, (first, last) in zip(self.sources, pairwise(self.description["source_sentences"]), strict=True):
            in_source = all_sentences[slice(*np.searchsorted(all_sentences, (first, last)))]
            if not source.unchanged:
                yield from (None for _ in in_source)
            elif len(in_source):
                yield from self._read_source(source, in_source, last)

    def _read_source(self, source: Source, sentences: NDArray[np.int64], last: int) -> Iterator[bytes | None]:
        """Yield the text of sentences of one source, whose sentences end before number `last`."""
        starts = self.byte_offsets[sentences].tolist()
        ends = [int(self.byte_offsets[s + 1]) if s + 1 < last else None for s in sentences.tolist()]
        with source.open() as stream:
            for start, end in zip(starts, ends, strict=True):
                try:
                    stream.seek(start)
                    text = stream.read(MAX_LINE_BYTES if end is None else end - start)
                except Exception:  # decompressors raise various errors if the file was damaged after encoding
                    yield None
                else:
                    yield replace_bad_bytes(text.partition(b"\n")[0].rstrip())[0]


def is_encoded(path: Path) -> bool:
    """Whether a path is the folder of an encoded corpus, complete or not."""
    return (path / DESCRIPTION_FILE).is_file()
