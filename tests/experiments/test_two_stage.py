"""Two-stage training: the labelled corpus, the model, and recovery of planted senses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import SenseModel
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.planted import PlantedCorpus
from polyseme.corpus.planted_words import TOPICS
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import Interrupted, OutputExists
from polyseme.evaluation.planted_recovery import score_planted
from polyseme.experiments import two_stage
from polyseme.experiments.tfidf import ContextCounter, inverse_document_frequencies, spherical_k_means
from polyseme.experiments.two_stage import (
    STAGES,
    WINDOW,
    Clusters,
    assign_clusters,
    cluster_contexts,
    label_corpus,
    train_two_stage,
)
from polyseme.kernels.assign import assign_senses
from polyseme.training.config import TrainConfig
from polyseme.training.events import CorpusEncoded, Event

CONFIG = TrainConfig(dim=32, seed=1, threads=1)


@pytest.fixture(scope="module")
def corpus(planted_text: Path, tmp_path_factory: pytest.TempPathFactory) -> EncodedCorpus:
    return encode(find_sources([planted_text]), WORDS, tmp_path_factory.mktemp("two-stage") / "planted.corpus")


@pytest.fixture(scope="module")
def path(corpus: EncodedCorpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("two-stage") / "two-stage.model"
    train_two_stage(corpus, out, config=CONFIG)
    return out


@pytest.fixture
def model(path: Path) -> SenseModel:
    return SenseModel.load(path)


def test_planted_senses_are_recovered(model: SenseModel, planted: PlantedCorpus) -> None:
    scores = sorted(score.ari for score in score_planted(model, planted) if score.planted > 1)
    assert np.mean(scores) > 0.8  # 0.87 to 0.93 for seeds 1 to 6
    assert scores[0] > 0.2  # 0.36 to 0.71 for these seeds
    assert scores[1] > 0.5


def test_the_model_can_be_queried(model: SenseModel) -> None:
    river_sense = model.disambiguate("bank", "a boat on the river").best.key
    assert model.disambiguate("bank", "money and a loan").best.key != river_sense
    near = [n.word for n in model.neighbours(river_sense, 8)]
    assert sum(word in TOPICS["river"].split() for word in near) >= 5
    assert [s.number for s in model.senses("bank")] == [1, 2, 3]
    assert river_sense in model.tag("a boat on the river bank")


def test_sense_counts_are_label_counts_and_only_rare_senses_are_dropped(model: SenseModel) -> None:
    offsets, counts = model._data.arrays.sense_offsets, model._data.arrays.sense_counts
    multi_sense = CONFIG.may_have_several_senses(model.vocabulary)
    assert multi_sense.any()
    assert not multi_sense.all()
    assert (np.diff(offsets)[~multi_sense] == 1).all()
    assert (counts >= CONFIG.min_count).all()
    dropped_tokens = model.vocabulary.counts - np.add.reduceat(counts, offsets[:-1])
    dropped_senses = np.where(multi_sense, CONFIG.senses, 1) - np.diff(offsets)
    assert ((dropped_tokens > 0) <= (dropped_senses > 0)).all()
    assert (dropped_tokens <= dropped_senses * (CONFIG.min_count - 1)).all()
    for first, last in pairwise(offsets.tolist()):
        assert (np.diff(counts[first:last]) <= 0).all()


def test_the_centers_of_several_senses_have_norm_1(model: SenseModel) -> None:
    arrays = model._data.arrays
    assert arrays.cluster_centers is not None
    norms = np.linalg.norm(arrays.cluster_centers, axis=1)
    num_senses = np.diff(arrays.sense_offsets)
    assert norms[np.repeat(num_senses > 1, num_senses)] == pytest.approx(1, abs=1e-5)
    assert arrays.whitened_vectors is None


def test_seconds_are_the_sum_of_all_stages(model: SenseModel) -> None:
    stages = model.training["stages"]
    assert tuple(stages) == STAGES
    assert all(seconds > 0 for seconds in stages.values())
    assert model.training["seconds"] == pytest.approx(sum(stages.values()))


def test_a_finished_model_is_loaded_and_not_trained_again(corpus: EncodedCorpus, path: Path) -> None:
    before = (path / "config.json").stat().st_mtime_ns

    def fail(event: object) -> None:
        raise AssertionError(event)

    loaded = train_two_stage(corpus, path, config=CONFIG, listen=fail)
    assert loaded.config["model"] == "two-stage"
    assert (path / "config.json").stat().st_mtime_ns == before


def test_a_folder_that_is_not_a_model_is_not_overwritten(corpus: EncodedCorpus, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(OutputExists, match="choose another name"):
        train_two_stage(corpus, tmp_path, config=CONFIG)


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_stops_when_stop_returns_true(
    stage: str, corpus: EncodedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []  # stages, once for each corpus, word and block

    def spy(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            called.append(name)
            return function(*arguments)

        return call

    def listen(event: Event) -> None:
        if isinstance(event, CorpusEncoded):
            called.append("senses" if "words" in called else "words")

    monkeypatch.setattr(two_stage, "spherical_k_means", spy("clustering", spherical_k_means))
    monkeypatch.setattr(two_stage, "assign_senses", spy("labelling", assign_senses))
    monkeypatch.setattr(two_stage, "BLOCK_TOKENS", 1000)
    with pytest.raises(Interrupted):
        train_two_stage(corpus, tmp_path / "m", config=CONFIG, listen=listen, stop=lambda: stage in called)
    assert called.count(stage) == 1
    assert called[-1] == stage
    assert not (tmp_path / "m").exists()


def test_the_same_seed_gives_the_same_model(corpus: EncodedCorpus, tmp_path: Path) -> None:
    config = replace(CONFIG, dim=8, epochs=1)
    a, b = (train_two_stage(corpus, tmp_path / name, config=config)._data.arrays.to_dict() for name in "ab")
    assert all(np.array_equal(a[name], b[name]) for name in a)


def test_a_rare_word_in_multi_sense_words_keeps_one_sense(corpus: EncodedCorpus, tmp_path: Path) -> None:
    rare = corpus.words[int(np.searchsorted(-corpus.counts, -CONFIG.min_count, side="right")) - 1]
    config = replace(CONFIG, dim=8, epochs=1, multi_sense_words=("bank", rare))
    model = train_two_stage(corpus, tmp_path / "rare.model", config=config)
    assert len(model.senses(rare)) == 1
    assert len(model.senses("bank")) == 3


def test_each_token_is_assigned_the_nearest_cluster(corpus: EncodedCorpus, trained: Callable[[str], Path]) -> None:
    words = SenseModel.load(trained("skip-gram"))
    idf = inverse_document_frequencies(corpus, len(words))
    clusters = cluster_contexts(corpus, words, idf, CONFIG)
    token_clusters = assign_clusters(corpus, words, idf, clusters, CONFIG)
    assert ((token_clusters < 0) == (corpus.tokens >= len(words))).all()
    bank = words.vocabulary.index["bank"]
    counter = ContextCounter.of(corpus, words.vocabulary, [bank])
    positions = counter.occurrences.positions
    contexts = counter.counts(positions, WINDOW).toarray() @ (idf[:, None] * words.global_vectors)
    first, last = clusters.offsets[bank : bank + 2]
    cosines = contexts @ clusters.centers[first:last].T / np.linalg.norm(contexts, axis=1, keepdims=True)
    assigned = cosines[np.arange(len(cosines)), token_clusters[positions] - first]
    assert assigned == pytest.approx(cosines.max(axis=1), abs=1e-5)
    assert last - first == 3


def test_a_labelled_corpus_has_the_same_sentences_with_clusters_as_words() -> None:
    # "the bank the bank" and "bank rare": rare is unknown, and bank has three clusters, one of them without tokens.
    corpus = EncodedCorpus(
        tokens=np.array([1, 0, 1, 0, 0, 2], np.int32),
        sentences=np.array([0, 4, 6]),
        byte_offsets=np.array([0, 18]),
        words=["bank", "the", "rare"],
        counts=np.array([3, 2, 1]),
        description={},
    )
    clusters = Clusters(np.array([0, 3, 4]), np.zeros((4, 2), np.float32))
    token_clusters = np.array([3, 0, 3, 2, 2, -1], np.int32)
    labelled = label_corpus(corpus, clusters, token_clusters)
    text = [labelled.corpus.words[token] for token in labelled.corpus.tokens]
    assert text == ["the", "bank#2", "the", "bank#1", "bank#1", "rare"]
    assert labelled.corpus.sentences is corpus.sentences
    assert labelled.corpus.counts.tolist() == [2, 2, 1, 1]
    assert np.bincount(labelled.corpus.tokens).tolist() == labelled.corpus.counts.tolist()
    assert labelled.counts.tolist() == [1, 0, 2, 2]
    assert [labelled.corpus.words[i] for i in labelled.ids[[0, 2, 3]]] == ["bank#2", "bank#1", "the"]
