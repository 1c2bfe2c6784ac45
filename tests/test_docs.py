"""The documentation: its code runs, and the site builds without warnings and without links to other servers.

Fenced blocks of the languages python, pycon and console are run, page by page, in a folder with a small text and model.
Commands of polyseme are in console blocks. A comment before a block says what not to check:

    <!-- not run: the reason -->
    <!-- output varies -->          only the exit codes of its commands are checked

In a console block, lines after `$ command` are its output, in which `...` stands for anything, and `[exit 1]` is its
exit code, if it is not 0. If no output is shown, it is not compared.
"""

from __future__ import annotations

import contextlib
import doctest
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import polyseme
from tests.conftest import ROOT, measured_environment, run_polyseme
from tests.small_text import small_model, small_text

TEXT = ROOT / "src" / "polyseme" / "data" / "simplewiki.txt.xz"
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*?) -->\n)?^```(?P<language>python|pycon|console)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
EXIT = re.compile(r"^\[exit (\d+)\]\n", re.MULTILINE)
NEEDS_SHELL = re.compile(r"[|<>&;$`~*?]")

# Pages with Python code that other tests run. Their console blocks are run here.
RUN_ELSEWHERE = {
    "docs/guides/formats.md": "tests/formats/test_guide.py",
    "docs/guides/languages.md": "tests/integrations/test_guides.py",
    "docs/guides/scikit-learn.md": "tests/integrations/test_guides.py",
    "docs/guides/spacy.md": "tests/integrations/test_guides.py",
    "docs/guides/hub.md": "tests/model/test_hub.py, with a local server",
}
NEEDS_NETWORK = ("from datasets import",)
# Packages that commands of a page need.
NEEDS = {"docs/guides/corpora.md": "pyarrow", "docs/guides/formats.md": "pyarrow", "docs/guides/languages.md": "rjieba"}
# Its commands start a Ray cluster; tests/training/cluster runs such trainings.
NEEDS_CLUSTER = "docs/cluster.md"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, code, and the comment before it."""

    language: str
    code: str
    note: str
    line: int


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = [
        Block(match["language"], match["code"], match["note"] or "", text.count("\n", 0, match.start()) + 1)
        for match in BLOCK.finditer(text)
    ]
    return [block for block in found if block.language == "console" or name_of(page) not in RUN_ELSEWHERE]


ALL_PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in ALL_PAGES if blocks(page)]


@pytest.fixture(scope="session")
def example_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the texts and models that the pages name. The model of the demo's text has few dimensions."""
    folder = tmp_path_factory.mktemp("docs")
    text = small_text()
    for name in ("news.txt", "news-2023.txt", "news-2024.txt", "my-text.txt"):
        (folder / name).write_text(text, encoding="utf-8")
    phrases = 12 * "they saw a boat in New York\n" + 12 * "a song of the band in New York City\n"
    (folder / "simplewiki.txt").write_text(text + phrases, encoding="utf-8")
    (folder / "zh.txt").write_text("我在银行存钱。\n他从银行借了贷款。\n" * 100, encoding="utf-8")
    for name, field in (("articles.jsonl.gz", "body"), ("logs.gz", "message")):
        with gzip.open(folder / name, "wt", encoding="utf-8") as rows:
            rows.writelines(json.dumps({field: line}) + "\n" for line in text.splitlines())
    with contextlib.suppress(ImportError):
        import pyarrow as pa
        import pyarrow.parquet as pq

        for name in ("part-1.parquet", "part-2.parquet"):
            pq.write_table(pa.table({"page": [{"text": line} for line in text.splitlines()]}), folder / name)
    model = small_model(text)
    model.save(folder / "news.model")
    single = polyseme.train(texts=text.splitlines(), model="skip-gram", dim=16, quiet=True)
    polyseme.export(single, folder / "vectors.bin")
    polyseme.export(single, folder / "glove.6B.100d.txt", format="glove")
    polyseme.train(
        TEXT, folder / "demo.model", dim=16, senses=2, multi_sense_words=("star", "served", "power", "board"), epochs=1,
        quiet=True,
    )  # fmt: skip
    return folder


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_code_of_a_page_runs(
    page: Path, example_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(NEEDS.get(name_of(page), "polyseme"))
    shutil.copytree(example_folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"polyseme": polyseme}
    for block in blocks(page):
        if block.note.startswith("not run: ") or any(line in block.code for line in NEEDS_NETWORK):
            continue
        if block.language == "console":
            run_console(block)
        elif ">>> " in block.code:
            run_doctest(block, names)
        else:
            exec(compile("\n" * block.line + block.code, page.name, "exec"), names)


def run_console(block: Block) -> None:
    assert block.code.startswith("$ "), "a console block begins with `$ command`"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for match in COMMAND.finditer(block.code):
        expected = match["output"]
        exits = EXIT.search(expected)
        expected = EXIT.sub("", expected)
        line = match["command"].partition(" #")[0]  # without the comment
        if line.startswith("polyseme ") and not NEEDS_SHELL.search(line):
            done = run_polyseme(shlex.split(line)[1:], Path.cwd())
        else:
            done = subprocess.run(
                ["bash", "-c", match["command"]], capture_output=True, text=True, timeout=300, check=False,
                env={**measured_environment(), "PATH": path},
            )  # fmt: skip
        assert done.returncode == (int(exits[1]) if exits else 0), (match["command"], done.stderr)
        if expected.strip() and block.note != "output varies":
            found = done.stdout + done.stderr
            assert doctest.OutputChecker().check_output(expected, found, FLAGS), f"{match[0]}\nprinted\n{found}"


def run_doctest(block: Block, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.code + "\n", names, "block", None, block.line)
    runner = doctest.DebugRunner(optionflags=FLAGS)
    runner.run(test, clear_globs=False)
    names.update(test.globs)


def test_each_block_that_is_not_run_says_why() -> None:
    for page in PAGES:
        for block in blocks(page):
            assert re.fullmatch(r"|output varies|not run: \S.{5,}", block.note), (page, block.line, block.note)


@pytest.mark.parametrize("page", ALL_PAGES, ids=name_of)
def test_commands_of_polyseme_are_in_blocks_that_are_run(page: Path) -> None:
    """Indented blocks and those of other languages are not run."""
    if name_of(page) != NEEDS_CLUSTER:
        rest = BLOCK.sub("", page.read_text(encoding="utf-8"))
        assert re.findall(r"^(?: {4}|\$ ).*\bpolyseme .*", rest, re.MULTILINE) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_from_top_to_bottom(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    for cell in cells:
        exec(compile("".join(cell["source"]), path.name, "exec"), names)


def test_the_site_builds_without_warnings_and_needs_no_other_server(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    pytest.importorskip("furo")
    pytest.importorskip("myst_parser")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "-d", str(tmp_path / "cache")]
    done = subprocess.run(
        [*command, ".", str(tmp_path / "site")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        html = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=\"(?:https?:)?//[^\"]*", html)
        assert loaded == [], page
    for style in (tmp_path / "site").rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(?:https?:)?//|@import", style.read_text(encoding="utf-8")), style


def test_links_of_the_readme_lead_to_files_and_headings() -> None:
    """Sphinx checks the links of all other pages."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("https://")]
    assert len(links) > 15
    for link in links:
        path, _, anchor = link.partition("#")
        assert (ROOT / path).is_file(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, link


def test_the_first_page_links_to_every_page_in_its_table_of_contents() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    contents = {line for block in re.findall(r"```{toctree}\n(.*?)```", text, re.DOTALL) for line in block.splitlines()}
    pages = {line for line in contents if line and not line.startswith(":")}
    assert pages == {link.rpartition(".")[0] for link in re.findall(r"\]\(([^)#]+)\)", text) if "figures/" not in link}


def test_every_public_name_is_in_the_reference() -> None:
    reference = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    named = set(re.findall(r"auto\w+:: polyseme\.(\w+)$", reference, re.MULTILINE))
    assert named == set(polyseme.__all__) - {"__version__"}
