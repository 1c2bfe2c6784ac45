"""Health: each ailment on a model that has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyseme import load
from polyseme.evaluation.health import health
from tests.evaluation.toy import toy

RANDOM = np.random.default_rng(5).normal(size=(40, 16))


def others() -> dict[str, list[tuple[list[float], int]]]:
    return {f"w{i}": [(vector.tolist(), 100)] for i, vector in enumerate(RANDOM)}


def test_dead_and_duplicate_senses_are_counted() -> None:
    a, b = RANDOM[0] + 0.1, RANDOM[1] + 0.1
    model = toy(
        {
            "dead": [(a.tolist(), 996), (b.tolist(), 4)],  # the second is hardly ever used
            "twice": [(a.tolist(), 300), ((1.01 * a).tolist(), 300)],  # the same vector twice
            "fine": [(a.tolist(), 100), (b.tolist(), 100)],
            **others(),
        }
    )
    found = health(model)
    everything = found.table["all"]
    assert found.covered == 3
    assert everything["dead"].value == pytest.approx(100 / 6)
    assert everything["senses"].value == pytest.approx(5 / 3)
    assert everything["largest"].value == pytest.approx(100 * (1 + 0.5 + 0.5) / 3)
    assert everything["duplicates"].value == pytest.approx(100 * 2 / 5)
    assert found.facts["words by number of senses"] == {1: 1, 2: 2}
    assert set(found.table) == {"all", "200 to 999 uses", "1,000 to 9,999 uses"}


def test_with_a_text_posteriors_are_judged_too(mssg_path: Path, planted_text: Path) -> None:
    found = health(load(mssg_path), planted_text).table["all"]
    assert 0 < found["entropy"].value < 100
    assert 50 < found["confidence"].value <= 100
    assert "confidence" not in health(load(mssg_path)).table["all"]


def test_a_model_without_senses_has_nothing_to_be_ill() -> None:
    assert health(toy(others())).notes == ("no word has room for several senses.",)
