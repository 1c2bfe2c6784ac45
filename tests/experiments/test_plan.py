"""The runs of the report, and the reuse of their models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import OutputExists
from polyseme.experiments.plan import (
    Profile,
    Run,
    dim_with_equal_parameters,
    load_or_train,
    make_plan,
    mean_senses_per_word,
)
from polyseme.training.config import TrainConfig
from tests.evaluation.toy import toy

PROFILE = Profile(dims=(50, 300), figure_dims=(50, 100), figure_senses=(1, 2, 3), figure_dim=50, epochs=2)


@pytest.fixture
def corpus(tmp_path: Path) -> EncodedCorpus:
    """Ten words: two with 200 tokens, eight with 10."""
    (tmp_path / "text.txt").write_text("a b\n" * 200 + "c d e f g h i j\n" * 10)
    return encode(find_sources(tmp_path / "text.txt"), WORDS, tmp_path / "corpus")


def test_the_control_has_as_many_parameters_as_mssg(corpus: EncodedCorpus) -> None:
    # 10 global vectors, and 3 senses of each of the 2 frequent words and 1 of the others: 10 + 14 vectors of 100
    # dimensions. Skip-gram has 10 + 10 vectors.
    config = TrainConfig(model="mssg", dim=100, senses=3, min_count=5)
    assert dim_with_equal_parameters(config, corpus) == 120


def test_each_run_has_its_own_label_and_the_settings_of_its_recipe(corpus: EncodedCorpus) -> None:
    plan = make_plan(PROFILE, corpus, seed=4, threads=2)
    runs = {run.label: run.config for run in plan.all_runs}
    assert len(runs) == len(plan.all_runs)
    assert {(config.seed, config.threads) for config in runs.values()} == {(4, 2)}
    default, paper = runs["MSSG 300d"], runs["MSSG 300d, paper's recipe"]
    assert (default.dim, default.epochs, default.optimizer) == (300, 2, "sgd")
    assert (paper.dim, paper.epochs, paper.optimizer) == (300, 1, "adagrad")
    assert runs["MSSG 300d, random senses"].model == "random-senses"
    assert runs["MSSG 300d, 30,000 words"].multi_sense_top == 30_000
    assert [runs[run.label].senses for run in plan.by_senses[1:]] == [2, 3]
    assert [runs[run.label].dim for run in plan.by_dim] == [50, 100]


def test_a_finished_model_is_loaded_unless_its_settings_or_corpus_differ(corpus: EncodedCorpus, tmp_path: Path) -> None:
    run = Run("Skip-gram 4d", {"model": "skip-gram", "dim": 4, "epochs": 1, "threads": 1})
    trained = load_or_train(run, corpus, tmp_path)
    loaded = load_or_train(run, corpus, tmp_path, listen=lambda event: pytest.fail(f"trained again: {event}"))
    np.testing.assert_array_equal(loaded.sense_vectors, trained.sense_vectors)
    with pytest.raises(OutputExists, match="was trained with another dim; choose another OUT"):
        load_or_train(Run(run.label, {**run.settings, "dim": 5}), corpus, tmp_path)
    other = corpus.with_tokens(np.array(corpus.tokens), corpus.words)
    other.description["fingerprint"] = "another"
    with pytest.raises(OutputExists, match="was trained with another corpus; choose another OUT"):
        load_or_train(run, other, tmp_path)


def test_the_mean_number_of_senses_is_that_of_words_that_may_have_several() -> None:
    sense = [1.0, 0.0]
    assert mean_senses_per_word(toy({"a": [(sense, 9)] * 3, "b": [(sense, 9)] * 2, "c": [(sense, 9)]})) == 2.5
    assert mean_senses_per_word(toy({"a": [(sense, 9)], "b": [(sense, 9)]})) == 1
