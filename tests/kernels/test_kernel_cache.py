"""Loading compiled kernels from the cache."""

from __future__ import annotations

import subprocess
import sys

TRAIN = """
import sys
import polyseme
from polyseme.kernels.train.block import train_block
polyseme.train(texts=["by the river bank", "at the bank"] * 50, dim=16, threads=1, examples=1)
print(sum(train_block.stats.cache_hits.values()), "numba.np.arraymath" in sys.modules, "scipy.linalg" in sys.modules)
"""


def test_training_with_kernels_in_the_cache_does_not_import_what_only_the_compiler_needs() -> None:
    """Also guards the kernels: one that calls np.argmin or np.sum imports these modules."""
    for _ in range(2):  # the first run may compile kernels
        done = subprocess.run([sys.executable, "-c", TRAIN], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False", "False"]
