"""StaticEmbedding folders: texts are split as polyseme does, and those of the libraries themselves can be opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import SenseModel, export, load
from polyseme._io.tensors import map_tensors, write_tensors
from polyseme.corpus.tokenizers import TOKENIZERS, AnyTokenizer, CallableTokenizer
from polyseme.errors import DataError
from polyseme.formats.export import write_model
from polyseme.formats.registry import get_format
from polyseme.formats.static_embedding import FOLDER, MODULES, TENSORS, TOKENIZER
from tests.formats.toy import SENSES, toy_model

TEXTS = (
    "The bank's rivers, DON’T; rock'n'roll x_1 3.14 --",
    "İstanbul IŞIK I\u0307i\u0307",
    "ΟΔΟΣ ΣΣ Σ ΣΑΣ, Α'Σ ’Σ ΑΣ' ΑΣ1 ΑΣ_Α 1Σ ΆΣ\u0301 ΑΣ\u0301Α",
    "می‌خواهم क्या क्‍या a\u200c b\u200d\u200dc",
    "❤️ 1️⃣ 👩\u200d🚀 a\ufe0fb",
    "銀行は東京 ひらがな カタカナ 한국",
    "Cafe\u0301 CAFE\u0301 ½ ② Ⅷ ß ẞ ǅ",
    "a\x1cb\u00a0c\u2028d\u3000e",
    "",
)


def exported(folder: Path, tokenizer: AnyTokenizer) -> Path:
    export(
        SenseModel(replace(toy_model()._data, tokenizer=tokenizer)), folder / "static", format="sentence-transformers"
    )
    return folder / "static"


@pytest.mark.parametrize("name", ["words", "whitespace"])
def test_the_library_splits_texts_as_polyseme_does(name: str, tmp_path: Path) -> None:
    tokenizers: Any = pytest.importorskip("tokenizers")
    path = exported(tmp_path, TOKENIZERS[name])
    tokenizer = tokenizers.Tokenizer.from_file(str(path / FOLDER / TOKENIZER))
    for text in TEXTS:
        normalized = text if name == "whitespace" else tokenizer.normalizer.normalize_str(text)
        words = [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normalized)]
        assert words == TOKENIZERS[name](text)
        ids = [word if word in SENSES else "[UNK]" for word in words]
        assert tokenizer.encode(text, add_special_tokens=False).tokens == ids


def test_the_export_says_that_other_tokenizers_are_not_kept(tmp_path: Path) -> None:
    model = SenseModel(replace(toy_model()._data, tokenizer=CallableTokenizer(str.split)))
    said = write_model(model, tmp_path / "static", get_format("sentence-transformers"), words=None, force=False)
    assert said.endswith("It splits texts only at white space, not as the tokenizer 'custom' does.")


def in_the_top_folder(path: Path, name: str) -> None:
    """Move the module to the top, as sentence-transformers (with the path '') and model2vec ('.') save it."""
    for file in (path / FOLDER).iterdir():
        file.rename(path / file.name)
    (path / FOLDER).rmdir()
    (path / MODULES).write_text(json.dumps([{"path": name, "type": "sentence_transformers.x.StaticEmbedding"}]))


@pytest.mark.parametrize("name", ["", "."])
def test_folders_saved_by_the_libraries_are_opened(name: str, tmp_path: Path) -> None:
    path = exported(tmp_path, TOKENIZERS["words"])
    expected = load(path)
    in_the_top_folder(path, name)
    loaded = load(path)
    assert loaded.vocabulary.words == expected.vocabulary.words == [*SENSES]
    assert loaded.sense_vectors.tobytes() == expected.sense_vectors.tobytes()


def change_tensors(path: Path, change: Callable[[Any], Any]) -> None:
    file = path / FOLDER / TENSORS
    tensors = {name: np.array(tensor) for name, tensor in map_tensors(file)[0].items()}
    file.unlink()
    write_tensors(file, change(tensors))


def test_vectors_of_float16_are_read_as_float32(tmp_path: Path) -> None:
    path = exported(tmp_path, TOKENIZERS["words"])
    expected = load(path).sense_vectors / 1e4  # float16 ends at 65504
    change_tensors(path, lambda tensors: {name: (t / 1e4).astype(np.float16) for name, t in tensors.items()})
    loaded = load(path)
    assert loaded.sense_vectors.dtype == np.float32
    assert loaded.sense_vectors == pytest.approx(expected.astype(np.float16).astype(np.float32))


@pytest.mark.parametrize("name", ["mapping", "weights"])
def test_vectors_that_are_not_one_per_token_are_refused(name: str, tmp_path: Path) -> None:
    path = exported(tmp_path, TOKENIZERS["words"])
    change_tensors(path, lambda tensors: {"embeddings": tensors["embedding.weight"], name: np.arange(len(SENSES) + 1)})
    with pytest.raises(DataError, match=f"also has '{name}'; save it with sentence-transformers first"):
        load(path)
