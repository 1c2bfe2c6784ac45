"""A folder for sentence-transformers: a StaticEmbedding with one vector per word.

StaticEmbedding gives a text the mean of its words' vectors. It has one vector per token and cannot choose senses, so a
word gets the mean of its senses, weighted by their shares.

modules.json, config_sentence_transformers.json
0_StaticEmbedding/model.safetensors    embedding.weight (V + 1, d); the last row, of unknown words, is 0
0_StaticEmbedding/tokenizer.json       a WordLevel tokenizer that splits text as `words` or `whitespace` does

benchmarks/static_embedding.py checks such folders with sentence-transformers itself.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme._io.plain_files import plain_file_size
from polyseme._io.strict_json import parse_json, read_json_object
from polyseme._io.tensors import map_tensors, write_tensors
from polyseme.corpus.tokenizers import WHITESPACE, WORDS, AnyTokenizer
from polyseme.errors import DataError, PolysemeError, shorten
from polyseme.formats.columns import from_columns
from polyseme.formats.imported import ImportedVectors
from polyseme.formats.sense_table import SenseTable, check_finite

MODULES, CONFIG, FOLDER = "modules.json", "config_sentence_transformers.json", "0_StaticEmbedding"
FILES = (MODULES, CONFIG, FOLDER)
TENSORS, TOKENIZER = "model.safetensors", "tokenizer.json"
WEIGHTS = ("embedding.weight", "embeddings")  # the second is model2vec's name
UNKNOWN = "[UNK]"
# The classes of WORDS, in the syntax of Oniguruma, in which the library tokenizers has its regular expressions.
UNSPACED = r"\p{Han}\p{Hiragana}"
NO_LETTERS = r"\x{200C}\x{200D}\x{20E3}\x{FE00}-\x{FE0F}\x{E0100}-\x{E01EF}"
WORD = rf"[\w&&[^{UNSPACED}{NO_LETTERS}]]"
JOINER = r"['\x{200C}\x{200D}]"
PATTERN = f"[{UNSPACED}]|{WORD}+(?:{JOINER}{WORD}+)*"
# Σ at the end of a word, which becomes ς: marks and apostrophes may be between it and the letters around it.
IGNORED = r"[\p{Case_Ignorable}&&[\w'’\x{200C}\x{200D}]]*"
FINAL_SIGMA = rf"(?<=\p{{Cased}}{IGNORED})Σ(?!{IGNORED}\p{{Cased}})"


def write(table: SenseTable, path: Path) -> str:
    words = table.data.vocabulary.words
    vectors = word_vectors(table)
    check_finite(vectors, words)
    if UNKNOWN not in table.data.vocabulary:
        words = [*words, UNKNOWN]
        vectors = np.concatenate([vectors, np.zeros((1, table.dim), np.float32)])
    module = {"idx": 0, "name": "0", "path": FOLDER, "type": "sentence_transformers.models.StaticEmbedding"}
    _write_json(path / MODULES, [module])
    _write_json(path / CONFIG, {"__version__": {}, "prompts": {}, "similarity_fn_name": "cosine"})
    (path / FOLDER).mkdir()
    write_tensors(path / FOLDER / TENSORS, {WEIGHTS[0]: vectors})
    _write_json(path / FOLDER / TOKENIZER, _tokenizer_json(table.data.tokenizer, words))
    said = "It has one vector per word, the mean of its senses: a StaticEmbedding cannot choose senses."
    if table.data.tokenizer not in (WORDS, WHITESPACE):
        said += f" It splits texts only at white space, not as the tokenizer '{table.data.tokenizer.name}' does."
    return said


def word_vectors(table: SenseTable) -> NDArray[np.float32]:
    """(V, d) The mean of the senses of each word, weighted by their shares."""
    means = np.zeros((len(table.data.vocabulary), table.dim), np.float32)
    words, shares = table.data.arrays.word_of_row[table.rows], table.columns["share"].astype(np.float32)
    for batch, vectors in table.batches():
        np.add.at(means, words[batch], vectors * shares[batch, None])
    return means


def _tokenizer_json(tokenizer: AnyTokenizer, words: list[str]) -> dict[str, Any]:
    """The tokenizer in the format of the library tokenizers; one that is not `words` splits text at white space."""
    normalizer: dict[str, Any] | None = None
    pre_tokenizer: dict[str, Any] = {"type": "WhitespaceSplit"}
    if tokenizer is WORDS:
        final_sigma = {"type": "Replace", "pattern": {"Regex": FINAL_SIGMA}, "content": "ς"}
        dot_above = {"type": "Replace", "pattern": {"String": "i\u0307"}, "content": "i"}
        apostrophe = {"type": "Replace", "pattern": {"String": "’"}, "content": "'"}
        compose, lowercase = {"type": "NFC"}, {"type": "Lowercase"}
        steps = [compose, final_sigma, lowercase, dot_above, compose, apostrophe]
        normalizer = {"type": "Sequence", "normalizers": steps}
        pre_tokenizer = {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Removed", "invert": True}
    vocabulary = {word: i for i, word in enumerate(words)}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": UNKNOWN},
    }


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> ImportedVectors:
    """Read a folder. The first module must be a StaticEmbedding whose tokenizer has whole words."""
    try:
        folder = _module_folder(path)
        model = read_json_object(folder / TOKENIZER).get("model")
        if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict):
            raise ValueError(f"{TOKENIZER} has no vocabulary of words")
        if model.get("type") != "WordLevel":
            raise ValueError(f"its tokenizer splits words into parts ({shorten(model.get('type'))}, not WordLevel)")
        tensors, _ = map_tensors(folder / TENSORS)
        weights = next((tensors[name] for name in WEIGHTS if name in tensors), None)
        if weights is None or weights.dtype not in (np.float32, np.float16) or weights.ndim != 2:
            raise ValueError(f"{TENSORS} has no float32 or float16 matrix '{WEIGHTS[0]}'")
        if other := sorted(tensors.keys() - {*WEIGHTS}):  # model2vec's `mapping` and `weights` of tokens
            raise ValueError(f"{TENSORS} also has '{shorten(other[0])}'; save it with sentence-transformers first")
        words: dict[str, int] = {word: row for word, row in model["vocab"].items() if word != model.get("unk_token")}
        rows = list(words.values())
        if not all(type(row) is int and 0 <= row < len(weights) for row in rows):
            raise ValueError(f"an id in {TOKENIZER} is not a row of '{WEIGHTS[0]}'")
    except (OSError, ValueError, PolysemeError) as error:
        raise DataError(f"{path} cannot be read as a StaticEmbedding: {shorten(error, 200)}.") from error
    order = np.argsort(rows, kind="stable")
    names = list(words)
    vectors = np.asarray(weights[np.array(rows, np.int64)[order]], np.float32)
    keys = [names[i] for i in order.tolist()]
    return from_columns(path, {"word": keys, "sense": np.ones(len(keys), np.int64)}, vectors)


def _module_folder(path: Path) -> Path:
    """The folder of the StaticEmbedding, the first module of modules.json; ValueError if there is none."""
    plain_file_size(path / MODULES)
    modules = parse_json((path / MODULES).read_bytes())
    module = modules[0] if isinstance(modules, list) and modules else None
    if not isinstance(module, dict) or not str(module.get("type")).endswith("StaticEmbedding"):
        raise ValueError(f"its first module in {MODULES} is not a StaticEmbedding")
    folder = module.get("path")
    if not isinstance(folder, str) or folder not in ("", ".", FOLDER):
        raise ValueError(f"the path '{shorten(folder)}' in {MODULES} is not '{FOLDER}'")
    return path / folder
