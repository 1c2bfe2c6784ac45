"""Wikipedia dumps: which pages are read, and what is refused."""

from __future__ import annotations

import bz2
import doctest
import io
from pathlib import Path
from unittest import mock
from xml.sax.saxutils import escape

import pytest

from polyseme.corpus.readers import wikipedia
from polyseme.corpus.readers.registry import read_blocks
from polyseme.corpus.readers.wikipedia import read_articles
from polyseme.corpus.sources import find_sources
from polyseme.errors import CorpusError
from tests.conftest import ROOT

SITE = """<siteinfo><sitename>Wikipedia</sitename><namespaces>
<namespace key="-2" case="first-letter">Medium</namespace>
<namespace key="0" case="first-letter" />
<namespace key="1" case="first-letter">Diskussion</namespace>
<namespace key="6" case="first-letter">Aineisto</namespace>
</namespaces></siteinfo>
"""


def page(text: str, title: str = "A page", ns: str | None = "0", before_text: str = "", head: str = "") -> str:
    namespace = "" if ns is None else f"<ns>{ns}</ns>\n"
    return (
        f"  <page>\n<title>{escape(title)}</title>\n{namespace}<id>1</id>\n{head}<revision><id>2</id>"
        f"<contributor><username>text</username></contributor>{before_text}\n"
        f'<text xml:space="preserve">{escape(text)}</text></revision>\n  </page>\n'
    )


def dump(*pages: str) -> str:
    return f'<mediawiki version="0.11" xml:lang="de">\n{SITE}{"".join(pages)}</mediawiki>\n'


def articles(xml: str | bytes, threads: int = 1) -> tuple[list[str], list[str]]:
    """The articles of a dump, and the problems of its pages."""
    problems: list[str] = []
    data = xml.encode() if isinstance(xml, str) else xml
    return list(read_articles(io.BytesIO(data), problems.append, name="x.xml", threads=threads)), problems


def test_each_article_is_a_text() -> None:
    assert articles(dump(page("'''Bern''' &amp; more\n\n* an item"), page("[[Two|2]]"))) == (
        ["Bern & more\nan item", "2"],
        [],
    )


def test_other_namespaces_redirects_other_models_and_empty_pages_are_left_out() -> None:
    others = (
        page("talk", ns="1"),
        page("moved", head='<redirect title="B" />'),
        page("#redirect [[B]]"),
        page('{"a": 1}', before_text="<model>json</model>"),
        page("{{stub}}"),
        page(""),
    )
    assert articles(dump(*others, page("kept", before_text="<model>wikitext</model>"))) == (["kept"], [])


def test_a_dump_without_namespace_numbers_tells_them_by_the_title() -> None:
    pages = page("a", "Diskussion:A", ns=None), page("b", "2001: A film", ns=None), page("c", "C", ns=None)
    assert articles(dump(*pages))[0] == ["b", "c"]


def test_links_to_files_are_known_by_the_names_of_the_dump() -> None:
    assert articles(dump(page("a [[Aineisto:b.jpg|c]]")))[0] == ["a"]


def test_the_last_revision_counts() -> None:
    old = '<text xml:space="preserve">old</text></revision><revision>'
    assert articles(dump(page("new", before_text=old)))[0] == ["new"]


