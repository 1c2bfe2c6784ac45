"""TF-IDF baselines: weights computed by hand, clusters of known data, and scores on small data sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.planted_words import TOPICS
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import DataError
from polyseme.evaluation.cluster_metrics import adjusted_rand_index
from polyseme.evaluation.instances import Instance
from polyseme.experiments.tfidf import (
    TfidfModel,
    fit_prototypes,
    fit_tfidf,
    prune,
    spherical_k_means,
    tfidf_scws,
    tfidf_wordsim,
)
from polyseme.vocabulary import Vocabulary

THREE_LINES = "cat sat mat\ncat ate fish\ndog ate fish fish\n"
Encode = Callable[[str], EncodedCorpus]


@pytest.fixture
def encoded(tmp_path: Path) -> Encode:
    def make(text: str) -> EncodedCorpus:
        (tmp_path / "text.txt").write_text(text, encoding="utf-8")
        return encode(find_sources([tmp_path / "text.txt"]), WORDS, tmp_path / "text.corpus")

    return make


@pytest.fixture(scope="module")
def planted_corpus(planted_text: Path, tmp_path_factory: pytest.TempPathFactory) -> EncodedCorpus:
    return encode(find_sources([planted_text]), WORDS, tmp_path_factory.mktemp("tfidf") / "planted.corpus")


def vocabulary_of(corpus: EncodedCorpus, min_count: int = 1) -> Vocabulary:
    return Vocabulary.from_counts(corpus.words, corpus.counts, min_count=min_count, max_size=None)


def features(model: TfidfModel, word: str, pruned: bool = False) -> dict[str, float]:
    row = (model.pruned if pruned else model.vectors)[model.vocabulary.index[word]]
    return {model.vocabulary.words[i]: float(x) for i, x in zip(row.indices, row.data, strict=True)}


def approx_unit(weights: dict[str, float]) -> object:
    norm = sum(x * x for x in weights.values()) ** 0.5
    return pytest.approx({word: x / norm for word, x in weights.items()})


def test_tf_idf_of_three_lines_equals_the_weights_by_hand(encoded: Encode) -> None:
    corpus = encoded(THREE_LINES)
    model = fit_tfidf(corpus, vocabulary_of(corpus), ["ate", "fish"])
    in_two, in_one = np.log(3 / 2), np.log(3 / 1)  # idf of words in two and in one of three lines
    assert features(model, "ate") == approx_unit({"fish": (1 + np.log(3)) * in_two, "cat": in_two, "dog": in_one})
    # In the last line each fish is a context word of the other, and dog is one of both.
    twice, thrice = 1 + np.log(2), 1 + np.log(3)
    assert features(model, "fish") == approx_unit(
        {"fish": twice * in_two, "ate": thrice * in_two, "cat": in_two, "dog": twice * in_one}
    )


def test_a_window_skips_unknown_words_and_stays_within_the_line(encoded: Encode) -> None:
    corpus = encoded("cat rare fish dog\nfish cat\ndog\n")
    model = fit_tfidf(corpus, vocabulary_of(corpus, min_count=2), ["cat", "dog"], window=1)
    assert features(model, "cat").keys() == {"fish"}
    assert features(model, "dog").keys() == {"fish"}


def test_words_are_normalized_by_the_tokenizer(encoded: Encode) -> None:
    corpus = encoded(THREE_LINES)
    model = fit_tfidf(corpus, vocabulary_of(corpus), ["Fish", "unicorn", "two words"])
    assert list(model.vectors) == [model.vocabulary.index["fish"]]


def test_pruning_keeps_the_largest_weights_and_among_equals_more_frequent_words() -> None:
    rows = csr_matrix(np.array([[1.0, 5, 0, 3, 3], [0, 0, 2, 0, 0]]))
    assert prune(rows, 2).toarray().tolist() == [[0, 5, 0, 3, 0], [0, 0, 2, 0, 0]]
    assert prune(rows, 4).toarray().tolist() == rows.toarray().tolist()


def test_pruned_vectors_have_the_largest_weights_of_the_complete_vectors(planted_corpus: EncodedCorpus) -> None:
    model = fit_tfidf(planted_corpus, vocabulary_of(planted_corpus), ["bank"])
    complete, pruned = features(model, "bank"), features(model, "bank", pruned=True)
    assert len(pruned) == 200 < len(complete)
    assert min(complete[word] for word in pruned) >= max(x for word, x in complete.items() if word not in pruned)
    assert sum(x * x for x in pruned.values()) == pytest.approx(1)


@pytest.mark.parametrize("sparse", [False, True])
def test_k_means_finds_separate_clusters(sparse: bool) -> None:
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [50, 30, 20])
    rows = np.eye(6, dtype=np.float32)[truth] + 0.1 * random.random((100, 6), np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels, centers = spherical_k_means(csr_matrix(rows) if sparse else rows, 3, np.random.default_rng(1))
    assert adjusted_rand_index(truth, labels) == 1
    for k in range(3):
        mean = rows[labels == k].mean(axis=0)
        assert centers[k] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_k_means_makes_no_more_clusters_than_there_are_distinct_nonzero_rows() -> None:
    rows = np.array([[1, 0], [0, 0], [1, 0], [0, 1]], np.float32)
    labels, centers = spherical_k_means(rows, 3, np.random.default_rng(0))
    assert sorted(centers.tolist()) == [[0, 1], [1, 0]]
    assert labels[0] == labels[2] != labels[3]
    labels, centers = spherical_k_means(np.zeros((4, 2), np.float32), 3, np.random.default_rng(0))
    assert centers.tolist() == [[0, 0]]
    assert labels.tolist() == [0, 0, 0, 0]


def test_prototypes_are_the_weighted_counts_of_their_clusters() -> None:
    counts = csr_matrix(np.array([[2, 1, 0, 0], [1, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 3]], np.float32))
    prototypes = fit_prototypes(counts[[0, 1, 2, 3, 3]], np.array([1, 2, 1, 1], np.float32), np.random.default_rng(3))
    assert prototypes.shares.sum() == pytest.approx(1)
    assert (np.diff(prototypes.shares) <= 0).all()
    rows = prototypes.rows.toarray()
    third = (1 + np.log(2)) / np.hypot(1 + np.log(2), 1 + np.log(6))
    assert rows[np.flatnonzero(rows[:, 3])[0]] == pytest.approx([0, 0, third, (1 - third**2) ** 0.5])


def test_a_word_without_context_words_has_one_zero_prototype(encoded: Encode) -> None:
    corpus = encoded("cat\ncat\ndog fish\n")
    model = fit_tfidf(corpus, vocabulary_of(corpus), ["cat"])
    cat = model.vocabulary.index["cat"]
    assert model.prototypes[cat].rows.toarray().tolist() == [[0, 0, 0]]
    assert model.probabilities(cat, Instance("cat", "a dog", "")).tolist() == [1]


def test_probabilities_are_normalized_cosines_and_without_context_the_shares(planted_corpus: EncodedCorpus) -> None:
    model = fit_tfidf(planted_corpus, vocabulary_of(planted_corpus), ["bank"])
    bank, index = model.vocabulary.index["bank"], model.vocabulary.index
    probabilities = model.probabilities(bank, Instance("bank", "money loan", "money"))
    context = np.zeros(len(index))
    context[index["money"]] = (1 + np.log(2)) * model.idf[index["money"]]
    context[index["loan"]] = model.idf[index["loan"]]
    cosines = model.prototypes[bank].rows.toarray() @ context / np.linalg.norm(context)
    assert probabilities == pytest.approx(cosines / cosines.sum(), rel=1e-5)
    assert model.probabilities(bank, Instance("bank", "", "xyzzy")) == pytest.approx(model.shares(bank))


def scws_line(number: int, partner: str, context: str, rating: float) -> str:
    return f"{number}\tBank\tn\t{partner}\tn\t{context} <b> Bank </b>\t<b> {partner} </b>\t{rating}\n"


def test_contexts_distinguish_the_senses_of_planted_words(planted_corpus: EncodedCorpus, tmp_path: Path) -> None:
    topics = {topic: TOPICS[topic].split() for topic in ("finance", "river")}
    lines = [
        scws_line(0, partner, " ".join(topics[topic][5:10]), 10.0 if topic == partner_topic else 0.0)
        for topic in topics
        for partner_topic, partners in topics.items()
        for partner in partners[:5]
    ]
    (tmp_path / "scws.txt").write_text("".join(lines))
    table = tfidf_scws(planted_corpus, vocabulary_of(planted_corpus, 5), tmp_path / "scws.txt")
    assert table["TF-IDF"].keys() == {"global_sim"}
    assert table["Pruned TF-IDF"].keys() >= {"global_sim", "avg_sim", "avg_sim_c", "local_sim"}
    assert abs(table["Pruned TF-IDF"]["global_sim"].value) < 1e-6  # each pair occurs with both ratings
    for measure in ("avg_sim_c", "local_sim"):
        score = table["Pruned TF-IDF"][measure]
        assert score.control is not None
        assert score.value > 70 > 50 > score.control


def test_words_of_the_same_topic_are_similar(planted_corpus: EncodedCorpus, tmp_path: Path) -> None:
    finance, river = TOPICS["finance"].split(), TOPICS["river"].split()
    pairs = [(finance[i], finance[i + 1], 9) for i in range(5)] + [(finance[i], river[i], 1) for i in range(5)]
    (tmp_path / "pairs.txt").write_text("".join(f"{a}\t{b}\t{r}\n" for a, b, r in [*pairs, ("xyzzy", "bank", 5)]))
    table = tfidf_wordsim(planted_corpus, vocabulary_of(planted_corpus, 5), tmp_path / "pairs.txt")
    for row, measures in {"TF-IDF": {"global_sim"}, "Pruned TF-IDF": {"global_sim", "avg_sim"}}.items():
        assert table[row].keys() == measures
        for score in table[row].values():
            assert score.value > 80  # with two distinct ratings the maximum is 87


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "is empty"), ("bank\tmoney\n", "line 1: 2 columns"), ("xyzzy\tplugh\t3\n", "both words of 0 of 1 pairs")],
)
def test_invalid_data_sets_are_refused(text: str, problem: str, planted_corpus: EncodedCorpus, tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text(text)
    with pytest.raises(DataError, match=problem):
        tfidf_wordsim(planted_corpus, vocabulary_of(planted_corpus), tmp_path / "pairs.txt")
