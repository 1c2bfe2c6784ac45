"""A browser, and a server of two small models with an index and with text that tries to be markup."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from selenium.webdriver import Chrome

from polyseme import SenseModel, train
from polyseme.corpus.planted import plant
from polyseme.training.config import make_config
from tests.explorer.browser.page import Page
from tests.explorer.browser.processes import browser_is_there, running, start_browser

HOSTILE = "mercury"  # every sentence with this word is made of markup
LABEL = """<b onclick='alert(1)'>"river" bank</b>"""


def missing(reason: str) -> NoReturn:
    """Skip, or fail where the environment says that a browser is there."""
    if os.environ.get("POLYSEME_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def driver() -> Iterator[Chrome]:
    if not browser_is_there():
        missing("needs a browser: apt-get install chromium chromium-driver")
    driver = start_browser()
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text, the model small.model and its variant other.model."""
    folder = tmp_path_factory.mktemp("explorer")
    sentences = [
        " ".join(words).capitalize() + "." for words in plant(sentences=6000, difficulty=0.3, seed=7).sentences
    ]
    marked = [
        f'Also <script>document.title = "owned"</script> {line} <img src=x onerror="document.title=1"> & \''
        if HOSTILE in line.lower()
        else line
        for line in sentences
    ]
    text = folder / "text.txt"
    text.write_text("\n".join(marked), encoding="utf-8")
    config = make_config(model="mssg", senses=2, dim=32, seed=1, threads=1)
    train(text, folder / "small.model", config=config, quiet=True)
    SenseModel.load(folder / "small.model").refine(merge=["rock#1+rock#2"]).save(folder / "other.model")
    return folder


@pytest.fixture(scope="session")
def address(driver: object, folder: Path) -> Iterator[str]:  # noqa: ARG001  without a browser nothing is trained
    with running(folder / "small.model", folder / "other.model", "--corpus", folder / "text.txt") as address:
        yield address


@pytest.fixture
def page(driver: Chrome, address: str) -> Page:
    """The page without stored choices, in light colours, at the width of a laptop."""
    driver.get(f"{address}static/labels.js")  # the same origin, and quick to load
    page = Page(driver, address)
    page.js("localStorage.clear(); sessionStorage.clear()")
    page.emulate()
    driver.get("about:blank")
    page.console()
    page.requested()
    return page


@pytest.fixture
def downloaded(driver: Chrome, tmp_path: Path) -> Callable[[str], bytes]:
    """Returns the content of a file that the browser saves, by name."""
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})

    def read(name: str) -> bytes:
        path = tmp_path / name
        Page(driver, "").wait(lambda: path.exists() and path.stat().st_size, f"the file {name}")
        return path.read_bytes()

    return read
