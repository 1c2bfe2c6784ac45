"""Blocks of sentences and their seeds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus.blocks import block_bounds, block_seed


@given(st.lists(st.integers(1, 60), min_size=1, max_size=60), st.integers(1, 100))
def test_blocks_cover_every_sentence_once_and_in_order(lengths: list[int], block_tokens: int) -> None:
    sentences = np.cumsum([0, *lengths])
    bounds = block_bounds(sentences, block_tokens)
    assert bounds[0] == 0
    assert bounds[-1] == len(lengths)
    assert (np.diff(bounds) > 0).all()
    assert np.diff(sentences[bounds]).max() <= block_tokens + max(lengths)


def test_no_sentences_give_no_blocks() -> None:
    assert block_bounds(np.array([0]), 10).tolist() == [0]


def test_seeds_of_blocks_stay_the_same_in_all_versions() -> None:
    assert block_seed(0, 0) == 0xD1342543DE82EF95
    assert block_seed(3, 2) == (4 * 0xD1342543DE82EF95 + 2 * 0xDA942042E4DD58B5) % 2**64


def test_every_block_of_every_run_has_its_own_seed() -> None:
    assert len({block_seed(seed, block) for seed in range(50) for block in range(200)}) == 10_000
