"""Articles from a dump of Wikipedia or another MediaWiki: pages-articles.xml, without unpacking it first.

Only pages of the main namespace are read, and no redirects. Of several revisions of a page, the last one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import BinaryIO
from xml.parsers import expat

from polyseme._io.thread_pool import map_in_order
from polyseme.corpus.readers.wikitext import WikitextStripper
from polyseme.errors import CorpusError, shorten

READ_BYTES = 1 << 16  # small, because each error in the XML costs a copy of the rest
BATCH_CHARACTERS = 1 << 18  # of the pages that a thread strips at a time
BATCH_PROBLEMS = 100
MAX_PAGE_CHARACTERS = 1 << 22  # twice what MediaWiki allows
MAX_FIELD_CHARACTERS = 1 << 12  # of titles and names of namespaces
MAX_TAG_BYTES = 1 << 24
MAX_DEPTH = 64  # a dump has 5 levels of elements
MAX_NAMES = 1000  # of elements and attributes, and of namespaces; the parser keeps them all

MAIN_NAMESPACE = 0
HIDDEN_NAMESPACES = ("-2", "6", "14")  # media, files, categories: links to them are not shown
DUMP_START, DUMP_END, PAGE_START = b"<mediawiki>", b"</mediawiki>", b"<page>"
TAIL_BYTES = len(DUMP_END)

Batch = tuple[WikitextStripper, list[str], list[str]]  # the wikitext of pages, and the problems of bad ones


def read_articles(
    stream: BinaryIO, report_bad: Callable[[str], None], *, name: str = "the dump", threads: int = 1
) -> Generator[str, None, None]:
    """Yield the plain text of each article of a dump: paragraphs, list items and headings on lines of their own.

    stream      the decompressed XML
    report_bad  called with the problem of each page that is skipped because it is damaged, after the articles of its
                batch: what has been read by then does not depend on `threads`
    name        of the dump, for messages
    threads     that remove the markup; the XML is parsed by the caller's thread
    CorpusError if the stream is not a dump, or ends early.
    """
    chunks = iter(lambda: stream.read(READ_BYTES), b"")
    for articles, problems in map_in_order(_strip, _batches(chunks, name), threads):
        yield from articles
        for problem in problems:
            report_bad(problem)


def _strip(batch: Batch) -> tuple[list[str], list[str]]:
    """The articles of a batch, and its problems."""
    stripper, pages, problems = batch
    return [article for article in map(stripper, pages) if article], problems


def _batches(chunks: Iterable[bytes], name: str) -> Iterator[Batch]:
    """Yield the wikitext of pages, several at a time, with the stripper for the dump's language."""
    reader = _DumpReader(name)
    stripper = None
    for chunk in chunks:
        reader.feed(chunk)
        if sum(map(len, reader.pages)) >= BATCH_CHARACTERS or len(reader.problems) >= BATCH_PROBLEMS:
            stripper = stripper or WikitextStripper(reader.hidden_prefixes)
            yield stripper, *reader.take_pages()
    reader.finish()
    yield stripper or WikitextStripper(reader.hidden_prefixes), *reader.take_pages()


