"""Blocks of sentences: the units of work that threads share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MASK_64 = 2**64 - 1


def block_bounds(sentences: NDArray[np.int64], block_tokens: int) -> NDArray[np.int64]:
    """Divide sentences into blocks of about `block_tokens` tokens: number of the first sentence of each, and the end.

    sentences  IN  int64 (m + 1,)  start of each sentence in tokens, and the end of the last

    >>> block_bounds(np.array([0, 4, 6, 11, 12]), 5).tolist()
    [0, 2, 3, 4]
    """
    targets = np.arange(block_tokens, int(sentences[-1]), block_tokens)
    return np.unique(np.concatenate([[0], np.searchsorted(sentences, targets), [len(sentences) - 1]]))


def block_seed(seed: int, block: int) -> int:
    """A seed for the random numbers of a block, different for every block and every seed of a run."""
    return ((seed + 1) * 0xD1342543DE82EF95 + block * 0xDA942042E4DD58B5) & MASK_64
