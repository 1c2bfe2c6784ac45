"""Sparse baselines: weights worked out by hand, clusters and samples that must be so, and scores on toy sets."""

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
    SparseModel,
    learn_sparse,
    prototypes,
    prune,
    sparse_scws,
    sparse_wordsim,
    spherical_k_means,
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
    return encode(find_sources([planted_text]), WORDS, tmp_path_factory.mktemp("sparse") / "planted.corpus")


def whole(corpus: EncodedCorpus, min_count: int = 1) -> Vocabulary:
    return Vocabulary.from_counts(corpus.words, corpus.counts, min_count=min_count, max_size=None)


def features(model: SparseModel, word: str, pruned: bool = False) -> dict[str, float]:
    row = (model.pruned if pruned else model.vectors)[model.vocabulary.index[word]]
    return {model.vocabulary.words[i]: float(x) for i, x in zip(row.indices, row.data, strict=True)}


def unit(weights: dict[str, float]) -> object:
    length = sum(x * x for x in weights.values()) ** 0.5
    return pytest.approx({word: x / length for word, x in weights.items()})


def test_tf_idf_of_three_lines_by_hand(encoded: Encode) -> None:
    corpus = encoded(THREE_LINES)
    model = learn_sparse(corpus, whole(corpus), ["ate", "fish"])
    in_two, in_one = np.log(3 / 2), np.log(3 / 1)  # of three lines
    assert features(model, "ate") == unit({"fish": (1 + np.log(3)) * in_two, "cat": in_two, "dog": in_one})
    # Each fish of the last line has the other beside it; only those two see the dog.
    twice, thrice = 1 + np.log(2), 1 + np.log(3)
    assert features(model, "fish") == unit(
        {"fish": twice * in_two, "ate": thrice * in_two, "cat": in_two, "dog": twice * in_one}
    )


def test_a_window_counts_known_words_only_and_stays_within_the_line(encoded: Encode) -> None:
    corpus = encoded("cat rare fish dog\nfish cat\ndog\n")
    model = learn_sparse(corpus, whole(corpus, min_count=2), ["cat", "dog"], window=1)
    assert features(model, "cat").keys() == {"fish"}
    assert features(model, "dog").keys() == {"fish"}


def test_words_are_found_as_the_tokenizer_writes_them(encoded: Encode) -> None:
    corpus = encoded(THREE_LINES)
    model = learn_sparse(corpus, whole(corpus), ["Fish", "unicorn", "two words"])
    assert list(model.vectors) == [model.vocabulary.index["fish"]]


def test_pruning_keeps_the_strongest_and_of_equals_the_more_frequent() -> None:
    rows = csr_matrix(np.array([[1.0, 5, 0, 3, 3], [0, 0, 2, 0, 0]]))
    assert prune(rows, 2).toarray().tolist() == [[0, 5, 0, 3, 0], [0, 0, 2, 0, 0]]
    assert prune(rows, 4).toarray().tolist() == rows.toarray().tolist()


def test_pruned_vectors_are_the_strongest_part_of_the_whole(planted_corpus: EncodedCorpus) -> None:
    model = learn_sparse(planted_corpus, whole(planted_corpus), ["bank"])
    every, strongest = features(model, "bank"), features(model, "bank", pruned=True)
    assert len(strongest) == 200 < len(every)
    assert min(every[word] for word in strongest) >= max(x for word, x in every.items() if word not in strongest)
    assert sum(x * x for x in strongest.values()) == pytest.approx(1)


