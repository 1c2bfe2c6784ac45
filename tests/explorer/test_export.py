"""The exported page: one file with everything in it, and text that cannot become markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from polyseme.errors import ConfigError, MissingFile, OutputExists, UnknownWord
from polyseme.explorer.app import STATIC
from polyseme.explorer.export import export_page
from polyseme.explorer.models import Session
from tests.conftest import Run
from tests.explorer.conftest import HOSTILE

KEYS = ("bank", "bank#1", "bank#2", "rock", "rock#1", "rock#2")


@pytest.fixture
def page(session: Session, tmp_path: Path) -> str:
    export_page(session, ["Bank", "rock", "bank"], tmp_path / "page.html")
    return (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_page_has_the_answers_that_it_asks_for(page: str, session: Session) -> None:
    from polyseme.explorer import queries

    (text,) = re.findall(r'<script type="application/json" id="polyseme-answers">(.*?)</script>', page, re.DOTALL)
    data = json.loads(text)
    assert (data["words"], data["info"]["editable"], len(data["info"]["models"])) == (["bank", "rock"], False, 1)
    assert set(data["answers"]) == {
        *(f"/api/{name}/{word}" for name in ("senses", "map") for word in ("bank", "rock")),
        *(f"/api/{name}/{key}" for name in ("concordance", "collocates") for key in KEYS),
        "/api/compare/words/bank/rock",
    }  # fmt: skip
    assert data["answers"]["/api/senses/bank"] == json.loads(json.dumps(queries.senses(session, "bank", 12, 12, 0)))
    assert len(data["answers"]["/api/concordance/bank"]["lines"]) == 200
    assert str(session.models[0].path) not in page


def test_nothing_is_loaded_and_only_the_modules_of_the_page_may_run(page: str) -> None:
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[0]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    inline = re.findall(r'<script type="(?:importmap|module)">(.*?)</script>', page) + re.findall(
        r"<style>(.*?)</style>", page, re.DOTALL
    )
    assert len(inline) == 3
    for text in inline:
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy


def test_modules_import_each_other_by_names_of_the_import_map(page: str) -> None:
    modules = json.loads(re.findall(r'<script type="importmap">(.*?)</script>', page)[0])["imports"]
    assert {f"polyseme/{file.name}" for file in STATIC.glob("*.js")} == set(modules)
    for url in modules.values():
        text = base64.b64decode(url.removeprefix("data:text/javascript;base64,")).decode()
        imported = re.findall(r'^import .* from "([^"]+)"', text, re.MULTILINE)
        assert set(imported) <= set(modules)


def test_text_of_the_corpus_cannot_end_the_script_element(page: str) -> None:
    assert HOSTILE not in page
    assert "<script>alert" not in page
    assert page.count("<script") == 3


def test_a_file_is_overwritten_only_by_force(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("kept")
    with pytest.raises(OutputExists, match="already exists"):
        export_page(session, ["bank"], path)
    assert path.read_text() == "kept"
    export_page(session, ["bank"], path, force=True)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(OutputExists, match="already exists"):
        export_page(session, ["bank"], tmp_path, force=True)
    with pytest.raises(MissingFile, match="the folder of .* does not exist"):
        export_page(session, ["bank"], tmp_path / "missing" / "page.html")


def test_words_must_be_known(session: Session, tmp_path: Path) -> None:
    with pytest.raises(UnknownWord, match="'xyzzy' is not among"):
        export_page(session, ["bank", "xyzzy"], tmp_path / "page.html")
    with pytest.raises(ConfigError, match="--words needs 1 to 200 words"):
        export_page(session, [], tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_the_page(polyseme_command: Run, mssg_path: Path, tmp_path: Path) -> None:
    done = polyseme_command("explore", mssg_path, "--export", "page.html", "--words", "bank, rock")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "saved     page.html\n")
    assert "polyseme-answers" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert polyseme_command("explore", mssg_path, "--export", "p.html", "--words", "xyzzy").returncode == 1
