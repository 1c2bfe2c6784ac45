"""Queries to the index of a corpus: collocates, concordances and the best examples of senses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.encoded_corpus import BY_COUNTS, EncodedCorpus
from polyseme.corpus.sources import STDIN
from polyseme.errors import ModelError
from polyseme.examples.extraction import extract_snippets
from polyseme.examples.store import Example
from polyseme.explorer import readability
from polyseme.explorer.index_files import IndexArrays, open_arrays, sources_of
from polyseme.explorer.readability import Sentence
from polyseme.model.data import ModelData
from polyseme.vocabulary import fold

MAX_SAMPLED = 50_000  # occurrences whose neighbours are counted, or that are sorted by them
MAX_CANDIDATES = 24  # occurrences of a sense whose sentences are read to find the best examples
NUM_CONSIDERED = 256  # occurrences among which they are chosen
CANDIDATE_WINDOW = 8  # words on each side of a candidate that should be common
LINE_WINDOW = 15  # words on each side of a line of a concordance
SENTENCE_WINDOW = 40  # words on each side in which a sentence is searched
SORTED_WORDS = 3  # of the words on one side by which a concordance is sorted
MIN_TOGETHER = 3  # occurrences of a collocate near a sense, or 2 for a rare sense
RARE = 50
MAX_CACHED = 256  # senses whose best sentences are kept

Ints = NDArray[np.int64]
Line = tuple[int, dict[str, Any]]  # the row of the sense, and the line


class SenseIndex:
    """An open index. It can be used by several threads."""

    def __init__(self, data: ModelData, folder: Path) -> None:
        self.data, self.folder = data, folder
        self.arrays: IndexArrays = open_arrays(folder, len(data.arrays.sense_vectors))
        description = self.arrays.description
        self._sources = sources_of(description)
        self._corpus = EncodedCorpus(
            self.arrays.tokens,
            self.arrays.sentences,
            self.arrays.byte_offsets,
            [*data.vocabulary.words, "…"],
            np.empty(0, np.int64),
            {
                "sources": [{**vars(source), "spooled": True} for source in self._sources],
                "source_sentences": description["source_sentences"],
                "offsets_are_exact": self.arrays.text is not None,
            },
            self.arrays.text,
            data.phrases,
        )
        self._ranked = lru_cache(MAX_CACHED)(lambda row: self._rank(self._candidates(row)))

    @property
    def text_name(self) -> str:
        """The name of the file that was indexed; of several, that of the first."""
        first, *others = [source.path for source in self._sources]
        name = "standard input" if first == STDIN else Path(first).name
        return f"{name} and {len(others):,} more" if others else name

    def is_of(self, corpus: Mapping[str, Any]) -> bool:
        """Whether the text is that of a description of a training corpus, as far as the description says."""
        fingerprint, description = str(corpus.get("fingerprint", "")), self.arrays.description
        if not fingerprint or fingerprint.startswith(BY_COUNTS):
            return corpus.get("tokens", 0) in (0, description["tokens"])
        return bool(fingerprint == description["corpus"])

    # Collocates

    def collocates(self, rows: Sequence[int], n: int, window: int) -> dict[str, Any]:
        """The words with the highest logDice near senses of a word.

        logDice = 14 + log2(2 f_xy / (f_x + f_y))

        with f_xy the occurrences of the collocate in the window, f_x those of the senses, f_y those of the collocate.
        """
        total = self.num_postings(rows)
        sample, _ = self._sample(rows, MAX_SAMPLED)
        left, right = self._count_around(sample, window)
        together = left + right
        together[self.data.word_of(rows[0])] = 0
        scale = total / max(len(sample), 1)
        needed = MIN_TOGETHER if total > RARE else 2
        words = np.flatnonzero(together >= needed)
        log_dice = 14 + np.log2(2 * scale * together[words] / (total + self._word_counts[words]))
        best = np.lexsort((words, -log_dice))[:n]
        return {
            "window": window,
            "occurrences": total,
            "sampled": len(sample) < total,
            "collocates": [
                {
                    "word": self.data.vocabulary.words[word],
                    "log_dice": round(float(score), 2),
                    "count": round(scale * int(together[word])),
                    "left": round(scale * int(left[word])),
                    "right": round(scale * int(right[word])),
                }
                for word, score in zip(words[best].tolist(), log_dice[best].tolist(), strict=True)
            ],
        }

    @cached_property
    def _word_counts(self) -> Ints:
        """(V,) How often each word occurs in the corpus."""
        return np.diff(self.arrays.offsets[self.data.arrays.sense_offsets])

    def _count_around(self, positions: Ints, window: int) -> tuple[Ints, Ints]:
        """(V,) each: how often each word is among the words to the left and to the right of positions."""
        num_words = len(self.data.vocabulary)
        sides = []
        for sign in (-1, 1):
            near, inside = self._around(positions, sign, window)
            words = np.asarray(self.arrays.tokens[np.sort(near[inside])])
            words = words[(words >= 0) & (words < num_words)]
            sides.append(np.bincount(words, minlength=num_words))
        return sides[0], sides[1]

    def _around(self, positions: Ints, sign: int, window: int) -> tuple[Ints, NDArray[np.bool_]]:
        """(window, k) each: the positions on one side, nearest first, and whether they are in the same sentence."""
        sentence = self._sentence_of(positions)
        near = positions + sign * np.arange(1, window + 1)[:, None]
        inside = (near >= self.arrays.sentences[sentence]) & (near < self.arrays.sentences[sentence + 1])
        return near, inside

    # Concordance

    def concordance(self, rows: Sequence[int], sort: str, offset: int, limit: int) -> tuple[int, list[Line]]:
        """The number of lines of a concordance, and some of them.

        Of more than MAX_SAMPLED occurrences, those that are sorted by their neighbours are a sample.
        """
        if sort == "best":
            return self._best_lines(rows, offset, limit)
        if sort == "text":
            return self.num_postings(rows), self._lines(*self._in_text_order(rows, offset, limit))
        positions, row_of = self._sample(rows, MAX_SAMPLED)
        shown = self._sorted_by_neighbours(positions, sort)[offset : offset + limit]
        return len(positions), self._lines(positions[shown], row_of[shown])

    def concordance_near(
        self, rows: Sequence[int], word: int, window: int, sort: str, offset: int, limit: int
    ) -> tuple[int, list[Line]]:
        """The same, of occurrences with a word in a window on both sides; of at most MAX_SAMPLED occurrences."""
        positions, row_of = self._sample(rows, MAX_SAMPLED)
        found = np.zeros(len(positions), bool)
        for sign in (-1, 1):
            near, inside = self._around(positions, sign, window)
            found |= np.any(inside & (self.arrays.tokens[np.where(inside, near, 0)] == word), axis=0)
        positions, row_of = positions[found], row_of[found]
        if sort == "best":
            order = self._readable_first(positions)
        elif sort == "text":
            order = np.argsort(positions, kind="stable")
        else:
            order = self._sorted_by_neighbours(positions, sort)
        shown = order[offset : offset + limit]
        return len(positions), self._lines(positions[shown], row_of[shown])

    def _readable_first(self, positions: Ints) -> Ints:
        """The order of positions: the most readable of a sample first, then all others as in the text."""
        in_text = np.argsort(positions, kind="stable")
        sample = in_text[_evenly(len(positions), MAX_CANDIDATES)]
        place = {position: i for i, (_, position, _) in enumerate(self._rank(positions[sample]))}
        return in_text[np.argsort([place.get(p, len(place)) for p in positions[in_text].tolist()], kind="stable")]

    def _best_lines(self, rows: Sequence[int], offset: int, limit: int) -> tuple[int, list[Line]]:
        """Lines with the best sentences of each sense first, then all others in text order."""
        best = [(score, position, row, sentence) for row in rows for score, position, sentence in self._ranked(row)]
        best.sort(key=lambda found: (-found[0], found[1]))
        lines = [
            (row, self._line(position, sentence.example))
            for _, position, row, sentence in best[offset : offset + limit]
        ]
        if len(lines) < limit:
            taken = [position for _, position, _, _ in best]
            skipped = max(offset - len(best), 0)
            lines += self._lines(*self._in_text_order(rows, skipped, limit - len(lines), taken))
        return self.num_postings(rows), lines

    def _in_text_order(
        self, rows: Sequence[int], offset: int, limit: int, without: Sequence[int] = ()
    ) -> tuple[Ints, Ints]:
        """Some positions of senses in the order of the text, and the row of each."""
        # Only the first `last` postings of each sense can be among the first `last` of all.
        last = offset + limit + len(without)
        positions = [self._positions(row, last) for row in rows]
        row_of = np.repeat(rows, [len(of_row) for of_row in positions])
        merged = np.concatenate(positions)
        order = np.argsort(merged, kind="stable")
        order = order[~np.isin(merged[order], without)][offset : offset + limit]
        return merged[order], row_of[order]

    def _lines(self, positions: Ints, row_of: Ints) -> list[Line]:
        snippets = self._snippets(positions, LINE_WINDOW)
        return [
            (row, self._line(position, example))
            for position, row, example in zip(positions.tolist(), row_of.tolist(), snippets, strict=True)
        ]

    def _line(self, position: int, example: Example) -> dict[str, Any]:
        sentence = int(self._sentence_of(np.array([position]))[0])
        source = int(np.searchsorted(self.arrays.description["source_sentences"], sentence, side="right")) - 1
        return {**example._asdict(), "sentence": sentence, "source": Path(self._sources[source].path).name}

    def _sorted_by_neighbours(self, positions: Ints, side: str) -> Ints:
        """The order of positions by the words on a side, alphabetically; those without any come last."""
        near, inside = self._around(positions, -1 if side == "left" else 1, SORTED_WORDS)
        words = np.asarray(self.arrays.tokens[np.where(inside, near, 0)])
        num_words = len(self._alphabetical_rank)
        known = (words >= 0) & (words < num_words)
        ranks = np.where(known, self._alphabetical_rank[np.where(known, words, 0)], num_words)
        keys = np.where(inside, ranks, -1)
        keys[0, ~inside[0]] = num_words + 1
        return np.lexsort((positions, *keys[::-1]))

    @cached_property
    def _alphabetical_rank(self) -> Ints:
        """(V,) The place of each word in alphabetical order."""
        words = [fold(word) for word in self.data.vocabulary.words]
        rank = np.empty(len(words), np.int64)
        rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
        return rank

    # Best examples

    def best_examples(self, row: int, n: int) -> list[Example]:
        """The n most readable sentences of a sense that differ from each other; parts of sentences if there are few."""
        ranked = [sentence.example for _, _, sentence in self._ranked(row)] if n else []
        return [ranked[i] for i in readability.choose_diverse(ranked, n)]

    def _rank(self, positions: Ints) -> list[tuple[float, int, Sentence]]:
        """Score, position and sentence of occurrences, best first, each sentence once."""
        sentence_of = self._sentence_of(positions)
        before = positions - self.arrays.sentences[sentence_of]
        after = self.arrays.sentences[sentence_of + 1] - 1 - positions
        found: dict[str, tuple[float, int, Sentence]] = {}
        snippets = self._snippets(positions, SENTENCE_WINDOW)
        for position, example, left, right in zip(
            positions.tolist(), snippets, before.tolist(), after.tolist(), strict=True
        ):
            sentence = readability.cut_sentence(example, left <= SENTENCE_WINDOW, right <= SENTENCE_WINDOW)
            score = readability.score(sentence, self._word_ids(sentence.example.text))
            found.setdefault(sentence.example.text, (score, position, sentence))
        return sorted(found.values(), key=lambda item: (-item[0], item[1]))

    def _candidates(self, row: int) -> Ints:
        """Positions of a sense, spread over the corpus: those with typical contexts of common words."""
        first, last = self.arrays.offsets[row : row + 2].tolist()
        postings = first + _evenly(last - first, NUM_CONSIDERED)
        if len(postings) > 2 * MAX_CANDIDATES:
            confidences = np.asarray(self.arrays.confidences[postings]).astype(np.int64)
            postings = np.sort(postings[np.argsort(-confidences, kind="stable")[: len(postings) // 2]])
        positions = self._read_positions(postings)
        if len(positions) > MAX_CANDIDATES:
            near = positions[:, None] + np.arange(-CANDIDATE_WINDOW, CANDIDATE_WINDOW + 1)
            words = np.asarray(self.arrays.tokens[np.clip(near, 0, len(self.arrays.tokens) - 1)])
            num_rare = np.count_nonzero(words >= readability.COMMON_WORDS, axis=1)
            positions = np.sort(positions[np.argsort(num_rare, kind="stable")[:MAX_CANDIDATES]])
        return positions

    def _word_ids(self, text: str) -> list[int]:
        index = self.data.vocabulary.index
        return [index.get(word, len(index)) for word in self.data.tokenizer(text)]

    # Access to the arrays

    def num_postings(self, rows: Sequence[int]) -> int:
        """How often senses occur in the corpus."""
        return int(sum(self.arrays.offsets[row + 1] - self.arrays.offsets[row] for row in rows))

    def is_sampled(self, rows: Sequence[int]) -> bool:
        """Whether they occur so often that only a sample is searched and sorted."""
        return self.num_postings(rows) > MAX_SAMPLED

    def _positions(self, row: int, n: int | None = None) -> Ints:
        """The positions of a sense, or the first n of them."""
        first, last = self.arrays.offsets[row : row + 2].tolist()
        return self._read_positions(slice(first, last if n is None else min(last, first + n)))

    def _sample(self, rows: Sequence[int], n: int) -> tuple[Ints, Ints]:
        """At most n positions of senses, in equal distances, and the row of each."""
        first, last = self.arrays.offsets[list(rows)], self.arrays.offsets[np.array(rows) + 1]
        ends = np.cumsum(last - first)
        numbers = _evenly(int(ends[-1]), n)
        sense = np.searchsorted(ends, numbers, side="right")
        positions = self._read_positions((last - ends)[sense] + numbers)
        return positions, np.asarray(rows)[sense]

    def _read_positions(self, postings: slice | Ints) -> Ints:
        """The positions of postings; ModelError if the file has impossible ones."""
        positions = np.array(self.arrays.positions[postings], np.int64)
        if len(positions) and not 0 <= positions.min() <= positions.max() < len(self.arrays.tokens):
            raise ModelError(f"{self.folder} is damaged (positions.bin); delete it, and build the index again.")
        return positions

    def _sentence_of(self, positions: Ints) -> Ints:
        return np.searchsorted(self.arrays.sentences, positions, side="right") - 1

    def _snippets(self, positions: Ints, window: int) -> list[Example]:
        """The text around positions."""
        order = np.argsort(positions, kind="stable")
        batches = extract_snippets(
            self._corpus, self.data.tokenizer, positions[order], window, 1, phrases=self.data.phrases
        )
        found = [Example(*json.loads(snippet)) for batch in batches for snippet in batch]
        examples = [Example("", "", "")] * len(positions)
        for i, example in zip(order.tolist(), found, strict=True):
            examples[i] = example
        return examples


def _evenly(total: int, n: int) -> Ints:
    """At most n of the numbers from 0 to total - 1, in equal distances.

    >>> _evenly(10, 4).tolist(), _evenly(3, 4).tolist()
    ([0, 2, 5, 7], [0, 1, 2])
    """
    return np.arange(min(n, total)) * total // max(min(n, total), 1)
