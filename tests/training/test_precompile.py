"""Compiling kernels in a second process during the first training."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from polyseme.examples.selection import best_occurrences
from polyseme.training import precompile
from polyseme.training.config import make_config
from polyseme.training.sense_discovery import init_from_clusters

TRAIN_AFTER_COMPILING = """
import sys
from polyseme import train
from polyseme.kernels import assign, contexts, kmeans, occurrences
from polyseme.training.precompile import compile_last_kernels
from polyseme.training.config import make_config

KERNELS = (
    assign.assign_senses, assign.keep_best, kmeans.cluster_words, kmeans.normalize_rows,
    contexts.gather_contexts, occurrences.sample_occurrences, occurrences.add_gaps,
)
settings = {"model": "np-mssg", "dim": 16, "multi_sense_min_count": 20}
compile_last_kernels(make_config(**settings))
before = [kernel.signatures for kernel in KERNELS]
assert all(before), before
train(sys.argv[1], sys.argv[2], epochs=2, **settings)
assert [kernel.signatures for kernel in KERNELS] == before
"""


def test_training_needs_no_other_kernels_than_those_compiled_ahead(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("\n".join(" ".join(f"w{i * j % 97}" for j in range(30)) for i in range(1000)))
    subprocess.run([sys.executable, "-c", TRAIN_AFTER_COMPILING, text, tmp_path / "model"], check=True)


@pytest.mark.parametrize("recipe", ["default", "paper"])
@pytest.mark.parametrize(("model", "num_clustered"), [("skip-gram", 0), ("mssg-maxout", 0), ("random-senses", 1)])
def test_the_kernels_that_each_model_needs_are_called(
    model: str, num_clustered: int, recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clustered, selected = mock.Mock(wraps=init_from_clusters), mock.Mock(wraps=best_occurrences)
    monkeypatch.setattr(precompile, "init_from_clusters", clustered)
    monkeypatch.setattr(precompile, "best_occurrences", selected)
    precompile.compile_last_kernels(make_config(recipe, model=model))
    assert (clustered.call_count, selected.call_count) == (num_clustered, 1)


def test_a_process_is_started_only_if_the_kernels_are_not_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class RecordedPopen(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            started.append(self)

    monkeypatch.setattr(precompile, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(precompile, "available_cores", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", RecordedPopen)
    with precompile.precompiling(make_config()):
        assert len(started) == 1
    assert started[0].poll() is not None
    (tmp_path / precompile.LAST_KERNEL.replace("*", "1")).touch()
    with precompile.precompiling(make_config()):
        assert len(started) == 1
