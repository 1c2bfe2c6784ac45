"""A corpus as token ids on disk, memory-mapped: what training reads.

A folder of

    corpus.json    format version, tokenizer, sources, number of tokens and sentences, bad bytes, fingerprint
    words.tsv      every word of the text with its count, most frequent first; a token id is a line of this file
    tokens.bin     int32: the text as ids
    sentences.bin  int64: where each sentence begins in tokens.bin, and the end of the last
    byte_offsets.bin  int64: the byte of its (decompressed) source at which each sentence begins

A vocabulary is a first part of words.tsv, so that one encoded corpus serves every minimum count.
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
from polyseme.corpus.readers.text import valid_utf8
from polyseme.corpus.sources import Source
from polyseme.errors import CorpusError, PolysemeError
from polyseme.vocabulary import read_words

FORMAT_VERSION = 2
DESCRIPTION, WORDS, TOKENS, SENTENCES, BYTE_OFFSETS = (
    "corpus.json",
    "words.tsv",
    "tokens.bin",
    "sentences.bin",
    "byte_offsets.bin",
)
OLD_NAMES = {"places_are_exact": "offsets_are_exact", BYTE_OFFSETS: "places.bin"}  # of format version 1
MAX_SENTENCE_TOKENS = 10_000  # tokens; longer lines are cut
LONGEST_READ = 1 << 20
LET_GO_EVERY = 1 << 20  # tokens read


@dataclass(frozen=True)
class EncodedCorpus:
    """Token ids, sentence boundaries, and the way back to the text."""

    tokens: NDArray[np.int32]
    sentences: NDArray[np.int64]
    byte_offsets: NDArray[np.int64]
    words: list[str]
    counts: NDArray[np.int64]
    description: dict[str, Any]

    @classmethod
    def open(cls, folder: Path) -> EncodedCorpus:
        """Open a folder that `encode` wrote."""
        try:
            description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
            if description["format_version"] > FORMAT_VERSION:
                raise CorpusError(f"{folder} was written by a newer polyseme; upgrade with: pip install -U polyseme")
            names = OLD_NAMES if description["format_version"] == 1 else {}
            description = {names.get(name, name): value for name, value in description.items()}
            words, counts = read_words(folder / WORDS)
            tokens = np.memmap(folder / TOKENS, np.int32, "r", shape=(description["tokens"],))
            sentences = np.memmap(folder / SENTENCES, np.int64, "r", shape=(description["sentences"] + 1,))
            byte_offsets = np.memmap(
                folder / names.get(BYTE_OFFSETS, BYTE_OFFSETS), np.int64, "r", shape=(description["sentences"],)
            )
            lengths = np.diff(sentences)
            if sentences[0] != 0 or sentences[-1] != len(tokens) or counts.sum() != len(tokens):
                raise ValueError("the counts do not add up")
            if not (lengths.min() >= 1 and lengths.max() <= MAX_SENTENCE_TOKENS and tokens.min() >= 0):
                raise ValueError("a sentence or a token cannot be")
            release_pages(tokens)
            if not {"fingerprint", "bad_bytes", "tokenizer", "offsets_are_exact"} <= description.keys():
                raise ValueError(f"{DESCRIPTION} lacks something")
            [Source(**source) for source in description["sources"]]
            [int(first) for first in description["source_sentences"]]
        except PolysemeError:
            raise
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CorpusError(
                f"{folder} is not a whole encoded corpus ({error}); encode the text again with: polyseme encode"
            ) from error
        return cls(tokens, sentences, byte_offsets, words, counts, description)

    @property
    def fingerprint(self) -> str:
        """A digest of words and tokens: the same text and tokenizer give the same."""
        return str(self.description["fingerprint"])

    @property
    def num_sentences(self) -> int:
        return len(self.sentences) - 1

    @cached_property
    def sources(self) -> list[Source]:
        return [Source(**source) for source in self.description["sources"]]

    def changed(
        self, tokens: NDArray[np.int32], words: list[str], sentences: NDArray[np.int64] | None = None
    ) -> EncodedCorpus:
        """A corpus in memory of other tokens, which are numbers of `words`; it has no way back to a text."""
        counts = np.bincount(tokens, minlength=len(words))
        order = np.argsort(-counts, kind="stable")
        number = np.empty(len(order), np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        kept = order[: np.count_nonzero(counts)]
        return replace(
            self,
            tokens=number[tokens],
            sentences=self.sentences if sentences is None else sentences,
            words=[words[w] for w in kept.tolist()],
            counts=counts[kept],
            description={**self.description, "sources": [], "source_sentences": [0], "offsets_are_exact": False},
        )

    def read(self, first: int, last: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """A copy of the tokens of sentences first to last, and where in it each begins, and the end."""
        sentences = np.array(self.sentences[first : last + 1])
        tokens = np.array(self.tokens[sentences[0] : sentences[-1]])
        if sentences[0] // LET_GO_EVERY != sentences[-1] // LET_GO_EVERY:
            release_pages(self.tokens)
        return tokens, sentences - sentences[0]

    def texts(self, sentences: ArrayLike) -> Iterator[bytes | None]:
        """The source text of each sentence, given in rising order; None where the source is gone or has changed."""
        firsts = self.description["source_sentences"]
        wanted = np.asarray(sentences, np.int64)
        for source, (first, last) in zip(self.sources, pairwise(firsts), strict=True):
            inside = wanted[np.searchsorted(wanted, first) : np.searchsorted(wanted, last)]
            if not self.description["offsets_are_exact"] or not source.unchanged:
                yield from (None for _ in inside)
            elif len(inside):
                yield from self._read(source, inside, last)

    def _read(self, source: Source, sentences: NDArray[np.int64], last: int) -> Iterator[bytes | None]:
        starts = self.byte_offsets[sentences].tolist()
        ends = [int(self.byte_offsets[s + 1]) if s + 1 < last else -1 for s in sentences.tolist()]
        with source.open() as stream:
            for start, end in zip(starts, ends, strict=True):
                try:
                    stream.seek(start)
                    text = stream.read(end - start if end >= 0 else LONGEST_READ)
                except Exception:  # of any decompressor: the file was damaged since it was read
                    yield None
                else:
                    yield valid_utf8(text.partition(b"\n")[0].rstrip())[0]


def is_encoded(path: Path) -> bool:
    """Whether a folder is meant to be an encoded corpus."""
    return (path / DESCRIPTION).is_file()
