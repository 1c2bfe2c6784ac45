"""Initial senses from clusters of contexts, in a corpus with known senses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyseme import train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.planted import planted_senses
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer


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
