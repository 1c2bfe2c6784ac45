"""StaticEmbedding folders opened by sentence-transformers itself: python benchmarks/static_embedding.py [MODEL ...]

Needs `pip install sentence-transformers`, which brings torch, and no network. Exports each model, and a small one that
is trained on texts in many languages, as float32 and as int8, and compares with the library:

    words    its tokenizer splits texts as polyseme does
    vectors  a text has the mean of the vectors of its words, the means of their senses; unknown words and empty texts
             have the vector 0
    back     polyseme reads the same words and vectors from a folder that the library saved: from the same model, and
             from models that the library made

Prints what was compared. Exits with 1 and a line on the first difference.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # read when the libraries are imported

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

import polyseme
from polyseme import SenseModel
from polyseme.corpus.tokenizers import WHITESPACE, WORDS

TEXTS = (
    "The bank gave them a loan, and the boat lay at the bank of the river.",
    "L’été à la mer, l'hiver à la montagne: c’est déjà fini.",
    "Die Straße führt über die Brücke; Äpfel und Öl gibt's überall.",
    "El niño come una manzana. ¿Qué más quiere? ¡Nada!",
    "Zażółć gęślą jaźń, příliš žluťoučký kůň.",
    "İstanbul'da ılık bir gün, IŞIK ve ışık.",
    "Ο δρόμος της πόλης. Ο ΔΡΟΜΟΣ ΤΗΣ ΠΟΛΗΣ: Ο ΣΙΣΥΦΟΣ.",
    "Река течёт к морю, а ёлка растёт.",
    "نهر و بانک: می‌خواهم کتاب‌ها را بخوانم.",
    "בנק על גדת הנהר",
    "नदी का किनारा और क्‍या",
    "แม่น้ำ และ ธนาคาร",
    "銀行は川のそばにある。ひらがなとカタカナ",
    "강의 둑에 은행이 있다",
    "Cafe\u0301 and café, x_1 and 3.14, a--b, 'quoted', rock'n'roll ❤️ 1️⃣ 👩‍🚀 ½ ②",
)
ODD = ("", " ", "...", "qqxzy", "qqxzy wwvuq", "the qqxzy bank", "THE\tBANK\nOF THE  RIVER", "[UNK] the [PAD]")
SAMPLE = 1000
TOLERANCE = 1e-5  # relative to the largest number; the order of the sums differs


class Difference(Exception):
    """polyseme and the library disagree."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL")
    arguments = parser.parse_args()
    print(", ".join(f"{name} {version(name)}" for name in ("sentence-transformers", "tokenizers", "torch")))
    try:
        with tempfile.TemporaryDirectory() as folder:
            models = {str(path): polyseme.load(path) for path in arguments.models}
            models["many languages"] = many_languages(Path(folder))
            for number, (name, model) in enumerate(models.items()):
                check_model(f"{name}, float32", model, Path(folder, f"{number}-float32"))
                small = Path(folder, f"{number}-int8.model")
                polyseme.export(model, small, dtype="int8")
                check_model(f"{name}, int8", polyseme.load(small), Path(folder, f"{number}-int8"))
            check_made_by_the_library(Path(folder))
    except Difference as difference:
        sys.exit(f"different: {difference}")


def many_languages(folder: Path) -> SenseModel:
    options: dict[str, Any] = {"model": "mssg", "senses": 2, "multi_sense_words": ("bank", "the", "der", "銀")}
    return polyseme.train(
        texts=[*TEXTS] * 20, out=folder / "many.model", dim=16, min_count=1, epochs=2, seed=1, quiet=True, **options
    )


def check_model(name: str, model: SenseModel, folder: Path) -> None:
    """Compare an exported model with the library, and with what the library saves."""
    polyseme.export(model, folder, format="sentence-transformers")
    encoder = SentenceTransformer(str(folder), device="cpu")
    texts = texts_for(model)
    split = model._data.tokenizer if model._data.tokenizer in (WORDS, WHITESPACE) else str.split
    for text in texts:
        equal(f"{name}: the words of {text!r}", words_of(encoder, text), split(text))
    expected, num_words = expected_vectors(model, split, texts)
    largest = close(f"{name}: the vector", np.asarray(encoder.encode(texts)), expected, texts)
    for text, vector in zip(texts[:50], expected, strict=False):  # alone, too: an empty text is then an empty batch
        close(f"{name}: the vector, alone", np.asarray(encoder.encode(text))[None], vector[None], [text])
    print(f"{name}: {len(texts):,} texts with {num_words:,} known words; largest difference {largest:.1e}")
    encoder.save(str(folder / "saved"))
    saved, exported = polyseme.load(folder / "saved"), polyseme.load(folder)
    equal(f"{name}: the words saved by the library", saved.index_to_key, exported.index_to_key)
    equal(f"{name}: the vectors saved by the library", saved.sense_vectors.tobytes(), exported.sense_vectors.tobytes())
    equal(f"{name}: the words", set(saved.index_to_key), {*model.vocabulary.words} - {"[UNK]"})
    print(f"{name}: {len(saved):,} words and vectors of a folder saved by the library are the same")


