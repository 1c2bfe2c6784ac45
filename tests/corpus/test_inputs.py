"""What is taken as files, as an encoded corpus, and as texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyseme.corpus.encoding import encode
from polyseme.corpus.inputs import CorpusInput
from polyseme.corpus.sources import TEXTS
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import ConfigError, CorpusError, MissingFile


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.txt", "b.txt", "c.jsonl"):
        (tmp_path / name).write_text("one two\n")
    return tmp_path


def paths(corpus: Any, **options: Any) -> list[str]:
    return [Path(source.path).name for source in CorpusInput(corpus, **options).sources()]


def test_paths_and_lists_of_paths_are_files(folder: Path) -> None:
    assert paths(folder / "a.txt") == paths(str(folder / "a.txt")) == ["a.txt"]
    assert paths([folder / "b.txt", str(folder / "a.txt")]) == ["b.txt", "a.txt"]
    assert paths((folder / "c.jsonl",)) == ["c.jsonl"]


@pytest.mark.parametrize("corpus", [(t for t in ["a"]), {"a"}, [["a", "b"]], [{"text": "a"}], ["a", ["b"]]])
def test_other_iterables_are_texts(corpus: Any) -> None:
    assert paths(corpus) == [TEXTS]


def test_texts_may_be_a_list_of_strings() -> None:
    assert paths(None, texts=["a.txt"]) == [TEXTS]


@pytest.mark.parametrize(
    "corpus",
    [
        ["the bank of the river", "more"],
        "the bank of the river",
        ["word " * 1000],
        ("A bank. E.g. this.",),
        "On and/or off",
        ["我在银行存钱。"],
    ],
)
def test_sentences_given_as_files_are_refused_with_the_name_of_the_right_argument(corpus: Any) -> None:
    with pytest.raises(MissingFile, match=r"in Python, pass sentences as texts=\[...\]") as error:
        paths(corpus)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_a_file_that_does_not_exist_is_not_taken_for_a_sentence(folder: Path) -> None:
    for name in ("missing.txt", "my corpus.jsonl", "a b/c d"):
        with pytest.raises(MissingFile, match=r"does not exist; check the path \(the current folder is"):
            paths(str(folder / name))


def test_models_encoded_corpora_and_unfinished_runs_in_a_folder_are_not_text(folder: Path) -> None:
    for name, file in (("my.model", "model.safetensors"), ("my.corpus", "corpus.json"), ("my.training", "lock")):
        (folder / "sub" / name).mkdir(parents=True)
        (folder / "sub" / name / file).touch()
        (folder / "sub" / name / "phrases.txt").write_text("new york\n")
    (folder / "sub" / "d.txt").write_text("one two\n")
    assert paths(folder) == ["a.txt", "b.txt", "d.txt"]


def test_an_encoded_corpus_is_given_alone(folder: Path) -> None:
    encoded = folder / "my.corpus"
    encode(CorpusInput(folder / "a.txt").sources(), get_tokenizer("words"), encoded)
    with pytest.raises(CorpusError, match="my.corpus is an encoded corpus: train on it alone"):
        paths([encoded, folder / "b.txt"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"corpus": None}, "give a corpus: either files, or texts="),
        ({"corpus": "a.txt", "texts": ["a"]}, "give a corpus: either files, or texts="),
        ({"corpus": None, "texts": ["a"], "reader": "csv"}, "reader= is for files"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CorpusInput(**options)


def test_an_encoded_corpus_is_opened_and_has_no_reader(folder: Path) -> None:
    assert CorpusInput(folder / "a.txt").open_encoded() is None
    encoded = encode(CorpusInput(folder / "a.txt").sources(), get_tokenizer("words"), folder / "corpus")
    opened = CorpusInput(folder / "corpus").open_encoded()
    assert opened is not None
    assert opened.fingerprint == encoded.fingerprint
    assert CorpusInput(encoded).open_encoded() is encoded
    with pytest.raises(ConfigError, match="this corpus is encoded already"):
        CorpusInput(folder / "corpus", field="text").open_encoded()


@pytest.mark.parametrize(
    ("names", "reader", "expected"),
    [
        (["a.jsonl", "b.ndjson.gz"], None, ["a.jsonl", "b.ndjson.gz"]),
        (["a.jsonl", "b.txt"], None, ["b.txt"]),
        (["a.jsonl", "b.txt", "c.csv"], "jsonl", ["a.jsonl"]),
    ],
)
def test_a_folder_gives_the_files_of_one_format(
    names: list[str], reader: str | None, expected: list[str], tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"")
    assert paths(tmp_path, reader=reader) == expected


def test_a_folder_with_several_formats_needs_a_reader(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.parquet"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(CorpusError, match=r"choose one with --reader \(jsonl, parquet\)"):
        paths(tmp_path)


def test_the_reader_and_the_field_are_part_of_a_source(folder: Path) -> None:
    source = CorpusInput(folder / "c.jsonl", field="body").sources()[0]
    assert (source.reader, source.field, source.spooled, source.unchanged) == ("jsonl", "body", True, True)
    assert source != CorpusInput(folder / "c.jsonl").sources()[0]
    as_text = CorpusInput(folder / "c.jsonl", reader="text").sources()[0]
    assert (as_text.reader, as_text.field, as_text.spooled) == ("text", "", False)


def test_options_that_have_no_effect_are_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match="--field is for jsonl, csv, tsv, parquet; .*a.txt has no fields"):
        paths(folder / "a.txt", field="text")
    with pytest.raises(ConfigError, match="--field is empty; give the name of the field"):
        paths(folder / "c.jsonl", field="")
    with pytest.raises(ConfigError, match="reader 'word' is not known; choose one of text, jsonl"):
        paths(folder / "a.txt", reader="word")
