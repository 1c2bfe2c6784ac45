"""Reading Python iterables: texts, token lists, rows."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import iterable_source
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import CorpusError, PolysemeError


def encode_items(items: Iterable[Any], folder: Path, field: str | None = None) -> EncodedCorpus:
    return encode([iterable_source(items, field)], get_tokenizer("words"), folder / "corpus")


def sentences(corpus: EncodedCorpus) -> list[list[str]]:
    return [[corpus.words[t] for t in corpus.tokens[a:b]] for a, b in pairwise(corpus.sentences.tolist())]


TOKENS = [["New York", "Bank"], ["É", "bank", ""], []]


@pytest.mark.parametrize(
    "items",
    [
        TOKENS,
        (tokens for tokens in TOKENS),
        [tuple(tokens) for tokens in TOKENS],
        [np.array(tokens, str) for tokens in TOKENS],
        (iter(tokens) for tokens in TOKENS),
    ],
    ids=["lists", "generator", "tuples", "arrays", "iterators"],
)
def test_token_lists_are_not_tokenized_or_normalized(items: Iterable[Any], tmp_path: Path) -> None:
    corpus = encode_items(items, tmp_path)
    assert sentences(corpus) == [["New York", "Bank"], ["É", "bank"]]
    assert list(corpus.source_texts([0, 1])) == [None, None]
    assert corpus.description["tokenizer"] == "words"  # of queries


def test_rows_have_texts_or_token_lists_in_a_field(tmp_path: Path) -> None:
    rows = [{"page": {"text": "A bank.", "words": ["A", "bank"]}}]
    assert sentences(encode_items(rows, tmp_path, "page.text")) == [["a", "bank"]]
    assert sentences(encode_items(rows, tmp_path, "page.words")) == [["A", "bank"]]


def test_the_first_good_item_decides_the_kind(tmp_path: Path) -> None:
    corpus = encode_items([None, ["A", "b"], "a text", ["C"], ["d"]], tmp_path)
    assert sentences(corpus) == [["A", "b"], ["C"], ["d"]]
    assert corpus.description["bad_rows"] == 2
    assert corpus.description["first_bad_row"] == "<texts>, item 1 is of type NoneType, but the first is a token list"


@pytest.mark.parametrize("tokens", [["a", 1], ["a\tb"], ["a\nb"], ["a\0b"], [None]])
def test_an_invalid_token_makes_a_bad_row(tokens: list[Any], tmp_path: Path) -> None:
    corpus = encode_items([["one"], tokens, ["two"]], tmp_path)
    assert sentences(corpus) == [["one"], ["two"]]
    assert corpus.description["first_bad_row"].startswith("<texts>, item 2 has a token")


class Frame:
    """A table that iterates over the names of its columns, as that of pandas does."""

    def __init__(self, data: dict[str, list[str]]) -> None:
        self.columns = list(data)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)


@pytest.mark.parametrize(
    ("items", "field", "message"),
    [
        ("a text", None, "texts is of type str, not an iterable of texts or token lists; give a list"),
        (b"a text", None, "texts is of type bytes"),
        ({"train": ["a"]}, None, r"texts is of type dict.*give one of its values, such as dataset\['train'\]"),
        (5, None, "texts is of type int"),
        ([Path("a.txt")], None, "the first text is a path, a.txt; give files as a list of paths"),
        (["a"], "text", "field= is for rows that are mappings; the first item is of type str"),
        ([b"a"], None, "item 1 has a value of type bytes instead of a text"),
        ([{"body": "a"}], None, "item 1 has no field 'text', only body.*. Check the texts and field="),
        (Frame({"text": ["a"]}), None, r"texts is a Frame; give one of its columns, such as frame\['text'\]"),
        ([], None, "holds no words"),
    ],
)
def test_what_is_not_text_is_refused(items: Any, field: str | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(PolysemeError, match=message) as error:
        encode_items(items, tmp_path, field)
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_items_are_taken_by_the_thread_of_the_caller_and_once(tmp_path: Path) -> None:
    threads = []

    def texts() -> Iterator[str]:
        for i in range(3):
            threads.append(threading.current_thread())
            yield f"text {i} " * 100_000  # more than a block

    assert encode_items(texts(), tmp_path).num_sentences > 3
    assert threads == [threading.current_thread()] * 3


def test_an_error_of_the_iterable_is_raised_and_leaves_nothing(tmp_path: Path) -> None:
    def texts() -> Iterator[str]:
        yield "one"
        raise LookupError("the database is gone")

    with pytest.raises(LookupError, match="the database is gone"):
        encode_items(texts(), tmp_path)
    assert list(tmp_path.iterdir()) == []


class Dataset:
    """Has the interface of a Hugging Face dataset that is used."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.column_names = list(rows[0])

    def select_columns(self, names: list[str]) -> Dataset:
        return Dataset([{name: row[name] for name in names} for row in self.rows])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        assert self.column_names == ["page"], "all columns are read"
        return iter(self.rows)


def test_only_the_needed_column_of_a_dataset_is_read(tmp_path: Path) -> None:
    dataset = Dataset([{"id": 1, "page": {"text": "one"}}, {"id": 2, "page": {"text": "two"}}])
    assert sentences(encode_items(dataset, tmp_path, "page.text")) == [["one"], ["two"]]
    with pytest.raises(CorpusError, match="the dataset has no column 'text', only id, page; give field="):
        encode_items(dataset, tmp_path)


def test_a_hugging_face_dataset_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"id": [1, 2], "text": ["One.", "two"], "words": [["A"], ["b"]]})
    assert sentences(encode_items(dataset, tmp_path)) == [["one"], ["two"]]
    assert sentences(encode_items(dataset.to_iterable_dataset(), tmp_path, "words")) == [["A"], ["b"]]


def test_a_long_token_list_is_split_between_tokens(tmp_path: Path) -> None:
    corpus = encode_items([["aaaa bbbb"] * 300_000], tmp_path)
    assert corpus.words == ["aaaa bbbb"]
    assert corpus.counts.tolist() == [300_000]
