"""SenseVectorizer: means computed by hand, and what scikit-learn expects of a text vectorizer."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import polyseme
from polyseme import ConfigError, DataError, MissingFile, ModelError, SenseModel, SenseVectorizer, train
from polyseme.corpus.planted import PlantedCorpus
from polyseme.integrations import sklearn as module

DOCUMENTS = [
    "money and credit at the Bank\nthe river and its muddy shore, a boat: bank",
    "",
    "zebra!",
    "river bank",
    "a loan\n\n",
    "loan loan bank",
]


def mean(vectors: list[Any], weights: list[float] | None = None) -> Any:
    return np.average(vectors, axis=0, weights=weights) if vectors else 0


def keys_of(model: SenseModel, document: str) -> list[str]:
    """The keys of the known words of a document, in the senses of `SenseModel.tag`."""
    tagged = model.tag(document).lower()
    return [word for word in tagged.replace(",", " ").replace(":", " ").replace("!", " ").split() if word in model]


@pytest.mark.parametrize("batch_characters", [1, 20, 10_000])
def test_a_document_is_the_mean_of_the_senses_that_tag_chooses(
    mssg_path: Path, mssg: SenseModel, monkeypatch: pytest.MonkeyPatch, batch_characters: int
) -> None:
    monkeypatch.setattr(module, "BATCH_CHARACTERS", batch_characters)
    vectors = SenseVectorizer(mssg_path).fit_transform(DOCUMENTS)
    assert vectors.shape == (len(DOCUMENTS), mssg.dim)
    assert vectors.dtype == np.float32
    assert {"bank#1", "bank#2"} <= set(keys_of(mssg, DOCUMENTS[0]))
    for document, vector in zip(DOCUMENTS, vectors, strict=True):
        expected = mean([mssg.vector(key) for key in keys_of(mssg, document)])
        assert vector == pytest.approx(expected + np.zeros(mssg.dim), abs=1e-6)


def test_word_and_global_vectors_do_not_depend_on_the_context(mssg_path: Path, mssg: SenseModel) -> None:
    document = "boat bank loan"
    words = document.split()
    [word_mean] = SenseVectorizer(mssg_path, vectors="word").transform([document])
    assert word_mean == pytest.approx(mean([mssg.vector(word) for word in words]), abs=1e-6)
    [global_mean] = SenseVectorizer(mssg_path, vectors="global").transform([document])
    ids = [mssg.vocabulary.index[word] for word in words]
    assert global_mean == pytest.approx(mean(list(mssg.global_vectors[ids])), abs=1e-6)


def test_idf_weights_are_those_of_scikit_learn(mssg_path: Path, mssg: SenseModel) -> None:
    counts = CountVectorizer(vocabulary=mssg.vocabulary.words, tokenizer=mssg.tokenizer, token_pattern=None)
    expected = TfidfTransformer().fit(counts.transform(DOCUMENTS)).idf_
    vectorizer = SenseVectorizer(mssg_path, idf=True).fit(DOCUMENTS)
    assert vectorizer.idf_ == pytest.approx(expected, rel=1e-6)
    keys = keys_of(mssg, DOCUMENTS[5])
    weights = [float(expected[mssg.vocabulary.index[key.split("#")[0]]]) for key in keys]
    [vector] = vectorizer.transform(DOCUMENTS[5:])
    assert vector == pytest.approx(mean([mssg.vector(key) for key in keys], weights), abs=1e-6)


def checks() -> Iterator[Any]:
    """The checks of scikit-learn that apply to estimators of text. It warns that it leaves out the others."""
    for estimator in (SenseVectorizer("no.model"), SenseVectorizer("no.model", idf=True)):
        with warnings.catch_warnings(action="ignore", category=SkipTestWarning):
            yield from list(estimator_checks_generator(estimator))


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_the_checks_of_scikit_learn_pass(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


def test_a_pipeline_with_grid_search_learns_the_planted_topics(mssg_path: Path, planted: PlantedCorpus) -> None:
    occurrences = [occurrence for occurrence in planted.occurrences if occurrence.word == "bank"][:200]
    texts = [" ".join(planted.sentences[occurrence.sentence]) for occurrence in occurrences]
    pipeline = make_pipeline(SenseVectorizer(mssg_path), LogisticRegression(max_iter=200))
    grid = {"sensevectorizer__vectors": ["sense", "word"], "sensevectorizer__idf": [False, True]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(texts, [occurrence.topic for occurrence in occurrences])
    assert len(search.classes_) == 2
    assert search.best_score_ > 0.95


def test_names_and_data_frames(mssg_path: Path, mssg: SenseModel) -> None:
    pandas = pytest.importorskip("pandas")
    vectorizer = SenseVectorizer(mssg_path).set_output(transform="pandas")
    frame = vectorizer.fit_transform(pandas.Series(DOCUMENTS, index=list("abcdef")))
    assert list(frame.columns) == [f"sensevectorizer{i}" for i in range(mssg.dim)]
    assert list(frame.columns) == list(vectorizer.get_feature_names_out())
    assert list(frame.index) == list("abcdef")


def test_pickles_and_clones_hold_the_path_and_not_the_vectors(mssg_path: Path, mssg: SenseModel) -> None:
    vectorizer = SenseVectorizer(mssg_path, vectors="word", idf=True).fit(DOCUMENTS)
    pickled = pickle.dumps(vectorizer)
    assert len(pickled) < 4 * len(mssg) + 1000  # one number per word
    assert np.array_equal(pickle.loads(pickled).transform(DOCUMENTS), vectorizer.transform(DOCUMENTS))
    assert clone(vectorizer).get_params() == vectorizer.get_params()
    with pytest.raises(NotFittedError):
        clone(vectorizer).transform(DOCUMENTS)


def test_generators_and_no_documents_are_accepted(mssg_path: Path, mssg: SenseModel) -> None:
    vectorizer = SenseVectorizer(mssg_path)
    assert np.array_equal(vectorizer.transform(d for d in DOCUMENTS), vectorizer.transform(DOCUMENTS))
    assert vectorizer.transform([]).shape == (0, mssg.dim)
    assert vectorizer.transform(["", "zebra"]).tolist() == [[0.0] * mssg.dim] * 2


def test_threads_can_share_a_vectorizer(mssg_path: Path) -> None:
    vectorizer = SenseVectorizer(mssg_path)
    documents = [f"money word{i} river bank unheard{i} loan" for i in range(400)]
    expected = vectorizer.transform(documents)
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(vectorizer.transform(documents))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("the bank", "^a list of documents is needed, not 'the bank'; put a single one into a list.$"),
        (b"the bank", "^a list of documents is needed, not b'the bank'"),
        (None, "^a list of documents is needed, not None"),
        ({"text": ["the bank"]}, "^a list of documents is needed, not a dict; give one of its columns"),
        (pd.DataFrame({"text": ["the bank"]}), r"^a list .*, not a DataFrame; .* such as frame\['text'\].$"),
    ],
)
def test_a_single_text_or_a_table_is_refused(mssg_path: Path, documents: Any, message: str) -> None:
    for call in (SenseVectorizer(mssg_path).fit, SenseVectorizer(mssg_path).transform):
        with pytest.raises(DataError, match=message):
            call(documents)


@pytest.mark.parametrize("document", [None, b"bank", 3, float("nan"), ["bank"]])
def test_documents_that_are_not_text_are_named(mssg_path: Path, document: Any) -> None:
    with pytest.raises(DataError, match=r"^document 1 is .*; each document must be a str.$"):
        SenseVectorizer(mssg_path).transform(["bank", document])


def test_invalid_parameters_are_refused(mssg_path: Path, mssg: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^vectors must be one of sense, word, global, not 'senses'.$"):
        SenseVectorizer(mssg_path, vectors="senses").fit(DOCUMENTS)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^idf must be True or False, not 'smooth'.$"):
        SenseVectorizer(mssg_path, idf="smooth").fit(DOCUMENTS)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^model must be the path of a model folder, .*model.save\(PATH\).$"):
        SenseVectorizer(mssg).fit(DOCUMENTS)  # type: ignore[arg-type]
    with pytest.raises(MissingFile, match="none does not exist; train a model with"):
        SenseVectorizer(tmp_path / "none").fit(DOCUMENTS)


def test_a_model_replaced_after_fit_is_noticed(mssg: SenseModel, planted_text: Path, tmp_path: Path) -> None:
    mssg.save(tmp_path / "m")
    vectorizer = SenseVectorizer(tmp_path / "m", idf=True).fit(DOCUMENTS)
    train(planted_text, tmp_path / "m", force=True, dim=8, epochs=1, min_count=50, threads=1)
    with pytest.raises(ModelError, match=r"m has \d+ words, and SenseVectorizer was fitted with a model of 811"):
        vectorizer.transform(DOCUMENTS)


def test_the_class_is_public_and_needs_its_extra() -> None:
    assert polyseme.SenseVectorizer is module.SenseVectorizer
    statements = "import sys; sys.modules['sklearn.base'] = None; import polyseme; polyseme.SenseVectorizer"
    done = subprocess.run([sys.executable, "-c", statements], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith("pip install 'polyseme[sklearn]'")