def texts_for(model: SenseModel) -> list[str]:
    """Texts of many languages, unusual ones, single words of the model, and texts of its words."""
    random = np.random.default_rng(0)
    words = random.choice(model.vocabulary.words, SAMPLE).tolist()
    sentences = [" ".join(random.choice(words, 20)) for _ in range(100)]
    listed = [*ODD, *TEXTS, *model.vocabulary.words[:SAMPLE], *words, *sentences]
    return [*listed, *(text.upper() for text in listed)]


def words_of(encoder: SentenceTransformer, text: str) -> list[str]:
    tokenizer = encoder[0].tokenizer
    normalized = text if tokenizer.normalizer is None else tokenizer.normalizer.normalize_str(text)
    return [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normalized)]


def expected_vectors(
    model: SenseModel, split: Callable[[str], list[str]], texts: list[str]
) -> tuple[NDArray[np.float64], int]:
    """(texts, d) The mean of the vectors of the words of each text, and the number of known words."""
    vectors: dict[str, NDArray[np.float64]] = {}
    means = np.zeros((len(texts), model.dim))
    num_words = 0
    for row, text in enumerate(texts):
        words = split(text)
        words = ["[UNK]" if word not in model.vocabulary else word for word in words]
        known = [word for word in words if word in model.vocabulary]
        for word in known:
            if word not in vectors:
                vectors[word] = np.sum([s.share * model[s.key].astype(float) for s in model.senses(word)], axis=0)
            means[row] += vectors[word] / len(words)
        num_words += len(known)
    return means, num_words


def check_made_by_the_library(folder: Path) -> None:
    """Open models that the library made and saved."""
    words = ["the", "bank", "river", "Straße", "東", "l'été"]
    vocabulary = {"[UNK]": 0, "[PAD]": 1} | {word: i + 2 for i, word in enumerate(words)}
    weights = torch.from_numpy(np.random.default_rng(0).normal(size=(len(vocabulary), 8)))
    for name, dtype, following in (
        ("float32", torch.float32, []),
        ("float16", torch.float16, []),
        ("normalized", torch.float32, [Normalize()]),
    ):
        tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        encoder = SentenceTransformer(
            modules=[StaticEmbedding(tokenizer, embedding_weights=weights.to(dtype)), *following], device="cpu"
        )
        encoder.save(str(folder / name))
        model = polyseme.load(folder / name)
        equal(f"the words of the library's model, {name}", model.vocabulary.words, [*vocabulary][1:])
        expected = weights.to(dtype).numpy()[1:].astype(np.float32)
        equal(f"the vectors of the library's model, {name}", model.sense_vectors.tobytes(), expected.tobytes())
        cosine = float(encoder.similarity(*encoder.encode(["bank", "river"], convert_to_tensor=True)[:, None]))
        ours = model.similarity("bank", "river").global_sim or 0.0
        if abs(cosine - ours) > (1e-2 if dtype == torch.float16 else TOLERANCE):
            raise Difference(f"the similarity of the library's model, {name}: {cosine} and {ours}")
        print(f"made by the library, {name}: {len(model)} words, vectors and a similarity are the same")


def equal(name: str, found: object, expected: object) -> None:
    if found != expected:
        raise Difference(f"{name}: {str(found)[:200]!r} and {str(expected)[:200]!r}")


def close(name: str, found: NDArray[Any], expected: NDArray[Any], texts: list[str]) -> float:
    """The largest difference of vectors, relative to the largest number; Difference if it is too large."""
    differences = np.abs(found - expected).max(axis=1) / (np.abs(expected).max() or 1.0)
    if not differences.max() <= TOLERANCE:
        row = int(np.argmax(~(differences <= TOLERANCE)))
        raise Difference(f"{name} of {texts[row][:100]!r} by {differences[row]:.1e}")
    return float(differences.max())


if __name__ == "__main__":
    main()
