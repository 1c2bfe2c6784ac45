"""Building the index of a corpus: encode the text, assign a sense to every token, and group positions by sense."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme._io.atomic import atomic_folder
from polyseme._io.memory_map import release_pages
from polyseme._io.thread_pool import available_cores, map_in_order
from polyseme.corpus.blocks import block_bounds
from polyseme.corpus.encoded_corpus import BYTE_OFFSETS_FILE, SENTENCES_FILE, SPOOL_FILE, TOKENS_FILE, EncodedCorpus
from polyseme.corpus.encoding import EncodingProgress, encode
from polyseme.corpus.inputs import CorpusInput
from polyseme.corpus.spool import SpoolWriter
from polyseme.errors import CorpusError
from polyseme.explorer import index_files as files
from polyseme.kernels.postings import group_positions
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import SenseAssigner

BLOCK_TOKENS = 200_000
CHUNK_TOKENS = 1 << 22
ROWS_FILE, ROW_CONFIDENCES_FILE = "rows.bin", "row_confidences.bin"  # of each token, until they are grouped
COPIED_LINES = 1 << 12

# Called with the name of a step and how much of it is done; or, while text is read, with the progress of encoding.
Report = Callable[["tuple[str, float] | EncodingProgress"], None]
Check = Callable[[], None]


def build_index(
    data: ModelData,
    model_path: Path,
    corpus: CorpusInput,
    folder: Path,
    report: Report = lambda _: None,
    check: Check = lambda: None,
) -> None:
    """Write the index of a corpus for a model to a folder, in bounded memory; the folder is complete or absent.

    check  called regularly; it raises an error to stop
    """
    with atomic_folder(folder) as part:
        encoded = _encode(data, corpus, part, report, check)
        writer = _IndexWriter(data, encoded, part, report, check)
        writer.write_tokens()
        counts = writer.assign_senses()
        writer.group(counts)
        values = {
            "model": files.model_fingerprint(model_path),
            "corpus": encoded.fingerprint,
            "tokens": len(encoded.tokens),
            "sentences": encoded.num_sentences,
            "rows": len(counts),
            "postings": int(counts.sum()),
            "spooled_bytes": encoded.description["spooled_bytes"],
            "source_sentences": encoded.description["source_sentences"],
        }
        sources = encoded.sources
        del encoded, writer  # a mapped file cannot be removed on Windows
        shutil.rmtree(part / "corpus", ignore_errors=True)
        for name in (ROWS_FILE, ROW_CONFIDENCES_FILE):
            (part / name).unlink()
        files.write_description(part, values, sources)


def _encode(data: ModelData, corpus: CorpusInput, part: Path, report: Report, check: Check) -> EncodedCorpus:
    """The corpus as token ids, and its files that become those of the index."""
    encoded = corpus.open_encoded()
    if encoded is not None:
        _check_encoded(data, encoded)
        return _copy_encoded(encoded, part, check)
    # All text is kept: it can then be read by position, however it is compressed, and after its source has changed.
    sources = [replace(source, spooled=True) for source in corpus.sources()]
    encoded = encode(sources, data.tokenizer, part / "corpus", report, check, data.phrases)
    if encoded.spool_path is not None:
        encoded.spool_path.rename(part / SPOOL_FILE)
    _write_sentences(encoded, encoded.byte_offsets, part)
    return encoded


def _write_sentences(corpus: EncodedCorpus, byte_offsets: NDArray[np.int64], part: Path) -> None:
    np.asarray(corpus.sentences).tofile(part / SENTENCES_FILE)
    np.asarray(byte_offsets).tofile(part / BYTE_OFFSETS_FILE)


def _check_encoded(data: ModelData, corpus: EncodedCorpus) -> None:
    """CorpusError if an encoded corpus was split into words in another way than the text of the model."""
    tokenizer = corpus.description["tokenizer"]
    phrases = [None if owner.phrases is None else owner.phrases.words for owner in (data, corpus)]
    if tokenizer != data.tokenizer.name or phrases[0] != phrases[1]:
        raise CorpusError(
            f"the corpus was encoded with the tokenizer '{tokenizer}' and {len(phrases[1] or []):,} phrases, the "
            f"model was trained with '{data.tokenizer.name}' and {len(phrases[0] or []):,}; give the text instead."
        )


def _copy_encoded(corpus: EncodedCorpus, part: Path, check: Check) -> EncodedCorpus:
    """Copy sentences and source text of an encoded corpus, which may be removed later."""
    spool = SpoolWriter(part / SPOOL_FILE)
    offsets = np.zeros(corpus.num_sentences, np.int64)
    try:
        texts = corpus.source_texts(np.arange(corpus.num_sentences))
        for first in range(0, corpus.num_sentences, COPIED_LINES):
            check()
            lines = [(next(texts) or b"") + b"\n" for _ in range(min(COPIED_LINES, corpus.num_sentences - first))]
            sizes = np.array([len(line) for line in lines])
            offsets[first : first + len(lines)] = spool.size + np.cumsum(sizes) - sizes
            spool.add(b"".join(lines))
        spool.finish()
    finally:
        spool.close()
    _write_sentences(corpus, offsets, part)
    return replace(corpus, description={**corpus.description, "spooled_bytes": spool.size})


class _IndexWriter:
    def __init__(self, data: ModelData, corpus: EncodedCorpus, folder: Path, report: Report, check: Check) -> None:
        self.data, self.corpus, self.folder = data, corpus, folder
        self.report, self.check = report, check
        self.num_tokens = len(corpus.tokens)

    def write_tokens(self) -> None:
        """Write the corpus with the ids of the model's words."""
        num_words = len(self.data.vocabulary)
        index = self.data.vocabulary.index
        ids = np.array([index.get(word, num_words) for word in self.corpus.words], np.int32)
        with (self.folder / TOKENS_FILE).open("wb") as file:
            for first in range(0, self.num_tokens, CHUNK_TOKENS):
                self.check()
                file.write(ids[self.corpus.tokens[first : first + CHUNK_TOKENS]].tobytes())
                release_pages(self.corpus.tokens)
        self.tokens = np.memmap(self.folder / TOKENS_FILE, np.int32, "r", shape=(self.num_tokens,))

    def assign_senses(self) -> NDArray[np.int64]:
        """Write row and confidence of each token; returns the number of tokens of each row."""
        sentences = self.corpus.sentences
        bounds = block_bounds(np.asarray(sentences), BLOCK_TOKENS)
        assigner = SenseAssigner(self.data)
        assigner.prepare()
        _ = assigner.ambiguous

        def assign(block: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
            starts = np.array(sentences[block[0] : block[1] + 1])
            tokens = np.array(self.tokens[starts[0] : starts[-1]])
            return _assign(assigner, self.data, tokens, starts - starts[0])

        counts = np.zeros(len(self.data.arrays.sense_vectors), np.int64)
        done = 0
        with (self.folder / ROWS_FILE).open("wb") as rows_file, (self.folder / ROW_CONFIDENCES_FILE).open("wb") as file:
            for rows, confidences in map_in_order(assign, pairwise(bounds.tolist()), available_cores()):
                self.check()
                rows_file.write(rows.tobytes())
                file.write(confidences.tobytes())
                counts += np.bincount(rows[rows >= 0], minlength=len(counts))
                done += len(rows)
                self.report(("assigning senses", done / self.num_tokens))
                release_pages(self.tokens)
        return counts

    def group(self, counts: NDArray[np.int64]) -> None:
        """Write the postings: the positions of the tokens of each row."""
        offsets = np.concatenate([[0], np.cumsum(counts)])
        offsets.tofile(self.folder / files.OFFSETS_FILE)
        num_postings, ends = int(offsets[-1]), offsets[:-1].copy()
        positions = _new_map(self.folder / files.POSITIONS_FILE, files.position_type(self.num_tokens), num_postings)
        grouped = _new_map(self.folder / files.CONFIDENCES_FILE, np.uint8, num_postings)
        rows = np.memmap(self.folder / ROWS_FILE, np.int32, "r", shape=(self.num_tokens,))
        confidences = np.memmap(self.folder / ROW_CONFIDENCES_FILE, np.uint8, "r", shape=(self.num_tokens,))
        for first in range(0, self.num_tokens, CHUNK_TOKENS):
            self.check()
            chunk = slice(first, first + CHUNK_TOKENS)
            group_positions(
                np.array(rows[chunk]),
                np.array(confidences[chunk]),
                first,
                ends,
                np.asarray(positions),
                np.asarray(grouped),
            )
            self.report(("grouping", min(first + CHUNK_TOKENS, self.num_tokens) / self.num_tokens))
            for array in (rows, confidences, positions, grouped):
                release_pages(array)  # what was written stays in the cache of the file system


def _assign(
    assigner: SenseAssigner, data: ModelData, tokens: NDArray[np.int32], sentences: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """The row of each token, -1 for unknown words; and the cosine with its context, from 0 to 255."""
    rows, cosines = assigner.assign(tokens, sentences, assigner.ambiguous)
    single = np.flatnonzero((rows < 0) & (tokens < len(data.vocabulary)))
    rows[single] = data.arrays.sense_offsets[tokens[single]]
    return rows, (np.clip(np.nan_to_num(cosines), 0, 1) * 255).astype(np.uint8)


def _new_map(path: Path, dtype: type[np.generic], length: int) -> NDArray[Any]:
    """A new file of numbers, mapped into memory. Its space is reserved: a full disk would end the process later."""
    with path.open("wb") as file:
        size = length * np.dtype(dtype).itemsize
        if size and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        file.truncate(size)
    return np.memmap(path, dtype, "r+", shape=(length,)) if length else np.empty(0, dtype)
