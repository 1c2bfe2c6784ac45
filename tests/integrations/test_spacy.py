"""The spaCy component: the same senses as `SenseModel.tag`, and what spaCy does with components."""

from __future__ import annotations

import importlib
import pickle
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import ConfigError, MissingFile, ModelError, SenseModel, train
from polyseme.corpus.planted import PlantedCorpus
from tests.conftest import ROOT

spacy = pytest.importorskip("spacy")
component: Any = importlib.import_module("polyseme.integrations.spacy")

TEXT = "money and credit at the bank\nthe river and its muddy shore , a boat : bank"


@pytest.fixture
def nlp(mssg_path: Path) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("polyseme", config={"model": str(mssg_path)})
    return nlp


def keys(doc: Any) -> list[str | None]:
    return [token._.sense_key for token in doc]


def test_the_senses_are_those_of_tag(nlp: Any, mssg: SenseModel, planted: PlantedCorpus) -> None:
    text = "\n".join(" ".join(sentence) for sentence in planted.sentences[:200])
    doc = nlp(text)
    assert doc._.sense_tagged == mssg.tag(text)
    assert doc._.sense_tagged.count("#") > 100


def test_a_batch_gives_the_same_senses_as_single_texts(nlp: Any, mssg: SenseModel, planted: PlantedCorpus) -> None:
    texts = [" ".join(sentence) for sentence in planted.sentences[:50]]
    texts[7:7] = ["", "\n", ",", "zebra"]
    docs = list(nlp.pipe(texts, batch_size=8))
    assert [doc._.sense_tagged for doc in docs] == [mssg.tag(text) for text in texts]


def test_two_processes_give_the_same_senses(nlp: Any, mssg: SenseModel, planted: PlantedCorpus) -> None:
    texts = [" ".join(sentence) for sentence in planted.sentences[:20]]
    docs = list(nlp.pipe(texts, n_process=2, batch_size=5))
    assert [doc._.sense_tagged for doc in docs] == [mssg.tag(text) for text in texts]


def test_tokens_have_number_key_probabilities_and_vector(nlp: Any, mssg: SenseModel) -> None:
    first, second = (token for token in nlp(TEXT) if token.text == "bank")
    assert (first._.sense, second._.sense) == (1, 2)
    assert (first._.sense_key, second._.sense_key) == ("bank#1", "bank#2")
    for token, line in zip((first, second), TEXT.split("\n"), strict=True):
        expected = mssg.disambiguate("bank", line)
        assert token._.sense_probabilities == pytest.approx({s.key: s.probability for s in expected.senses}, abs=1e-6)
        assert np.array_equal(token._.sense_vector, mssg.vector(token._.sense_key))


def test_words_with_one_sense_have_the_word_as_key_and_unknown_words_none(nlp: Any, mssg: SenseModel) -> None:
    word = next(word for word in mssg.vocabulary.words if len(mssg.senses(word)) == 1)
    known, zebra, comma = nlp(f"{word.title()} zebra,")
    assert (known._.sense, known._.sense_key, known._.sense_probabilities) == (1, word, {word: 1.0})
    assert np.array_equal(known._.sense_vector, mssg.vector(word))
    for token in (zebra, comma):
        assert (token._.sense, token._.sense_key, token._.sense_probabilities) == (None, None, None)
        assert np.array_equal(token._.sense_vector, np.zeros(mssg.dim))


def test_a_token_of_several_words_has_no_sense_but_is_context(nlp: Any) -> None:
    docs = [spacy.tokens.Doc(nlp.vocab, words=["bank", other]) for other in ("money-credit-loan", "river-shore-boat")]
    assert [keys(nlp(doc)) for doc in docs] == [["bank#1", None], ["bank#2", None]]
    assert docs[1][0]._.sense_probabilities["bank#2"] > 0.5


def test_a_document_that_was_not_processed_has_no_senses(nlp: Any) -> None:
    doc = nlp.make_doc("money bank")
    assert keys(doc) == [None, None]
    assert doc[0]._.sense_vector is None
    assert doc._.sense_tagged is None


def test_a_token_merged_later_has_no_sense_and_others_keep_theirs(nlp: Any) -> None:
    doc = nlp("the money bank loan money bank")
    before = keys(doc)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
    assert keys(doc) == [before[0], None, *before[3:]]


def test_a_saved_pipeline_can_be_moved_and_has_its_own_model(nlp: Any, mssg_path: Path, tmp_path: Path) -> None:
    model = tmp_path / "first.model"
    shutil.copytree(mssg_path, model)
    saved = spacy.blank("en")
    saved.add_pipe("polyseme", config={"model": str(model)})
    saved.to_disk(tmp_path / "pipeline")
    shutil.rmtree(model)
    (tmp_path / "pipeline").rename(tmp_path / "moved")
    loaded = spacy.load(tmp_path / "moved")
    assert keys(loaded(TEXT)) == keys(nlp(TEXT))
    loaded.to_disk(tmp_path / "moved")  # over the model that is in use
    assert keys(spacy.load(tmp_path / "moved")(TEXT)) == keys(nlp(TEXT))


