"""Senses are labelled, merged and dropped in the page, and saved as a new model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys

from polyseme import SenseModel
from tests.explorer.browser.page import Page
from tests.explorer.browser.processes import running


def label(page: Page, number: int, text: str) -> None:
    page.click(f"#sense-{number} button.label")
    page.one(f"#sense-{number} input.label")
    page.press(text, Keys.ENTER)
    page.wait(lambda: page.all("#undo"), "the list of edits")
    page.ready()


def test_a_label_is_shown_and_undone(page: Page) -> None:
    page.open("#/word/bank")
    label(page, 2, "river")
    page.wait(lambda: page.texts("#sense-2 button.label") == ["river"], "the label")
    assert "1 unsaved edit" in page.text("#edits")
    page.press("z")
    page.wait(lambda: not page.all("#undo"), "no edits")
    page.wait(lambda: page.texts("#sense-2 button.label") == ["add a label"], "no label")


def test_senses_are_merged_dropped_and_undone(page: Page) -> None:
    page.open("#/word/bank")
    page.press("e")
    page.wait(lambda: page.all("[data-merge]"), "the tools")
    page.click("[data-merge='bank#1']")
    page.click("[data-merge='bank#2']")
    page.click("#merge")
    page.wait(lambda: len(page.all(".card")) == 1, "one sense")
    page.click("#undo")
    page.wait(lambda: len(page.all(".card")) == 2, "two senses")
    page.click("[data-drop='bank#1']")
    page.wait(lambda: page.texts(".card h2") == ["bank"], "the other sense")
    page.press("z")
    page.wait(lambda: len(page.all(".card")) == 2, "both senses")


def test_senses_that_were_chosen_for_merging_do_not_leak_to_the_next_word(page: Page) -> None:
    page.open("#/word/bank")
    page.press("e")
    page.click("[data-merge='bank#1']")
    page.js("location.hash = '#/word/rock'")
    page.at("#/word/rock")
    page.click("[data-merge='rock#1']")
    assert page.text("#merge") == "Merge: choose another sense"
    page.click("[data-merge='rock#2']")
    assert page.text("#merge") == "Merge rock#1 + rock#2"
    page.js("location.hash = '#/map/rock'")
    page.at("#/map/rock")
    page.js("location.hash = '#/word/rock'")
    page.at("#/word/rock")
    assert page.js("return [...document.querySelectorAll('[data-merge]')].map((box) => box.checked)") == [True, True]


@pytest.mark.parametrize("asked", ["Bank", "bank%232"])
def test_a_word_is_edited_and_named_as_the_model_spells_it(page: Page, asked: str) -> None:
    page.open(f"#/word/{asked}")
    assert (page.text("h1"), page.driver.title) == ("bank", "bank · polyseme")
    label(page, 2, "river")
    page.wait(lambda: page.texts("#sense-2 button.label") == ["river"], "the label")
    assert page.js("return document.activeElement.textContent") == "river"
    page.press("1")
    page.at("#/word/bank/1")
    assert page.driver.title == "bank#1 · polyseme"
    assert page.js("return document.querySelectorAll('.tabs a')[1].hash") == "#/concordance/bank/1"
    page.press("z")
    page.wait(lambda: not page.all("#undo"), "no edits")
    for view in ("concordance", "map"):
        page.open(f"#/{view}/{asked}")
        assert (page.text("h1"), page.driver.title) == ("bank", f"bank, {view} · polyseme")


def test_the_open_model_is_replaced_and_shown_anew(driver: Chrome, folder: Path) -> None:
    shutil.copytree(folder / "other.model", folder / "open.model")
    (folder / "notes").mkdir()
    (folder / "notes" / "a.txt").write_text("kept")
    with running(folder / "open.model") as address:
        page = Page(driver, address)
        page.open("#/word/bank")
        label(page, 2, "river")
        page.click("#save")
        page.press("notes", Keys.ENTER)
        page.click("#save-dialog .danger")
        page.wait(lambda: "is not a model" in page.text("#save-dialog .message"), "the error")
        page.one("#save-name").clear()
        page.one("#save-name").send_keys("open.model", Keys.ENTER)
        page.wait(lambda: "Replace the open model?" in page.text("#save-dialog .message"), "the question")
        page.click("#save-dialog .danger")
        page.wait(lambda: not page.all("#save-dialog"), "the page to load again")
        page.ready()
        assert page.texts("#sense-2 button.label") == ["river"]
        assert page.all("#undo") == []


def test_replacing_the_open_model_says_that_its_index_is_not_used(driver: Chrome, folder: Path) -> None:
    shutil.copytree(folder / "small.model", folder / "indexed.model")
    with running(folder / "indexed.model", "--corpus", folder / "text.txt") as address:
        page = Page(driver, address)
        page.open("#/word/bank")
        page.press("e")
        page.click("[data-drop='bank#1']")
        page.wait(lambda: page.texts(".card h2") == ["bank"], "one sense")
        page.ready()
        page.click("#save")
        assert "is written beside indexed.model, which stays as it is" in page.text("#save-dialog .note")
        page.one("#save-name").clear()
        page.one("#save-name").send_keys("indexed.model")
        assert "The edited model replaces indexed.model, which is open." in page.text("#save-dialog .note")
        assert "start the page with --corpus to build it again" in page.text("#save-dialog .note")
        page.press(Keys.ENTER)
        page.click("#save-dialog .danger")
        page.wait(lambda: not page.all("#save-dialog"), "the page to load again")
        page.ready()
        assert page.texts(".card h2") == ["bank"]
        assert "indexed.model.index belongs to another version of the model and is not used." in page.text(".notice")
        assert page.text(".notice code").endswith("indexed.model --corpus TEXT")
        page.open("#/concordance/bank")
        assert "is not used" in page.text(".notice")


def test_views_without_the_unsaved_edits_say_so(page: Page) -> None:
    page.open("#/word/bank")
    label(page, 2, "river")
    unsaved = "Unsaved edits are not shown here."
    for fragment in ("concordance/bank", "map/bank", "read", "compare/bank/rock", "models/bank"):
        page.open(f"#/{fragment}")
        assert page.texts(".notice.unsaved") == [unsaved]
    page.open("#/map/bank?model=1")  # edits are of the first model
    assert page.all(".notice.unsaved") == []
    page.open("#/map/bank")
    page.press("z")
    page.wait(lambda: not page.all("#undo"), "no edits")
    page.ready()
    page.wait(lambda: not page.all(".notice.unsaved"), "no note")


def test_a_merged_sense_says_why_it_has_no_collocates(page: Page) -> None:
    page.open("#/word/bank")
    assert "Collocates and occurrences are shown when" not in page.text()
    page.press("e")
    page.click("[data-merge='bank#1']")
    page.click("[data-merge='bank#2']")
    page.click("#merge")
    page.wait(lambda: len(page.all(".card")) == 1, "one sense")
    assert "Collocates and occurrences are shown when the edited model is saved and indexed." in page.text(".card")


def test_edits_are_saved_as_a_new_model_and_nothing_is_replaced_without_asking(page: Page, folder: Path) -> None:
    page.open("#/word/bank")
    label(page, 2, "river bank")
    page.click("#save")
    name = page.one("#save-name")
    assert name.get_attribute("value") == "small-edited.model"
    page.click("#save-dialog [type=submit]")
    page.wait(lambda: page.all(".notice.saved"), "the message")
    page.ready()
    assert page.text(".notice.saved code") == f"polyseme explore {folder / 'small-edited.model'}"
    assert [sense.label for sense in SenseModel.load(folder / "small-edited.model").senses("bank")] == [
        None,
        "river bank",
    ]
    assert [sense.label for sense in SenseModel.load(folder / "small.model").senses("bank")] == [None, None]
    assert page.all("#undo") == []

    label(page, 1, "money bank")
    page.click("#save")
    page.click("#save-dialog [type=submit]")
    page.wait(lambda: "exists already" in page.text("#save-dialog .message"), "the question")
    assert SenseModel.load(folder / "small-edited.model").senses("bank")[0].label is None
    page.click("#save-dialog .danger")
    page.wait(lambda: not page.all("#save-dialog"), "the answer")
    assert SenseModel.load(folder / "small-edited.model").senses("bank")[0].label == "money bank"


def test_a_name_that_is_a_path_is_refused(page: Page, folder: Path) -> None:
    page.open("#/word/bank")
    label(page, 1, "money")
    page.click("#save")
    page.press("../outside.model", Keys.ENTER)
    page.wait(lambda: page.text("#save-dialog .message"), "an error")
    assert not (folder.parent / "outside.model").exists()
    page.press(Keys.ESCAPE)
    page.wait(lambda: not page.all("#save-dialog"), "the dialog to close")
    page.press("z")
