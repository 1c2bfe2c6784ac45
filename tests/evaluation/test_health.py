"""Health: each check on a model with that defect."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from polyseme import SenseModel, load
from polyseme.errors import CorpusError
from polyseme.evaluation.health import health
from tests.evaluation.toy import toy

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

RANDOM = np.random.default_rng(5).normal(size=(40, 16))


def single_sense_words() -> dict[str, list[tuple[list[float], int]]]:
    return {f"w{i}": [(vector.tolist(), 100)] for i, vector in enumerate(RANDOM)}


def test_dead_and_duplicate_senses_are_counted() -> None:
    a, b = RANDOM[0] + 0.1, RANDOM[1] + 0.1
    model = toy(
        {
            "dead": [(a.tolist(), 996), (b.tolist(), 4)],  # the second sense has less than 1% of the tokens
            "twice": [(a.tolist(), 300), ((1.01 * a).tolist(), 300)],  # two senses with the same direction
            "fine": [(a.tolist(), 100), (b.tolist(), 100)],
            **single_sense_words(),
        }
    )
    evaluation = health(model)
    scores = evaluation.table["all"]
    assert evaluation.covered == 3
    assert scores["dead"].value == pytest.approx(100 / 6)
    assert scores["senses"].value == pytest.approx(5 / 3)
    assert scores["largest_share"].value == pytest.approx(100 * (1 + 0.5 + 0.5) / 3)
    assert scores["duplicates"].value == pytest.approx(100 * 2 / 5)
    assert evaluation.facts["words by number of senses"] == {1: 1, 2: 2}
    assert set(evaluation.table) == {"all", "200 to 999 tokens", "1,000 to 9,999 tokens"}


def test_entropy_and_confidence_are_measured_on_a_text(mssg_path: Path, planted_text: Path) -> None:
    scores = health(load(mssg_path), planted_text).table["all"]
    assert 0 < scores["entropy"].value < 100
    assert 50 < scores["confidence"].value <= 100
    assert "confidence" not in health(load(mssg_path)).table["all"]


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".bz2", ".zst"])
@pytest.mark.parametrize("damage", ["truncated", "not compressed", "changed"])
def test_a_damaged_text_is_refused_in_one_line(damage: str, suffix: str, mssg: SenseModel, tmp_path: Path) -> None:
    text = "".join(f"{i * i} {i}\n" for i in range(50_000)).encode()
    compress: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".xz": lzma.compress,
        ".bz2": bz2.compress,
        ".zst": zstd.compress,
    }
    data = compress[suffix](text)
    middle = len(data) // 2
    damaged = {
        "truncated": data[:middle],
        "not compressed": text,
        "changed": data[:middle] + b"\0" * 99 + data[middle:],
    }
    path = tmp_path / f"text.txt{suffix}"
    path.write_bytes(damaged[damage])
    with pytest.raises(CorpusError, match="is truncated or damaged .*; restore it from a copy") as error:
        health(mssg, path)
    assert "\n" not in str(error.value)


def test_a_model_with_one_sense_per_word_has_no_scores() -> None:
    assert health(toy(single_sense_words())).notes == ("no word may have several senses.",)
