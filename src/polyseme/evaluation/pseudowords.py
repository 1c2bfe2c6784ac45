"""Pseudowords: an evaluation of sense discovery that needs no labels, in any language.

Two or three unrelated words of similar frequency, each with one meaning, are merged into one pseudoword in the corpus.
A model is trained on the merged corpus, and the senses that it assigns to the occurrences of a pseudoword are compared
with the original words. Two references show what could be reached:

    ceiling   ARI of logistic regression from context vectors to the original words, cross-validated
    controls  words that were not merged, and should stay unsplit: one sense has at least 90% of the occurrences. There
              are controls with a topic, selected like the merged words; function words, which are the 100 most
              frequent words of the corpus; and frequent words, ranks 101 to 300

A word counts as having one meaning if its contexts are similar to each other: of all candidates, the half with the
longest mean of unit context vectors is kept. Words are unrelated if their cosine is at most the median of all
candidates, and similar in frequency if their counts differ by a factor of two at most.
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

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.inputs import CorpusInput
from polyseme.corpus.occurrences import find_occurrences
from polyseme.errors import DataError
from polyseme.evaluation.ambiguity import MOST_FREQUENT, NEXT_FREQUENT
from polyseme.evaluation.cluster_metrics import adjusted_rand_index, contingency
from polyseme.evaluation.scores import CONTROL_RUNS, Evaluation, Score, mean_score
from polyseme.model.data import unit_rows
from polyseme.model.disambiguation import context_vectors
from polyseme.model.sense_assigner import ALL_TOKENS, SenseAssigner
from polyseme.model.sense_model import SenseModel
from polyseme.training.config import TrainConfig
from polyseme.training.events import Listener, silent
from polyseme.training.run import train
from polyseme.vocabulary import Vocabulary

PAIRS, TRIPLES, CONTROLS = 100, 50, 200
# The counts of candidates are between `low = max(MIN_COUNT, MIN_FREQUENCY * tokens)` and `MAX_RATIO * low`. A word that
# the settings leave out of the vocabulary is no candidate.
MIN_COUNT, MIN_FREQUENCY, MAX_RATIO = 100, 2e-5, 7.5
MIN_LETTERS = 4
MAX_OCCURRENCES = 800  # scored, of each word
MIN_SHARE = 0.1  # of a word's occurrences, for a sense to be counted
HIGH_ARI = 0.5
FOLDS = 5

Ints = NDArray[np.int64]
Labels = NDArray[np.int32]


@dataclass(frozen=True)
class Selection:
    """Word ids of an encoded corpus: groups of words to merge, and control words."""

    groups: list[tuple[int, ...]]
    controls: list[int]


@dataclass(frozen=True)
class Recovery:
    """Agreement of the senses of a pseudoword with its original words.

    num_words       number of original words
    accuracy        share of occurrences assigned to the sense that matches their word, in the best one-to-one matching
    correct_number  1 if the number of senses with MIN_SHARE of the occurrences is `num_words`, else 0
    random          the same measures for random senses
    """

    word: str
    num_words: int
    ari: float
    ceiling: float
    v_measure: float
    accuracy: float
    correct_number: float
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
    reader: str | None = None,
    field: str | None = None,
    listen: Listener = silent,
) -> Evaluation:
    """Evaluate training settings on a corpus with pseudowords.

    model   selects the words to merge, and provides the settings if there is no `config`
    path    a text or an encoded corpus
    config  the settings to evaluate; its seed is replaced by `seed`
    reader, field  the format of the text and the field of its rows: see `polyseme.train`
    """
    base = _known_settings(model) if config is None else config.to_dict()
    settings = TrainConfig(**{**base, "examples": 0, "seed": seed, "multi_sense_words": None, "phrases": False})
    with tempfile.TemporaryDirectory(prefix="polyseme-") as folder:
        given = CorpusInput(path, None, reader, field)
        corpus = given.open_encoded() or encode(given.sources(), model.tokenizer, Path(folder) / "corpus")
        kept = Vocabulary.from_counts(
            corpus.words, corpus.counts, min_count=settings.min_count, max_size=settings.max_vocabulary
        )
        selection = select_words(
            model, corpus, pairs=pairs, triples=triples, controls=controls, seed=seed,
            min_count=int(kept.counts[-1]) + (len(kept) == settings.max_vocabulary),
        )  # fmt: skip
        merged, names = merge_words(corpus, selection.groups)
        trained = train(merged, config=settings, tokenizer=model.tokenizer, listen=listen)
    control_words = [corpus.words[word] for word in selection.controls]
    # In a small corpus, words of these ranks can be merged, or too rare for the vocabulary.
    frequent_words = {
        name: [word for word in corpus.words[ranks] if word in trained.vocabulary]
        for name, ranks in (("function words", MOST_FREQUENT), ("frequent words", NEXT_FREQUENT))
    }
    assigned = _AssignedSenses(trained, merged, corpus, [*frequent_words.values(), [*names, *control_words]], seed)
    recoveries = [assigned.recovery(name, len(group)) for name, group in zip(names, selection.groups, strict=True)]
    table = {
        name: _scores([r for r in recoveries if r.num_words == num_words])
        for name, num_words in (("pairs", 2), ("triples", 3))
        if any(r.num_words == num_words for r in recoveries)
    }
    control_groups = {"unsplit": control_words} | {f"unsplit {name}": words for name, words in frequent_words.items()}
    table["controls"] = {name: assigned.unsplit_score(words) for name, words in control_groups.items() if words}
    ari, ceiling = (float(np.mean([getattr(r, name) for r in recoveries])) for name in ("ari", "ceiling"))
    facts = {"ARI / ceiling": ari / ceiling if ceiling else float("nan"), "seconds": trained.training["seconds"]}
    notes = _best_and_worst(recoveries)
    return Evaluation("pseudowords", len(recoveries), pairs + triples, table, notes, facts, "pseudowords")


def _known_settings(model: SenseModel) -> dict[str, Any]:
    """The settings of a model, without obsolete ones, and with the sense decay that it was trained with.

    DataError for imported vectors, which have no training settings.
    """
    if "epochs" not in model.config:
        raise DataError(
            "pseudowords evaluates training settings, and these vectors have none: polyseme did not train them. "
            "Give a model that was trained with: polyseme train"
        )
    known = {field.name for field in fields(TrainConfig)}
    settings = {name: value for name, value in model.config.items() if name in known}
    return {"sense_decay": float(model._data.sense_decay), **settings}


def select_words(
    model: SenseModel,
    corpus: EncodedCorpus,
    *,
    pairs: int,
    triples: int,
    controls: int,
    seed: int,
    min_count: int = MIN_COUNT,
) -> Selection:
    """Select at random the words to merge and the control words, among those with at least `min_count` tokens."""
    rng = np.random.default_rng(seed)
    words = _candidates(model, corpus, min_count)
    rng.shuffle(words)
    vectors = unit_rows(np.array([model.vector(corpus.words[w]) for w in words.tolist()]))
    cosines = vectors @ vectors.T
    related = cosines > np.median(cosines)
    counts = corpus.counts[words]
    free = np.ones(len(words), bool)
    groups: list[tuple[int, ...]] = []
    for size in [2] * pairs + [3] * triples:
        group = _take_group(size, free, related, counts)
        if len(group) == size:
            groups.append(tuple(words[group].tolist()))
    if not groups:
        raise DataError(
            "the corpus has too few words with one meaning and similar frequency for pseudowords; use a larger corpus."
        )
    return Selection(groups, words[free][:controls].tolist())


def _candidates(model: SenseModel, corpus: EncodedCorpus, min_count: int = MIN_COUNT) -> Ints:
    """Known words of medium frequency whose contexts are similar to each other."""
    low = max(MIN_COUNT, MIN_FREQUENCY * len(corpus.tokens), min_count)
    in_range = np.flatnonzero((corpus.counts >= low) & (corpus.counts <= MAX_RATIO * low))
    names = [corpus.words[w] for w in in_range.tolist()]
    usable = [len(name) >= MIN_LETTERS and name.isalpha() and name in model.vocabulary for name in names]
    words = in_range[usable]
    if len(words) < 4:
        raise DataError(
            f"the corpus has {len(words)} words with {low:.0f} to {MAX_RATIO * low:.0f} tokens that are in the "
            "vocabulary of the model; at least 4 are needed: use a larger corpus."
        )
    lengths = _mean_lengths(model, corpus, words)
    return words[np.argsort(-lengths, kind="stable")[: len(words) // 2]]


def _mean_lengths(model: SenseModel, corpus: EncodedCorpus, words: Ints) -> NDArray[np.float64]:
    """The length of the mean of each word's unit context vectors: 1 if all contexts have the same direction."""
    ids = np.array([model.vocabulary.index.get(word, -1) for word in corpus.words], np.int32)
    occurrences = find_occurrences(corpus.tokens, corpus.counts, words, max_occurrences=MIN_COUNT)
    contexts = unit_rows(context_vectors(model._data, ids[corpus.tokens], corpus.sentences, occurrences.positions))
    bounds = np.stack([occurrences.offsets[words], occurrences.offsets[words + 1]], axis=1).tolist()
    return np.array([np.linalg.norm(contexts[start:end].mean(axis=0)) for start, end in bounds])


