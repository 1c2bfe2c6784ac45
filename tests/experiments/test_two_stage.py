"""Learning in two stages: the labelled corpus, the model made of it, and planted senses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from polyseme import SenseModel
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.planted import PlantedCorpus
from polyseme.corpus.planted_words import TOPICS
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import OutputExists
from polyseme.evaluation.planted_recovery import score_planted
from polyseme.experiments.tfidf import Surroundings, inverse_document_frequencies
from polyseme.experiments.two_stage import (
    REACH,
    STAGES,
    Clusters,
    assign_clusters,
    cluster_contexts,
    learn_two_stage,
    relabel,
)
from polyseme.training.config import TrainConfig

CONFIG = TrainConfig(dim=32, seed=1, threads=1)


@pytest.fixture(scope="module")
def corpus(planted_text: Path, tmp_path_factory: pytest.TempPathFactory) -> EncodedCorpus:
    return encode(find_sources([planted_text]), WORDS, tmp_path_factory.mktemp("two-stage") / "planted.corpus")


@pytest.fixture(scope="module")
def path(corpus: EncodedCorpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("two-stage") / "two-stage.model"
    learn_two_stage(corpus, out, config=CONFIG)
    return out


@pytest.fixture
def model(path: Path) -> SenseModel:
    return SenseModel.load(path)


def test_planted_senses_are_recovered(model: SenseModel, planted: PlantedCorpus) -> None:
    scores = sorted(score.ari for score in score_planted(model, planted) if score.planted > 1)
    assert np.mean(scores) > 0.8  # 0.87 to 0.93 with seeds 1 to 6
    assert scores[0] > 0.2  # 0.36 to 0.71 with these
    assert scores[1] > 0.5


def test_the_model_answers_questions(model: SenseModel) -> None:
    by_the_river = model.disambiguate("bank", "a boat on the river").best.key
    assert model.disambiguate("bank", "money and a loan").best.key != by_the_river
    near = [n.word for n in model.neighbours(by_the_river, 8)]
    assert sum(word in TOPICS["river"].split() for word in near) >= 5
    assert [s.number for s in model.senses("bank")] == [1, 2, 3]
    assert by_the_river in model.tag("a boat on the river bank")


def test_counts_are_those_of_the_labels_and_only_small_senses_are_left_out(model: SenseModel) -> None:
    offsets, counts = model._data.arrays.sense_offsets, model._data.arrays.sense_counts
    several = CONFIG.may_have_several_senses(model.vocabulary)
    assert several.any()
    assert not several.all()
    assert (np.diff(offsets)[~several] == 1).all()
    assert (counts >= CONFIG.min_count).all()
    lost = model.vocabulary.counts - np.add.reduceat(counts, offsets[:-1])
    gone = np.where(several, CONFIG.senses, 1) - np.diff(offsets)
    assert ((lost > 0) <= (gone > 0)).all()
    assert (lost <= gone * (CONFIG.min_count - 1)).all()
    for first, last in pairwise(offsets.tolist()):
        assert (np.diff(counts[first:last]) <= 0).all()


def test_centers_are_directions(model: SenseModel) -> None:
    assert model._data.arrays.cluster_centers is not None
    lengths = np.linalg.norm(model._data.arrays.cluster_centers, axis=1)
    alone = np.repeat(np.diff(model._data.arrays.sense_offsets) == 1, np.diff(model._data.arrays.sense_offsets))
    assert lengths[~alone] == pytest.approx(1, abs=1e-5)
    assert model._data.arrays.whitened_vectors is None


def test_the_seconds_are_those_of_all_stages(model: SenseModel) -> None:
    stages = model.training["stages"]
    assert tuple(stages) == STAGES
    assert all(seconds > 0 for seconds in stages.values())
    assert model.training["seconds"] == pytest.approx(sum(stages.values()))


def test_a_finished_model_is_not_learned_again(corpus: EncodedCorpus, path: Path) -> None:
    before = (path / "config.json").stat().st_mtime_ns

    def fail(event: object) -> None:
        raise AssertionError(event)

    again = learn_two_stage(corpus, path, config=CONFIG, listen=fail)
    assert again.config["model"] == "two-stage"
    assert (path / "config.json").stat().st_mtime_ns == before


def test_what_is_not_a_model_is_not_overwritten(corpus: EncodedCorpus, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(OutputExists, match="choose another name"):
        learn_two_stage(corpus, tmp_path, config=CONFIG)


def test_the_same_seed_gives_the_same_model(corpus: EncodedCorpus, tmp_path: Path) -> None:
    config = replace(CONFIG, dim=8, epochs=1)
    a, b = (learn_two_stage(corpus, tmp_path / name, config=config)._data.arrays.to_dict() for name in "ab")
    assert all(np.array_equal(a[name], b[name]) for name in a)


def test_a_rare_word_of_the_list_keeps_its_one_sense(corpus: EncodedCorpus, tmp_path: Path) -> None:
    rare = corpus.words[int(np.searchsorted(-corpus.counts, -CONFIG.min_count, side="right")) - 1]
    config = replace(CONFIG, dim=8, epochs=1, multi_sense_words=("bank", rare))
    model = learn_two_stage(corpus, tmp_path / "rare.model", config=config)
    assert len(model.senses(rare)) == 1
    assert len(model.senses("bank")) == 3


def test_tokens_get_the_cluster_nearest_to_the_contexts_that_were_clustered(
    corpus: EncodedCorpus, trained: Callable[[str], Path]
) -> None:
    words = SenseModel.load(trained("skip-gram"))
    idf = inverse_document_frequencies(corpus, len(words))
    clusters = cluster_contexts(corpus, words, idf, CONFIG)
    chosen = assign_clusters(corpus, words, idf, clusters, CONFIG)
    assert ((chosen < 0) == (corpus.tokens >= len(words))).all()
    bank = words.vocabulary.index["bank"]
    around = Surroundings.of(corpus, words.vocabulary, [bank])
    contexts = around.counts(around.uses.positions, REACH).toarray() @ (
        idf[:, None] * words._data.arrays.global_vectors
    )
    first, last = clusters.offsets[bank : bank + 2]
    cosines = contexts @ clusters.centers[first:last].T / np.linalg.norm(contexts, axis=1, keepdims=True)
    taken = cosines[np.arange(len(cosines)), chosen[around.uses.positions] - first]
    assert taken == pytest.approx(cosines.max(axis=1), abs=1e-5)
    assert last - first == 3


def test_a_labelled_corpus_has_the_same_tokens_and_sentences_under_new_names() -> None:
    # "the bank the bank" and "bank rare": rare is not known, and bank has three clusters, one of them of no token.
    corpus = EncodedCorpus(
        tokens=np.array([1, 0, 1, 0, 0, 2], np.int32),
        sentences=np.array([0, 4, 6]),
        byte_offsets=np.array([0, 18]),
        words=["bank", "the", "rare"],
        counts=np.array([3, 2, 1]),
        description={},
    )
    clusters = Clusters(np.array([0, 3, 4]), np.zeros((4, 2), np.float32))
    chosen = np.array([3, 0, 3, 2, 2, -1], np.int32)
    labelled = relabel(corpus, clusters, chosen)
    text = [labelled.corpus.words[token] for token in labelled.corpus.tokens]
    assert text == ["the", "bank#2", "the", "bank#1", "bank#1", "rare"]
    assert labelled.corpus.sentences is corpus.sentences
    assert labelled.corpus.counts.tolist() == [2, 2, 1, 1]
    assert np.bincount(labelled.corpus.tokens).tolist() == labelled.corpus.counts.tolist()
    assert labelled.counts.tolist() == [1, 0, 2, 2]
    assert [labelled.corpus.words[i] for i in labelled.ids[[0, 2, 3]]] == ["bank#2", "bank#1", "the"]
