"""Dividing a corpus into shards."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.occurrences import burstiness, find_gaps
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.training.cluster.shards import (
    MIN_BYTES,
    ShardedText,
    ShardedTokens,
    can_be_sharded,
    part_bytes,
    text_shards,
)
from polyseme.training.cluster.worker import Worker


@pytest.fixture
def text(planted_text: Path, tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(planted_text.read_text() + "Ärger über Öl\r\nlast line without an end")
    return path


def encoded_shards(text: Path, folder: Path) -> ShardedText:
    shards = text_shards(find_sources([text]))
    worker = Worker(0, str(folder), "no-mark")
    worker.folder = folder
    summaries = {i: worker.encode(i, shard, "words") for i, shard in enumerate(shards)}
    return ShardedText.merge(shards, {i: summary for i, summary in summaries.items() if summary is not None}, "words")


def test_a_plain_text_is_divided_at_line_ends(text: Path) -> None:
    parts = [part for shard in text_shards(find_sources([text])) for part in shard]
    assert len(parts) > 5
    assert parts[0].start == 0
    assert parts[-1].end == text.stat().st_size
    assert all(a.end == b.start for a, b in pairwise(parts))
    data = text.read_bytes()
    assert all(data[part.start - 1] == ord("\n") for part in parts[1:])
    assert all(part_bytes(part) < 2 * MIN_BYTES for part in parts)


def test_a_text_without_line_ends_is_divided_at_spaces(tmp_path: Path) -> None:
    (tmp_path / "line.txt").write_text("one two three " * 20_000)
    shards = text_shards(find_sources([tmp_path / "line.txt"]))
    data = (tmp_path / "line.txt").read_bytes()
    assert len(shards) > 2
    assert all(data[part.start - 1] == ord(" ") for shard in shards[1:] for part in shard)


def test_other_files_stay_whole_and_small_files_are_put_together(text: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    with gzip.open(folder / "a.txt.gz", "wb") as file:
        file.write(text.read_bytes())
    for name in "bcdef":
        (folder / f"{name}.txt").write_text("a small file\n" * 100)
    shards = text_shards(find_sources([folder]))
    assert [Path(source.path).name for shard in shards for source in shard] == sorted(
        path.name for path in folder.iterdir()
    )
    assert len(shards) <= 3
    assert all(source.end is None for shard in shards for source in shard)


def test_shards_have_the_words_and_counts_of_the_whole_text(text: Path, tmp_path: Path) -> None:
    whole = encode(find_sources([text]), WORDS, tmp_path / "whole")
    sharded = encoded_shards(text, tmp_path / "shards")
    assert dict(zip(sharded.words, sharded.counts, strict=True)) == dict(zip(whole.words, whole.counts, strict=True))
    assert (sharded.num_tokens, sharded.num_sentences) == (whole.num_tokens, whole.num_sentences)
    assert np.all(np.diff(sharded.counts) <= 0)
    assert sharded.fingerprint == whole.counts_fingerprint
    assert sharded.sources == whole.sources


def test_the_fingerprint_tells_texts_apart(text: Path, tmp_path: Path) -> None:
    first = encoded_shards(text, tmp_path / "a").fingerprint
    text.write_text(text.read_text() + "more")
    assert encoded_shards(text, tmp_path / "b").fingerprint != first


def test_shards_of_an_encoded_corpus_have_all_its_sentences(text: Path, tmp_path: Path) -> None:
    whole = encode(find_sources([text]), WORDS, tmp_path / "whole")
    sharded = ShardedTokens.divide(whole)
    calls = [sharded.opening(shard) for shard in range(len(sharded.blocks))]
    assert {method for method, _ in calls} == {"open_tokens"}
    assert np.array_equal(np.concatenate([tokens for _, (_, tokens, _) in calls]), whole.tokens)
    lengths = np.concatenate([np.diff(sentences) for _, (_, _, sentences) in calls])
    assert np.array_equal(lengths, np.diff(whole.sentences))


def test_standard_input_and_iterables_are_not_sharded(text: Path) -> None:
    assert can_be_sharded(find_sources([text]))
    assert not can_be_sharded(find_sources(["-"]))


def test_the_burstiness_of_shards_is_that_of_the_whole_text(text: Path, tmp_path: Path) -> None:
    corpus: EncodedCorpus = encode(find_sources([text]), WORDS, tmp_path / "whole")
    tokens, num_words = np.asarray(corpus.tokens), len(corpus.words)
    bounds = [0, 1, 500, 501, 30_000, len(tokens)]
    joined, by_word = find_gaps(tokens[:0], num_words), find_gaps(tokens[:0], num_words)
    for first, last in pairwise(bounds):
        gaps, words = find_gaps(tokens[first:last], num_words), np.unique(tokens[first:last])
        joined = joined.followed_by(gaps, first)
        by_word.append(words, gaps.of(words), first)
    for ours, expected in zip(by_word.arrays, joined.arrays, strict=True):
        assert np.array_equal(ours, expected)
    for ours, expected in zip(joined.burstiness, burstiness(tokens, num_words), strict=True):
        np.testing.assert_allclose(ours, expected, atol=1e-9)
    at = {word: np.flatnonzero(tokens == word) for word in (0, num_words // 2, num_words - 1)}
    whole = find_gaps(tokens, num_words)
    assert [(whole.first_positions[w], whole.last_positions[w]) for w in at] == [(p[0], p[-1]) for p in at.values()]
    assert whole.first_log_gaps[0] == np.log(at[0][1] - at[0][0])