def _take_group(size: int, free: NDArray[np.bool_], related: NDArray[np.bool_], counts: Ints) -> list[int]:
    """The first free words that are unrelated and similar in frequency; fewer than `size` if there are no more.

    free  IN/OUT  bool (n,)  the words of the group are removed
    """
    eligible = free.copy()
    group: list[int] = []
    while len(group) < size and eligible.any():
        word = int(eligible.argmax())
        group.append(word)
        free[word] = False
        eligible &= free & ~related[word] & (counts <= 2 * counts[word]) & (2 * counts >= counts[word])
    return group


def merge_words(corpus: EncodedCorpus, groups: list[tuple[int, ...]]) -> tuple[EncodedCorpus, list[str]]:
    """The corpus with the words of each group replaced by a pseudoword, and the pseudowords, as `apple~window`."""
    names = ["~".join(corpus.words[word] for word in group) for group in groups]
    words, target = list(corpus.words), np.arange(len(corpus.words), dtype=np.int32)
    for name, group in zip(names, groups, strict=True):
        words[group[0]] = name
        target[list(group)] = group[0]
    return corpus.with_tokens(target[corpus.tokens], words), names


class _AssignedSenses:
    """The senses that a model assigns to occurrences of words in the merged corpus.

    corpus  the original corpus: the same positions, with the original words
    lists   the words whose occurrences are scored. Each list is sampled on its own, so that the sample of one does not
            depend on the others; a word in several lists has the sample of the last one
    """

    def __init__(
        self, model: SenseModel, merged: EncodedCorpus, corpus: EncodedCorpus, lists: list[list[str]], seed: int
    ) -> None:
        self.data = model._data
        self.merged = merged
        self.corpus = corpus
        self.rng = np.random.default_rng(seed)
        self.word_ids = model.vocabulary.index  # the same ids as in the merged corpus: both are sorted by count
        self.positions: dict[str, Ints] = {}
        sample = np.zeros(len(model), np.uint64)
        for words in lists:
            ids = [self.word_ids[word] for word in words]
            occurrences = find_occurrences(
                merged.tokens, merged.counts, ids, max_occurrences=MAX_OCCURRENCES, seed=seed
            )
            self.positions |= {word: occurrences.of(word_id) for word, word_id in zip(words, ids, strict=True)}
            sample[ids] = ALL_TOKENS
        self.senses, _ = SenseAssigner(self.data).assign(np.array(merged.tokens), np.array(merged.sentences), sample)

    def recovery(self, word: str, num_words: int) -> Recovery:
        word_id = self.word_ids[word]
        positions = self.positions[word]
        labels_true, labels_pred = np.asarray(self.corpus.tokens[positions]), self.senses[positions]
        contexts = unit_rows(context_vectors(self.data, self.merged.tokens, self.merged.sentences, positions))
        rows, shares = np.array(self.data.rows(word_id)), self.data.shares(word_id)
        runs = [
            _agreement(labels_true, self.rng.choice(rows, len(labels_true), p=shares), num_words)
            for _ in range(CONTROL_RUNS)
        ]
        return Recovery(
            word=word,
            num_words=num_words,
            ceiling=_ceiling(contexts, labels_true),
            random={name: float(np.mean([run[name] for run in runs])) for name in runs[0]},
            **_agreement(labels_true, labels_pred, num_words),
        )

    def unsplit_score(self, words: list[str]) -> Score:
        """The share of words that are unsplit; the control samples senses by share."""
        unsplit, random_unsplit = np.array([self._is_unsplit(word) for word in words], np.float64).T
        return mean_score(unsplit, float(random_unsplit.mean()))

    def _is_unsplit(self, word: str) -> tuple[bool, bool]:
        """Whether one sense has all but MIN_SHARE of the occurrences; and the same for senses sampled by share."""
        labels_pred = self.senses[self.positions[word]]
        shares = self.data.shares(self.word_ids[word])
        random_labels = self.rng.choice(len(shares), len(labels_pred), p=shares)
        return _largest_share(labels_pred) >= 1 - MIN_SHARE, _largest_share(random_labels) >= 1 - MIN_SHARE


