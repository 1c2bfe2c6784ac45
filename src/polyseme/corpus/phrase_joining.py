"""Joining the words of phrases in an encoded corpus and in tokenized text."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.encoded_corpus import (
    FORMAT_VERSION,
    PHRASES_FILE,
    SENTENCES_FILE,
    TOKENS_FILE,
    WORDS_FILE,
    EncodedCorpus,
)
from polyseme.corpus.lexicon import Lexicon, TokenSpans
from polyseme.corpus.phrase_detection import (
    Check,
    Ints,
    Sequence,
    count_units,
    find_phrases,
    join_words,
    joined_chunks,
    make_trie,
)
from polyseme.corpus.phrases import Phrases, PhraseSettings
from polyseme.corpus.sources import DESCRIPTION_FILE
from polyseme.corpus.tokenizers import Tokenizer
from polyseme.kernels import phrases as kernels
from polyseme.vocabulary import write_words

UNKNOWN = -1


def join_phrases(folder: Path, phrases: PhraseSettings | Phrases, check: Check = lambda: None) -> None:
    """Join the words of phrases in an encoded corpus without phrases, in place. The byte offsets stay the same.

    phrases  the phrases, or how to find them
    """
    corpus = EncodedCorpus.open(folder)
    if isinstance(phrases, PhraseSettings):
        phrases = find_phrases(corpus, phrases, check)
    index = _ids(corpus, {word for words in phrases.words for word in words})
    used = [words for words in phrases.words if all(word in index for word in words)]
    phrases = Phrases(used, phrases.settings)
    sequences = [tuple(index[word] for word in words) for words in used]
    words, counts, new_ids = _merged_words(corpus, phrases, count_units(corpus, sequences, check))
    write_words(folder / WORDS_FILE, words, counts)
    (folder / PHRASES_FILE).write_bytes(phrases.to_bytes())
    digest = hashlib.sha256((folder / WORDS_FILE).read_bytes())
    digest.update(phrases.to_bytes())
    num_tokens = _write_tokens(folder, corpus, sequences, new_ids, digest, check)
    description = {
        **corpus.description,
        "format_version": FORMAT_VERSION,
        "tokens": num_tokens,
        "fingerprint": digest.hexdigest(),
        "phrases": {} if phrases.settings is None else asdict(phrases.settings),
    }
    del corpus  # a mapped file cannot be replaced on Windows
    for name in (TOKENS_FILE, SENTENCES_FILE):
        (folder / f"{name}.part").replace(folder / name)
    (folder / DESCRIPTION_FILE).write_text(json.dumps(description, indent=1), encoding="utf-8")


def _ids(corpus: EncodedCorpus, words: set[str]) -> dict[str, int]:
    """The ids of those of the words that the corpus has. A dictionary of all its words would take much memory."""
    return {word: i for i, word in enumerate(corpus.words) if word in words}


def _merged_words(
    corpus: EncodedCorpus, phrases: Phrases, unit_counts: Ints
) -> tuple[list[str], Ints, NDArray[np.int32]]:
    """Words and phrases that occur, most frequent first; their counts; and the new id of each unit.

    Units with the same name become one: the phrase of `new` and `york`, and the word `new_york`.
    """
    num_words = len(corpus.words)
    ids = _ids(corpus, set(phrases.names))
    new = {name: num_words + i for i, name in enumerate(dict.fromkeys(n for n in phrases.names if n not in ids))}
    names, ids = [*corpus.words, *new], ids | new
    merged = np.concatenate([np.arange(num_words), np.array([ids[name] for name in phrases.names], np.int64)])
    counts = np.bincount(merged, unit_counts, len(names)).astype(np.int64)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    rank = np.zeros(len(names), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return [names[i] for i in order.tolist()], counts[order], rank[merged]


def _write_tokens(
    folder: Path,
    corpus: EncodedCorpus,
    sequences: list[Sequence],
    new_ids: NDArray[np.int32],
    digest: hashlib._Hash,
    check: Check,
) -> int:
    """Write the joined tokens and the starts of sentences beside the old ones; returns the number of tokens."""
    n = 0
    tokens_path, sentences_path = (folder / f"{name}.part" for name in (TOKENS_FILE, SENTENCES_FILE))
    with tokens_path.open("wb") as tokens, sentences_path.open("wb") as sentences:
        for units, starts in joined_chunks(corpus, make_trie(sequences, len(corpus.words)), check):
            ids = new_ids[units].tobytes()
            tokens.write(ids)
            digest.update(ids)
            sentences.write((starts[:-1] + n).tobytes())
            n += len(units)
        sentences.write(np.int64(n).tobytes())
    return n


class PhraseMatcher:
    """Finds phrases in tokenized text."""

    def __init__(self, phrases: Phrases) -> None:
        self.phrases = phrases
        self.index: dict[str, int] = {}  # ids of the words that are part of phrases
        self._sequences = [
            tuple(self.index.setdefault(word, len(self.index)) for word in words) for words in phrases.words
        ]

    @cached_property
    def _trie(self) -> kernels.TrieArrays:
        return make_trie(self._sequences, len(self.index))

    def word_ids(self, words: list[str]) -> NDArray[np.int32]:
        """The id of each word in phrases, or UNKNOWN."""
        return np.array([self.index.get(word, UNKNOWN) for word in words], np.int32)

    def match(self, ids: NDArray[np.int32], sentences: Ints) -> tuple[NDArray[np.int32], Ints, Ints]:
        """Join words, given by their ids in phrases.

        Returns the number of the phrase that each unit is, UNKNOWN for a word; the first word of each unit, and the
        number of words; and the start of each sentence in units, and the number of units.
        """
        units, starts, unit_sentences = join_words(ids, sentences, self._trie)
        return np.maximum(units - len(self.index), UNKNOWN), starts, unit_sentences

    def join_spans(self, spans: TokenSpans, tokenizer: Tokenizer) -> TokenSpans:
        """The spans of the units of a text. Line ends stay, and no phrase crosses them."""
        lexicon = Lexicon()
        lexicon_ids = lexicon.add(spans)
        ids = np.append(self.word_ids([tokenizer.normalize(word) for word in lexicon.words()]), np.int32(UNKNOWN))
        # END_OF_LINE, -1, is the last item, so a line end is an unknown word.
        _, starts, _ = self.match(ids[lexicon_ids], np.array([0, len(lexicon_ids)]))
        bounds = np.stack([spans.starts[starts[:-1]], spans.ends[starts[1:] - 1]], axis=1)
        return TokenSpans(spans.letters, bounds)
