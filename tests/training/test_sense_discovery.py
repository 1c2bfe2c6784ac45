"""Initial senses from clusters of contexts, in a corpus with known senses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyseme import train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.occurrences import Burstiness
from polyseme.corpus.planted import plant, planted_senses
from polyseme.corpus.planted_words import AMBIGUOUS, COMMON, TOPICS
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.training.config import make_config
from polyseme.training.sense_discovery import init_from_clusters, specific_words, specificity_threshold
from polyseme.training.state import TrainState
from polyseme.vocabulary import Vocabulary


@pytest.fixture
def corpus(planted_text: Path, tmp_path: Path) -> EncodedCorpus:
    return encode(find_sources([planted_text]), get_tokenizer("words"), tmp_path / "corpus", lambda _: None)


def test_np_mssg_finds_more_senses_where_more_were_planted(corpus: EncodedCorpus) -> None:
    model = train(corpus, model="np-mssg", dim=32, seed=1, threads=1, examples=0)
    num_senses = {
        planted: [len(model.senses(word)) for word, topics in planted_senses().items() if len(topics) == planted]
        for planted in (1, 2, 3)
    }
    assert np.mean(num_senses[1]) < 1.5
    assert 1.5 < np.mean(num_senses[2]) < 2.6
    assert np.mean(num_senses[3]) > np.mean(num_senses[2])


def test_mssg_gives_each_word_the_requested_number_of_senses(corpus: EncodedCorpus) -> None:
    model = train(corpus, model="mssg", senses=4, dim=16, seed=1, threads=1, epochs=2, examples=0)
    assert (np.diff(model._data.arrays.sense_offsets)[model._data.multi_sense_mask] == 4).all()
    assert (model._data.arrays.sense_counts > 0).mean() > 0.99


def test_a_score_that_does_not_set_the_most_frequent_words_apart_gives_no_threshold() -> None:
    reference = np.linspace(0, 1, 100)
    assert specificity_threshold(reference, np.full(50, 2.0), np.inf) == pytest.approx(0.95)
    assert specificity_threshold(reference, np.full(50, 2.0), 0.5) == 0.5
    assert specificity_threshold(reference, np.full(50, 0.8), np.inf) is None
    assert specificity_threshold(reference, np.full(50, 0.8), 0.5) == 0.5
    assert specificity_threshold(reference, np.empty(0), np.inf) is None


def test_a_word_needs_bursts_overall_and_locally() -> None:
    overall, local = np.full(500, 2.0), np.full(500, 0.1)
    overall[:10], local[:10], local[200:400] = 0.4, 0.2, 0.9  # 10 to 199 overall only, 200 to 399 both
    words = np.arange(500)
    specific = specific_words(Burstiness(overall, local), words, np.arange(10))
    assert specific is not None
    assert specific.tolist() == list(range(200, 400))
    local[200:400] = 0.15
    assert specific_words(Burstiness(overall, local), words, np.arange(10)) is None  # hardly any word has local bursts
    assert specific_words(Burstiness(np.full(500, 0.1), np.full(500, 0.9)), words, np.arange(10)) is None


def test_words_of_general_use_that_come_in_bursts_are_not_split() -> None:
    scores = Burstiness(np.full(20_000, 2.0), np.full(20_000, 1.0))
    scores.overall[:90] = scores.local[:90] = 0.1
    specific = specific_words(scores, np.arange(20_000), np.arange(100))
    assert specific is not None
    assert specific.min() == 100  # not 90
    assert (
        specific_words(Burstiness(np.full(20_000, 2.0), np.full(20_000, 1.0)), np.arange(500), np.arange(100))
        is not None
    )


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Articles of 20 sentences about a planted topic: planted words come in bursts, common words are everywhere."""
    corpus = plant(sentences=12_000, difficulty=0.2, seed=3)
    topics: dict[str, list[str]] = {}
    for occurrence in corpus.occurrences:
        topics.setdefault(occurrence.topic, []).append(" ".join(corpus.sentences[occurrence.sentence]))
    chunks = [lines[i : i + 20] for lines in topics.values() for i in range(0, len(lines), 20)]
    order = np.random.default_rng(0).permutation(len(chunks))
    path = tmp_path_factory.mktemp("articles") / "text.txt"
    path.write_text("".join("\n".join(chunks[i]) + "\n" for i in order.tolist()), encoding="utf-8")
    return path


def test_words_of_general_use_are_not_split_and_ambiguous_words_are(articles: Path) -> None:
    model = train(articles, model="np-mssg", dim=32, seed=1, threads=1, examples=0, epochs=5)
    frequent = [word for word in COMMON.split()[:60] if word in model]
    ambiguous = [word for word, topics in planted_senses().items() if len(topics) > 1]
    assert sum(len(model.senses(word)) > 1 for word in frequent) <= 1
    assert np.mean([len(model.senses(word)) > 1 for word in ambiguous]) > 0.5  # some are among the frequent words


def test_stop_words_can_be_removed_from_the_text(articles: Path, tmp_path: Path) -> None:
    stop_words = set(COMMON.split())
    text = tmp_path / "text.txt"
    lines = articles.read_text(encoding="utf-8").splitlines()
    text.write_text("\n".join(" ".join(w for w in line.split() if w not in stop_words) for line in lines))
    model = train(text, model="np-mssg", dim=32, seed=1, threads=1, examples=0, epochs=5)
    ambiguous = [word for word, topics in planted_senses().items() if len(topics) > 1]
    assert np.mean([len(model.senses(word)) > 1 for word in ambiguous]) > 0.5


def test_a_list_of_words_is_not_gated(articles: Path) -> None:
    config = make_config(
        model="np-mssg", dim=16, threads=1, examples=0, epochs=2, min_separation=0.0, multi_sense_words=("the", "bank")
    )
    model = train(articles, config=config)
    assert len(model.senses("the")) > 1


def test_senses_start_at_the_clusters_of_their_words_contexts(corpus: EncodedCorpus) -> None:
    """Context vectors of words of one topic are that topic's axis, so that the clusters are the topics of a word."""
    vocabulary = Vocabulary.from_counts(corpus.words, corpus.counts, min_count=5, max_size=None)
    state = TrainState.initial(make_config(senses=2, dim=32, threads=1), vocabulary, threads=1)
    state.split_senses()
    topics = {word: i for i, words in enumerate(TOPICS.values()) for word in words.split()}
    state.tables.context_table[:] = 0
    for word, topic in topics.items():
        if word in vocabulary:
            state.tables.context_table[vocabulary.index[word], topic] = 1
    init_from_clusters(state, corpus)
    for word, (first, second) in ((w, t[:2]) for w, t in AMBIGUOUS.items() if len(t) == 2):
        row = int(state.parameters.sense_offsets[vocabulary.index[word]])
        axes = state.parameters.cluster_centers[row : row + 2].argmax(axis=1)
        assert sorted(axes.tolist()) == sorted(list(TOPICS).index(topic) for topic in (first, second)), word
        counts = state.parameters.sense_counts[row : row + 2]
        larger = list(TOPICS)[axes[counts.argmax()]]
        assert counts.sum() == 100, word  # contexts sampled per word
        assert larger == first, word
