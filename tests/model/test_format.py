"""docs/format.md: a reader written from that page alone, without polyseme, answers as polyseme does."""

from __future__ import annotations

import json
import math
import re
import struct
import unicodedata
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import regex
from numpy.typing import NDArray

import polyseme
from polyseme._io.zstd import load_zstd
from polyseme.corpus.tokenizers import WORDS
from polyseme.model import config_checks, storage
from polyseme.model.arrays import ModelArrays
from polyseme.model.disambiguation import Posterior
from tests.conftest import ROOT
from tests.small_text import CONTEXT

STORED = sorted((Path(__file__).parent / "stored").glob("*.model"))
PAGE = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
DTYPES = {"F32": "<f4", "F16": "<f2", "I8": "i1", "I32": "<i4", "I64": "<i8"}
OLD_NAMES = {"choice_window": "sense_window", "choice_fade": "sense_decay", "choice_vectors": "whitened_vectors"}


class Reader:
    """A minimal reader of the format."""

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.settings: dict[str, Any] = {OLD_NAMES.get(k, k): v for k, v in config["settings"].items()}
        self.dtype = config.get("dtype", "float32")
        lines = (folder / "vocabulary.tsv").read_text(encoding="utf-8").split("\n")[:-1]
        self.words = [line.split("\t")[0] for line in lines]
        self.word_counts = np.array([int(line.split("\t")[1]) for line in lines])
        self.tensors = read_tensors(folder / "model.safetensors")
        self.offsets, self.counts = self.tensors["sense_offsets"].tolist(), self.tensors["sense_counts"]
        self.vectors = self.table("sense_vectors")
        self.folder = folder

    def table(self, name: str) -> NDArray[Any]:
        values = self.tensors[name].astype(np.float32)
        return values * self.tensors[f"{name}.scales"][:, None] if self.dtype == "int8" else values

    def visible(self, word: int) -> list[int]:
        rows = range(self.offsets[word], self.offsets[word + 1])
        least = self.settings.get("min_share", 0.01) * sum(self.counts[row] for row in rows)
        return [row for row in rows if row == rows[0] or self.counts[row] >= max(least, 1)]

    def key(self, word: int, row: int) -> str:
        if len(self.visible(word)) == 1:
            return self.words[word]
        numbers = self.tensors.get("sense_numbers")
        return f"{self.words[word]}#{row - self.offsets[word] + 1 if numbers is None else numbers[row]}"

    def neighbours(self, key: str, n: int) -> list[tuple[str, float]]:
        senses = [(word, row) for word in range(len(self.words)) for row in self.visible(word)]
        target, target_row = next((word, row) for word, row in senses if self.key(word, row) == key)
        best: dict[int, tuple[float, str]] = {}
        for word, row in senses:
            if word != target:
                cosine = cos(self.vectors[row], self.vectors[target_row])
                best[word] = max(best.get(word, (-2.0, "")), (cosine, self.key(word, row)))
        return [(name, cosine) for cosine, name in sorted(best.values(), reverse=True)[:n]]

    def probabilities(self, word: str, text: list[str], posterior: str) -> list[float]:
        settings, w = self.settings, self.words.index(word)
        known = [self.words.index(token) for token in text if token in self.words]
        target = known.index(w)
        window = settings.get("sense_window", 2 * settings["window"]) or settings["window"]
        table = self.table("whitened_vectors" if "whitened_vectors" in self.tensors else "global_vectors")
        context = np.zeros(table.shape[1])
        for side in (known[:target][::-1], known[target + 1 :]):
            for i, other in enumerate(side[:window]):
                ratio = settings["subsample"] * self.word_counts.sum() / self.word_counts[other]
                kept = min(1, math.sqrt(ratio) + ratio) if ratio else 1
                context += settings.get("sense_decay", 1) ** i * kept * table[other]
        rows = self.visible(w)
        cosines = [cos(self.center(row), context) for row in rows]
        scores = [self.counts[row] * math.exp(cosine / 0.1) for row, cosine in zip(rows, cosines, strict=True)]
        if posterior == "inverse-distance":
            scores = [1 / max(1 - cosine, 1e-6) for cosine in cosines]
        return [score / sum(scores) for score in scores]

    def center(self, row: int) -> NDArray[Any]:
        if "cluster_centers" not in self.tensors:
            return np.asarray(self.vectors[row])
        centers = self.table("cluster_centers")
        if self.dtype == "float32":
            return np.asarray(centers[row])
        sizes = np.diff(self.offsets)
        several = np.flatnonzero(np.repeat(sizes > 1, sizes)).tolist()
        return np.asarray(centers[several.index(row) if row in several else -1])

    def examples(self, word: int) -> list[Any]:
        offsets = self.tensors["example_offsets"].tolist()
        if self.dtype == "float32":
            with (self.folder / "examples.jsonl").open("rb") as file:
                file.seek(max(offsets[word], 0))
                return [] if offsets[word] < 0 else list(json.loads(file.readline())["senses"])
        data = (self.folder / "examples.jsonl.zst").read_bytes()
        words, starts = offsets
        frame = max(i for i, first in enumerate(words[:-1]) if first <= word)
        text = data[starts[frame] : starts[frame + 1]]
        line = load_zstd().decompress(text).split(b"\n")[word - words[frame]] if text else b""
        return list(json.loads(line)["senses"]) if line else []


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header, tensors = json.loads(data[8 : 8 + length]), {}
    header.pop("__metadata__", None)
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        array = np.frombuffer(data[8 + length + start : 8 + length + end], DTYPES[entry["dtype"]])
        tensors[OLD_NAMES.get(name, name)] = array.reshape(entry["shape"])
    return tensors


