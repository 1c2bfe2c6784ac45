"""Initial senses from clusters of contexts, in a corpus with known senses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyseme import train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.planted import planted_senses
from polyseme.corpus.planted_words import AMBIGUOUS, TOPICS
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.training.config import make_config
from polyseme.training.sense_discovery import init_from_clusters
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
