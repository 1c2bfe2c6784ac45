"""Pseudowords: a test of senses that needs no labels, in any language.

Unrelated words of one meaning and of like frequency are merged in the corpus, two or three into one pseudoword. A model
is trained on it with the settings of the one that is judged, and the senses it gives the uses of a pseudoword are
compared with the word that stood there. Beside them stand

    ceiling   logistic regression on the same context vectors with the true words, cross-validated: what can be found
    controls  as many words that were left alone, and should stay whole

A word is taken to have one meaning if its contexts point one way: candidates are the half with the longest mean of unit
context vectors. Unrelated: their cosine is not above the median of all candidates. Alike in frequency: within a factor
of two.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, v_measure_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import encode
from polyseme.corpus.occurrences import find_occurrences
from polyseme.corpus.sources import find_sources
from polyseme.errors import DataError
from polyseme.evaluation.cluster_metrics import contingency
from polyseme.evaluation.scores import DRAWS, Evaluation, Score, mean_score
from polyseme.kernels.contexts import gather_contexts
from polyseme.kernels.simd.padding import padded_rows, zero_padded_rows
from polyseme.model.sense_assigner import ALL_TOKENS, SenseAssigner
from polyseme.model.sense_model import SenseModel
from polyseme.training.config import TrainConfig
from polyseme.training.events import Listener, silent
from polyseme.training.run import train

PAIRS, TRIPLES, CONTROLS = 100, 50, 200
LEAST_USES, RAREST, BAND = (
    100,
    2e-5,
    7.5,
)  # candidates have max(LEAST_USES, RAREST * tokens) uses, up to BAND times so many
MOST_USES = 800  # of a word are scored
SHORTEST = 4  # letters
PART = 0.1  # a sense with less of the uses than this is no sense of its own here
FOUND = 0.5
FOLDS = 5

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Pseudowords:
    """Word ids of an encoded corpus: groups to merge, and words to leave alone."""

    groups: list[tuple[int, ...]]
    controls: list[int]


@dataclass(frozen=True)
class Recovery:
    """How well the senses of one pseudoword tell its words apart; `random` are the same with senses drawn at random."""

    word: str
    parts: int
    ari: float
    ceiling: float
    v_measure: float
    accuracy: float
    right_number: float
    random: dict[str, float]


def pseudowords(
    model: SenseModel,
    path: Path,
    *,
    seed: int = 1,
    config: TrainConfig | None = None,
    pairs: int = PAIRS,
    triples: int = TRIPLES,
    controls: int = CONTROLS,
    listen: Listener = silent,
) -> Evaluation:
    """Judge the settings of a model on a corpus, a text or an encoded one; or others, on words that the model chose."""
    with tempfile.TemporaryDirectory(prefix="polyseme-") as folder:
        corpus = EncodedCorpus.open(path) if is_encoded(path) else _encoded(model, path, Path(folder))
        chosen = choose(model, corpus, pairs=pairs, triples=triples, controls=controls, seed=seed)
        changed, names = merged(corpus, chosen.groups)
        judged = _known_settings(model) if config is None else config.to_dict()
        judged = {**judged, "examples": 0, "seed": seed, "multi_sense_words": None}
        learned = train(changed, config=TrainConfig(**judged), tokenizer=model.tokenizer, listen=listen)
    uses = _Uses(learned, changed, corpus, [*names, *(corpus.words[word] for word in chosen.controls)], seed)
    recovered = [uses.recovery(name, len(group)) for name, group in zip(names, chosen.groups, strict=True)]
    whole, by_chance = np.array([uses.is_unsplit(corpus.words[word]) for word in chosen.controls], np.float64).T
    table = {
        name: _scores([r for r in recovered if r.parts == parts])
        for name, parts in (("pairs", 2), ("triples", 3))
        if any(r.parts == parts for r in recovered)
    }
    table["controls"] = {"unsplit": mean_score(whole, float(by_chance.mean()))}
    ari, ceiling = (float(np.mean([getattr(r, name) for r in recovered])) for name in ("ari", "ceiling"))
    facts = {"ARI by ceiling": ari / ceiling if ceiling else float("nan"), "seconds": learned.training["seconds"]}
    return Evaluation("pseudowords", len(recovered), pairs + triples, table, _examples(recovered), facts, "pseudowords")


def _known_settings(model: SenseModel) -> dict[str, Any]:
    """The settings of a model, without those that only an older version had, and with what that did by itself."""
    known = {field.name for field in fields(TrainConfig)}
    settings = {name: value for name, value in model.config.items() if name in known}
    return {"sense_decay": float(model._data.sense_decay), **settings}


def choose(
    model: SenseModel, corpus: EncodedCorpus, *, pairs: int, triples: int, controls: int, seed: int
) -> Pseudowords:
    """Pick what to merge and what to leave alone."""
    random = np.random.default_rng(seed)
    words = _candidates(model, corpus)
    random.shuffle(words)
    vectors = _unit(np.array([model.vector(corpus.words[w]) for w in words.tolist()]))
    cosines = vectors @ vectors.T
    related = cosines > np.median(cosines)
    counts = corpus.counts[words]
    free = np.ones(len(words), bool)
    groups: list[tuple[int, ...]] = []
    for size in [2] * pairs + [3] * triples:
        group = _group(size, free, related, counts)
        if len(group) == size:
            groups.append(tuple(words[group].tolist()))
    if not groups:
        raise DataError("the corpus has too few words of one meaning and like frequency for pseudowords.")
    return Pseudowords(groups, words[free][:controls].tolist())


def merged(corpus: EncodedCorpus, groups: list[tuple[int, ...]]) -> tuple[EncodedCorpus, list[str]]:
    """The corpus with the words of each group as one word, and the names of these: `apple~window`."""
    names = ["~".join(corpus.words[word] for word in group) for group in groups]
    words, target = list(corpus.words), np.arange(len(corpus.words), dtype=np.int32)
    for name, group in zip(names, groups, strict=True):
        words[group[0]] = name
        target[list(group)] = group[0]
    return corpus.with_tokens(target[corpus.tokens], words), names


def _encoded(model: SenseModel, path: Path, folder: Path) -> EncodedCorpus:
    return encode(find_sources([path]), model.tokenizer, folder / "corpus", lambda _: None)


def _candidates(model: SenseModel, corpus: EncodedCorpus) -> Ints:
    """Words of middle frequency that the model knows and whose contexts point one way."""
    low = max(LEAST_USES, RAREST * len(corpus.tokens))
    in_band = np.flatnonzero((corpus.counts >= low) & (corpus.counts <= BAND * low))
    known = np.array(
        [w for w in in_band.tolist() if len(corpus.words[w]) >= SHORTEST and corpus.words[w].isalpha()], np.int64
    )
    known = known[[corpus.words[w] in model.vocabulary for w in known.tolist()]]
    if len(known) < 4:
        raise DataError(
            f"the corpus has {len(known)} words that the model knows and that are seen {low:.0f} times or more."
        )
    lengths = _mean_lengths(model, corpus, known)
    return known[np.argsort(-lengths, kind="stable")[: len(known) // 2]]


def _mean_lengths(model: SenseModel, corpus: EncodedCorpus, words: Ints) -> NDArray[np.float64]:
    """For each word the length of the mean of the unit vectors of its contexts: 1 if they all point one way."""
    ids = np.array([model.vocabulary.index.get(word, -1) for word in corpus.words], np.int32)
    uses = find_occurrences(corpus.tokens, corpus.counts, words, max_occurrences=LEAST_USES)
    contexts = _unit(_contexts(model, ids[corpus.tokens], corpus.sentences, uses.positions))
    bounds = np.stack([uses.offsets[words], uses.offsets[words + 1]], axis=1).tolist()
    return np.array([np.linalg.norm(contexts[first:last].mean(axis=0)) for first, last in bounds])


def _group(size: int, free: NDArray[np.bool_], related: NDArray[np.bool_], counts: Ints) -> list[int]:
    """The first free words that are unrelated to each other and alike in frequency; they are free no more."""
    fitting = free.copy()
    group: list[int] = []
    while len(group) < size and fitting.any():
        word = int(fitting.argmax())
        group.append(word)
        free[word] = False
        fitting &= free & ~related[word] & (counts <= 2 * counts[word]) & (2 * counts >= counts[word])
    return group


class _Uses:
    """The uses of words in the changed corpus: the sense that the model gives each, and the word that stood there."""

    def __init__(
        self, model: SenseModel, changed: EncodedCorpus, corpus: EncodedCorpus, words: list[str], seed: int
    ) -> None:
        self.model = model
        self.changed = changed
        self.corpus = corpus
        self.random = np.random.default_rng(seed)
        self.number = model.vocabulary.index  # an id of the vocabulary is one of the corpus: both count down
        numbers = [self.number[word] for word in words]
        self.uses = find_occurrences(changed.tokens, changed.counts, numbers, max_occurrences=MOST_USES, seed=seed)
        looked_at = np.zeros(len(model), np.uint64)
        looked_at[numbers] = ALL_TOKENS
        self.senses, _ = SenseAssigner(model._data).assign(
            np.array(changed.tokens), np.array(changed.sentences), looked_at
        )

    def _positions(self, word: str) -> Ints:
        return self.uses.of(self.number[word])

    def recovery(self, word: str, parts: int) -> Recovery:
        positions = self._positions(word)
        truth, found = np.asarray(self.corpus.tokens[positions]), self.senses[positions]
        contexts = _unit(_contexts(self.model, self.changed.tokens, self.changed.sentences, positions))
        id_ = self.model.vocabulary.index[word]
        rows, shares = np.array(self.model._data.rows(id_)), self.model._data.shares(id_)
        draws = [_agreement(truth, self.random.choice(rows, len(truth), p=shares), parts) for _ in range(DRAWS)]
        return Recovery(
            word=word,
            parts=parts,
            ceiling=_ceiling(contexts, truth),
            random={name: float(np.mean([draw[name] for draw in draws])) for name in draws[0]},
            **_agreement(truth, found, parts),
        )

    def is_unsplit(self, word: str) -> tuple[bool, bool]:
        """Whether one sense has all but a tenth of the uses; and of as many drawn by the shares."""
        found = self.senses[self._positions(word)]
        shares = self.model._data.shares(self.model.vocabulary.index[word])
        drawn = self.random.choice(len(shares), len(found), p=shares)
        return _largest(found) >= 1 - PART, _largest(drawn) >= 1 - PART


def _largest(found: NDArray[np.integer[Any]]) -> float:
    return float(np.unique(found, return_counts=True)[1].max() / len(found))


def _agreement(truth: NDArray[np.int32], found: NDArray[np.int32], parts: int) -> dict[str, float]:
    table = contingency(truth, found)
    matched = linear_sum_assignment(-table)
    return {
        "ari": float(adjusted_rand_score(truth, found)),
        "v_measure": float(v_measure_score(truth, found)),
        "accuracy": float(table[matched].sum() / len(truth)),
        "right_number": float((table.sum(axis=0) >= PART * len(truth)).sum() == parts),
    }


def _ceiling(contexts: NDArray[np.float32], truth: NDArray[np.int32]) -> float:
    """ARI of what a classifier learns from the true words, on uses it has not seen."""
    folds = StratifiedKFold(
        min(FOLDS, int(np.unique(truth, return_counts=True)[1].min())), shuffle=True, random_state=0
    )
    classifier = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=200))
    return float(adjusted_rand_score(truth, cross_val_predict(classifier, contexts, truth, cv=folds)))


def _scores(recovered: list[Recovery]) -> dict[str, Score]:
    def with_control(name: str, some: list[Recovery] = recovered) -> Score:
        return mean_score(_array(getattr(r, name) for r in some), float(np.mean([r.random[name] for r in some])))

    scores = {name.replace("_", " "): with_control(name) for name in ("ari", "v_measure", "accuracy", "right_number")}
    clear = [r for r in recovered if r.ceiling > FOUND]
    if clear:
        scores["right number, ceiling above 0.5"] = with_control("right_number", clear)
    by_chance = float(np.mean([r.random["ari"] > FOUND for r in recovered]))
    scores["ari above 0.5"] = mean_score(_array(r.ari > FOUND for r in recovered), by_chance)
    scores["ceiling of ari"] = mean_score(_array(r.ceiling for r in recovered))
    return scores


def _array(values: Iterable[float]) -> NDArray[np.float64]:
    return np.array(list(values), np.float64)


def _examples(recovered: Iterable[Recovery]) -> tuple[str, ...]:
    """The best and the worst, for a reader."""
    ranked = sorted(recovered, key=lambda r: -r.ari)
    return (
        "best: " + ", ".join(f"{r.word} {r.ari:.2f}" for r in ranked[:5]),
        "worst: " + ", ".join(f"{r.word} {r.ari:.2f} (ceiling {r.ceiling:.2f})" for r in ranked[-5:]),
    )


def _contexts(model: SenseModel, tokens: NDArray[np.int32], sentences: Ints, positions: Ints) -> NDArray[np.float32]:
    """The context vectors by which the model chooses senses."""
    table = model._data.context_table
    width = table.shape[1]
    out = zero_padded_rows(len(positions), width)
    inside = np.searchsorted(sentences, positions, side="right") - 1
    starts, ends = np.asarray(sentences[inside]), np.asarray(sentences[inside + 1])
    gather_contexts(
        np.asarray(tokens),
        positions,
        starts,
        ends,
        model._data.sense_window,
        model._data.sense_decay,
        model._data.context_weights,
        padded_rows(table),
        out,
    )
    return out[:, :width]


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))
