"""The page is usable by keyboard, in light and dark, at the width of a phone, and with a screen reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver import Keys

from tests.explorer.browser.page import Page

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
VIEWS = {
    "start": "#/",
    "word": "#/word/bank",
    "concordance": "#/concordance/bank?sort=left",
    "near": "#/concordance/bank/2?near=boat",
    "map": "#/map/bank",
    "compare": "#/compare/bank/shore",
    "models": "#/models/rock",
    "read": "#/read?text=The+boat+at+the+bank.+Spring+at+the+bank.",
    "unknown": "#/word/bnak",
}
RUN_AXE = """
const done = arguments[arguments.length - 1];
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const said = (node) => `${node.html.slice(0, 160)} ${node.failureSummary}`;
const described = ({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(said).join(" | ")}`;
axe.run(arguments[0], { runOnly: rules }).then(({ violations }) => done(violations.map(described)));
"""


def violations(page: Page, where: str = "html") -> list[str]:
    page.js(AXE)
    return list(page.driver.execute_async_script(RUN_AXE, where))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_no_accessibility_problem(page: Page, view: str, theme: str) -> None:
    page.emulate(theme=theme)
    page.open(VIEWS[view])
    assert page.js("return document.documentElement.dataset.theme") == theme
    assert violations(page) == []


def test_axe_finds_no_problem_in_what_opens(page: Page) -> None:
    page.open("#/word/bank")
    page.press("?")
    assert page.one("#help").is_displayed()
    assert violations(page, "#help") == []
    page.press(Keys.ESCAPE)
    page.wait(lambda: not page.one("#help").is_displayed(), "the help to close")
    page.press("e")
    page.wait(lambda: page.all("[data-merge]"), "the tools")
    page.click("[data-merge]")
    assert violations(page, "#edits") == []
    page.click("[data-drop='bank#1']")
    page.click("#save")
    assert violations(page, "#save-dialog") == []


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_wider_than_a_phone(page: Page, view: str) -> None:
    page.emulate(width=360, height=700)
    page.open(VIEWS[view])
    assert page.js("return document.documentElement.scrollWidth") <= 360
    assert page.one("#search input").is_displayed()


def test_the_switch_changes_the_colours_and_a_reload_keeps_them(page: Page) -> None:
    page.open("#/word/bank")
    background = "return getComputedStyle(document.documentElement).backgroundColor"
    light = page.js(background)
    page.click("#theme")
    dark = page.js(background)
    assert dark != light
    page.open("#/word/bank")
    assert page.js(background) == dark
    page.press("t")
    assert page.js(background) == light


def test_numbers_and_arrows_choose_senses(page: Page) -> None:
    page.open("#/word/bank")
    page.press("2")
    page.at("#/word/bank/2")
    assert page.one("[data-selected] h2").text == "bank#2"
    page.press(Keys.ARROW_LEFT)
    page.at("#/word/bank/1")
    page.press("m")
    page.at("#/map/bank")
    page.press("2")
    page.at("#/word/bank/2")
    page.press("c")
    page.at("#/concordance/bank")
    page.press("s")
    page.at("#/word/bank")


def test_the_whole_way_from_search_to_a_sense_in_a_text_needs_no_mouse(page: Page) -> None:
    page.open("#/")
    page.press("/", "bank")
    page.wait(lambda: page.texts("#search [role=option] bdi"), "completions")
    page.press(Keys.ARROW_DOWN)
    assert page.one("#search input").get_attribute("aria-activedescendant")
    page.press(Keys.ENTER)
    page.at("#/word/bank")
    page.press("r")
    page.at("#/read")
    page.press("the boat at the bank of the stream")
    page.chord(Keys.CONTROL, Keys.ENTER)
    page.wait(lambda: page.all(".text a.token"), "colours")
    page.ready()
    page.js("document.activeElement.blur()")
    page.press(Keys.ARROW_RIGHT)
    focused = page.wait(lambda: page.js("return document.activeElement.dataset.key"), "a coloured word")
    page.wait(lambda: page.one("#probabilities").is_displayed(), "the probabilities")
    page.press(Keys.ENTER)
    page.wait(lambda: page.fragment().startswith("#/word/"), "the sense")
    page.ready()
    assert focused in page.texts(".card h2")


def test_tab_reaches_the_content_and_shows_the_focus(page: Page) -> None:
    page.open("#/word/bank")
    page.press(Keys.TAB)
    assert page.js("return document.activeElement.id") == "skip"
    page.press(Keys.ENTER)
    assert page.js("return document.activeElement.id") == "view"
    page.press(Keys.TAB)
    assert page.js("return getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_single_key_shortcuts_can_be_turned_off(page: Page) -> None:
    page.open("#/word/bank")
    page.press("?")
    page.click("#shortcuts")
    page.press(Keys.ESCAPE)
    page.wait(lambda: not page.one("#help").is_displayed(), "the help to close")
    page.press("2", "m")
    assert page.fragment() == "#/word/bank"
    page.open("#/word/bank")
    page.press("m")
    assert page.fragment() == "#/word/bank"


def test_people_who_prefer_less_motion_see_none(page: Page) -> None:
    page.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    )
    page.open("#/word/bank")
    assert page.js("return getComputedStyle(document.querySelector('.strip a')).transitionDuration") == "0s"
