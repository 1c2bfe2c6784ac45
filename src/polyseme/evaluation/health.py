"""Intrinsic checks of a model's senses, which need no labelled data. All but `senses` are percentages.

    senses         visible senses per word
    largest_share  share of a word's most frequent sense
    dead           senses that are not visible, because they are rarer than `min_share`, out of all senses
    duplicates     senses that share more than MAX_SHARED_NEIGHBOURS of their 10 nearest words with another sense of
                   their word, out of the visible senses; estimated from up to SAMPLE_SIZE words of each group
    entropy        entropy of the posterior of an occurrence, relative to that of the uniform distribution
    confidence     probability of the most probable sense of an occurrence

The last two are measured on a text, if one is given. Only words that may have several senses are included, in groups
by frequency.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.readers.registry import read_blocks
from polyseme.corpus.sources import find_sources
from polyseme.evaluation.scores import INTERVAL, Evaluation, Score, bootstrap_indices, mean_score
from polyseme.evaluation.word_similarity import spearman
from polyseme.model.data import ModelData
from polyseme.model.disambiguation import context_between, sense_probabilities
from polyseme.model.neighbours import nearest

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

FREQUENCY_BANDS = (0, 200, 1_000, 10_000)  # the lowest count of each
SAMPLE_SIZE = 200
NUM_NEIGHBOURS = 10
MAX_SHARED_NEIGHBOURS = 0.7
MAX_OCCURRENCES = 3_000
MAX_LINE_BYTES = 100_000
ITEMS = "words that may have several senses"

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class _Posterior(NamedTuple):
    """The posterior of an occurrence, summarized."""

    entropy: float
    confidence: float


def health(
    model: SenseModel,
    path: Path | None = None,
    *,
    seed: int = 1,
    reader: str | None = None,
    field: str | None = None,
) -> Evaluation:
    """Number, shares, duplicates and, on a text, confidence of a model's senses.

    path  a text, or a folder of texts; None to leave out entropy and confidence
    seed  of the samples of words that duplicates are counted in
    reader, field  the format of the text and the field of its rows: see `polyseme.train`
    """
    data = model._data
    words = np.flatnonzero(data.multi_sense_mask)
    if not len(words):
        note = "no word may have several senses."
        return Evaluation("health", 0, len(model), {}, (note,), items=ITEMS)
    counts = data.vocabulary.counts[words]
    rng = np.random.default_rng(seed)
    posteriors = _posteriors(data, _lines(path, reader, field)) if path is not None else {}
    num_senses = data.num_visible_senses[words]
    bands = _bands(counts)
    samples = {name: _sample_duplicates(data, words[members], rng) for name, members in bands.items()}
    samples = {"all": [sample for of_band in samples.values() for sample in of_band]} | samples
    everything = {"all": np.ones(len(words), bool)} | bands
    table = {name: _scores(data, words[members], posteriors, samples[name]) for name, members in everything.items()}
    histogram = zip(*np.unique(num_senses, return_counts=True), strict=True)
    facts = {
        "words by number of senses": {int(n): int(num_words) for n, num_words in histogram},
        "Spearman correlation of number of senses and frequency": float(spearman(num_senses, counts)),
    }
    return Evaluation("health", len(words), len(model), table, facts=facts, items=ITEMS)


class _Duplicates(NamedTuple):
    """The duplicates among the senses of a sample of words with several senses.

    counts     the number of duplicates of each word of the sample
    num_words  the number of words that the sample was drawn from
    """

    counts: Floats
    num_words: int


def _bands(counts: Ints) -> dict[str, Bools]:
    """The words of each frequency band that has any."""
    bands = {}
    for low, high in zip(FREQUENCY_BANDS, (*FREQUENCY_BANDS[1:], None), strict=True):
        name = f"{low:,} tokens or more" if high is None else f"{low:,} to {high - 1:,} tokens"
        bands[name] = (counts >= low) & (counts < high if high is not None else True)
    return {name: members for name, members in bands.items() if members.any()}


def _sample_duplicates(data: ModelData, words: Ints, rng: np.random.Generator) -> list[_Duplicates]:
    """A sample of the words that have several senses; none if there are no such words."""
    several = words[data.num_visible_senses[words] > 1]
    sample = rng.choice(several, min(SAMPLE_SIZE, len(several)), replace=False)
    counts = np.array([_num_duplicates(data, word) for word in sample.tolist()], np.float64)
    return [_Duplicates(counts, len(several))] if len(several) else []


def _scores(
    data: ModelData, words: Ints, posteriors: dict[int, list[_Posterior]], samples: list[_Duplicates]
) -> dict[str, Score]:
    visible, total = data.num_visible_senses[words], np.diff(data.arrays.sense_offsets)[words]
    scores = {
        "senses": mean_score(visible.astype(np.float64)),
        "largest_share": _percentage([data.shares(w).max() for w in words.tolist()]),
        "dead": _percentage(np.repeat([1.0, 0.0], [int((total - visible).sum()), int(visible.sum())])),
        "duplicates": _duplicates_score(samples, int(visible.sum())),
    }
    occurrences = [posterior for w in words.tolist() for posterior in posteriors.get(w, [])]
    if occurrences:
        scores["entropy"] = _percentage([posterior.entropy for posterior in occurrences])
        scores["confidence"] = _percentage([posterior.confidence for posterior in occurrences])
    return scores


def _duplicates_score(samples: list[_Duplicates], num_senses: int) -> Score:
    """The percentage of duplicates among senses. The interval is that of samples of words, drawn in each group."""

    def percentage(drawn: Callable[[Floats], Floats]) -> Floats:
        return 100 * sum((s.num_words * drawn(s.counts) for s in samples), np.zeros(1)) / num_senses

    value = float(percentage(lambda counts: counts.mean(keepdims=True))[0])
    values = percentage(lambda counts: counts[bootstrap_indices(len(counts))].mean(axis=1))
    low, high = np.percentile(values, INTERVAL)
    return Score(value, float(low), float(high))


def _percentage(values: list[float] | Floats) -> Score:
    return mean_score(100 * np.asarray(values, np.float64))


def _num_duplicates(data: ModelData, word: int) -> int:
    """The number of visible senses of a word that share their nearest words with another sense of it."""
    rows = data.rows(word)
    neighbours = [{n.word for n in nearest(data, data.key(row), NUM_NEIGHBOURS, "senses")} for row in rows]
    return sum(
        any(len(a & b) > MAX_SHARED_NEIGHBOURS * NUM_NEIGHBOURS for j, b in enumerate(neighbours) if j != i)
        for i, a in enumerate(neighbours)
    )


def _lines(path: Path, reader: str | None = None, field: str | None = None) -> Iterator[str]:
    """The lines of a text; longer ones than MAX_LINE_BYTES are split."""
    for source in find_sources(path, reader, field):
        for block in read_blocks(source):
            for line in block.text.split(b"\n"):
                for start in range(0, len(line), MAX_LINE_BYTES):
                    yield line[start : start + MAX_LINE_BYTES].decode("utf-8", "replace")


def _posteriors(data: ModelData, lines: Iterable[str]) -> dict[int, list[_Posterior]]:
    """By word, the posteriors of the first MAX_OCCURRENCES occurrences of words with several senses in a text."""
    posteriors: dict[int, list[_Posterior]] = {}
    remaining = MAX_OCCURRENCES
    window = data.sense_window
    for line in lines:
        tokens = data.known_ids(data.tokenize(line))
        for position, word in enumerate(tokens):
            if data.num_visible_senses[word] > 1:
                left, right = tokens[max(position - window, 0) : position], tokens[position + 1 : position + 1 + window]
                p = sense_probabilities(data, word, context_between(data, left, right))
                entropy = -float(np.sum(p * np.log(np.maximum(p, 1e-12)))) / float(np.log(len(p)))
                posteriors.setdefault(word, []).append(_Posterior(entropy, float(p.max())))
                remaining -= 1
                if not remaining:
                    return posteriors
    return posteriors
