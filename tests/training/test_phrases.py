"""Training with phrases: which phrases a model has, how it uses them, and which settings fit together."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from polyseme import SenseModel, load, train
from polyseme.corpus.encoding import encode
from polyseme.corpus.phrases import Phrases, PhraseSettings
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import ConfigError, CorpusError, Interrupted, ModelError, TrainingError, UnknownWord
from polyseme.evaluation.health import health
from polyseme.model import storage
from polyseme.model.compact import save_compact
from polyseme.training.events import CorpusEncoded, Event
from polyseme.training.init_model import PHRASE_SETTINGS
from tests.conftest import Run
from tests.model.test_storage import change_config, refused, update_digests

SMALL: dict[str, Any] = {"dim": 8, "epochs": 1, "examples": 2, "threads": 1, "senses": 2, "multi_sense_min_count": 40}


@pytest.fixture(scope="module")
def path(phrase_text: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trained") / "m"
    train(phrase_text, path, phrases=True, **SMALL)
    return path


@pytest.fixture(scope="module")
def encoded(phrase_text: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoded") / "corpus"
    encode(find_sources(phrase_text), WORDS, folder, phrases=PhraseSettings(0.5, 10, 2))
    return folder


@pytest.fixture
def model(path: Path) -> SenseModel:
    return load(path)


def test_phrases_are_words_with_their_own_counts(model: SenseModel) -> None:
    counts = dict(zip(model.vocabulary.words, model.vocabulary.counts.tolist(), strict=True))
    assert counts["new_york"] == 80
    assert counts["new_york_times"] == 40
    assert model._data.phrases == Phrases([("new", "york"), ("new", "york", "times")])
    assert not {"new", "york", "times"} & counts.keys()
    assert not any("_" in word for word in counts if not word.startswith("new_york"))


def test_a_phrase_is_found_by_any_spelling(model: SenseModel) -> None:
    for spelling in ("new_york", "New_York", "new york", "New York", "NEW-YORK", "new\tyork"):
        assert model.senses(spelling).word == "new_york"
    assert model.neighbours("new york#2") == model.neighbours("new_york#2")
    assert model.similarity("new york", "new york times") == model.similarity("new_york", "new_york_times")
    assert "new york" in model
    with pytest.raises(UnknownWord, match="'york times' is not among"):
        model.senses("york times")


def test_texts_are_joined_in_queries(model: SenseModel) -> None:
    assert model._data.tokenize("From New York to the New York Times") == [
        "from",
        "new_york",
        "to",
        "the",
        "new_york_times",
    ]
    separate = model.disambiguate("new york", "aa bb New York cc dd")
    assert separate.known == 4
    assert separate == model.disambiguate("new_york", "aa bb new_york cc dd")


def test_tagging_joins_the_words_of_an_ambiguous_phrase(model: SenseModel) -> None:
    tagged = model.tag("zz to New York, New\nYork; the NEW-YORK  Times. new_york")
    pattern = r"zz to New_York#\d, New\nYork; the NEW_YORK_Times#\d. new_york#\d"
    assert re.fullmatch(pattern, re.sub(r"\b([a-z]{2})#\d", r"\1", tagged))
    assert model.tag("") == ""
    assert [model.tag(text) for text in ("to New York", "aa bb")] == [
        load_fresh(model).tag(t) for t in ("to New York", "aa bb")
    ]


def load_fresh(model: SenseModel) -> SenseModel:
    """The same model with an empty cache."""
    return SenseModel(model._data)


def test_tagging_and_disambiguation_choose_the_same_sense_of_a_phrase(model: SenseModel, phrase_text: Path) -> None:
    lines = [line for line in phrase_text.read_text().split("\n") if "New York" in line]
    for line in lines:
        word = "new york times" if "Times" in line else "new york"
        best = model.disambiguate(word, line).best.key
        assert best.rpartition("#")[2] == re.findall(r"New_York(?:_Times)?#(\d)", model.tag(line))[0]


def test_a_tokenizer_function_works_with_phrases(phrase_text: Path) -> None:
    model = train(phrase_text, tokenizer=str.split, phrases=True, **SMALL)
    assert "New_York" in model.vocabulary
    assert "New_York#" in model.tag("to New York now")
    assert any("New_York" in e.word for e in model.senses("New_York")[0].examples)


def test_health_reads_phrases(model: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("zz New York\n")  # of these words, the model knows only the phrase
    assert "entropy" in health(model, tmp_path / "text").table["all"]


def test_a_refined_model_keeps_its_phrases(model: SenseModel, tmp_path: Path) -> None:
    model.refine(merge=["new_york#1+new_york#2"]).save(tmp_path / "refined")
    refined = load(tmp_path / "refined")
    assert refined._data.phrases == model._data.phrases
    assert [sense.key for sense in refined.senses("New York")] == ["new_york"]


def test_min_count_holds_for_phrases(phrase_text: Path) -> None:
    model = train(phrase_text, phrases=True, min_count=41, **{**SMALL, "multi_sense_min_count": 41})
    assert "new_york" in model.vocabulary
    assert "new_york_times" not in model.vocabulary
    assert model._data.tokenize("new york times") == ["new_york", "times"]


def test_a_model_with_phrases_is_refused_by_versions_without_them(
    path: Path, monkeypatch: pytest.MonkeyPatch, mssg_path: Path
) -> None:
    assert storage.read_config(mssg_path)["format_version"] == 2
    assert storage.read_config(path)["format_version"] == 3
    monkeypatch.setattr(storage, "FORMAT_VERSION", 2)  # the last version before
    with pytest.raises(ModelError, match="has the format version 3, and this polyseme reads up to version 2; upgrade"):
        load(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"new\n", "must be 2 to 32 words"),
        (b"new\tyork", "the last line of phrases.txt has no end"),
        (b"\xff\t\xfe\n", "phrases.txt is not UTF-8"),
    ],
)
def test_a_malformed_file_of_phrases_is_refused(data: bytes, message: str, path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(path, tmp_path / "m"))
    (copy / "phrases.txt").write_bytes(data)
    assert "phrases.txt" in refused(copy)
    update_digests(copy)
    assert message in refused(copy)


def test_a_file_of_phrases_that_is_missing_or_no_file_is_refused(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(path, tmp_path / "m"))
    (copy / "phrases.txt").unlink()
    assert "phrases.txt is missing" in refused(copy)
    (copy / "phrases.txt").symlink_to(path / "phrases.txt")
    assert "symbolic link" in refused(copy)
    (copy / "phrases.txt").unlink()
    os.mkfifo(copy / "phrases.txt")
    assert "not a regular file" in refused(copy)
    change_config(copy, lambda config: config["files"].pop("phrases.txt"))
    assert "the setting 'phrases' and the list of files contradict each other" in refused(copy)


def test_phrases_that_are_no_words_of_the_model_do_no_harm(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(path, tmp_path / "m"))
    (copy / "phrases.txt").write_bytes(b"not\tthere\nnew\tyork\nnew\tyork\n")
    update_digests(copy)
    model = load(copy)
    tagged = model.tag("not there to New York")
    assert tagged.startswith("not there to New_York#")
    assert model.disambiguate("new york", "not there to new york").known == 0


def test_an_encoded_corpus_brings_its_phrases(encoded: Path, path: Path, tmp_path: Path) -> None:
    model = train(encoded, tmp_path / "m", **SMALL)
    assert model._data.phrases == load(path)._data.phrases
    assert model.config == load(path).config
    assert train(encoded, phrases=True, **SMALL).config == model.config


def test_an_encoded_corpus_without_phrases_or_with_other_ones_is_refused(
    encoded: Path, phrase_text: Path, tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match="--phrase-threshold 0.5 .*, not --phrase-threshold 0.6 .*; train without"):
        train(encoded, phrases=True, phrase_threshold=0.6, **SMALL)
    plain = tmp_path / "plain"
    encode(find_sources(phrase_text), WORDS, plain)
    with pytest.raises(CorpusError, match="encoded without phrases; encode it again with --phrases"):
        train(plain, phrases=True, **SMALL)


def test_resume_keeps_the_phrases_of_a_finished_model_and_refuses_others(path: Path, phrase_text: Path) -> None:
    assert train(phrase_text, path, resume=True, **SMALL)._data.phrases == load(path)._data.phrases
    with pytest.raises(TrainingError, match="has --phrase-passes 2, not 1"):
        train(phrase_text, path, resume=True, phrases=True, phrase_passes=1, **SMALL)
    with pytest.raises(TrainingError, match="has --phrases True, not False"):
        train(phrase_text, path, resume=True, phrases=False, **SMALL)


def is_encoded(events: list[Event]) -> bool:
    return any(isinstance(event, CorpusEncoded) for event in events)


def test_resume_refuses_other_phrases_for_an_unfinished_run(phrase_text: Path, tmp_path: Path, path: Path) -> None:
    out = tmp_path / "m"
    events: list[Event] = []
    with pytest.raises(Interrupted):
        train(phrase_text, out, phrases=True, listen=events.append, stop=lambda: is_encoded(events), **SMALL)
    assert out.with_name("m.training").exists()
    with pytest.raises(TrainingError, match="the unfinished run has --phrase-threshold 0.5, not 0.4"):
        train(phrase_text, out, resume=True, phrases=True, phrase_threshold=0.4, **SMALL)
    model = train(phrase_text, out, resume=True, **SMALL)
    assert model.vocabulary.words == load(path).vocabulary.words


def test_the_command_line_finds_phrases(polyseme_command: Run, phrase_text: Path, tmp_path: Path) -> None:
    done = polyseme_command("encode", phrase_text, "corpus", "--phrases", "--phrase-passes", "1")
    assert done.stdout.endswith(" words, 1 phrases\n")
    assert (tmp_path / "corpus" / "phrases.txt").read_text() == "new\tyork\n"
    done = polyseme_command("train", "corpus", "m", "--dim", "8", "--epochs", "1", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    done = polyseme_command("senses", "m", "New York", "--json")
    assert json.loads(done.stdout)["word"] == "new_york"
    settings = json.loads((tmp_path / "m" / "config.json").read_text())["settings"]
    assert (settings["phrases"], settings["phrase_passes"]) == (True, 1)


def test_phrases_are_joined_in_texts_that_are_not_files(path: Path, phrase_text: Path) -> None:
    """Their text is kept in the encoded corpus, from which example sentences are cut."""
    model = train(texts=iter(phrase_text.read_text(encoding="utf-8").splitlines()), phrases=True, **SMALL)
    assert model.vocabulary.words == load(path).vocabulary.words
    examples = [example.word for sense in model.senses("new york") for example in sense.examples]
    assert examples
    assert {word.lower().replace(" ", "_") for word in examples} == {"new_york"}


def test_a_continued_model_keeps_its_phrases(path: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("aa bb cc dd ee ff gg hh\n" * 50)
    before = load(path)
    new = train(tmp_path / "new.txt", tmp_path / "m", init=path, epochs=1, threads=1)
    assert load(tmp_path / "m")._data.phrases == before._data.phrases
    text = "zz to New York, the New York Times"
    assert new.tag(text) == before.tag(text)
    assert {name: new.config[name] for name in PHRASE_SETTINGS} == {
        name: before.config[name] for name in PHRASE_SETTINGS
    }


def test_a_continued_model_joins_its_phrases_in_the_new_text(path: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("aa New York bb San Diego cc\n" * 50)
    new = train(tmp_path / "new.txt", init=path, epochs=1, threads=1)
    counts = dict(zip(new.vocabulary.words, new.vocabulary.counts.tolist(), strict=True))
    assert counts["new_york"] == 80 + 50
    assert "san_diego" not in counts
    with pytest.raises(ConfigError, match="has --phrases True, not False"):
        train(tmp_path / "new.txt", init=path, phrases=False)


def test_a_continued_model_adds_the_phrases_of_an_encoded_corpus(path: Path, phrase_text: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text(phrase_text.read_text().replace("New York", "San Diego"))
    encode(find_sources(tmp_path / "new.txt"), WORDS, tmp_path / "corpus", phrases=PhraseSettings(0.5, 10, 2))
    new = train(tmp_path / "corpus", init=path, epochs=1, threads=1)
    assert new._data.phrases is not None
    assert ("new", "york") in new._data.phrases.words
    assert ("san", "diego") in new._data.phrases.words


def test_a_small_model_has_only_the_phrases_of_its_words(path: Path, tmp_path: Path) -> None:
    model = load(path)
    words = model.vocabulary.index["new_york_times"]
    save_compact(model, tmp_path / "small", words=words)
    small = load(tmp_path / "small")
    assert small._data.phrases == Phrases([("new", "york")])
    assert small._data.tokenize("the New York Times") == ["the", "new_york", "times"]
