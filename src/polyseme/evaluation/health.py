"""The health of a model's senses: no scores against people, but what is wrong by itself. Shares are in percent.

    senses         shown senses per word
    largest        the share of a word's most frequent sense
    dead           senses that hardly ever occur, of all senses
    duplicates     senses that have more than SAME_NEIGHBOURS of their 10 nearest words in common with another of their
                   word, of the shown senses of (at most) SAMPLE words of a band
    entropy        of the posterior of a use, by that of equal chances: 0 is sure, 100 is a guess
    confidence       the probability of the chosen sense of a use

The last two need uses: those of a corpus, if one is given. Only words that may have several senses are counted; the
bands are of their frequency.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.sources import find_sources
from polyseme.evaluation.scores import Evaluation, Score, mean_score
from polyseme.evaluation.word_similarity import spearman
from polyseme.model.disambiguation import context_between, sense_probabilities

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

BANDS = (0, 200, 1_000, 10_000)
SAMPLE = 200
NEIGHBOURS = 10
SAME_NEIGHBOURS = 0.7
USES = 3_000
WHAT = "words, which may have several senses"
LONGEST_LINE = 100_000  # bytes

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def health(model: SenseModel, path: Path | None = None, *, seed: int = 1) -> Evaluation:
    """Dead, duplicate and uncertain senses, by frequency band."""
    words = np.flatnonzero(model._data.multi_sense_mask)
    if not len(words):
        return Evaluation("health", 0, len(model), {}, ("no word has room for several senses.",), what=WHAT)
    counts = model.vocabulary.counts[words]
    bands = {"all": np.ones(len(words), bool)}
    for low, high in zip(BANDS, (*BANDS[1:], None), strict=True):
        name = f"{low:,} uses or more" if high is None else f"{low:,} to {high - 1:,} uses"
        bands[name] = (counts >= low) & (counts < high if high is not None else True)
    random = np.random.default_rng(seed)
    uses = _uses(model, path) if path is not None else {}
    table = {name: _band(model, words[inside], uses, random) for name, inside in bands.items() if inside.any()}
    numbers = model._data.num_visible_senses[words]
    facts = {
        "words by number of senses": {
            int(n): int(c) for n, c in zip(*np.unique(numbers, return_counts=True), strict=True)
        },
        "Spearman of number of senses and frequency": float(spearman(numbers, counts)),
    }
    return Evaluation("health", len(words), len(model), table, facts=facts, what=WHAT)


def _band(
    model: SenseModel, words: Ints, uses: dict[int, list[tuple[float, float]]], random: np.random.Generator
) -> dict[str, Score]:
    shown, every = model._data.num_visible_senses[words], np.diff(model._data.arrays.sense_offsets)[words]
    sampled = random.choice(words, min(SAMPLE, len(words)), replace=False)
    scores = {
        "senses": mean_score(shown.astype(np.float64)),
        "largest": _percent([model._data.shares(w).max() for w in words.tolist()]),
        "dead": _percent(np.repeat([1.0, 0.0], [int((every - shown).sum()), int(shown.sum())])),
        "duplicates": _percent([same for w in sampled.tolist() for same in _duplicates(model, w)]),
    }
    seen = [use for w in words.tolist() for use in uses.get(w, [])]
    if seen:
        scores["entropy"] = _percent([entropy for entropy, _ in seen])
        scores["confidence"] = _percent([confidence for _, confidence in seen])
    return scores


def _percent(values: list[float] | Floats) -> Score:
    return mean_score(100 * np.asarray(values, np.float64))


def _duplicates(model: SenseModel, word: int) -> list[float]:
    """For each shown sense of a word whether it has its neighbours in common with another."""
    rows = model._data.rows(word)
    if len(rows) == 1:
        return [0.0]
    lists = [{n.word for n in model.neighbours(model._data.key(row), NEIGHBOURS)} for row in rows]
    return [
        float(any(len(a & b) > SAME_NEIGHBOURS * NEIGHBOURS for j, b in enumerate(lists) if j != i))
        for i, a in enumerate(lists)
    ]


def _uses(model: SenseModel, path: Path) -> dict[int, list[tuple[float, float]]]:
    """Entropy and confidence of the first uses of words of several senses in a text."""
    found: dict[int, list[tuple[float, float]]] = {}
    index = model.vocabulary.index
    left = USES
    with find_sources([path])[0].open() as text:
        while left and (raw := text.readline(LONGEST_LINE)):
            known = [index[token] for token in model.tokenizer(raw.decode("utf-8", "replace")) if token in index]
            for at, word in enumerate(known):
                if model._data.num_visible_senses[word] > 1 and left:
                    context = context_between(model._data, known[:at], known[at + 1 :], model._data.sense_window)
                    p = sense_probabilities(model._data, word, context, "softmax")
                    entropy = -float(np.sum(p * np.log(np.maximum(p, 1e-12)))) / float(np.log(len(p)))
                    found.setdefault(word, []).append((entropy, float(p.max())))
                    left -= 1
    return found
