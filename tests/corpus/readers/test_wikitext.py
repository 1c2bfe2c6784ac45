"""Wikitext without its markup: examples, text of known content, and real pages against mwparserfromhell."""

from __future__ import annotations

import bz2
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.corpus.readers.wikitext import WikitextStripper

strip = WikitextStripper()

EXAMPLES = {
    "templates are removed": ("a {{b|c={{d}}|e}} f", "a f"),
    "a template that is not closed stays as text": ("a {{b c", "a b c"),
    "only the closed one of two templates is removed": ("a {{b {{c}} d", "a b d"),
    "a stray end of a template is removed": ("a }} b", "a b"),
    "tables are removed": ('a\n{| class="x"\n! b\n|-\n| c || d\n|}\ne', "a\ne"),
    "nested tables are removed": ("a\n{|\n|\n{|\n|b\n|}\n|c\n|}\nd", "a\nd"),
    "tables of HTML are removed": ("a <table><tr><td>b</td></tr></table> c", "a c"),
    "text after a table that is not closed stays": ("{|\n| b\n\nText.\n{|\n|c\n|}\nd", "| b\nText.\nd"),
    "a template that ends as a table does is a template": ("{{b\n| c = d\n|}}e", "e"),
    "a template in a table in a template": ("{{a|\n{|\n|{{b}}\n|}}}c", "c"),
    "links are shown by their label": ("[[a|b]] and [[c]]s", "b and cs"),
    "links in labels": ("[[a|b [[c|d]] e]]", "b d e"),
    "a link that is not closed stays as text": ("a [[b c\n\nd | e", "a b c\nd | e"),
    "images are removed with their captions": ("[[File:a.jpg|thumb|b [[c]] {{d}}]]e", "e"),
    "names of namespaces have any case": ("[[ file : a.jpg]]x [[IMAGE:b.jpg]]y", "x y"),
    "categories and links to other languages are removed": ("a [[Category:b|c]] [[de:d]] [[zh-yue:e]]", "a"),
    "links to categories are shown": ("[[:Category:a|b]] [[:File:c]]", "b File:c"),
    "links to other namespaces are shown": ("[[Portal:a|b]] [[wikt:c|d]]", "b d"),
    "labels of external links are shown": ("[http://a.b/c?d=e a label] [https://a.b] [//a.b c]", "a label c"),
    "external links to mail": ("[mailto:a@b.c write]", "write"),
    "an external link in a label": ("[[a|[http://b c]]] d", "c d"),
    "URLs are removed": ("see https://a.b/c_(d) or ftp://e for f: g", "see or for f: g"),
    "brackets that are not links stay": ("a[0] [sic] b[[]]", "a[0] [sic] b"),
    "quotes of bold and italics are removed": ("'''a''' ''b'' '''''c''''' d's", "a b c d's"),
    "an apostrophe before italics stays": ("l'''Iliade'' et '''a'''", "l'Iliade et a"),
    "letters in bold are parts of words": ("'''N'''ational '''A'''cademy", "National Academy"),
    "headings, list items and paragraphs have lines of their own": (
        "a\n== b ==\nc\n* d\n** e\n# f\n: g\n; h\n\ni\n----\nj",
        "a\nb\nc\nd\ne\nf\ng\nh\ni\nj",
    ),
    "the lines of a paragraph are joined": ("a\nb\n\nc\n\n\n\nd", "a b\nc\nd"),
    "breaks end lines": ("a<br>b<BR />c<p>d</p>e", "a\nb\nc\nd\ne"),
    "tags are removed, their text stays": ('H<sub>2</sub>O <span style="x">b</span> <code>c</code>', "H2O b c"),
    "references are removed": ('a<ref>b</ref>c<ref name="d" />e<ref name=f>g {{h}}</ref>.', "ace."),
    "references in capitals are removed": ("a<REF>b</Ref>c", "ac"),
    "a reference that is not closed stays as text": ("a<ref>b c", "ab c"),
    "a reference ends at its own closing tag": ("a<ref>b</references>c</ref>d", "ad"),
    "formulas and source code are removed": ("a <math>b</math> <syntaxhighlight lang=x>[[</syntaxhighlight> c", "a c"),
    "nowiki is copied": ("<nowiki>[[a]] {{b}} &amp; ''c''</nowiki>", "[[a]] {{b}} & ''c''"),
    "unknown tags and comparisons stay": ("a < b <foo> c > d <", "a < b <foo> c > d <"),
    "comments are removed": ("a<!-- b\n\nc -->d", "ad"),
    "a comment that is not closed ends the text": ("a<!-- b", "a"),
    "entities are decoded": ("&lt;b&gt; &amp;&#65;&#x42;&eacute;&mdash;&#128512;", "<b> &ABé—😀"),
    "spaces and soft hyphens as entities": ("a&nbsp;b&thinsp;c&#160;d&shy;e", "a b c de"),
    "unknown entities stay": ("&a; &; & &#; &#xD800;b AT&T; &#x110000;", "&a; &; & &#; b AT&T;"),
    "magic words are removed": ("__NOTOC__ a __init__ b", "a __init__ b"),
    "empty parentheses are removed": (
        "a ({{b}}) c ({{d}}, e) f() g {{h}}, i ({{j}} k, {{l}}) (1,)",
        "a c (e) f() g, i (k) (1,)",
    ),
    "nothing": ("", ""),
    "only markup": ("{{a}}[[File:b]]<!-- c -->\n\n== ==", ""),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_markup_is_removed(name: str) -> None:
    wikitext, text = EXAMPLES[name]
    assert strip(wikitext) == text


def test_namespaces_in_the_language_of_the_dump_are_hidden() -> None:
    wikitext = "[[Αρχείο:a.jpg|b]] c [[αρχείο:d]]"
    assert strip(wikitext) == "b c αρχείο:d"
    assert WikitextStripper(["Αρχείο"])(wikitext) == "c"


Marked = tuple[str, str]  # wikitext and its text
WORDS = st.text("abcé東", min_size=1, max_size=5).map(lambda word: (word, word))


ELEMENTS = st.sampled_from(
    [
        ("[[target|", "]]", True), ("<span class='x'>", "</span>", True), ("\n* ", "\n", True),
        ("{{name|", "}}", False), ("{{name\n| x = ", "\n}}", False), ("\n{|\n| ", "\n|}\n", False),
        ("[[File:a.jpg|thumb|", "]]", False), ("<table>", "</table>", False),
    ]
)  # fmt: skip
INNERMOST = st.sampled_from(
    [("[http://a.b ", "]", True), ("<ref>", "</ref>", False), ("<!--", "-->", False), ("<nowiki>", "</nowiki>", True)]
)


def joined(parts: list[Marked]) -> Marked:
    return " ".join(markup for markup, _ in parts), " ".join(text for _, text in parts)


def within(element: tuple[str, str, bool], contents: Marked) -> Marked:
    before, after, shown = element
    return before + contents[0] + after, contents[1] if shown else ""


PAGES = st.recursive(
    WORDS | st.builds(within, INNERMOST, WORDS),
    lambda inner: st.builds(within, ELEMENTS, st.lists(inner, max_size=4).map(joined)),
    max_leaves=12,
)


@given(st.lists(PAGES, max_size=8).map(joined))
def test_the_text_of_nested_elements_is_what_they_show(page: Marked) -> None:
    wikitext, text = page
    assert strip(wikitext).split() == text.split()


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def test_real_pages_have_the_words_of_mwparserfromhell() -> None:
    """What it keeps and we remove on purpose is removed from its tree first: references, tables, images, URLs."""
    mwparserfromhell = pytest.importorskip("mwparserfromhell")
    gensim = pytest.importorskip("gensim")
    name = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
    xml = bz2.decompress((Path(gensim.__file__).parent / "test/test_data" / name).read_bytes()).decode()
    pages = [page for page in re.findall(r"<text[^>]*>(.*?)</text>", xml, re.DOTALL) if 10_000 < len(page) < 40_000]
    hidden = re.compile(r"(file|image|category|[a-z]{2,3}(-[a-z]+)*):", re.IGNORECASE)
    theirs, ours, common = 0, 0, 0
    for page in pages[:6]:
        wikitext = page.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
        code = mwparserfromhell.parse(wikitext)
        for node in (
            *code.filter_tags(matches=lambda tag: str(tag.tag) in ("ref", "table", "math", "gallery", "pre", "source")),
            *code.filter_wikilinks(matches=lambda link: hidden.match(str(link.title))),
            *code.filter_external_links(matches=lambda link: not link.brackets),
        ):
            if code.contains(node):
                code.remove(node)
        expected, found = words(code.strip_code()), words(strip(wikitext))
        theirs, ours, common = theirs + expected.total(), ours + found.total(), common + (expected & found).total()
    assert theirs > 10_000
    assert common > 0.99 * theirs
    assert common > 0.99 * ours
