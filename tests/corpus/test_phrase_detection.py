"""The phrases that are found, compared with a slow search in lists of words."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus import phrase_detection
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.phrase_detection import find_phrases
from polyseme.corpus.phrases import PhraseSettings
from polyseme.errors import Interrupted

Words = tuple[str, ...]


def make_corpus(sentences: list[list[str]]) -> EncodedCorpus:
    """A corpus in memory."""
    counts = Counter(word for sentence in sentences for word in sentence)
    words = [word for word, _ in counts.most_common()]
    ids = {word: i for i, word in enumerate(words)}
    tokens = np.array([ids[word] for sentence in sentences for word in sentence], np.int32)
    bounds = np.cumsum([0, *map(len, sentences)])
    return EncodedCorpus(tokens, bounds, bounds[:-1], words, np.array([counts[word] for word in words]), {})


def slow_units(sentence: list[str], phrases: set[Words]) -> list[Words]:
    units: list[Words] = []
    while sentence:
        length = max((len(p) for p in phrases if tuple(sentence[: len(p)]) == p), default=1)
        units.append(tuple(sentence[:length]))
        sentence = sentence[length:]
    return units


def slow_phrases(sentences: list[list[str]], settings: PhraseSettings, max_frequency: float) -> set[Words]:
    phrases: set[Words] = set()
    new: set[Words] = set()
    for number in range(settings.passes):
        units = [slow_units(sentence, phrases) for sentence in sentences]
        counts = Counter(unit for sentence in units for unit in sentence)
        total = sum(counts.values())
        pairs = Counter(pair for sentence in units for pair in pairwise(sentence))
        found = set()
        for (a, b), count in pairs.items():
            usable = all(settings.min_count <= counts[unit] <= max_frequency * total for unit in (a, b))
            if usable and count >= settings.min_count and (number == 0 or a in new or b in new):
                npmi = math.log(count * total / (counts[a] * counts[b])) / -math.log(count / total)
                if npmi >= settings.threshold - 1e-9:
                    found.add(a + b)
        new = found - phrases
        phrases |= new
    counts = Counter(unit for sentence in sentences for unit in slow_units(sentence, phrases))
    return {phrase for phrase in phrases if counts[phrase] >= settings.min_count}


@given(
    st.lists(st.lists(st.sampled_from("aabbccdefgh"), min_size=1, max_size=9), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.2, 0.4, 0.7, 1.0]),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_phrases_are_those_of_a_slow_search(
    sentences: list[list[str]], threshold: float, min_count: int, passes: int
) -> None:
    settings = PhraseSettings(threshold, min_count, passes)
    with (
        mock.patch.object(phrase_detection, "MAX_FREQUENCY", 0.2),
        mock.patch.object(phrase_detection, "CHUNK_TOKENS", 20),
    ):
        found = find_phrases(make_corpus(sentences), settings)
    assert set(found.words) == slow_phrases(sentences, settings, 0.2)
    assert found.settings == settings


def filler(n: int) -> list[list[str]]:
    """Sentences of words that occur 20 times each, never twice after the same word."""
    words = [f"w{i}" for i in range(n)]
    return [[words[(i + step * j) % n] for j in range(20)] for i, step in enumerate(range(1, n + 1))]


def test_words_that_occur_only_together_have_an_npmi_of_1() -> None:
    sentences = [*filler(400), *[["vice", "versa", f"w{i}"] for i in range(10)]]
    assert find_phrases(make_corpus(sentences), PhraseSettings(1.0, 10, 2)).words == [("vice", "versa")]
    assert find_phrases(make_corpus(sentences), PhraseSettings(1.0, 11, 2)).words == []


def test_longer_phrases_need_a_second_pass_and_replace_their_rare_parts() -> None:
    times = [["new", "york", "times", f"w{i}"] for i in range(12)]
    york = [[f"w{i}", "new", "york", f"w{i + 9}"] for i in range(12)]
    corpus = make_corpus([*filler(1000), *times, *york])
    assert find_phrases(corpus, PhraseSettings(0.5, 10, 1)).words == [("new", "york")]
    assert set(find_phrases(corpus, PhraseSettings(0.5, 10, 2)).words) == {("new", "york"), ("new", "york", "times")}


def test_frequent_words_are_part_of_no_phrase() -> None:
    pairs = [["such", "as", f"w{i}"] for i in range(41)]
    assert find_phrases(make_corpus([*filler(1000), *pairs[:40]]), PhraseSettings(0.5, 10, 2)).names == ["such_as"]
    with mock.patch.object(phrase_detection, "MAX_FREQUENCY", 0.0015):
        assert find_phrases(make_corpus([*filler(1000), *pairs]), PhraseSettings(0.5, 10, 2)).names == []


def test_the_search_can_be_stopped() -> None:
    def stop() -> None:
        raise Interrupted("stopped.")

    with pytest.raises(Interrupted):
        find_phrases(make_corpus(filler(50)), PhraseSettings(0.5, 10, 2), stop)
