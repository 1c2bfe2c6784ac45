"""Counting token ids; sampling positions is tested with `polyseme.corpus.occurrences`."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.occurrences import count_tokens


def test_ids_are_counted_and_those_outside_the_vocabulary_are_not() -> None:
    counts = np.array([10, 0, 0], np.int64)
    tokens = np.array([0, 2, 2, -1, 3, 1, 2, 2**31 - 1, -(2**31)], np.int32)
    assert count_tokens(tokens, counts) == 4
    assert counts.tolist() == [11, 1, 3]
    assert count_tokens(tokens[:0], counts) == 0
