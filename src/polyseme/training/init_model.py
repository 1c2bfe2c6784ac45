"""The model that a continued run starts from: opening it, its settings, and the vocabulary of both texts."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme._io.memory_map import release_pages
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.tokenizers import AnyTokenizer
from polyseme.errors import ConfigError, CorpusError, ModelError
from polyseme.formats.open_model import open_model
from polyseme.model import storage
from polyseme.model.data import ModelData
from polyseme.model.sense_model import SenseModel
from polyseme.training.config import RecipeName, TrainConfig, TrainSettings, make_config, option_name
from polyseme.training.state import context_dim, uses_cluster_centers
from polyseme.vocabulary import Vocabulary

# What the sense vectors and cluster centers of a model depend on.
FIXED = ("model", "dim", "output_vectors", "whitening", "sense_dim", "sense_window", "sense_decay")
# Of a model with phrases: the new text is joined by the same ones.
PHRASE_SETTINGS = ("phrases", "phrase_threshold", "phrase_min_count", "phrase_passes")
# Settings of a run rather than of its model. A model does not keep the sums of AdaGrad, so training continues with SGD.
NOT_INHERITED = ("optimizer", "subsample", "max_vocabulary", "threads", "seed")
CHUNK_TOKENS = 1 << 20

Ints = NDArray[np.int64]


class Origin(NamedTuple):
    """What identifies the start of a continued run: `--resume` does not change it."""

    fingerprint: str
    freeze: bool


@dataclass(frozen=True)
class InitModel:
    """A finished model, or imported vectors, that training starts from.

    name    how the user refers to it
    freeze  whether its vectors stay as they are
    """

    data: ModelData
    name: str
    freeze: bool

    @cached_property
    def origin(self) -> Origin:
        return Origin(fingerprint(self.data), self.freeze)

    @property
    def is_imported(self) -> bool:
        """Whether another program trained the vectors. Counts and vectors of context words are not known then."""
        return "epochs" not in self.data.config

    @property
    def has_senses(self) -> bool:
        """Whether the model tells senses apart: then words keep theirs. Otherwise they are found in the new text."""
        return not self.is_imported and self.data.config["model"] != "skip-gram"

    @property
    def vector_mean(self) -> NDArray[np.float32]:
        """(d,) What was subtracted from the sense vectors to center them.

        Models of earlier versions do not say. It is small, a tenth of a vector's length, so 0 is a good guess.
        """
        mean, dim = self.data.arrays.vector_mean, self.data.arrays.dim
        return np.zeros(dim, np.float32) if mean is None else mean

    def settings(self) -> dict[str, Any]:
        """The settings of the model that a continued run inherits."""
        if self.is_imported:
            return {"dim": self.data.arrays.dim, "output_vectors": "sense"}
        known = {f.name for f in fields(TrainConfig)} - set(NOT_INHERITED)
        settings = {name: value for name, value in self.data.config.items() if name in known}
        if self.data.config.get("optimizer") == "adagrad":
            settings.pop("learning_rate", None)  # the same value means a larger step
        return settings

    def choose_config(self, recipe: RecipeName | None, given: TrainSettings) -> TrainConfig:
        """The settings of the model, with the given ones in their place."""
        if recipe not in (None, "default"):
            raise ConfigError(
                f"--recipe {recipe} and --init cannot be combined: a continued run has its model's settings."
            )
        inherited = self.settings()
        if self.is_imported:
            inherited = {**inherited, **({"model": "mssg"} if "senses" in given else {})}
        try:
            config = TrainConfig(**{**inherited, **given})
        except TypeError:
            return make_config(**given)  # names the setting that does not exist
        self.refuse_changes(config, given.keys())
        return config

    def refuse_changes(self, config: TrainConfig, given: AbstractSet[str]) -> None:
        """Raise ConfigError if given settings do not fit the model."""
        settings = {**TrainConfig().to_dict(), **self.settings()}
        fixed: tuple[str, ...] = FIXED if self.has_senses else ("dim", "output_vectors")
        if self.data.phrases is not None:
            fixed += PHRASE_SETTINGS
        for name in fixed:
            if name in given and getattr(config, name) != settings[name]:
                raise ConfigError(
                    f"{self.name} has {option_name(name)} {settings[name]}, not {getattr(config, name)}, and continued "
                    f"training cannot change it; leave out the option, or train a new model without --init."
                )
        if config.optimizer == "adagrad":
            raise ConfigError(
                "--optimizer adagrad and --init cannot be combined: a model has no sums of AdaGrad; use sgd."
            )
        limit, words = config.max_vocabulary, len(self.data.vocabulary)
        if limit is not None and limit < words:
            raise ConfigError(f"--max-vocabulary {limit:,} is less than the {words:,} words of {self.name}; raise it.")

    def refuse_another_tokenizer(self, tokenizer: str) -> None:
        before = self.data.tokenizer.name
        if not self.is_imported and before != tokenizer:
            raise ConfigError(
                f"{self.name} has --tokenizer {before}, not {tokenizer}; continue with --tokenizer {before}."
            )

    def vocabulary(self, corpus: EncodedCorpus, config: TrainConfig) -> Vocabulary:
        """The words of the model and those that the corpus adds, with their counts in both texts.

        A new word occurs `min_count` times in the corpus. `max_vocabulary` limits the number of all words.
        """
        old = self.data.vocabulary
        room = max((config.max_vocabulary or 2**31) - len(old), 0)
        counts = dict(zip(old.words, old.counts.tolist(), strict=True))
        shared = 0
        for word, count in zip(corpus.words, corpus.counts.tolist(), strict=True):
            if word in old.index:
                counts[word] += count
                shared += 1
            elif count >= config.min_count and room > 0:
                counts[word] = count
                room -= 1
        if not shared and len(counts) == len(old):
            raise CorpusError(
                f"no word of the text is in {self.name} or occurs {config.min_count} times (--min-count), so there is "
                f"nothing to train on; give more text."
            )
        words, all_counts = list(counts), np.array(list(counts.values()), np.int64)
        order = np.argsort(-all_counts, kind="stable")
        return Vocabulary([words[i] for i in order.tolist()], all_counts[order])


def open_init(
    model: SenseModel | str | os.PathLike[str] | None, tokenizer: AnyTokenizer, *, freeze: bool
) -> InitModel | None:
    """The model to continue from: a SenseModel, a model folder, or a vector file with one vector per word."""
    if model is None:
        if freeze:
            raise ConfigError("--freeze needs --init: the model whose vectors it keeps.")
        return None
    if isinstance(model, SenseModel):
        opened, name = model, "the model"
    else:
        opened, name = open_model(Path(model)), str(model)
        if storage.is_model(Path(model)) and storage.read_config(Path(model))["tokenizer"] == "custom":
            if tokenizer.name != "custom":
                raise ConfigError(f"{name} was trained with a function as tokenizer; continue with the same function.")
            opened = SenseModel.load(model, tokenizer)
    init = InitModel(opened._data, name, freeze)
    if init.data.dtype != "float32":
        raise ModelError(f"{name} has vectors of {init.data.dtype}; continue the float32 model that it was made from.")
    arrays = init.data.arrays
    if not all(np.isfinite(array).all() for array in arrays.to_dict().values()):
        raise ModelError(f"{name} has values that are not finite; train it again with a lower --learning-rate.")
    if not init.has_senses and len(arrays.sense_vectors) > len(init.data.global_vectors):
        raise ModelError(
            f"{name} has several vectors per word that polyseme did not train; --init takes a model of polyseme or "
            f"a file with one vector per word."
        )
    if init.has_senses and not _fits_settings(init):
        raise ModelError(f"{name} is damaged: its arrays do not fit its settings. Restore it from a copy.")
    init.refuse_another_tokenizer(tokenizer.name)
    return init


def _fits_settings(init: InitModel) -> bool:
    """Whether the arrays of a model have the sizes that its settings imply."""
    config, arrays = TrainConfig(**init.settings()), init.data.arrays
    centers, whitened = arrays.cluster_centers, arrays.whitened_vectors
    if not uses_cluster_centers(config):
        return config.dim == arrays.dim and (centers is not None or config.output_vectors == "sense")
    has_width = centers is not None and centers.shape[1] == context_dim(config)
    return config.dim == arrays.dim and has_width and (whitened is not None) == (config.whitening > 0)


def fingerprint(data: ModelData) -> str:
    """A digest of the words, arrays and labels of a model: the same wherever it is stored."""
    digest = hashlib.sha256()
    digest.update("\n".join(data.vocabulary.words).encode())
    digest.update(data.vocabulary.counts.tobytes())
    for name, array in sorted(data.arrays.to_dict().items()):
        digest.update(f"\n{name} {array.dtype} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    digest.update(repr(sorted(data.labels.items())).encode())
    if data.last_numbers:
        digest.update(repr(sorted(data.last_numbers.items())).encode())
    return digest.hexdigest()


def renumbered(corpus: EncodedCorpus, vocabulary: Vocabulary, folder: Path) -> EncodedCorpus:
    """The corpus with the ids of a vocabulary; words that are not in it have higher ids.

    folder  of a temporary file for the tokens, which has no name and disappears with the corpus
    """
    num_words = len(vocabulary)
    others = [word for word in corpus.words if word not in vocabulary.index]
    index = {**vocabulary.index, **{word: i for i, word in enumerate(others, num_words)}}
    ids = np.array([index[word] for word in corpus.words], np.int32)
    counts = np.zeros(num_words + len(others), np.int64)
    counts[ids] = corpus.counts
    with tempfile.TemporaryFile(dir=folder) as file:
        for first in range(0, len(corpus.tokens), CHUNK_TOKENS):
            file.write(ids[corpus.tokens[first : first + CHUNK_TOKENS]].tobytes())
            release_pages(corpus.tokens)
        file.flush()
        tokens = np.memmap(file, np.int32, "r", shape=(len(corpus.tokens),))
    return replace(corpus, tokens=tokens, words=[*vocabulary.words, *others], counts=counts)
