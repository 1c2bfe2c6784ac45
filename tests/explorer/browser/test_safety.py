"""Text of the corpus and labels are never markup, nothing leaves this machine, and an exported page needs no server."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome, Keys

from tests.conftest import Run
from tests.explorer.browser.conftest import HOSTILE, LABEL
from tests.explorer.browser.page import Page
from tests.explorer.browser.processes import running
from tests.explorer.browser.test_editing import label

VIEWS = [
    f"#/word/{HOSTILE}",
    f"#/concordance/{HOSTILE}",
    f"#/map/{HOSTILE}",
    f"#/compare/{HOSTILE}/bank",
    f"#/models/{HOSTILE}",
    "#/word/%3Cscript%3Edocument.title%3D'owned'%3C%2Fscript%3E",
    "#/read?text=%3Cscript%3Edocument.title%3D'owned'%3C%2Fscript%3E+bank+%3Cimg+src%3Dx+onerror%3D%22document.title%3D1%22%3E",
]


@pytest.mark.parametrize("fragment", VIEWS)
def test_markup_in_text_stays_text(page: Page, fragment: str) -> None:
    page.open(fragment)
    assert page.js("return document.querySelectorAll('main script, main img, main b').length") == 0
    assert "owned" not in page.driver.title
    assert [message for message in page.console() if "404" not in message] == []
    if "map" not in fragment and "compare" not in fragment and "models" not in fragment:
        assert "<script>" in str(page.js("return document.querySelector('main').textContent"))


def test_markup_in_a_label_stays_text(page: Page) -> None:
    page.open("#/word/bank")
    label(page, 2, LABEL)
    page.wait(lambda: page.texts("#sense-2 button.label") == [LABEL], "the label")
    assert page.all("main b") == []
    page.press("z")
    page.wait(lambda: not page.all("#undo"), "no edits")


def test_no_request_leaves_this_machine(page: Page) -> None:
    for fragment in (
        "#/",
        "#/word/bank",
        "#/map/bank",
        "#/compare/bank/shore",
        "#/read?text=the+bank",
        "#/models/rock",
    ):
        page.open(fragment)
    requested = [address for address in page.requested() if urlsplit(address).scheme in ("http", "https", "ws", "wss")]
    assert len(requested) > 20
    assert {urlsplit(address).hostname for address in requested} == {"127.0.0.1"}
    assert page.console() == []


@pytest.fixture
def exported(driver: Chrome, folder: Path, tmp_path: Path, polyseme_command: Run) -> Page:
    """A page opened from a file, without a server."""
    path = tmp_path / "page.html"
    model = ("explore", folder / "small.model", "--export", path, "--words", f"bank,shore,{HOSTILE}")
    done = polyseme_command(*model)
    assert done.returncode == 0, done.stderr
    page = Page(driver, path.as_uri())
    page.emulate()
    page.requested()
    page.console()
    return page


def test_an_exported_page_works_from_a_file(exported: Page) -> None:
    exported.open("#/")
    assert exported.texts(".tries strong") == ["bank", "shore", HOSTILE]
    assert exported.texts(".views a") == ["Compare"]
    exported.click(".tries a")
    exported.at("#/word/bank")
    assert exported.texts(".card h2") == ["bank#1", "bank#2"]
    assert exported.all("#edit") == []
    exported.click("#sense-1 th.left button")
    exported.wait(lambda: exported.all("#sense-1 th.left[aria-sort=ascending]"), "sorted lines")
    exported.open("#/concordance/bank/2?sort=right")
    assert exported.all(".kwic tbody tr")
    exported.open("#/map/bank")
    assert int(str(exported.one(".map canvas").get_attribute("data-points"))) > 10
    exported.open("#/compare/shore/bank")
    assert len(exported.all(".matrix td.figure")) == 4
    exported.open(f"#/word/{HOSTILE}")
    assert "<script>" in exported.text()
    assert "owned" not in exported.driver.title
    exported.open("#/read?text=bank")
    assert exported.all(".start")
    exported.open("#/word/plant")
    assert "is not part of this exported page" in exported.text()
    assert exported.texts(".failure .note") == ["Words on this page"]
    exported.press("/", Keys.DELETE, "BÁNK", Keys.ENTER)
    exported.at("#/word/bank")
    exported.open("#/compare/plant/bank")
    assert exported.text(".failure h2") == "plant"
    exported.press("?")
    assert "compare words" in exported.text("#help")
    assert not re.search("edit|label|read a text", exported.text("#help"))
    exported.press(Keys.ESCAPE)
    assert [address for address in exported.requested() if not address.startswith(("file:", "data:", "blob:"))] == []
    assert exported.console() == []


def test_words_that_are_not_on_an_exported_page_are_no_links(exported: Page) -> None:
    for fragment in ("#/word/bank", "#/compare/bank/shore", "#/map/bank"):
        exported.open(fragment)
        words = exported.js(
            "return [...document.querySelectorAll('.word')].map((e) => [e.textContent, Boolean(e.href)])"
        )
        assert len(words) > 10
        assert [word for word, is_link in words if is_link != (word in {"bank", "shore"})] == []
        assert exported.console() == []


def test_a_password_is_asked_for_once(driver: Chrome, folder: Path) -> None:
    with running(folder / "other.model", "--password", "sesame") as address:
        page = Page(driver, address)
        driver.get(f"{address}#/word/bank")
        page.one("input").send_keys("wrong")
        page.click("button")
        page.wait(lambda: "password" in page.text().lower() and page.all(".login p"), "an error")
        page.one("input").send_keys("sesame")
        page.click("button")
        page.ready()
        assert page.fragment() == "#/word/bank"  # the place that was asked for is kept
        page.open("#/read?text=the+boat+at+the+bank")
        assert page.all(".text a.token")
