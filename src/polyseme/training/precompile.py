"""Compiling ahead: the kernels that the first training of all needs last, in a process beside it.

It calls them with next to nothing to do, and leaves them in the cache. Should that fail, they are compiled when they
are needed, as all kernels are.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.tokenizers import WHITESPACE
from polyseme.examples.selection import best_positions
from polyseme.kernels.jit import cache_folder
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import SenseAssigner
from polyseme.training.config import TrainConfig
from polyseme.training.sense_discovery import init_from_clusters
from polyseme.training.state import TrainState, has_centers
from polyseme.vocabulary import Vocabulary

COMPILED = "assign.assign_senses-*.nbi"  # what Numba keeps of the last of them
WORDS, USES = 5, 200


@contextmanager
def precompiling(config: TrainConfig) -> Iterator[None]:
    """Compile the kernels that are needed last beside the block, if they are not compiled yet."""
    process = None
    if _worth_it():
        with suppress(OSError):
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, json.dumps(config.to_dict())],  # -P: nothing from this folder
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


def _worth_it() -> bool:
    """Whether nothing is compiled, there is a core to spare, and this is an interpreter that can be run again."""
    return (
        (os.cpu_count() or 1) > 1
        and bool(sys.executable)
        and not hasattr(sys, "frozen")
        and next(cache_folder().rglob(COMPILED), None) is None
    )


def compile_last_kernels(config: TrainConfig) -> None:
    """Start senses from clusters and look for examples, in a corpus of a few words."""
    corpus = _small_corpus()
    small = replace(config, dim=8, multi_sense_top=WORDS, multi_sense_min_count=1, multi_sense_words=None, threads=1)
    state = TrainState.fresh(small, Vocabulary(corpus.words, corpus.counts), threads=1)
    state.split_senses()
    if has_centers(small):
        init_from_clusters(state, corpus)
    data = ModelData(
        vocabulary=state.vocabulary,
        arrays=state.learned(),
        tokenizer=WHITESPACE,
        config=state.config.to_dict(),
        corpus={},
        training={},
    )
    num_rows = len(data.arrays.sense_vectors)
    best_positions(SenseAssigner(data), corpus, corpus.counts, num_rows, 1, config.seed, 1, lambda: None)


def _small_corpus() -> EncodedCorpus:
    """A corpus in memory, in arrays that are as read-only as those of one on disk."""
    tokens = np.arange(WORDS * USES, dtype=np.int32) % WORDS
    sentences = np.array([0, len(tokens)])
    tokens.flags.writeable = sentences.flags.writeable = False
    words = [str(word) for word in range(WORDS)]
    return EncodedCorpus(tokens, sentences, sentences[:1], words, np.full(WORDS, USES), description={})


if __name__ == "__main__":
    compile_last_kernels(TrainConfig.from_dict(json.loads(sys.argv[1])))
