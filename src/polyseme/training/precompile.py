"""Compiling kernels ahead of time, in a second process, during the first training run on a machine.

The process calls the kernels that a run needs last (clustering, example sentences) on a tiny corpus, which leaves them
in Numba's cache. This saves 5 of 16 seconds in the first training on a small text. If it fails, the kernels are
compiled when they are first called, like all others.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np

from polyseme._io.thread_pool import available_cores
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.tokenizers import WHITESPACE
from polyseme.examples.selection import best_occurrences
from polyseme.kernels.jit import cache_folder
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import SenseAssigner
from polyseme.training.config import TrainConfig
from polyseme.training.sense_discovery import init_from_clusters
from polyseme.training.state import TrainState, uses_cluster_centers
from polyseme.vocabulary import Vocabulary

LAST_KERNEL = "assign.assign_senses-*.nbi"  # the file in Numba's cache of the kernel that is called last
NUM_WORDS, OCCURRENCES = 5, 200  # of the tiny corpus; enough for clusters


@contextmanager
def precompiling(config: TrainConfig) -> Iterator[None]:
    """Compile the last kernels in a second process, if they are not in the cache, until the block ends."""
    process = None
    if _is_useful():
        with suppress(OSError):
            process = subprocess.Popen(
                # -P: do not import modules from the current folder
                [sys.executable, "-P", "-m", __name__, json.dumps(config.to_dict())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
    try:
        yield
    finally:
        if process is not None:
            process.kill()
            process.wait()


def _is_useful() -> bool:
    """Whether the kernels are not compiled yet, a core is free, and this interpreter can be started again."""
    return (
        available_cores() > 1
        and bool(sys.executable)
        and not hasattr(sys, "frozen")
        and next(cache_folder().rglob(LAST_KERNEL), None) is None
    )


def compile_last_kernels(config: TrainConfig) -> None:
    """Call the kernels that cluster contexts and select example sentences, on a tiny corpus."""
    corpus = _tiny_corpus()
    tiny = replace(config, dim=8, multi_sense_top=NUM_WORDS, multi_sense_min_count=1, multi_sense_words=None, threads=1)
    state = TrainState.initial(tiny, Vocabulary(corpus.words, corpus.counts), threads=1)
    state.split_senses()
    if uses_cluster_centers(tiny):
        init_from_clusters(state, corpus)
    data = ModelData(
        vocabulary=state.vocabulary,
        arrays=state.to_model_arrays(),
        tokenizer=WHITESPACE,
        config=state.config.to_dict(),
        corpus={},
        training={},
    )
    num_rows = len(data.arrays.sense_vectors)
    best_occurrences(SenseAssigner(data), corpus, corpus.counts, num_rows, 1, config.seed, 1, lambda: None)


def _tiny_corpus() -> EncodedCorpus:
    """A corpus in memory. Its arrays are read-only like those of a corpus on disk, for which kernels are compiled."""
    tokens = np.arange(NUM_WORDS * OCCURRENCES, dtype=np.int32) % NUM_WORDS
    sentences = np.array([0, len(tokens)])
    tokens.flags.writeable = sentences.flags.writeable = False
    words = [str(word) for word in range(NUM_WORDS)]
    return EncodedCorpus(tokens, sentences, sentences[:1], words, np.full(NUM_WORDS, OCCURRENCES), description={})


if __name__ == "__main__":
    compile_last_kernels(TrainConfig.from_dict(json.loads(sys.argv[1])))
