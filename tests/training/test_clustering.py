"""The start of senses: clusters of contexts of a corpus whose senses are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyseme import train
from polyseme.corpus.encoded import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.planted import planted_senses
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import find_tokenizer
from polyseme.training.clustering import USES, sample_positions
from polyseme.vocabulary import cut


@pytest.fixture
def corpus(planted_text: Path, tmp_path: Path) -> EncodedCorpus:
    return encode(find_sources([planted_text]), find_tokenizer("words"), tmp_path / "corpus", lambda _: None)


def test_positions_are_those_of_the_words_and_no_more_than_are_needed(corpus: EncodedCorpus) -> None:
    vocabulary = cut(corpus.words, corpus.counts, min_count=5, max_size=None)
    words = np.array([0, 3, len(vocabulary) - 1])
    positions, offsets = sample_positions(corpus, vocabulary, words, seed=1)
    assert len(positions) == np.minimum(vocabulary.counts[words], USES).sum()
    for word in words:
        found = positions[offsets[word] : offsets[word + 1]]
        assert len(set(found.tolist())) == len(found)
        assert (corpus.tokens[found] == word).all()


def test_np_mssg_finds_more_senses_where_more_were_planted(corpus: EncodedCorpus) -> None:
    model = train(corpus, model="np-mssg", dim=32, seed=1, threads=1, examples=0)
    found = {
        planted: [len(model.senses(word)) for word, topics in planted_senses().items() if len(topics) == planted]
        for planted in (1, 2, 3)
    }
    assert np.mean(found[1]) < 1.5
    assert 1.5 < np.mean(found[2]) < 2.6
    assert np.mean(found[3]) > np.mean(found[2])


def test_mssg_gives_every_word_the_senses_asked_for(corpus: EncodedCorpus) -> None:
    model = train(corpus, model="mssg", senses=4, dim=16, seed=1, threads=1, epochs=2, examples=0)
    assert (np.diff(model.arrays.sense_offsets)[model.may_have_several] == 4).all()
    assert (model.arrays.sense_counts > 0).mean() > 0.99
