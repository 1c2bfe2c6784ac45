"""Behaviours that every reader must have: the same documents give the same corpus and the same example sentences."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import sys
import types
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO
from unittest import mock
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np
import pytest

from polyseme._io.zstd import load_zstd
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.readers.names import SUFFIXES, WITH_FIELD
from polyseme.corpus.sources import Source, find_sources, iterable_source
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import CorpusError
from polyseme.examples.extraction import extract_snippets

DOCUMENTS = [
    "The bank, of the river.\n\nA second paragraph: don't move!",
    "",
    'Über den Fluß, "quoted", zur Bank (東京).',
    "\u0420\u0435\u043a\u0430 and \U0001f600 banks",
    *(f"Sentence {i} is about the bank." for i in range(200)),
    "the last one",
]
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: bytes(load_zstd().compress(data)),
}
WIKI = "http://www.mediawiki.org/xml/export-0.11/"


def table(documents: list[str | None], delimiter: str) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["id", "text"])
    # A row without text is one with a column too many: an empty field is an empty text.
    writer.writerows((i, text) if text is not None else (i, "a", "b") for i, text in enumerate(documents))
    return out.getvalue().encode()


def parquet(documents: list[str | None]) -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    out = io.BytesIO()
    columns = {"id": list(range(len(documents))), "text": pyarrow.array(documents, pyarrow.string())}
    write_table(pyarrow.table(columns), out, row_group_size=50)
    return out.getvalue()


def dump(documents: list[str | None]) -> bytes:
    page = "<page><title>T{0}</title><ns>0</ns><id>{0}</id><revision><id>{0}</id><text>{1}</text></revision></page>\n"
    pages = "".join(page.format(i + 1, escape(text or "")) for i, text in enumerate(documents))
    return f'<mediawiki xmlns="{WIKI}" version="0.11" xml:lang="en">\n{pages}</mediawiki>\n'.encode()


FILES: dict[str, Callable[[list[str | None]], bytes]] = {
    "text": lambda documents: "".join(f"{text}\n" for text in documents).encode(),
    "jsonl": lambda documents: "".join(json.dumps({"id": 7, "text": text}) + "\n" for text in documents).encode(),
    "csv": lambda documents: table(documents, ","),
    "tsv": lambda documents: table(documents, "\t"),
    "parquet": parquet,
    "wikipedia": dump,
}
ITERABLES: dict[str, Callable[[list[str | None]], object]] = {
    "list": list,
    "generator": lambda documents: (text for text in documents),
    "rows": lambda documents: ({"id": 1, "text": text} for text in documents),
}
READERS = [*FILES, *ITERABLES, "stdin"]
WITH_ROWS = [name for name in READERS if name in (*WITH_FIELD, *ITERABLES)]


@pytest.fixture(autouse=True)
def wikipedia_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minimal reader of dumps, if the real one is not part of the package."""
    name = "polyseme.corpus.readers.wikipedia"
    if find_spec(name) is None:
        module = types.ModuleType(name)
        module.read_articles = read_articles  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)


def read_articles(stream: BinaryIO, report_bad: Callable[[str], None], **_: object) -> Iterator[str]:
    del report_bad
    if data := stream.read():
        yield from (element.text or "" for element in ElementTree.fromstring(data).iter(f"{{{WIKI}}}text"))


def sources_of(reader: str, documents: list[str | None], folder: Path, compression: str = "") -> list[Source]:
    if reader in ITERABLES:
        return [iterable_source(ITERABLES[reader](documents))]  # type: ignore[arg-type]
    if reader == "stdin":
        return find_sources("-")
    path = folder / f"corpus{SUFFIXES[reader][0]}{compression}"
    path.write_bytes(COMPRESS[compression](FILES[reader](documents)))
    return find_sources(path)


def encode_with(reader: str, folder: Path, compression: str = "") -> EncodedCorpus:
    documents: list[str | None] = [*DOCUMENTS]
    stdin = io.TextIOWrapper(io.BytesIO(FILES["text"](documents)))
    with mock.patch("sys.stdin", stdin):
        return encode(sources_of(reader, documents, folder, compression), get_tokenizer("words"), folder / "encoded")


def sentences(corpus: EncodedCorpus) -> list[list[str]]:
    return [[corpus.words[t] for t in corpus.tokens[a:b]] for a, b in pairwise(corpus.sentences.tolist())]


def snippets(corpus: EncodedCorpus) -> list[bytes]:
    positions = np.arange(len(corpus.tokens))
    return [s for batch in extract_snippets(corpus, get_tokenizer("words"), positions, 3, 1) for s in batch]


