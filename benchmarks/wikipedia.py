"""Reading a Wikipedia dump, compared with gensim and mwparserfromhell: python benchmarks/wikipedia.py [--megabytes 500]

The dump is the one of 206 pages that gensim's tests use, repeated. Each program runs in its own process, in turn. The
slow ones read a smaller dump. The text is then compared with `strip_code()` of mwparserfromhell, page by page.
"""

from __future__ import annotations

import argparse
import bz2
import io
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from speed import HERE, Result, peak_memory, processor, write_section

DUMP = "test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
PAGES_PER_STREAM = 100  # as in Wikipedia's multistream dumps
SLOW_MEGABYTES = {"gensim": 30, "mwparserfromhell": 6}
ONE_STREAM_MEGABYTES = 100  # takes long to compress
PROGRAMS = {
    "polyseme, .xml, 1 thread": ("dump.xml", 1),
    "bz2.open, .xml.bz2, decompression only": ("dump.xml.bz2", 0),
    "polyseme, .xml.bz2, 1 thread": ("dump.xml.bz2", 1),
    "polyseme, multistream, 1 thread": ("multistream.xml.bz2", 1),
    "polyseme, multistream, 2 threads": ("multistream.xml.bz2", 2),
    "gensim filter_wiki, .xml": ("gensim.xml", 1),
    "mwparserfromhell strip_code, .xml": ("mwparserfromhell.xml", 1),
}