class _DumpReader:
    """Parses a dump piece by piece and collects the wikitext of its articles in `pages`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.pages: list[str] = []
        self.problems: list[str] = []  # of pages that are skipped
        self.namespaces: dict[str, str] = {}  # names and their keys
        self.opened = self.closed = False  # whether the start and the end of the dump have been read
        self.lost: bytes | None = None  # after an error, the last bytes before the next page
        self.lines = 0  # before the first line that the parser counts
        self.tail = b""  # the last bytes that were parsed
        self._start_page()
        self._start_parser()

    @property
    def hidden_prefixes(self) -> list[str]:
        return [name for name, key in self.namespaces.items() if key in HIDDEN_NAMESPACES]

    def take_pages(self) -> tuple[list[str], list[str]]:
        """The pages and the problems since the last call."""
        taken = self.pages, self.problems
        self.pages, self.problems = [], []
        return taken

    def feed(self, data: bytes) -> None:
        """Parse the next bytes. After an error in a page, go on with the next page."""
        while data:
            if self.lost is not None:
                data = self._find_page(self.lost + data)
                if not data:
                    return
            before, tail = self.fed, self.tail
            self.fed += len(data)
            self.tail = (tail + data)[-TAIL_BYTES:] if len(data) < TAIL_BYTES else data[-TAIL_BYTES:]
            try:
                self.parser.Parse(data, False)
            except expat.ExpatError as error:
                self._skip_page(error)
                # Of a wrong end tag, the parser gives the position of the name, two bytes after its start.
                data = (tail + data)[max(self.parser.CurrentByteIndex - before + len(tail) - 2, 0) :]
                continue
            if self.fed - self.parser.CurrentByteIndex > MAX_TAG_BYTES:
                raise self._not_a_dump(f"it has a tag of more than {MAX_TAG_BYTES >> 20} MB")
            if max(len(self.parser.intern), len(self.namespaces)) > MAX_NAMES:
                raise self._not_a_dump(f"it has more than {MAX_NAMES:,} names of elements and attributes")
            return

    def finish(self) -> None:
        """Raise CorpusError unless the dump is complete."""
        if self.lost is None and not self.closed:
            try:
                self.parser.Parse(b"", True)
            except expat.ExpatError as error:
                if not self.opened:
                    raise self._not_a_dump(expat.ErrorString(error.code)) from None
        if not self.closed:
            raise CorpusError(
                f"{self.name} is truncated: it ends before {DUMP_END.decode()}, in or after {self._where()}. "
                f"Download it again."
            )

    def _start_parser(self) -> None:
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.buffer_size = 1 << 16
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.fed = self.depth = 0
        self.unclosed = False  # whether a page was not closed
        self.tail = b""
        self.lost = None

    def _start_page(self) -> None:
        self.in_page = self.in_other_slot = self.redirect = self.too_long = False
        self.title = ""
        self.namespace: str | None = None
        self.model: str | None = None
        self.text: str | None = None
        self.parts: list[str] = []
        self.characters = 0

    def _start_element(self, element: str, attributes: dict[str, str]) -> None:
        if self.depth == 0 and element != "mediawiki":
            raise self._not_a_dump(f"its first element is <{shorten(element)}>, not <mediawiki>")
        self.opened = True
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._not_a_dump(f"its elements are nested more than {MAX_DEPTH} deep")
        match element:
            case "page":
                if self.in_page:
                    self.unclosed = True
                    self._report("is not closed")
                self._start_page()
                self.in_page = True
                self.closed = False  # a second dump follows
            case "namespace":
                self._collect()
                self.key = attributes.get("key", "")
            case "redirect":
                self.redirect = True
            case "content":  # of another slot than the page's text
                self.in_other_slot = True
            case "title" | "ns" | "model" if not self.in_other_slot:
                self._collect()
            case "text" if self.in_page and not self.in_other_slot and not self.redirect and self._is_article():
                self._collect(MAX_PAGE_CHARACTERS)

    def _end_element(self, element: str) -> None:
        self.depth -= 1
        match element:
            case "page":
                self._end_page()
            case "namespace":
                self.namespaces[self._collected()] = self.key
            case "title":
                self.title = self._collected()
            case "ns":
                self.namespace = self._collected()
            case "model" if not self.in_other_slot:
                self.model = self._collected()
            case "content":
                self.in_other_slot = False
            case "text" if not self.in_other_slot:
                self.too_long = self.characters > MAX_PAGE_CHARACTERS
                self.text = self._collected()
            case "mediawiki" if self.depth == 0:
                self.closed = True

    def _collect(self, limit: int = MAX_FIELD_CHARACTERS) -> None:
        """Collect the text of the element that starts here."""
        self.parts.clear()
        self.characters = 0

        def add(text: str) -> None:
            self.characters += len(text)
            if self.characters <= limit:
                self.parts.append(text)

        self.parser.CharacterDataHandler = add

    def _collected(self) -> str:
        self.parser.CharacterDataHandler = None
        return "".join(self.parts)

    def _is_article(self) -> bool:
        """Whether the page is in the main namespace. Dumps before 2012 have no <ns>: there the title tells it."""
        if self.namespace is None:
            return self.title.partition(":")[0] not in self.namespaces or ":" not in self.title
        return self.namespace.strip() == str(MAIN_NAMESPACE)

    def _end_page(self) -> None:
        if self.in_page and not self.redirect and self._is_article() and self.model in (None, "wikitext"):
            if self.text is None:
                self._report("has no text")
            elif self.too_long:
                self._report(f"has more than {MAX_PAGE_CHARACTERS:,} characters")
            elif not self.text[:100].lstrip().lower().startswith("#redirect"):
                self.pages.append(self.text)
        self._start_page()

    def _skip_page(self, error: expat.ExpatError) -> None:
        """Report the page with an XML error, and look for the next one."""
        problem = expat.ErrorString(error.code)
        if not self.opened:
            raise self._not_a_dump(problem) from None
        if self.in_page or not self.unclosed:  # an end tag that does not fit after an unclosed page is no news
            self._report(f"is not valid XML ({problem})")
        self.lines += self.parser.CurrentLineNumber - 1
        self.lost = b""

    def _find_page(self, data: bytes) -> bytes:
        """The bytes from the next page on, for a new parser; none if there is no page yet."""
        found = [position for position in map(data.find, (PAGE_START, DUMP_END)) if position >= 0]
        start = min(found) if found else max(len(data) - len(DUMP_END) + 1, 0)
        self.lines += data.count(b"\n", 0, start)
        if not found:
            self.lost = data[start:]
            return b""
        self._start_page()
        self._start_parser()
        self.parser.Parse(DUMP_START, False)
        self.fed = len(DUMP_START)
        return data[start:]

    def _where(self) -> str:
        line = f"line {self.lines + self.parser.CurrentLineNumber:,}"
        return f"page '{shorten(self.title)}', {line}" if self.title else line

    def _report(self, problem: str) -> None:
        self.problems.append(f"{self._where()}: the page {problem}")

    def _not_a_dump(self, problem: str) -> CorpusError:
        return CorpusError(
            f"{self.name} is not a dump of MediaWiki: {problem}. Give a file like pages-articles.xml.bz2."
        )

    def _refuse_doctype(self, *_: object) -> None:
        raise self._not_a_dump("it declares a document type, which no dump does")