def test_a_pipeline_saved_without_the_component_uses_the_configured_model(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline", exclude=["polyseme"])
    assert not (tmp_path / "pipeline" / "polyseme").exists()
    assert keys(spacy.load(tmp_path / "pipeline")(TEXT)) == keys(nlp(TEXT))


def test_bytes_and_pickles_hold_the_path_and_not_the_vectors(nlp: Any) -> None:
    stored = nlp.get_pipe("polyseme").to_bytes()
    assert len(stored) < 1000
    other = spacy.blank("en")
    other.add_pipe("polyseme", config={"model": "elsewhere"}).from_bytes(stored)
    assert keys(other(TEXT)) == keys(nlp(TEXT))
    pickled = pickle.dumps(nlp.get_pipe("polyseme"))
    assert len(pickled) < 20_000
    assert keys(pickle.loads(pickled)(nlp.make_doc(TEXT))) == keys(nlp(TEXT))


def test_spawned_processes_can_unpickle_component_and_extensions(nlp: Any) -> None:
    """As `nlp.pipe(n_process=2)` sends them where processes are not forked."""
    state = (nlp.get_pipe("polyseme"), spacy.tokens.underscore.Underscore.get_state())
    assert len(pickle.dumps(state)) < 20_000


def test_documents_can_be_stored_with_their_senses(nlp: Any) -> None:
    stored = spacy.tokens.DocBin(docs=[nlp(TEXT)], store_user_data=True).to_bytes()
    [doc] = spacy.tokens.DocBin().from_bytes(stored).get_docs(spacy.blank("en").vocab)
    assert keys(doc) == keys(nlp(TEXT))


def test_another_model_at_the_same_path_is_used(mssg: SenseModel, planted_text: Path, tmp_path: Path) -> None:
    mssg.save(tmp_path / "m")
    nlp = spacy.blank("en")
    nlp.add_pipe("polyseme", config={"model": str(tmp_path / "m")})
    doc = nlp(TEXT)
    other = train(planted_text, tmp_path / "m", force=True, dim=8, epochs=1, min_count=50, senses=2, threads=1)
    assert len(other) < len(mssg)
    assert nlp(TEXT)._.sense_tagged == other.tag(TEXT)
    assert len(keys(doc)) == len(doc)  # no error, although its senses are those of a model that is gone


def test_an_empty_text_has_no_tokens(nlp: Any) -> None:
    assert nlp("")._.sense_tagged == ""


@pytest.mark.parametrize("config", [{}, {"model": ""}])
def test_a_component_without_a_model_is_refused_at_once(config: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"^'polyseme' needs a model: nlp.add_pipe\('polyseme', config="):
        spacy.blank("en").add_pipe("polyseme", config=config)


def test_a_missing_model_is_an_error_of_one_line(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("polyseme", config={"model": str(tmp_path / "none")})
    message = f"^{tmp_path}/none does not exist; train a model with: polyseme train CORPUS .*none$"
    with pytest.raises(MissingFile, match=message):
        nlp("the bank")
    with pytest.raises(MissingFile, match=message):
        nlp.to_disk(tmp_path / "pipeline")
    (tmp_path / "empty").mkdir()
    nlp.replace_pipe("polyseme", "polyseme", config={"model": str(tmp_path / "empty")})
    with pytest.raises(ModelError, match="empty is not a model: it has no config.json"):
        nlp("the bank")


def test_the_extensions_are_registered_once(nlp: Any) -> None:
    importlib.reload(component)
    assert keys(nlp("the money bank"))[-1] == "bank#1"
    assert pickle.dumps(spacy.tokens.underscore.Underscore.get_state())
    other = spacy.blank("de")
    other.add_pipe("polyseme", config={"model": nlp.get_pipe("polyseme").path})
    assert keys(other("the money bank")) == keys(nlp("the money bank"))


def test_an_attribute_of_another_package_is_not_replaced() -> None:
    token = spacy.tokens.Token
    getter = token.remove_extension("sense")[2]
    try:
        token.set_extension("sense", default="theirs")
        with pytest.raises(ConfigError, match="another package has registered Token._.sense; remove it with"):
            component.register_extensions()
    finally:
        token.set_extension("sense", getter=getter, force=True)


def test_the_entry_point_is_the_factory() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    value = project["entry-points"]["spacy_factories"]["polyseme"]
    assert EntryPoint("polyseme", value, "spacy_factories").load() is component.make_sense_tagger


def test_without_spacy_the_message_is_the_pip_line() -> None:
    statements = "import sys; sys.modules['spacy.language'] = None; import polyseme.integrations.spacy"
    done = subprocess.run([sys.executable, "-c", statements], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith("pip install 'polyseme[spacy]'")


def test_phrases_are_those_of_tag_and_their_tokens_have_their_sense(phrase_text: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"dim": 8, "epochs": 1, "threads": 1, "senses": 2, "multi_sense_min_count": 40}
    model = train(phrase_text, tmp_path / "m", phrases=True, **settings)
    nlp = spacy.blank("en")
    nlp.add_pipe("polyseme", config={"model": str(tmp_path / "m")})
    text = "zz to New York, aa bb\nNew\nYork; cc the NEW-YORK  Times. dd new_york"
    doc = nlp(text)
    assert doc._.sense_tagged == model.tag(text)
    assert doc._.sense_tagged.count("York#") == 1
    new, york = doc[2:4]
    assert new._.sense_key == york._.sense_key == f"new_york#{york._.sense}"
    assert np.array_equal(new._.sense_vector, model[york._.sense_key])
    expected = model.disambiguate("new york", "zz to New York, aa bb")
    assert york._.sense_probabilities == pytest.approx({s.key: s.probability for s in expected.senses}, abs=1e-6)
    assert [token._.sense_key for token in doc if token.text in ("New", "York")][2:] == [None, None]