def test_the_text_of_other_slots_is_left_out() -> None:
    slot = "<content><role>x</role><model>wikibase-mediainfo</model><text>other</text></content>"
    xml = page("main", before_text="<model>wikitext</model>").replace("</revision>", f"{slot}</revision>")
    assert articles(dump(xml))[0] == ["main"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_dumps_have_any_encoding_of_unicode(encoding: str) -> None:
    assert articles(dump(page("Ζυρίχη 東京 😀")).encode(encoding))[0] == ["Ζυρίχη 東京 😀"]


@pytest.mark.parametrize("read_bytes", [1, 7, 1000])
def test_pieces_of_any_size_give_the_same_articles(read_bytes: int) -> None:
    xml = dump(page("one & two"), page("<broken").replace("&lt;", "<"), page("three é"), page("four"))
    xml = xml.replace(
        "</mediawiki>", page("five").replace("</page>", "") + page("six").replace("</page>", "") + "</mediawiki>"
    )
    with mock.patch.object(wikipedia, "READ_BYTES", read_bytes):
        assert articles(xml) == (["one & two", "three é", "four"], 3 * [mock.ANY])


def test_threads_give_the_same_articles_in_order() -> None:
    texts = [f"article {i} " * 30 for i in range(200)]
    with mock.patch.multiple(wikipedia, READ_BYTES=5000, BATCH_CHARACTERS=1000):
        assert articles(dump(*map(page, texts)), threads=3)[0] == [text.strip() for text in texts]


def test_bad_pages_are_reported_at_the_same_article_with_any_number_of_threads() -> None:
    """Otherwise the number of threads would decide whether a dump is refused."""
    bad = ["<page><title>B</title><ns>0</ns></page>"] * 120
    xml = dump(page("one " * 500), page("two"), *bad, page("three " * 500)).encode()

    def problems_by_article(threads: int) -> list[tuple[str, int]]:
        problems: list[str] = []
        found = read_articles(io.BytesIO(xml), problems.append, threads=threads)
        return [(article[:3], len(problems)) for article in found]

    with mock.patch.multiple(wikipedia, READ_BYTES=1000, BATCH_CHARACTERS=1000):
        one, *others = (problems_by_article(threads) for threads in (1, 2, 8))
    assert one[:2] == [("one", 0), ("two", 0)]
    assert one[2][1] >= 100
    assert others == [one, one]


def test_a_refused_dump_is_not_blamed_on_a_field(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(dump(*["<page><title>B</title><ns>0</ns></page>"] * 3))
    with pytest.raises(CorpusError, match=r"3 of the 3 rows read have no text \(.*\)\. Check the input\."):
        list(read_blocks(find_sources(tmp_path / "a.xml")[0]))


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (page("b \x01 c", "B"), "page 'B', line 20: the page is not valid XML (not well-formed (invalid token))"),
        (page("b", "B").replace("<text", "<tex <t"), "page 'B', line 20: the page is not valid XML (not well-formed"),
        (page("b", "B").replace("</text>", ""), "page 'B', line 20: the page is not valid XML (mismatched tag)"),
        (page("b", "B").replace(">b<", ">&nbsp;<"), "page 'B', line 20: the page is not valid XML (undefined entity)"),
        (page("b", "B").replace("</page>", ""), "page 'B', line 22: the page is not closed"),
        ("<page><title>B</title><ns>0</ns></page>", "page 'B', line 15: the page has no text"),
    ],
)
def test_a_broken_page_is_reported_and_skipped(broken: str, problem: str) -> None:
    for pages in ((page("a"), broken, page("c")), (page("a"), page("c"), broken)):
        found, problems = articles(dump(*pages))
        assert found == ["a", "c"]
        assert len(problems) == 1
    found, problems = articles(dump(page("a"), broken, page("c")))
    assert problems[0].startswith(problem)


def test_bytes_that_are_not_utf_8_break_only_their_page() -> None:
    found, problems = articles(dump(page("a"), page("caf\xe9", "B"), page("c")).encode("latin-1"))
    assert found == ["a", "c"]
    assert len(problems) == 1


def test_a_page_that_is_too_long_is_reported_and_skipped() -> None:
    with mock.patch.object(wikipedia, "MAX_PAGE_CHARACTERS", 100):
        assert articles(dump(page("a" * 101, "Long"), page("b" * 100))) == (
            ["b" * 100],
            ["page 'Long', line 14: the page has more than 100 characters"],
        )