def _largest_share(labels: NDArray[np.integer[Any]]) -> float:
    return float(np.unique(labels, return_counts=True)[1].max() / len(labels))


def _agreement(labels_true: Labels, labels_pred: Labels, num_words: int) -> dict[str, float]:
    from sklearn.metrics import v_measure_score  # here and below: scikit-learn takes half a second to load

    table = contingency(labels_true, labels_pred)
    matching = linear_sum_assignment(-table)
    return {
        "ari": adjusted_rand_index(labels_true, labels_pred),
        "v_measure": float(v_measure_score(labels_true, labels_pred)),
        "accuracy": float(table[matching].sum() / len(labels_true)),
        "correct_number": float((table.sum(axis=0) >= MIN_SHARE * len(labels_true)).sum() == num_words),
    }


def _ceiling(contexts: NDArray[np.float32], labels_true: Labels) -> float:
    """The ARI of a classifier that is trained on the original words, on occurrences outside its training folds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    smallest_class = int(np.unique(labels_true, return_counts=True)[1].min())
    folds = StratifiedKFold(min(FOLDS, smallest_class), shuffle=True, random_state=0)
    classifier = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=200))
    return adjusted_rand_index(labels_true, cross_val_predict(classifier, contexts, labels_true, cv=folds))


def _scores(recoveries: list[Recovery]) -> dict[str, Score]:
    def mean(name: str, subset: list[Recovery] = recoveries) -> Score:
        return mean_score(_array(getattr(r, name) for r in subset), float(np.mean([r.random[name] for r in subset])))

    scores = {name: mean(name) for name in ("ari", "v_measure", "accuracy", "correct_number")}
    separable = [r for r in recoveries if r.ceiling > HIGH_ARI]
    if separable:
        scores[f"correct_number where ceiling > {HIGH_ARI}"] = mean("correct_number", separable)
    random_high = float(np.mean([r.random["ari"] > HIGH_ARI for r in recoveries]))
    scores[f"share with ari > {HIGH_ARI}"] = mean_score(_array(r.ari > HIGH_ARI for r in recoveries), random_high)
    scores["ceiling"] = mean_score(_array(r.ceiling for r in recoveries))
    return scores


def _array(values: Iterable[float]) -> NDArray[np.float64]:
    return np.array(list(values), np.float64)


def _best_and_worst(recoveries: Iterable[Recovery]) -> tuple[str, str]:
    """The pseudowords with the highest and the lowest ARI, as notes."""
    ranked = sorted(recoveries, key=lambda r: -r.ari)
    return (
        "best: " + ", ".join(f"{r.word} {r.ari:.2f}" for r in ranked[:5]),
        "worst: " + ", ".join(f"{r.word} {r.ari:.2f} (ceiling {r.ceiling:.2f})" for r in ranked[-5:]),
    )
