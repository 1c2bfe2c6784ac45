"""From text to an encoded corpus, in one pass over the text and in bounded memory.

Words are numbered as they come and written at once; when the text ends, the different words are brought into their
normal form and sorted by frequency, and the file of numbers is rewritten in place. Memory holds the different words
alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from polyseme._io.atomic import atomic_folder
from polyseme.corpus import encoded_corpus
from polyseme.corpus.encoded_corpus import MAX_SENTENCE_TOKENS, EncodedCorpus
from polyseme.corpus.lexicon import Lexicon, TokenSpans, tokenize
from polyseme.corpus.readers.text import Block, read_blocks
from polyseme.corpus.sources import COMPRESSED, Source
from polyseme.corpus.tokenizers import NUL, NUL_SEPARATED, AnyTokenizer, CallableTokenizer
from polyseme.errors import CorpusError
from polyseme.kernels import text as kernels

CHUNK = 1 << 20

T = TypeVar("T")


@dataclass(frozen=True)
class EncodingProgress:
    """Progress of encoding, after each block of text."""

    bytes_read: int
    bytes_total: int  # 0 when it cannot be known (standard input, compressed files)
    tokens: int
    words: int
    bad_bytes: int


def encode(
    sources: list[Source],
    tokenizer: AnyTokenizer,
    folder: Path,
    report: Callable[[EncodingProgress], None] = lambda _: None,
) -> EncodedCorpus:
    """Encode texts into a folder (see `polyseme.corpus.encoded_corpus`) and open it."""
    with atomic_folder(folder) as part:
        writer = _Writer(part, tokenizer)
        plain = all(Path(s.path).suffix not in COMPRESSED for s in sources)
        total = sum(source.size for source in sources) if plain else 0
        bytes_read = 0
        for source in sources:
            writer.begin_source()
            for block in _ahead(tokenize_block(block, tokenizer) for block in read_blocks(source)):
                writer.add(block)
                bytes_read += block.length
                report(EncodingProgress(bytes_read, total, writer.tokens, len(writer.lexicon), writer.bad_bytes))
            writer.end_sentence()
        writer.finish(sources)
    return EncodedCorpus.open(folder)


@dataclass(frozen=True)
class TokenizedBlock:
    """A block of text cut into words: pieces with their place in the source."""

    pieces: list[tuple[TokenSpans, int]]
    length: int
    bad_bytes: int


class _Writer:
    """The files of an encoded corpus, as they grow."""

    def __init__(self, folder: Path, tokenizer: AnyTokenizer) -> None:
        self.folder = folder
        self.tokenizer = tokenizer
        self.lexicon = Lexicon()
        self.tokens = self.sentences = self.bad_bytes = self.open_length = 0
        self.source_sentences: list[int] = []
        self.files = {
            name: (folder / name).open("wb")
            for name in (encoded_corpus.TOKENS, encoded_corpus.SENTENCES, encoded_corpus.BYTE_OFFSETS)
        }
        self._write(encoded_corpus.SENTENCES, np.zeros(1, np.int64))

    def begin_source(self) -> None:
        self.source_sentences.append(self.sentences)

    def add(self, block: TokenizedBlock) -> None:
        self.bad_bytes += block.bad_bytes
        for words, offset in block.pieces:
            self._add(words, offset)

    def _add(self, words: TokenSpans, offset: int) -> None:
        ids = self.lexicon.add(words)
        k = len(ids)
        tokens, lengths, offsets = np.empty(k, np.int32), np.empty(k + 1, np.int64), np.empty(k + 1, np.int64)
        n, ended, begun = kernels.find_sentences(
            ids, words.bounds, offset, MAX_SENTENCE_TOKENS, self.open_length, tokens, lengths, offsets
        )
        closed = self.tokens - self.open_length
        self._write(encoded_corpus.TOKENS, tokens[:n])
        self._write(encoded_corpus.SENTENCES, closed + np.cumsum(lengths[:ended]))
        self._write(encoded_corpus.BYTE_OFFSETS, offsets[:begun])
        self.tokens += n
        self.sentences += ended
        self.open_length = int(lengths[ended])

    def end_sentence(self) -> None:
        """A text that ends without a line end still ends its sentence."""
        if self.open_length:
            self._write(encoded_corpus.SENTENCES, np.array([self.tokens], np.int64))
            self.sentences += 1
            self.open_length = 0

    def _write(self, name: str, values: NDArray[np.int32] | NDArray[np.int64]) -> None:
        self.files[name].write(values.tobytes())

    def finish(self, sources: list[Source]) -> None:
        for file in self.files.values():
            file.close()
        if self.tokens == 0:
            raise CorpusError(f"the corpus holds no words: {', '.join(s.path for s in sources[:3])} is empty.")
        order, counts, new_ids = self._sorted_words()
        words = self.lexicon.to_table(order, counts)
        (self.folder / encoded_corpus.WORDS).write_bytes(words)
        digest = hashlib.sha256(words)
        with (self.folder / encoded_corpus.TOKENS).open("r+b") as tokens:
            for ids in _ahead(_renumber(tokens, new_ids)):
                digest.update(ids)
        description = {
            "format_version": encoded_corpus.FORMAT_VERSION,
            "tokenizer": self.tokenizer.name,
            "tokens": self.tokens,
            "sentences": self.sentences,
            "bad_bytes": self.bad_bytes,
            "fingerprint": digest.hexdigest(),
            "sources": [asdict(source) for source in sources],
            "source_sentences": [*self.source_sentences, self.sentences],
            "offsets_are_exact": not isinstance(self.tokenizer, CallableTokenizer),
        }
        (self.folder / encoded_corpus.DESCRIPTION).write_text(json.dumps(description, indent=1), encoding="utf-8")

    def _sorted_words(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """The words in normal form by frequency, as numbers of the lexicon; their counts; the new id of each number.

        Words of ASCII letters are in their normal form already (see `Tokenizer.lowercase`).
        """
        counts = self.lexicon.counts.copy()
        places = np.arange(len(counts))
        if not isinstance(self.tokenizer, CallableTokenizer):
            forms = {i: self.tokenizer.normal(word) for i, word in self.lexicon.non_ascii_words().items()}
            if forms:
                places[list(forms)] = self.lexicon.add(tokenize(NUL.join(forms.values()).encode(), NUL_SEPARATED))
        merged = np.bincount(places, counts, len(self.lexicon)).astype(np.int64)
        order = np.argsort(-merged, kind="stable")[: np.count_nonzero(merged)]
        rank = np.empty(len(merged), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return order, merged[order], rank[places]


def tokenize_block(block: Block, tokenizer: AnyTokenizer) -> TokenizedBlock:
    """Cut a block into words; a callable does so line by line."""
    if isinstance(tokenizer, CallableTokenizer):
        pieces = list(_lines_of_tokens(block, tokenizer))
    else:
        words = tokenize(block.text, tokenizer)
        _ = words.hashes  # made here, in the thread that reads ahead
        pieces = [(words, block.offset)]
    return TokenizedBlock(pieces, len(block.text), block.bad_bytes)


def _lines_of_tokens(block: Block, tokenizer: CallableTokenizer) -> Iterator[tuple[TokenSpans, int]]:
    """Each line of a block as the callable's tokens, and where it begins."""
    offset = block.offset
    for line in block.text.splitlines(keepends=True):
        tokens = tokenizer(line.decode().rstrip("\r\n"))
        for token in tokens:
            if not isinstance(token, str) or any(c in token for c in "\0\t\n"):
                raise CorpusError(f"the tokenizer gave {token!r}; a token is a str without NUL, tab or line end.")
        text = NUL.join(tokens) + ("\n" if line.endswith(b"\n") else NUL)
        yield tokenize(text.encode("utf-8", "replace"), NUL_SEPARATED), offset
        offset += len(line)


def _ahead(blocks: Iterable[T]) -> Iterator[T]:
    """The same blocks, each made by another thread while the one before is worked on."""
    waiting = iter(blocks)
    with ThreadPoolExecutor(1) as other:
        upcoming = other.submit(next, waiting, None)
        while (block := upcoming.result()) is not None:
            upcoming = other.submit(next, waiting, None)
            yield block


def _renumber(file: BinaryIO, new_ids: NDArray[np.int32]) -> Iterator[bytes]:
    """Replace every int32 of a file by its new id, in place; yields what was written."""
    position = 0
    while data := file.read(4 * CHUNK):
        ids = new_ids.take(np.frombuffer(data, np.int32)).tobytes()
        file.seek(position)
        file.write(ids)
        position += len(ids)
        yield ids