def expected_sentences() -> list[list[str]]:
    tokenizer = get_tokenizer("words")
    return [words for document in DOCUMENTS for line in document.split("\n") if (words := tokenizer(line))]


CASES = [(reader, "") for reader in READERS] + [
    (reader, compression) for reader in FILES if reader != "parquet" for compression in COMPRESS if compression
]


@pytest.mark.parametrize(("reader", "compression"), CASES)
def test_the_documents_give_the_same_corpus_and_example_sentences_as_plain_text(
    reader: str, compression: str, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    plain = encode_with("text", tmp_path / "plain")
    assert sentences(plain) == expected_sentences()
    corpus = encode_with(reader, tmp_path, compression)
    assert sentences(corpus) == sentences(plain)
    assert corpus.fingerprint == plain.fingerprint
    every = range(plain.num_sentences)
    assert None not in list(plain.source_texts(every))
    assert list(corpus.source_texts(every)) == list(plain.source_texts(every))
    assert snippets(corpus) == snippets(plain)
    assert b'["The ","bank",", of the river' in snippets(plain)[1]


@pytest.mark.parametrize("reader", [reader for reader in READERS if reader != "text"])
def test_the_example_sentences_outlive_the_source(reader: str, tmp_path: Path) -> None:
    corpus = encode_with(reader, tmp_path)
    for path in tmp_path.glob("corpus.*"):
        path.unlink()
    reopened = EncodedCorpus.open(tmp_path / "encoded")
    assert next(reopened.source_texts([0])) == b"The bank, of the river."
    assert snippets(reopened) == snippets(corpus)


@pytest.mark.parametrize("reader", READERS)
def test_a_source_without_documents_is_refused_in_one_line_and_leaves_nothing(reader: str, tmp_path: Path) -> None:
    with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO())), pytest.raises(CorpusError) as error:
        encode(sources_of(reader, [], tmp_path), get_tokenizer("words"), tmp_path / "encoded")
    assert "holds no words" in str(error.value)
    assert "\n" not in str(error.value)
    assert [p.name for p in tmp_path.iterdir() if not p.name.startswith("corpus.")] == []


@pytest.mark.parametrize("reader", WITH_ROWS)
def test_a_row_without_text_is_skipped_and_counted(reader: str, tmp_path: Path) -> None:
    documents = ["one bank", None, "two banks", "three"]
    corpus = encode(sources_of(reader, documents, tmp_path), get_tokenizer("words"), tmp_path / "encoded")
    assert sentences(corpus) == [["one", "bank"], ["two", "banks"], ["three"]]
    assert corpus.description["bad_rows"] == 1
    number = 3 if reader in ("csv", "tsv") else 2  # the header is line 1
    kind = {"parquet": "row", **dict.fromkeys(ITERABLES, "item")}.get(reader, "line")
    assert f"{kind} {number} " in corpus.description["first_bad_row"]


@pytest.mark.parametrize("reader", WITH_ROWS)
def test_a_source_with_mostly_bad_rows_is_refused_and_leaves_nothing(reader: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="3 of the 4 rows read have no text") as error:
        encode(sources_of(reader, ["a", None, None, None], tmp_path), get_tokenizer("words"), tmp_path / "encoded")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "encoded").exists()


@pytest.mark.parametrize("reader", READERS)
def test_an_interrupt_leaves_nothing(reader: str, tmp_path: Path) -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    documents: list[str | None] = [*DOCUMENTS]
    sources = sources_of(reader, documents, tmp_path)
    stdin = io.TextIOWrapper(io.BytesIO(FILES["text"](documents)))
    with mock.patch("sys.stdin", stdin), pytest.raises(KeyboardInterrupt):
        encode(sources, get_tokenizer("words"), tmp_path / "encoded", stop)
    assert [p.name for p in tmp_path.iterdir() if not p.name.startswith("corpus.")] == []


def test_sources_of_different_readers_are_one_corpus(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("first in a text\n")
    (tmp_path / "b.jsonl").write_text('{"text": "second: a row"}\n{"text": "third\\nfourth"}\n')
    (tmp_path / "c.txt").write_text("fifth in a text\n")
    (tmp_path / "d.csv").write_text('text\n"sixth, a table"\n')
    corpus = encode(
        find_sources([tmp_path / name for name in ("a.txt", "b.jsonl", "c.txt", "d.csv")]),
        get_tokenizer("words"),
        tmp_path / "encoded",
    )
    texts = [b"first in a text", b"second: a row", b"third", b"fourth", b"fifth in a text", b"sixth, a table"]
    assert list(corpus.source_texts(range(6))) == texts
    assert list(corpus.source_texts([1, 3, 5])) == texts[1::2]
