"""Encode text as token ids, reading it once and in bounded memory.

Words get provisional ids in order of first occurrence, which are written at once. At the end of the text the distinct
words are normalized and sorted by frequency, and the ids are replaced in the file. Only the distinct words are held in
memory. Text that cannot be read again by position is also kept, compressed (see `polyseme.corpus.spool`).
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from polyseme._io.atomic import atomic_folder
from polyseme._io.thread_pool import map_in_order
from polyseme.corpus.encoded_corpus import (
    BYTE_OFFSETS_FILE,
    FORMAT_VERSION,
    MAX_SENTENCE_TOKENS,
    SENTENCES_FILE,
    SOURCE_TYPES,
    SPOOL_FILE,
    TOKENS_FILE,
    WORDS_FILE,
    EncodedCorpus,
)
from polyseme.corpus.lexicon import Lexicon, TokenSpans, tokenize
from polyseme.corpus.phrase_joining import join_phrases
from polyseme.corpus.phrases import Phrases, PhraseSettings
from polyseme.corpus.readers import iterables
from polyseme.corpus.readers.names import TOKEN_LISTS, compression_of
from polyseme.corpus.readers.registry import read_blocks
from polyseme.corpus.readers.rows import Rows
from polyseme.corpus.readers.text import Block
from polyseme.corpus.sources import DESCRIPTION_FILE, Source
from polyseme.corpus.spool import SpoolWriter
from polyseme.corpus.tokenizers import NUL, NUL_SEPARATED, AnyTokenizer, CallableTokenizer, Tokenizer
from polyseme.errors import CorpusError, Interrupted, shorten
from polyseme.kernels import text as kernels

RENUMBER_TOKENS = 1 << 20  # read at a time when ids are replaced
SIGNAL_SECONDS = 0.5  # after which a signal is handled at the latest

T = TypeVar("T")


@dataclass(frozen=True)
class EncodingProgress:
    """Progress of encoding, reported after each block of text."""

    bytes_read: int
    bytes_total: int  # 0 if unknown (standard input, compressed files)
    tokens: int
    words: int
    bad_bytes: int


class NoWords(CorpusError):
    """The texts have no words."""


def encode(
    sources: list[Source],
    tokenizer: AnyTokenizer,
    folder: Path,
    report: Callable[[EncodingProgress], None] = lambda _: None,
    check: Callable[[], None] = lambda: None,
    phrases: PhraseSettings | Phrases | None = None,
) -> EncodedCorpus:
    """Encode texts into a folder (see `polyseme.corpus.encoded_corpus`) and open it.

    check    called for each block and, by another thread, while a pipe has no data; it raises an error to stop encoding
    phrases  the phrases to join, or how to find them; by default words are not joined
    """
    if isinstance(tokenizer, Tokenizer) and tokenizer.segmenter and any(source.items is None for source in sources):
        tokenizer.segmenter.segment("")  # a missing library is an error now, not at the first word that needs it
    with atomic_folder(folder) as part, ExitStack() as files:
        writer = _CorpusWriter(part, tokenizer, files)
        is_plain = all(s.reader == "text" and not compression_of(s.path) for s in sources)
        bytes_total = sum(source.size for source in sources) if is_plain else 0
        bytes_read = 0
        for source in sources:
            with closing(writer.read(source, check)) as blocks:
                for block in blocks:
                    check()
                    writer.add(block)
                    bytes_read += block.num_bytes
                    progress = (writer.tokens, len(writer.lexicon), writer.bad_bytes)
                    report(EncodingProgress(bytes_read, bytes_total, *progress))
            writer.end_source()
        writer.finish(sources)
        if phrases is not None:
            join_phrases(part, phrases, check)
    return EncodedCorpus.open(folder)


@dataclass(frozen=True)
class TokenizedBlock:
    """A block of text split into words: parts, each with its byte offset in the source."""

    parts: list[tuple[TokenSpans, int]]
    num_bytes: int
    bad_bytes: int


class _CorpusWriter:
    """Writes the files of an encoded corpus block by block.

    files  closes the open files, also after an error
    """

    def __init__(self, folder: Path, tokenizer: AnyTokenizer, files: ExitStack) -> None:
        self.folder = folder
        self.name = tokenizer.name
        self.splitter = tokenizer  # NUL_SEPARATED for lists of tokens
        self.offsets_are_exact = not isinstance(tokenizer, CallableTokenizer)
        self.lexicon = Lexicon()
        self.tokens = self.sentences = self.bad_bytes = 0
        self.open_length = 0  # tokens so far of the sentence that has not ended
        self.source_sentences: list[int] = []  # number of the first sentence of each source
        self.rows = Rows("")  # of the source that is read
        self.bad_rows, self.first_bad_row = 0, ""
        self.spool = SpoolWriter(folder / SPOOL_FILE)
        files.callback(self.spool.close)
        self.files = {
            name: files.enter_context((folder / name).open("wb"))
            for name in (TOKENS_FILE, SENTENCES_FILE, BYTE_OFFSETS_FILE)
        }
        self._write(SENTENCES_FILE, np.zeros(1, np.int64))

    def read(self, source: Source, check: Callable[[], None]) -> Generator[TokenizedBlock, None, None]:
        """Yield the blocks of a source split into words. Its text is spooled if examples need that."""
        self.source_sentences.append(self.sentences)
        if source.items is not None:
            source = iterables.prepare(source)
        self.rows = Rows(source.path, source.field)
        if source.reader == TOKEN_LISTS:
            self.splitter, self.offsets_are_exact = NUL_SEPARATED, False
        spool = self.spool if source.spooled and self.offsets_are_exact else None
        return _tokenized_blocks(source, self.splitter, self.rows, spool, check)

    def add(self, block: TokenizedBlock) -> None:
        self.bad_bytes += block.bad_bytes
        for spans, offset in block.parts:
            self._add_part(spans, offset)

    def _add_part(self, spans: TokenSpans, offset: int) -> None:
        ids = self.lexicon.add(spans)
        k = len(ids)
        tokens, lengths, offsets = np.empty(k, np.int32), np.empty(k + 1, np.int64), np.empty(k + 1, np.int64)
        n, ended, started = kernels.find_sentences(
            ids, spans.bounds, offset, MAX_SENTENCE_TOKENS, self.open_length, tokens, lengths, offsets
        )
        open_start = self.tokens - self.open_length
        self._write(TOKENS_FILE, tokens[:n])
        self._write(SENTENCES_FILE, open_start + np.cumsum(lengths[:ended]))
        self._write(BYTE_OFFSETS_FILE, offsets[:started])
        self.tokens += n
        self.sentences += ended
        self.open_length = int(lengths[ended])

    def end_source(self) -> None:
        """End the sentence of a source whose last line has no line end, and count its bad rows."""
        if self.open_length:
            self._write(SENTENCES_FILE, np.array([self.tokens], np.int64))
            self.sentences += 1
            self.open_length = 0
        if self.rows.bad:
            self.first_bad_row = self.first_bad_row or f"{self.rows.path}, {self.rows.first_problem}"
            self.bad_rows += self.rows.bad

    def _write(self, name: str, values: NDArray[np.int32] | NDArray[np.int64]) -> None:
        self.files[name].write(values.tobytes())

    def finish(self, sources: list[Source]) -> None:
        for file in self.files.values():
            file.close()
        self.spool.finish()
        if self.tokens == 0:
            paths = ", ".join(source.path for source in sources[:3])
            raise NoWords(f"the corpus holds no words ({paths}); give a text that is not empty.")
        order, counts, new_ids = self._sorted_words()
        words = self.lexicon.to_table(order, counts)
        (self.folder / WORDS_FILE).write_bytes(words)
        digest = hashlib.sha256(words)
        with (self.folder / TOKENS_FILE).open("r+b") as tokens:
            for ids in _prefetch(_renumber(tokens, new_ids)):
                digest.update(ids)
        description = {
            "format_version": FORMAT_VERSION,
            "tokenizer": self.name,
            "tokens": self.tokens,
            "sentences": self.sentences,
            "bad_bytes": self.bad_bytes,
            "bad_rows": self.bad_rows,
            "first_bad_row": self.first_bad_row,
            "spooled_bytes": self.spool.size,
            "fingerprint": digest.hexdigest(),
            "sources": [{name: getattr(source, name) for name in SOURCE_TYPES} for source in sources],
            "source_sentences": [*self.source_sentences, self.sentences],
            "offsets_are_exact": self.offsets_are_exact,
        }
        (self.folder / DESCRIPTION_FILE).write_text(json.dumps(description, indent=1), encoding="utf-8")

    def _sorted_words(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """Normalize the words and sort them by frequency.

        Returns the provisional ids of the normalized words, most frequent first; their counts; and the final id of
        each provisional id. ASCII words are normalized already (see `Tokenizer.lowercase`).
        """
        counts = self.lexicon.counts.copy()
        normalized_ids = np.arange(len(counts))
        if isinstance(self.splitter, Tokenizer):
            normalized = {i: self.splitter.normalize(word) for i, word in self.lexicon.non_ascii_words().items()}
            if normalized:
                spans = tokenize(NUL.join(normalized.values()).encode(), NUL_SEPARATED)
                normalized_ids[list(normalized)] = self.lexicon.add(spans)
        merged_counts = np.bincount(normalized_ids, counts, len(self.lexicon)).astype(np.int64)
        order = np.argsort(-merged_counts, kind="stable")[: np.count_nonzero(merged_counts)]
        rank = np.empty(len(merged_counts), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return order, merged_counts[order], rank[normalized_ids]


def _tokenized_blocks(
    source: Source, tokenizer: AnyTokenizer, rows: Rows, spool: SpoolWriter | None, check: Callable[[], None]
) -> Generator[TokenizedBlock, None, None]:
    """Yield the blocks of a source split into words, the next one read and split by another thread.

    A Python iterable is read by the caller's thread: it may use what belongs to that thread, as SQLite connections do.
    """
    cancelled = threading.Event()

    def wait() -> None:
        if cancelled.is_set():  # the caller has raised an error: do not make it wait for data
            raise Interrupted("stopped.")
        check()

    blocks = read_blocks(source, rows, wait=wait)
    if spool is not None:
        blocks = spool.record(blocks)
    try:
        if source.items is not None:
            yield from map_in_order(lambda block: tokenize_block(block, tokenizer), blocks, threads=1)
        else:
            yield from _prefetch((tokenize_block(block, tokenizer) for block in blocks), cancelled.set)
    finally:
        with suppress(ValueError):  # KeyboardInterrupt can leave the thread running in it: then the thread closes it
            blocks.close()


def tokenize_block(block: Block, tokenizer: AnyTokenizer) -> TokenizedBlock:
    """Split a block into words; a callable is called once per line."""
    if isinstance(tokenizer, CallableTokenizer):
        parts = list(_tokenize_lines(block, tokenizer))
    else:
        spans = tokenize(block.text, tokenizer)
        _ = spans.codes  # computed here, to use the thread that prefetches
        parts = [(spans, block.offset)]
    return TokenizedBlock(parts, len(block.text), block.bad_bytes)


def _tokenize_lines(block: Block, tokenizer: CallableTokenizer) -> Iterator[tuple[TokenSpans, int]]:
    """Yield the tokens of each line of a block, and the byte offset of the line."""
    offset = block.offset
    for line in block.text.splitlines(keepends=True):
        tokens = tokenizer(line.decode().rstrip("\r\n"))
        for token in tokens:
            if not isinstance(token, str) or any(c in token for c in "\0\t\n"):
                raise CorpusError(
                    f"the tokenizer returned {shorten(repr(token))}; a token is a str without NUL, tab or line end."
                )
        text = NUL.join(tokens) + ("\n" if line.endswith(b"\n") else NUL)
        yield tokenize(text.encode("utf-8", "replace"), NUL_SEPARATED), offset
        offset += len(line)


def _prefetch(items: Iterable[T], cancel: Callable[[], None] = lambda: None) -> Generator[T, None, None]:
    """Yield the same items, the next one computed by another thread while the caller works on the current one.

    cancel  makes the thread stop if it is waiting
    """
    iterator = iter(items)
    with ThreadPoolExecutor(1) as pool:
        try:
            upcoming = pool.submit(next, iterator, None)
            while (item := _result(upcoming)) is not None:
                upcoming = pool.submit(next, iterator, None)
                yield item
        finally:
            cancel()


def _result(future: Future[T]) -> T:
    """The result of a future, awaited in intervals.

    Signals are handled by the main thread. If another thread receives one, or if it comes just before the main thread
    starts to wait, it does not end the wait.
    """
    while not wait_for([future], SIGNAL_SECONDS).done:
        pass
    return future.result()


def _renumber(file: BinaryIO, new_ids: NDArray[np.int32]) -> Iterator[bytes]:
    """Replace each id i of a file of int32 by new_ids[i], in place; yields the new contents."""
    position = 0
    while data := file.read(4 * RENUMBER_TOKENS):
        ids = new_ids.take(np.frombuffer(data, np.int32)).tobytes()
        file.seek(position)
        file.write(ids)
        position += len(ids)
        yield ids