@pytest.mark.parametrize("sparse", [False, True])
def test_k_means_finds_directions_that_are_apart(sparse: bool) -> None:
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [50, 30, 20])
    rows = np.eye(6, dtype=np.float32)[truth] + 0.1 * random.random((100, 6), np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels, centers = spherical_k_means(csr_matrix(rows) if sparse else rows, 3, np.random.default_rng(1))
    assert adjusted_rand_index(truth, labels) == 1
    for k in range(3):
        mean = rows[labels == k].mean(axis=0)
        assert centers[k] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_k_means_makes_no_more_clusters_than_there_are_different_rows_that_point_somewhere() -> None:
    rows = np.array([[1, 0], [0, 0], [1, 0], [0, 1]], np.float32)
    labels, centers = spherical_k_means(rows, 3, np.random.default_rng(0))
    assert sorted(centers.tolist()) == [[0, 1], [1, 0]]
    assert labels[0] == labels[2] != labels[3]
    labels, centers = spherical_k_means(np.zeros((4, 2), np.float32), 3, np.random.default_rng(0))
    assert centers.tolist() == [[0, 0]]
    assert labels.tolist() == [0, 0, 0, 0]


def test_prototypes_are_the_vectors_of_their_clusters() -> None:
    counts = csr_matrix(np.array([[2, 1, 0, 0], [1, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 3]], np.float32))
    found = prototypes(counts[[0, 1, 2, 3, 3]], np.array([1, 2, 1, 1], np.float32), np.random.default_rng(3))
    assert found.shares.sum() == pytest.approx(1)
    assert (np.diff(found.shares) <= 0).all()
    four = (1 + np.log(2)) / np.hypot(1 + np.log(2), 1 + np.log(6))
    last = found.rows.toarray()[int(np.flatnonzero(found.rows.toarray()[:, 3])[0])]
    assert last == pytest.approx([0, 0, four, (1 - four**2) ** 0.5])


def test_a_word_that_always_stands_alone_has_one_prototype_of_nothing(encoded: Encode) -> None:
    corpus = encoded("cat\ncat\ndog fish\n")
    model = learn_sparse(corpus, whole(corpus), ["cat"])
    cat = model.vocabulary.index["cat"]
    assert model.prototypes[cat].rows.toarray().tolist() == [[0, 0, 0]]
    assert model.probabilities(cat, Instance("cat", "a dog", "")).tolist() == [1]


def test_probabilities_are_cosines_and_without_any_the_shares(planted_corpus: EncodedCorpus) -> None:
    model = learn_sparse(planted_corpus, whole(planted_corpus), ["bank"])
    bank, index = model.vocabulary.index["bank"], model.vocabulary.index
    found = model.probabilities(bank, Instance("bank", "money loan", "money"))
    context = np.zeros(len(index))
    context[index["money"]] = (1 + np.log(2)) * model.idf[index["money"]]
    context[index["loan"]] = model.idf[index["loan"]]
    cosines = model.prototypes[bank].rows.toarray() @ context / np.linalg.norm(context)
    assert found == pytest.approx(cosines / cosines.sum(), rel=1e-5)
    assert model.probabilities(bank, Instance("bank", "", "xyzzy")) == pytest.approx(model.shares(bank))


def scws_line(number: int, partner: str, context: str, rating: float) -> str:
    return f"{number}\tBank\tn\t{partner}\tn\t{context} <b> Bank </b>\t<b> {partner} </b>\t{rating}\n"


def test_contexts_tell_the_senses_of_a_toy_set_apart(planted_corpus: EncodedCorpus, tmp_path: Path) -> None:
    topics = {topic: TOPICS[topic].split() for topic in ("finance", "river")}
    lines = [
        scws_line(0, partner, " ".join(topics[topic][5:10]), 10.0 if topic == of else 0.0)
        for topic in topics
        for of, partners in topics.items()
        for partner in partners[:5]
    ]
    (tmp_path / "scws.txt").write_text("".join(lines))
    table = sparse_scws(planted_corpus, whole(planted_corpus, 5), tmp_path / "scws.txt")
    assert table["TF-IDF"].keys() == {"global_sim"}
    assert table["Pruned TF-IDF"].keys() >= {"global_sim", "avg_sim", "avg_sim_c", "local_sim"}
    assert abs(table["Pruned TF-IDF"]["global_sim"].value) < 1e-6  # each pair has both ratings
    for measure in ("avg_sim_c", "local_sim"):
        score = table["Pruned TF-IDF"][measure]
        assert score.control is not None
        assert score.value > 70 > 50 > score.control


def test_words_of_a_topic_are_alike(planted_corpus: EncodedCorpus, tmp_path: Path) -> None:
    finance, river = TOPICS["finance"].split(), TOPICS["river"].split()
    pairs = [(finance[i], finance[i + 1], 9) for i in range(5)] + [(finance[i], river[i], 1) for i in range(5)]
    (tmp_path / "pairs.txt").write_text("".join(f"{a}\t{b}\t{r}\n" for a, b, r in [*pairs, ("xyzzy", "bank", 5)]))
    table = sparse_wordsim(planted_corpus, whole(planted_corpus, 5), tmp_path / "pairs.txt")
    for row, measures in {"TF-IDF": {"global_sim"}, "Pruned TF-IDF": {"global_sim", "avg_sim"}}.items():
        assert table[row].keys() == measures
        for score in table[row].values():
            assert score.value > 80  # the most for two ratings is 87


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "is empty"), ("bank\tmoney\n", "line 1: 2 columns"), ("xyzzy\tplugh\t3\n", "both words of 0 of 1 pairs")],
)
def test_bad_sets_are_refused(text: str, problem: str, planted_corpus: EncodedCorpus, tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text(text)
    with pytest.raises(DataError, match=problem):
        sparse_wordsim(planted_corpus, whole(planted_corpus), tmp_path / "pairs.txt")