def split(text: str) -> list[str]:
    """The tokenizer `words`."""
    single = r"[\p{Han}\p{Hiragana}]"
    letters = rf"[\w--{single}--[\u200C\u200D\u20E3\uFE00-\uFE0F]]+"
    found = regex.findall(rf"(?V1){single}|{letters}(?:['’\u200C\u200D]{letters})*", text)
    lowered = [unicodedata.normalize("NFC", word).lower().replace("i\u0307", "i") for word in found]
    return [unicodedata.normalize("NFC", word).replace("’", "'") for word in lowered]


def cos(a: NDArray[Any], b: NDArray[Any]) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


@pytest.mark.parametrize("path", STORED, ids=[path.stem for path in STORED])
def test_a_reader_written_from_the_specification_answers_as_polyseme_does(path: Path) -> None:
    reader, model = Reader(path), polyseme.load(path)
    for sense in model.senses("bank"):
        expected = {neighbour.key: neighbour.similarity for neighbour in sense.neighbours(5)}
        assert dict(reader.neighbours(sense.key, 5)) == pytest.approx(expected, abs=1e-5)
    text = CONTEXT["bank"]
    for posterior in get_args(Posterior):
        senses = model.disambiguate("bank", text, posterior=posterior).senses
        found = reader.probabilities("bank", split(text), posterior)
        assert found == pytest.approx([sense.probability for sense in senses], rel=1e-3)
    examples = reader.examples(reader.words.index("bank"))
    assert [[tuple(e) for e in sense] for sense in examples] == [list(s.examples) for s in model.senses("bank")]


def test_the_tokenizer_of_the_specification_splits_as_polyseme_does() -> None:
    text = "Don’t stop at L’Été_2: 東京の塔, 'rock’n’roll' -- Ça E\u0301t ΟΔΟΣ!"
    assert split(text) == WORDS(text)


def test_the_specification_has_every_file_tensor_and_setting_that_is_checked() -> None:
    named = set(re.findall(r"`([\w.-]+)`", PAGE))
    assert {*storage.FILES, storage.LOG} <= named
    assert {*ModelArrays.__dataclass_fields__, "example_offsets"} <= named
    checked = {**config_checks.TYPES["settings"], **config_checks.OPTIONAL_TYPES["settings"]}
    assert {*checked} - {"imported_from", "missing", "duplicates"} <= named
    for part in ("corpus", "training"):
        assert {*config_checks.TYPES[part], *config_checks.OPTIONAL_TYPES[part]} <= named
    assert f"{storage.FORMAT_VERSION} |" in PAGE.split("## Versions")[1]
