"""Health: each check on a model with that defect."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from polyseme import load
from polyseme.errors import CorpusError
from polyseme.evaluation.health import health
from tests.evaluation.toy import toy

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


def test_all_texts_of_a_folder_are_read(mssg_path: Path, planted_text: Path, tmp_path: Path) -> None:
    lines = planted_text.read_text().splitlines(keepends=True)[:400]
    (tmp_path / "all.txt").write_text("".join(lines))
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.txt").write_text("zzz")
    (tmp_path / "parts" / "b.txt").write_text("".join(lines[:200]))
    (tmp_path / "parts" / "c.txt.gz").write_bytes(gzip.compress("".join(lines[200:]).encode()))
    model = load(mssg_path)
    assert health(model, tmp_path / "parts").table == health(model, tmp_path / "all.txt").table


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_damaged_text_is_refused(suffix: str, mssg_path: Path, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(b"not compressed at all, whatever its name says")
    with pytest.raises(CorpusError, match=f"a.txt{suffix} is truncated or damaged"):
        health(load(mssg_path), path)


def test_a_model_with_one_sense_per_word_has_no_scores() -> None:
    assert health(toy(single_sense_words())).notes == ("no word may have several senses.",)
