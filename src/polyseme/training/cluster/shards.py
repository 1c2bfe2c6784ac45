"""Shards: parts of a corpus that workers keep, and the corpus that they make up.

A corpus has two forms. A *text* is divided by files, and large plain text files at line ends; workers encode the shards
at the same time, their word counts are added up, and each worker gives its tokens the ids of the common vocabulary. The
driver never has the whole text or its tokens. An *encoded corpus* of the driver is divided at sentences, and the driver
sends each shard to the worker that needs it.

The division depends on the corpus alone, not on the workers. A run can be resumed with any number of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme._io.memory_map import release_pages
from polyseme.corpus.blocks import block_bounds
from polyseme.corpus.encoded_corpus import SOURCE_TYPES, EncodedCorpus
from polyseme.corpus.encoding import NoWords
from polyseme.corpus.readers.names import compression_of
from polyseme.corpus.sources import STDIN, Source
from polyseme.errors import shorten
from polyseme.training.cluster.worker import ShardSummary
from polyseme.training.trainer import BLOCK_TOKENS

NUM_SHARDS = 64  # at least, if the corpus is large enough
MIN_BYTES, MAX_BYTES = 1 << 16, 1 << 28  # of the text of a shard
MIN_BLOCKS, MAX_BLOCKS = 1, 4096  # of a shard of an encoded corpus
BOUNDARY_BYTES = 1 << 20  # in which a line end is sought

Ints = NDArray[np.int64]
Call = tuple[str, tuple[Any, ...]]  # a method of Worker and its arguments


def text_shards(sources: list[Source]) -> list[list[Source]]:
    """The sources of each shard: small files together, plain text in parts, other files whole."""
    total = sum(source.size for source in sources)
    size = min(max(-(-total // NUM_SHARDS), MIN_BYTES), MAX_BYTES)
    shards: list[list[Source]] = []
    room = 0
    for source in sources:
        for part in _parts(source, size):
            if not shards or part_bytes(part) > room:
                shards.append([])
                room = size
            shards[-1].append(part)
            room -= part_bytes(part)
    return shards


def part_bytes(source: Source) -> int:
    """The size of a source, or of the part of it that is read."""
    return source.size if source.end is None else source.end - source.start


def can_be_sharded(sources: list[Source]) -> bool:
    """Whether workers can read the sources: regular files."""
    return all(source.items is None and source.path != STDIN and Path(source.path).is_file() for source in sources)


def _parts(source: Source, size: int) -> Iterator[Source]:
    """Parts of a plain text of about `size` bytes; another source as it is."""
    is_plain = source.reader == "text" and not compression_of(source.path)
    if not is_plain or source.size <= size:
        yield source
        return
    number = -(-source.size // size)
    with Path(source.path).open("rb") as file:
        bounds = [_boundary(file, source.size * i // number) for i in range(1, number)]
    for start, end in pairwise(sorted({0, *bounds, source.size})):
        yield replace(source, start=start, end=end)


def _boundary(file: Any, position: int) -> int:
    """The byte after the first line end from a position on, or after the first space if there is no line end nearby."""
    file.seek(position)
    data = file.read(BOUNDARY_BYTES)
    for separator in (b"\n", b" "):
        found = data.find(separator)
        if found >= 0:
            return position + int(found) + 1
    return position + len(data)


@dataclass(frozen=True, kw_only=True)
class ShardedCorpus(EncodedCorpus, ABC):
    """A corpus in shards. The driver has its words and counts, but it need not have its tokens.

    blocks  int64 (s,)  number of blocks of each shard
    """

    blocks: Ints

    @property
    def num_tokens(self) -> int:
        return int(self.description["tokens"])

    @abstractmethod
    def opening(self, shard: int) -> Call:
        """The call by which a worker takes over a shard."""


@dataclass(frozen=True, kw_only=True)
class ShardedText(ShardedCorpus):
    """A corpus that workers have encoded.

    shards  the sources of each
    parts   the number of each among the parts of the text, some of which have no words and are not shards
    """

    shards: Sequence[list[Source]]
    parts: Sequence[int]

    @classmethod
    def merge(cls, texts: list[list[Source]], encoded: Mapping[int, ShardSummary], tokenizer: str) -> ShardedText:
        """The corpus of the parts of a text that workers have encoded. Those without words are not in `encoded`."""
        if not encoded:
            paths = ", ".join(dict.fromkeys(source.path for part in texts for source in part))
            raise NoWords(f"the corpus holds no words ({shorten(paths, 200)}); give a text that is not empty.")
        parts = sorted(encoded)
        shards, summaries = [texts[part] for part in parts], [encoded[part] for part in parts]
        words, counts = merge_counts(summaries)
        sources = list(dict.fromkeys(source for part in texts for source in part))
        bad_rows = [summary.first_bad_row for summary in summaries if summary.first_bad_row]
        description = {
            "tokenizer": tokenizer,
            "tokens": sum(summary.tokens for summary in summaries),
            "sentences": sum(summary.sentences for summary in summaries),
            "bad_bytes": sum(summary.bad_bytes for summary in summaries),
            "bad_rows": sum(summary.bad_rows for summary in summaries),
            "first_bad_row": bad_rows[0] if bad_rows else "",
            "sources": [{name: getattr(source, name) for name in SOURCE_TYPES} for source in sources],
        }
        blocks = np.array([summary.blocks for summary in summaries])
        none = np.empty(0, np.int64)
        corpus = cls(
            none.astype(np.int32), none, none, words, counts, description, blocks=blocks, shards=shards, parts=parts
        )
        description["fingerprint"] = corpus.counts_fingerprint
        return corpus

    @property
    def num_sentences(self) -> int:
        return int(self.description["sentences"])

    def opening(self, shard: int) -> Call:
        return "open_text", (shard, self.parts[shard], self.shards[shard], self.description["tokenizer"])


@dataclass(frozen=True, kw_only=True)
class ShardedTokens(ShardedCorpus):
    """A corpus that the driver has encoded.

    first_sentences  int64 (s + 1,)  number of the first sentence of each shard, and the end
    """

    first_sentences: Ints

    @classmethod
    def divide(cls, corpus: EncodedCorpus) -> ShardedTokens:
        bounds = block_bounds(corpus.sentences, BLOCK_TOKENS)
        num_blocks = len(bounds) - 1
        size = min(max(num_blocks // NUM_SHARDS, MIN_BLOCKS), MAX_BLOCKS)
        firsts = bounds[[*range(0, num_blocks, size), num_blocks]]
        parts = (corpus.sentences[first : last + 1] for first, last in pairwise(firsts))
        blocks = np.array([len(block_bounds(part - part[0], BLOCK_TOKENS)) - 1 for part in parts])
        values = {f.name: getattr(corpus, f.name) for f in fields(EncodedCorpus)}
        return cls(**values, blocks=blocks, first_sentences=firsts)

    def opening(self, shard: int) -> Call:
        first, last = self.first_sentences[shard : shard + 2].tolist()
        tokens, sentences = self.read(first, last)
        release_pages(self.tokens)
        return "open_tokens", (shard, tokens, sentences)


def merge_counts(summaries: list[ShardSummary]) -> tuple[list[str], Ints]:
    """All words of the shards with their counts: most frequent first, those of equal count in code point order."""
    totals: dict[str, int] = {}
    for summary in summaries:
        for word, count in zip(summary.words.decode().split("\n"), summary.counts.tolist(), strict=True):
            totals[word] = totals.get(word, 0) + count
    order = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in order], np.array([count for _, count in order], np.int64)
