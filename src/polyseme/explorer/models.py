"""The models that the explorer shows: opening them, looking up words, and tables that are computed once."""

from __future__ import annotations

import os
import shlex
import threading
import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from polyseme.explorer.answer_cache import AnswerCache
from polyseme.explorer.answers import ApiError
from polyseme.explorer.completion import Completion
from polyseme.formats.open_model import open_model
from polyseme.model import storage
from polyseme.model.data import ModelData
from polyseme.model.sense_model import SenseModel

if TYPE_CHECKING:
    from polyseme.explorer.index import SenseIndex  # imports Numba, which takes as long as opening a model

MAX_WORD = 200  # characters of a word or key in a request
NUM_SUGGESTED = 6  # words on the start page


class ExploredModel:
    """A model with its sense-tagged index, if there is one.

    path           as the user typed it
    index_problem  why the index beside the model is not used
    """

    def __init__(self, path: str, model: SenseModel | None = None, index: SenseIndex | None = None) -> None:
        self.path = Path(path)
        self.model = model or open_model(path)
        self.index = index
        self.index_problem: str | None = None
        self._suggested: list[str] | None = None
        self.is_prepared = False

    @property
    def data(self) -> ModelData:
        return self.model._data

    @property
    def name(self) -> str:
        return Path(os.path.abspath(self.path)).name  # noqa: PTH100 - does not follow symbolic links

    @property
    def editable(self) -> bool:
        """Whether edits of it can be saved: it is a model folder, in a folder that can be written to."""
        folder = Path(os.path.abspath(self.path)).parent  # noqa: PTH100
        return storage.is_model(self.path) and os.access(folder, os.W_OK)

    @property
    def has_shares(self) -> bool:
        """Whether the shares of senses are known: files of other programs may not have them."""
        return "shares" not in self.data.missing

    @property
    def was_trained_on_index(self) -> bool | None:
        """Whether the indexed text is one that the model was trained on; None without an index."""
        if self.index is None:
            return None
        return any(map(self.index.is_of, [self.data.corpus, *(one["corpus"] for one in self.data.continued_from)]))

    @cached_property
    def completion(self) -> Completion:
        return Completion(self.data.vocabulary.words)

    def prepare(self, pause: float = 0) -> None:
        """Compute in advance what the first requests need, in the order in which they need it.

        pause  seconds to leave to the first requests before what takes long
        """
        data = self.data
        try:
            _ = data.vocabulary.index, data.num_visible_senses, data.sense_norms, self.completion
            time.sleep(pause)
            if (data.num_visible_senses > 1).any():
                self.model._tagger.pieces(data.vocabulary.words[0])  # imports Numba and loads the kernels
                from polyseme.evaluation.clear_senses import clearest_words

                self._suggested = clearest_words(self.model, NUM_SUGGESTED)
        finally:
            self.is_prepared = True

    @property
    def suggested(self) -> list[str]:
        """Words to try: those with the clearest senses or, until these are known, frequent ones with several."""
        if self._suggested:
            return self._suggested
        words, num_senses = self.data.vocabulary.words, self.data.num_visible_senses.tolist()
        several = [
            word
            for word, n in zip(words, num_senses, strict=True)
            if n > 1 and word.isalpha() and (len(word) > 3 or east_asian_width(word[0]) == "W")
        ]
        step = max(1, min(len(several) // NUM_SUGGESTED, 100))
        return (several[::step] or words)[:NUM_SUGGESTED]

    def find(self, word_or_key: str) -> tuple[int, int | None]:
        """The id of a word, and the row of a sense if one is named; an error 404 if it is unknown."""
        check_word(word_or_key)
        found = self.data.lookup(word_or_key)
        if found is not None:
            return found
        words = self.data.vocabulary.words
        word = self.data.word_id(word_or_key.rpartition("#")[0])
        if word is not None:
            raise ApiError(404, f"{self.data.describe_senses(word)}.", word=word_or_key, closest=[words[word]])
        closest = [words[i] for i in self.completion.closest(word_or_key)]
        message = f"'{word_or_key}' is not among the {len(words):,} words of {self.name}."
        raise ApiError(404, message, word=word_or_key, closest=closest)

    def info(self) -> dict[str, Any]:
        data = self.data
        return {
            "name": self.name,
            "words": len(data.vocabulary),
            "senses": int(data.num_visible_senses.sum()),
            "multi_sense_words": int((data.num_visible_senses > 1).sum()),
            "dim": data.arrays.dim,
            "tokens": int(data.corpus.get("tokens", 0)),
            "has_index": self.index is not None,
            "indexed_text": None if self.index is None else self.index.text_name,
            "was_trained_on_index": self.was_trained_on_index,
            "index_problem": self.index_problem,
            "has_shares": self.has_shares,
            "how_to_index": f"polyseme explore {shlex.quote(str(self.path))} --corpus TEXT",
        }


def check_word(word: str) -> None:
    if not 0 < len(word) <= MAX_WORD:
        raise ApiError(400, f"a word has 1 to {MAX_WORD} characters, not {len(word):,}.")


class Session:
    """What the server serves: one or two models, and recent answers."""

    def __init__(self, models: list[ExploredModel]) -> None:
        self.models = models
        self.answers = AnswerCache()
        self.editing = threading.Lock()  # an edit copies the vectors: one at a time bounds the memory

    def model(self, number: int) -> ExploredModel:
        if number >= len(self.models):
            raise ApiError(404, f"there is no model {number}; the explorer was started with one.")
        return self.models[number]

    def prepare(self, pause: float = 0) -> None:
        for model in self.models:
            try:
                model.prepare(pause)
            except Exception:
                continue  # a request that needs it answers with the error
