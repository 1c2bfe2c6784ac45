"""The scikit-learn transformer `SenseVectorizer`: documents as means of sense vectors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ConfigError, DataError, MissingExtra, ModelError, shorten
from polyseme.integrations.loaded_models import open_model
from polyseme.model.sense_model import SenseModel
from polyseme.model.tagging import UNKNOWN, EncodedTexts

try:
    from scipy.sparse import coo_array
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise MissingExtra(f"SenseVectorizer needs {error.name}: pip install 'polyseme[sklearn]'") from error

BATCH_CHARACTERS = 1 << 20  # of documents that are processed together

Vectors = Literal["sense", "word", "global"]
Floats = NDArray[np.float32]


class SenseVectorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Turns each document into the mean of the vectors of its words, each in the sense chosen by its context.

    model    path of a model folder; pickles contain the path, not the vectors
    vectors  'sense': the vector of the sense in context; 'word': the mean of the word's senses, weighted by share;
             'global': the word's global vector
    idf      whether words are weighted by their inverse document frequency in the documents of `fit`:
             1 + log((1 + n) / (1 + df)), as in TfidfVectorizer

    A document without known words becomes zeros. `fit` is needed only with `idf`.

    idf_     with `idf`, the weight of each word of the model
    Raises ConfigError if a parameter is invalid, when it is used.

    >>> model.save("news.model")
    >>> polyseme.SenseVectorizer("news.model").transform(["the river bank", "a loan of the bank"]).shape
    (2, 8)
    """

    def __init__(self, model: str | os.PathLike[str], *, vectors: Vectors = "sense", idf: bool = False) -> None:
        self.model = model
        self.vectors = vectors
        self.idf = idf

    def fit(self, raw_documents: Iterable[str], y: object = None) -> Self:  # noqa: ARG002
        """Compute the weights of the words, if `idf` is set; else only check the parameters. Returns itself.

        raw_documents  texts
        y              not used
        Raises DataError if the documents are not a list of texts.

        >>> model.save("news.model")
        >>> polyseme.SenseVectorizer("news.model", idf=True).fit(["the river bank", "the bank"]).idf_.shape
        (54,)
        """
        model = self._open()
        _refuse_other_types(raw_documents)
        if self.idf:
            num_words, num_documents = len(model), 0
            frequencies = np.zeros(num_words, np.int64)
            for batch in _batches(raw_documents):
                texts = model._tagger.encode(batch)
                words, documents = _known_words(texts)
                pairs = np.unique(documents * num_words + words)
                frequencies += np.bincount(pairs % num_words, minlength=num_words)
                num_documents += len(batch)
            self.idf_ = (1 + np.log((1 + num_documents) / (1 + frequencies))).astype(np.float32)
        return self

    def transform(self, raw_documents: Iterable[str]) -> Floats:
        """(n, dim) The vectors of n documents.

        raw_documents  texts
        Raises DataError if the documents are not a list of texts.
        Raises ModelError if the model has changed since `fit`.

        >>> model.save("news.model")
        >>> polyseme.SenseVectorizer("news.model").transform(["the river bank"]).shape
        (1, 8)
        """
        check_is_fitted(self)
        model = self._open()
        _refuse_other_types(raw_documents)
        if self.idf and len(self.idf_) != len(model):
            raise ModelError(
                f"{self.model} has {len(model):,} words, and SenseVectorizer was fitted with a model of "
                f"{len(self.idf_):,}; fit it again."
            )
        means = [self._means(batch, model) for batch in _batches(raw_documents)]
        return np.concatenate(means) if means else np.zeros((0, model.dim), np.float32)

    def _means(self, batch: list[str], model: SenseModel) -> Floats:
        """The mean vector of each document of a batch, by one product of a sparse matrix with the vectors."""
        texts = model._tagger.encode(batch)
        words, documents = _known_words(texts)
        weights = self.idf_[words] if self.idf else np.ones(len(words), np.float32)
        rows = words
        if self.vectors == "sense":
            rows = model._tagger.sense_rows(texts.ids, texts.lines)[texts.ids != UNKNOWN]
        distinct, columns = np.unique(rows, return_inverse=True)
        matrix = coo_array((weights, (documents, columns)), shape=(len(batch), len(distinct))).tocsr()
        totals = np.maximum(np.bincount(documents, weights, len(batch)), 1e-12)
        sums = matrix @ self._lookup(model)(distinct)
        return np.asarray(sums / totals[:, None], np.float32).reshape(len(batch), model.dim)

    def _lookup(self, model: SenseModel) -> Callable[[NDArray[np.int32]], Floats]:
        """The function from rows of senses, or from ids of words, to vectors."""
        data = model._data
        if self.vectors == "sense":
            return lambda rows: np.asarray(data.arrays.sense_vectors[rows])
        if self.vectors == "global":
            return lambda words: np.asarray(data.global_vectors[words])
        return lambda words: np.array([data.vector(word, None) for word in words.tolist()]).reshape(-1, model.dim)

    def _open(self) -> SenseModel:
        """The model; ConfigError if a parameter is invalid."""
        if self.vectors not in get_args(Vectors):
            choices = ", ".join(get_args(Vectors))
            raise ConfigError(f"vectors must be one of {choices}, not '{shorten(self.vectors)}'.")
        if not isinstance(self.idf, bool | np.bool_):
            raise ConfigError(f"idf must be True or False, not {shorten(repr(self.idf))}.")
        if not isinstance(self.model, str | os.PathLike):
            given = shorten(repr(self.model))
            raise ConfigError(f"model must be the path of a model folder, not {given}; save it with model.save(PATH).")
        return open_model(self.model)

    @property
    def _n_features_out(self) -> int:
        return self._open().dim

    def __sklearn_is_fitted__(self) -> bool:
        return not self.idf or hasattr(self, "idf_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = self.idf
        return tags


def _refuse_other_types(documents: Iterable[str]) -> None:
    if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
        raise DataError(f"a list of documents is needed, not {shorten(repr(documents))}; put a single one into a list.")
    if isinstance(documents, Mapping) or hasattr(documents, "columns"):  # iterating gives the names of the columns
        kind = type(documents).__name__
        raise DataError(f"a list of documents is needed, not a {kind}; give one of its columns, such as frame['text'].")


def _batches(documents: Iterable[str]) -> Iterator[list[str]]:
    """Yield lists of documents of about BATCH_CHARACTERS together."""
    batch: list[str] = []
    size = 0
    for i, document in enumerate(documents):
        if not isinstance(document, str):
            raise DataError(f"document {i} is {shorten(repr(document))}; each document must be a str.")
        batch.append(document)
        size += len(document) + 1
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _known_words(texts: EncodedTexts) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The ids of the words that are in the model, and the number of the document of each."""
    known = texts.ids != UNKNOWN
    documents = np.repeat(np.arange(len(texts.bounds) - 1), np.diff(texts.bounds))
    return texts.ids[known], documents[known]
