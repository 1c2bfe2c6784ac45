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

from polyseme import SenseModel
from polyseme.errors import CorpusError
from polyseme.evaluation import health as module
from polyseme.evaluation.health import health
from polyseme.model.disambiguation import TEMPERATURE
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


def test_the_duplicates_of_all_words_are_those_of_the_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE_SIZE", 20)
    same, other = RANDOM[0] + 0.1, RANDOM[1] + 0.1
    words = {
        f"{count}-{i}": [(same.tolist(), count), ((1.01 * same).tolist(), count)]
        for count in (60, 300)
        for i in range(30)
    }
    words |= {f"fine{i}": [(same.tolist(), 400), (other.tolist(), 400)] for i in range(60)}
    model = toy(words | single_sense_words())
    table = health(model).table
    rare, frequent = table["0 to 199 tokens"]["duplicates"], table["200 to 999 tokens"]["duplicates"]
    everything = table["all"]["duplicates"]
    assert (rare.value, rare.low, rare.high) == (100, 100, 100)
    assert frequent.low < 100 / 3 < frequent.high
    senses = {name: scores["senses"].value for name, scores in table.items()}
    assert everything.value == pytest.approx((60 * rare.value + 180 * frequent.value) / 240), senses
    assert everything.low <= everything.value <= everything.high


def test_entropy_and_confidence_are_measured_on_a_text(tmp_path: Path) -> None:
    east, north = [1.0, 0.0], [0.0, 1.0]
    words = {"bank": [(east, 300), (north, 100)], "money": [(east, 20)], "river": [(north, 20)]}
    model = toy(words, {word: [vector for vector, _ in senses] for word, senses in words.items()})
    text = tmp_path / "text.txt"
    text.write_text("money in the bank\nbank\n")
    # Cosines 1 and 0 with the senses: p ~ (0.75 exp(1 / T), 0.25). Without a context, p are the shares.
    posteriors = np.array([[0.75 * np.exp(1 / TEMPERATURE), 0.25], [0.75, 0.25]])
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    entropies = -(posteriors * np.log2(posteriors)).sum(axis=1)
    scores = health(model, text).table["all"]
    assert scores["entropy"].value == pytest.approx(100 * entropies.mean())
    assert scores["confidence"].value == pytest.approx(100 * posteriors.max(axis=1).mean())
    assert health(model).table["all"].keys() == scores.keys() - {"entropy", "confidence"}


@pytest.mark.parametrize("text", ["bank\n" * 3, "bank bank bank"])
def test_at_most_a_fixed_number_of_occurrences_is_read(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_OCCURRENCES", 2)
    model = toy({"bank": [([1.0, 0.0], 300), ([0.0, 1.0], 100)], "money": [([1.0, 0.0], 20)]})
    (tmp_path / "text.txt").write_text(text)
    assert [len(read) for read in module._posteriors(model._data, module._lines(tmp_path / "text.txt")).values()] == [2]


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".bz2", ".zst"])
@pytest.mark.parametrize("damage", ["truncated", "not compressed", "changed"])
def test_a_damaged_text_is_refused_in_one_line(damage: str, suffix: str, mssg: SenseModel, tmp_path: Path) -> None:
    text = "".join(f"{i * i} {i}\n" for i in range(50_000)).encode()
    compressors: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".xz": lzma.compress,
        ".bz2": bz2.compress,
        ".zst": zstd.compress,
    }
    data = compressors[suffix](text)
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


def test_all_texts_of_a_folder_are_read(mssg: SenseModel, planted_text: Path, tmp_path: Path) -> None:
    lines = planted_text.read_text().splitlines(keepends=True)[:400]
    (tmp_path / "all.txt").write_text("".join(lines))
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.txt").write_text("zzz")
    (tmp_path / "parts" / "b.txt").write_text("".join(lines[:200]))
    (tmp_path / "parts" / "c.txt.gz").write_bytes(gzip.compress("".join(lines[200:]).encode()))
    assert health(mssg, tmp_path / "parts").table == health(mssg, tmp_path / "all.txt").table


def test_a_model_with_one_sense_per_word_has_no_scores() -> None:
    assert health(toy(single_sense_words())).notes == ("no word may have several senses.",)