# What mwparserfromhell keeps and polyseme removes on purpose. It is removed from the tree of mwparserfromhell, in turn.
HIDDEN_LINK = re.compile(r"\s*(file|image|media|category|simple|[a-z]{2,3}(-[a-z]+)*)\s*:", re.IGNORECASE)
CODE_TAGS = ("pre", "source", "syntaxhighlight", "math", "timeline", "gallery", "imagemap")
KINDS: dict[str, Callable[[Any], list[Any]]] = {
    "references": lambda code: code.filter_tags(matches=lambda tag: str(tag.tag).lower() == "ref"),
    "tables": lambda code: code.filter_tags(matches=lambda tag: str(tag.tag).lower() == "table"),
    "formulas, source code, galleries": lambda code: code.filter_tags(
        matches=lambda tag: str(tag.tag).lower() in CODE_TAGS
    ),
    "images, categories, other languages": lambda code: code.filter_wikilinks(
        matches=lambda link: HIDDEN_LINK.match(str(link.title)) is not None
    ),
    "URLs without a label": lambda code: code.filter_external_links(matches=lambda link: not link.brackets),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        program, path = arguments.run
        print(json.dumps(run_here(program, Path(path))))
        return
    measure(arguments.megabytes, arguments.repeat)


def measure(megabytes: int, repeat: int) -> None:
    """Measure speed and text, and write a section of benchmarks/RESULTS.md."""
    results: dict[str, list[Result]] = {program: [] for program in PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        write_dumps(Path(folder), megabytes)
        for _ in range(repeat):
            for program, (name, _threads) in PROGRAMS.items():
                command = [sys.executable, __file__, "--run", program, f"{folder}/{name}"]
                output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
                results[program].append(json.loads(output))
                print(program, results[program][-1], file=sys.stderr, flush=True)
    text = report(results, megabytes, repeat) + "\n\n" + compare_text()
    print(text)
    write_section(HERE / "RESULTS.md", "## Reading a Wikipedia dump", text)


def gensim_dump() -> bytes:
    """The XML of the dump in the tests of gensim."""
    gensim = find_spec("gensim")
    assert gensim is not None
    assert gensim.origin is not None
    return bz2.decompress((Path(gensim.origin).parent / DUMP).read_bytes())


def write_dumps(folder: Path, megabytes: int) -> None:
    """Write the dump, repeated, as XML, bz2 and multistream bz2, and small ones for the slow programs."""
    xml = gensim_dump()
    start, end = xml.index(b"  <page>"), xml.index(b"</mediawiki>")
    head, pages, tail = xml[:start], xml[start:end], xml[end:]
    copies = max(round(megabytes * 1e6 / len(pages)), 1)
    (folder / "dump.xml").write_bytes(head + pages * copies + tail)
    for program, size in SLOW_MEGABYTES.items():
        (folder / f"{program}.xml").write_bytes(head + pages * max(round(size * 1e6 / len(pages)), 1) + tail)
    compressor = bz2.BZ2Compressor()
    with (folder / "dump.xml.bz2").open("wb") as file:
        for part in (head, *[pages] * max(copies * min(ONE_STREAM_MEGABYTES, megabytes) // megabytes, 1), tail):
            file.write(compressor.compress(part))
        file.write(compressor.flush())
    parts = pages.split(b"  <page>")[1:]
    groups = [parts[i : i + PAGES_PER_STREAM] for i in range(0, len(parts), PAGES_PER_STREAM)]
    streams = [bz2.compress(b"".join(b"  <page>" + page for page in group)) for group in groups]
    with (folder / "multistream.xml.bz2").open("wb") as file:
        file.write(bz2.compress(head))
        for _ in range(copies):
            file.writelines(streams)
        file.write(bz2.compress(tail))


def run_here(program: str, path: Path) -> Result:
    """Run a program in this process. Imports and loading compiled kernels are not timed."""
    name, threads = PROGRAMS[program]
    read = {"gensim.xml": read_with_gensim, "mwparserfromhell.xml": read_with_mwparserfromhell}.get(name)
    if program.startswith("bz2.open"):
        read = decompress
    if read is None:
        from polyseme.corpus.readers.wikitext import WikitextStripper

        WikitextStripper()("loads the compiled kernel")
    start, cpu = time.perf_counter(), time.process_time()
    megabytes, articles = read(path) if read else read_with_polyseme(path, threads)
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "megabytes": megabytes,
        "articles": articles,
        "peak_mb": peak_memory(),
    }


def decompress(path: Path) -> tuple[float, int]:
    with bz2.open(path) as file:
        return sum(map(len, iter(lambda: file.read(1 << 20), b""))) / 1e6, 0


def read_with_polyseme(path: Path, threads: int) -> tuple[float, int]:
    from polyseme._io.parallel_bz2 import open_bz2
    from polyseme.corpus.readers.wikipedia import read_articles

    with path.open("rb") as file:
        stream = open_bz2(file, threads) if path.suffix == ".bz2" else file
        articles = sum(1 for _ in read_articles(stream, print, name=str(path), threads=threads))
        return stream.tell() / 1e6, articles


def read_with_gensim(path: Path) -> tuple[float, int]:
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki

    with path.open("rb") as file:
        texts = [filter_wiki(text) for _, text, _ in extract_pages(file, filter_namespaces=("0",))]
    return path.stat().st_size / 1e6, sum(not text.lower().startswith("#redirect") for text in texts)


def read_with_mwparserfromhell(path: Path) -> tuple[float, int]:
    import mwparserfromhell

    pages = article_sources(path.read_bytes())
    return path.stat().st_size / 1e6, len([mwparserfromhell.parse(page).strip_code() for page in pages])


def article_sources(xml: bytes) -> list[str]:
    """The wikitext of the articles of a dump, without redirects."""
    from gensim.corpora.wikicorpus import extract_pages

    pages = extract_pages(io.BytesIO(xml), filter_namespaces=("0",))
    return [text for _, text, _ in pages if text and not text.lower().startswith("#redirect")]


def report(results: dict[str, list[Result]], megabytes: int, repeat: int) -> str:
    rows = []
    for program, runs in results.items():
        size, cpu, seconds = (min(run[key] for run in runs) for key in ("megabytes", "cpu", "seconds"))
        rows.append(
            f"| {program} | {size:.0f} | {cpu:.1f} | {size / cpu:.1f} | {size / seconds:.1f} "
            f"| {max(run['peak_mb'] for run in runs):.0f} |"
        )
    return "\n".join(
        [
            f"`python benchmarks/wikipedia.py --megabytes {megabytes} --repeat {repeat}`",
            "",
            f"{processor()}; the 206 pages of gensim's test dump, repeated; the best of {repeat} runs. `MB` "
            "is XML, before compression. If other programs are running, compare CPU time, not elapsed time.",
            "",
            "| program | MB | CPU seconds | MB per CPU second | MB per second | peak MB |",
            "|---|---:|---:|---:|---:|---:|",
            *rows,
        ]
    )


def compare_text() -> str:
    """Compare the words of each article with those of `strip_code()`."""
    import mwparserfromhell

    from polyseme.corpus.readers.wikitext import WikitextStripper

    strip = WikitextStripper()
    removed: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    only_theirs: Counter[str] = Counter()
    only_ours: Counter[str] = Counter()
    pages = article_sources(gensim_dump())
    for page in pages:
        ours, code = words(strip(page)), mwparserfromhell.parse(page)
        theirs = words(code.strip_code())
        totals.update(ours=ours.total(), all=theirs.total(), common_all=(ours & theirs).total())
        for kind, find in KINDS.items():
            before = theirs.total()
            for node in find(code):
                if code.contains(node):
                    code.remove(node)
            theirs = words(code.strip_code())
            removed[kind] += before - theirs.total()
        totals.update(rest=theirs.total(), common=(ours & theirs).total())
        bold = re.search(r"'''([^'\n]{4,})'''", page)  # the subject of the article
        subject = bold[1] if bold else page[:30]
        only_theirs[subject] += (theirs - ours).total()
        only_ours[subject] += (ours - theirs).total()
    return "\n".join(
        [
            f"The text of the {len(pages)} articles, compared with `strip_code()` of mwparserfromhell: words "
            "(`\\w+`, in lower case) that both have, counted with their frequency in each article.",
            "",
            "| compared with | words of strip_code | of these in ours | words of ours | of these in strip_code |",
            "|---|---:|---:|---:|---:|",
            agreement("`strip_code()`", totals, "all", "common_all"),
            agreement("the same without what the next table lists", totals, "rest", "common"),
            "",
            "| removed on purpose, kept by strip_code | words |",
            "|---|---:|",
            *(f"| {kind} | {count:,} |" for kind, count in removed.items()),
            "",
            f"Of the rest, {only_theirs.total():,} words are only in strip_code ({most(only_theirs)}), and "
            f"{only_ours.total():,} only in ours ({most(only_ours)}).",
        ]
    )


def most(words_of: Counter[str]) -> str:
    """The articles with the most words."""
    return ", ".join(f"{name} {count:,}" for name, count in words_of.most_common(3))


def agreement(name: str, totals: Counter[str], theirs: str, common: str) -> str:
    recall, precision = totals[common] / totals[theirs], totals[common] / totals["ours"]
    return f"| {name} | {totals[theirs]:,} | {recall:.1%} | {totals['ours']:,} | {precision:.1%} |"


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


if __name__ == "__main__":
    main()
