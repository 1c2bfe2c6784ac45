"""Compiling beside the first training."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from polyseme.training import precompile
from polyseme.training.config import make_config

TRAIN_AFTER = """
import sys
from polyseme import train
from polyseme.kernels import assign, contexts, kmeans, occurrences
from polyseme.training.precompile import compile_last_kernels
from polyseme.training.config import make_config

KERNELS = (
    assign.assign_senses, assign.keep_best, kmeans.cluster_words, kmeans.normalize_rows,
    contexts.gather_contexts, occurrences.sample_occurrences,
)
settings = {"model": "np-mssg", "dim": 16, "multi_sense_min_count": 20}
compile_last_kernels(make_config(**settings))
before = [kernel.signatures for kernel in KERNELS]
assert all(before), before
train(sys.argv[1], sys.argv[2], epochs=2, **settings)
assert [kernel.signatures for kernel in KERNELS] == before
"""


def test_a_training_finds_compiled_what_was_called_ahead(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("\n".join(" ".join(f"w{i * j % 97}" for j in range(30)) for i in range(1000)))
    subprocess.run([sys.executable, "-c", TRAIN_AFTER, text, tmp_path / "model"], check=True)


@pytest.mark.parametrize("model", ["skip-gram", "mssg-maxout", "random-senses"])
def test_every_model_has_something_to_call(model: str) -> None:
    precompile.compile_last_kernels(make_config(model=model))
    precompile.compile_last_kernels(make_config("paper", model=model))


def test_a_process_compiles_only_while_nothing_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[bytes]] = []

    class Remembered(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            begun.append(self)

    monkeypatch.setattr(precompile, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", Remembered)
    with precompile.precompiling(make_config()):
        assert len(begun) == 1
    assert begun[0].poll() is not None
    (tmp_path / precompile.COMPILED.replace("*", "1")).touch()
    with precompile.precompiling(make_config()):
        assert len(begun) == 1