@pytest.mark.parametrize("cut", ["in the head", "in a page", "between pages", "before the end tag", "in the end tag"])
def test_a_truncated_dump_is_refused(cut: str) -> None:
    xml = dump(page("a"), page("b"))
    end = {
        "in the head": 60,
        "in a page": xml.index("<text") + 30,
        "between pages": xml.index("  <page>"),
        "before the end tag": xml.index("</mediawiki>"),
        "in the end tag": xml.index("</mediawiki>") + 5,
    }[cut]
    where = "page 'A page', line" if cut == "in a page" else "line"
    message = f"x.xml is truncated: it ends before </mediawiki>, in or after {where} .*Download it again"
    with pytest.raises(CorpusError, match=message):
        articles(xml[:end])


def test_a_dump_that_ends_in_a_broken_page_is_refused() -> None:
    with pytest.raises(CorpusError, match="x.xml is truncated"):
        articles(dump(page("a"), page("b \x01")).replace("</mediawiki>", ""))


@pytest.mark.parametrize(
    "data",
    [b"", b"plain text", b"<html><body>x</body></html>", b"\x00\x01\x02", b'{"text": "a"}', b"<?xml version='1.0'?>"],
)
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(
        CorpusError, match="x.xml is not a dump of MediaWiki: .* Give a file like pages-articles"
    ) as error:
        articles(data)
    assert "\n" not in str(error.value)


def test_entities_that_expand_without_end_are_refused() -> None:
    entities = "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(20))
    bomb = f'<!DOCTYPE mediawiki [<!ENTITY a0 "ha">{entities}]>{dump(page("")).replace("</text>", "&a20;</text>")}'
    with pytest.raises(CorpusError, match="it declares a document type, which no dump does"):
        articles(bomb)


def test_external_entities_are_refused() -> None:
    xml = '<!DOCTYPE m SYSTEM "file:///etc/passwd" [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + dump(page("a"))
    with pytest.raises(CorpusError, match="it declares a document type"):
        articles(xml)


def test_elements_nested_without_end_are_refused() -> None:
    with pytest.raises(CorpusError, match="nested more than 64 deep"):
        articles("<mediawiki>" + "<a>" * 100_000)


def test_a_tag_without_end_is_refused() -> None:
    with (
        mock.patch.multiple(wikipedia, READ_BYTES=1000, MAX_TAG_BYTES=5000),
        pytest.raises(CorpusError, match="it has a tag of more than"),
    ):
        articles('<mediawiki a="' + "b" * 1_000_000)


def test_names_without_end_are_refused() -> None:
    with pytest.raises(CorpusError, match="more than 1,000 names of elements"):
        articles("<mediawiki>" + "".join(f"<a{i}/>" for i in range(100_000)))


def test_dumps_one_after_the_other_are_read_and_the_last_must_be_complete() -> None:
    found, problems = articles(dump(page("a")) + dump(page("b")))
    assert found == ["a", "b"]
    assert ["junk after document element" in problem for problem in problems] == [True]
    with pytest.raises(CorpusError, match="x.xml is truncated"):
        articles(dump(page("a")) + dump(page("b"))[:-20])


def test_a_page_with_a_million_open_templates_is_read() -> None:
    assert articles(dump(page("{{" * 1_000_000 + "a"), page("b")))[0] == ["a", "b"]


def test_multistream_dumps_are_read_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "pages-articles-multistream.xml.bz2"
    head, *pages = dump(*(page(f"article {i}") for i in range(20))).split("  <page>")
    path.write_bytes(b"".join(bz2.compress(part.encode()) for part in (head, *("  <page>" + part for part in pages))))
    with find_sources(path)[0].open(to_end=True) as stream:
        assert list(read_articles(stream, pytest.fail)) == [f"article {i}" for i in range(20)]


def test_the_examples_of_the_guide_hold() -> None:
    results = doctest.testfile(str(ROOT / "docs" / "guides" / "wikipedia.md"), module_relative=False)
    assert results.attempted > 3
    assert results.failed == 0
