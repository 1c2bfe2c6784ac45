"""A corpus as token ids on disk, memory-mapped.

`polyseme.corpus.encoding` writes it and training reads it. It is a folder of these files:

    corpus.json       format version, tokenizer, sources, number of tokens, sentences, bad bytes and rows, fingerprint
    words.tsv         every distinct word of the text with its count, most frequent first; the line number is the id
    tokens.bin        int32: the text as ids
    sentences.bin     int64: start of each sentence in tokens.bin, and the end of the last
    byte_offsets.bin  int64: byte offset of each sentence in its (decompressed) source, or in text.zst
    text.zst          the text of sources that cannot be read again by position, if there are any
    phrases.txt       the phrases that were joined, if any: words separated by tabs

A vocabulary is a prefix of words.tsv, so one encoded corpus can be used with any minimum count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyseme._io.memory_map import release_pages
from polyseme._io.plain_files import plain_file_size
from polyseme._io.strict_json import check_types, read_json_object
from polyseme.corpus.phrases import MAX_PASSES, Phrases, PhraseSettings, read_phrases
from polyseme.corpus.readers.text import replace_bad_bytes
from polyseme.corpus.sources import DESCRIPTION_FILE, Source
from polyseme.corpus.spool import Spool
from polyseme.errors import CorpusError, PolysemeError, shorten
from polyseme.kernels.occurrences import count_tokens
from polyseme.vocabulary import read_words

FORMAT_VERSION = 3
WORDS_FILE = "words.tsv"
TOKENS_FILE = "tokens.bin"
SENTENCES_FILE = "sentences.bin"
BYTE_OFFSETS_FILE = "byte_offsets.bin"
SPOOL_FILE = "text.zst"
PHRASES_FILE = "phrases.txt"
BY_COUNTS = "counts:"  # how a fingerprint starts that is a digest of counts alone
DESCRIPTION_TYPES = {
    "tokenizer": str,
    "tokens": int,
    "sentences": int,
    "bad_bytes": int,
    "bad_rows": int,
    "first_bad_row": str,
    "spooled_bytes": int,
    "fingerprint": str,
    "sources": list,
    "source_sentences": list,
    "offsets_are_exact": bool,
}
SOURCE_TYPES = {"path": str, "size": int, "modified": int, "reader": str, "field": str, "spooled": bool}
PHRASE_TYPES = {"threshold": float, "min_count": int, "passes": int}

# What format version 2 and 1 do not have, and names in version 1.
VERSION_2_DEFAULTS = {"bad_rows": 0, "first_bad_row": "", "spooled_bytes": 0}
VERSION_2_SOURCE_DEFAULTS = {"reader": "text", "field": "", "spooled": False}
VERSION_1_BYTE_OFFSETS_FILE = "places.bin"
VERSION_1_KEYS = {"places_are_exact": "offsets_are_exact"}

MAX_SENTENCE_TOKENS = 10_000  # longer lines are split
MAX_LINE_BYTES = 1 << 20  # read for a sentence; the rest of a longer line is not part of examples
RELEASE_TOKENS = 1 << 20  # pages of the memory map are released each time this many tokens were read
CHUNK = 1 << 20  # items that are checked at a time


@dataclass(frozen=True)
class EncodedCorpus:
    """Token ids, sentence boundaries, and the byte offsets of the sentences in the source texts."""

    tokens: NDArray[np.int32]
    sentences: NDArray[np.int64]
    byte_offsets: NDArray[np.int64]
    words: list[str]
    counts: NDArray[np.int64]
    description: dict[str, Any]
    spool_path: Path | None = None  # of the text that was spooled, if there is any
    phrases: Phrases | None = None

    @classmethod
    def open(cls, folder: Path) -> EncodedCorpus:
        """Open a folder written by `encode`; CorpusError if its files are missing, damaged or inconsistent.

        Kernels use the arrays as indices without bounds checks, so all of them are checked here. This reads the corpus
        once, in bounded memory: 0.1 s for 40 million tokens.
        """
        try:
            return cls._open(folder)
        except PolysemeError:
            raise
        except (OSError, ValueError) as error:
            raise CorpusError(
                f"{folder} is not a complete encoded corpus ({shorten(error, 200)}); "
                f"encode the text again with: polyseme encode"
            ) from error

    @classmethod
    def _open(cls, folder: Path) -> EncodedCorpus:
        description = _read_description(folder)
        version_1 = description["format_version"] == 1
        num_tokens, num_sentences = description["tokens"], description["sentences"]
        plain_file_size(folder / WORDS_FILE)
        words, counts = read_words(folder / WORDS_FILE)
        corpus = cls(
            _map(folder / TOKENS_FILE, np.int32, num_tokens),
            _map(folder / SENTENCES_FILE, np.int64, num_sentences + 1),
            _map(folder / (VERSION_1_BYTE_OFFSETS_FILE if version_1 else BYTE_OFFSETS_FILE), np.int64, num_sentences),
            words,
            counts,
            description,
            folder / SPOOL_FILE if description["spooled_bytes"] else None,
            _read_phrases(folder, description),
        )
        corpus._check_tokens()
        corpus._check_sentences()
        corpus._check_spool()
        return corpus

    def _check_tokens(self) -> None:
        """Raise ValueError unless `counts` are the numbers of occurrences of all ids in `tokens`."""
        counts, outside = np.zeros(len(self.words), np.int64), 0
        for first in range(0, len(self.tokens), CHUNK):
            outside += count_tokens(np.asarray(self.tokens[first : first + CHUNK]), counts)
            release_pages(self.tokens)
        if outside:
            raise ValueError(f"{outside:,} ids in {TOKENS_FILE} are not those of words in {WORDS_FILE}")
        if not np.array_equal(counts, self.counts):
            word = int(np.flatnonzero(counts != self.counts)[0])
            raise ValueError(
                f"{WORDS_FILE} has the count {self.counts[word]:,} for '{shorten(self.words[word])}', "
                f"which occurs {counts[word]:,} times in {TOKENS_FILE}"
            )

    def _check_sentences(self) -> None:
        """Raise ValueError if sentences overlap or are too long, or if byte offsets are negative or not ascending."""
        if self.sentences[0] != 0 or self.sentences[-1] != len(self.tokens):
            raise ValueError(f"the sentences in {SENTENCES_FILE} do not cover all tokens")
        exact, source_starts = self.description["offsets_are_exact"], self.description["source_sentences"]
        for first in range(0, self.num_sentences, CHUNK):
            lengths = np.diff(self.sentences[first : first + CHUNK + 1])
            if lengths.min() < 1 or lengths.max() > MAX_SENTENCE_TOKENS:
                raise ValueError(f"a sentence does not have 1 to {MAX_SENTENCE_TOKENS:,} tokens")
            offsets = self.byte_offsets[first : first + CHUNK + 1]
            descending = np.flatnonzero(np.diff(offsets) < 0) + first + 1
            if offsets.min() < 0 or (exact and not np.isin(descending, source_starts).all()):
                raise ValueError("the byte offset of a sentence is negative, or lower than the one before it")
            release_pages(self.sentences)
            release_pages(self.byte_offsets)

    def _check_spool(self) -> None:
        """Raise ValueError if the spooled text is missing or has another size."""
        if self.spool_path is not None:
            with Spool(self.spool_path) as spool:
                if spool.size != self.description["spooled_bytes"]:
                    raise ValueError(f"{SPOOL_FILE} has {spool.size:,} bytes of text, not 'spooled_bytes'")

    @property
    def fingerprint(self) -> str:
        """A digest of words and tokens: the same for the same text and tokenizer."""
        return str(self.description["fingerprint"])

    @property
    def counts_fingerprint(self) -> str:
        """A digest of words and counts alone: the same for any division into shards and order of equal counts."""
        digest = hashlib.sha256()
        for word, count in sorted(zip(self.words, self.counts.tolist(), strict=True)):
            digest.update(f"{word}\t{count}\n".encode())
        return f"{BY_COUNTS}{digest.hexdigest()}"

    @property
    def num_tokens(self) -> int:
        return len(self.tokens)

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
            spool_path=None,
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
            if not len(in_source):
                continue
            with ExitStack() as stack:
                try:
                    read = self._open_text(source, stack)
                except (OSError, ValueError):  # removed or damaged in the meantime, or not readable
                    read = None
                yield from (self._read_texts(read, in_source, last) if read else (None for _ in in_source))

    def _open_text(self, source: Source, stack: ExitStack) -> Callable[[int, int], bytes] | None:
        """A function that reads text from a byte offset on; None if the source is missing or has changed."""
        if source.spooled and self.spool_path is not None:
            return stack.enter_context(Spool(self.spool_path)).read
        if source.spooled or not source.unchanged:
            return None
        stream = stack.enter_context(source.open())

        def read(start: int, length: int) -> bytes:
            stream.seek(start)
            return stream.read(length)

        return read

    def _read_texts(
        self, read: Callable[[int, int], bytes], sentences: NDArray[np.int64], last: int
    ) -> Iterator[bytes | None]:
        """Yield the text of sentences of one source, whose sentences end before number `last`."""
        starts = self.byte_offsets[sentences].tolist()
        ends = [int(self.byte_offsets[s + 1]) if s + 1 < last else None for s in sentences.tolist()]
        for start, end in zip(starts, ends, strict=True):
            try:
                text = read(start, MAX_LINE_BYTES if end is None else min(end - start, MAX_LINE_BYTES))
            except Exception:  # decompressors raise various errors if the file was damaged after encoding
                yield None
            else:
                yield replace_bad_bytes(text.partition(b"\n")[0].rstrip())[0]


def _read_description(folder: Path) -> dict[str, Any]:
    """The contents of corpus.json, with the keys of the current format version; ValueError if it is malformed."""
    try:
        description = read_json_object(folder / DESCRIPTION_FILE)
        check_types(description, {"format_version": int})
        version = description["format_version"]
        if version == 1:
            description = {VERSION_1_KEYS.get(key, key): value for key, value in description.items()}
        if version <= 2:
            description = _from_version_2(description)
        if version <= FORMAT_VERSION:
            _check_description(description)
    except ValueError as error:
        raise ValueError(f"{DESCRIPTION_FILE}: {error}") from error
    if version > FORMAT_VERSION:
        raise CorpusError(f"{folder} was written by a newer polyseme; upgrade with: pip install -U polyseme")
    return description


def _from_version_2(description: dict[str, Any]) -> dict[str, Any]:
    """The contents of corpus.json in format version 2, with the keys of version 3."""
    check_types(description, {"sources": list})
    sources = [{**VERSION_2_SOURCE_DEFAULTS, **s} if isinstance(s, dict) else s for s in description["sources"]]
    return {**description, **VERSION_2_DEFAULTS, "sources": sources}


def _check_description(description: dict[str, Any]) -> None:
    """Raise ValueError if a value is missing, has another type, or contradicts another value."""
    check_types(description, DESCRIPTION_TYPES)
    for source in description["sources"]:
        if not isinstance(source, dict) or source.keys() != SOURCE_TYPES.keys():
            raise ValueError(f"a source does not have {', '.join(SOURCE_TYPES)}")
        check_types(source, SOURCE_TYPES)
    for name, low in (("tokens", 1), ("sentences", 1), ("bad_bytes", 0), ("bad_rows", 0), ("spooled_bytes", 0)):
        if description[name] < low:
            raise ValueError(f"'{name}' must be {low} or more, not {description[name]}")
    starts = description["source_sentences"]
    if not all(type(start) is int for start in starts) or sorted(starts) != starts:
        raise ValueError("'source_sentences' are not whole numbers in ascending order")
    if len(starts) != len(description["sources"]) + 1 or starts[0] != 0 or starts[-1] != description["sentences"]:
        raise ValueError("'source_sentences' do not cover all sentences")
    if settings := _phrase_settings(description):
        check_types(settings, PHRASE_TYPES)
        if settings.keys() != PHRASE_TYPES.keys() or not 1 <= settings["passes"] <= MAX_PASSES:
            raise ValueError(f"the settings of 'phrases' are not valid: {shorten(settings)}")


def _phrase_settings(description: dict[str, Any]) -> dict[str, Any] | None:
    """The settings in a description by which phrases were found: {} if they are from elsewhere, None if there are none.

    ValueError if they do not have the right type, or if the format version cannot have phrases.
    """
    settings = description.get("phrases")
    if settings is not None and (description["format_version"] < FORMAT_VERSION or not isinstance(settings, dict)):
        raise ValueError(f"'phrases' does not fit the format version {description['format_version']}")
    return settings


def _read_phrases(folder: Path, description: dict[str, Any]) -> Phrases | None:
    settings = _phrase_settings(description)
    if settings is None:
        return None
    plain_file_size(folder / PHRASES_FILE)
    return read_phrases(folder / PHRASES_FILE, PhraseSettings(**settings) if settings else None)


def _map(path: Path, dtype: type[np.generic], length: int) -> NDArray[Any]:
    """The array in a regular file, memory-mapped and read-only; ValueError if the file has another size."""
    size, expected = plain_file_size(path), length * np.dtype(dtype).itemsize
    if size != expected:
        raise ValueError(f"{path.name} has {size:,} bytes instead of {expected:,}")
    return np.memmap(path, dtype, "r", shape=(length,))


def is_replaceable(folder: Path) -> bool:
    """Whether `encode` wrote a folder, so that it may be replaced: its corpus.json is valid, whatever the other files.

    CorpusError if a newer version wrote it.
    """
    try:
        _read_description(folder)
    except PolysemeError:
        raise
    except (OSError, ValueError):
        return False
    return True


def is_encoded(path: Path) -> bool:
    """Whether a path is the folder of an encoded corpus, complete or not."""
    return (path / DESCRIPTION_FILE).is_file()
