"""Senses are labelled, merged and dropped in the page, and saved as a new model."""

from __future__ import annotations

from pathlib import Path

from selenium.webdriver import Keys

from polyseme import SenseModel
from tests.explorer.browser.page import Page


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


def test_edits_are_saved_as_a_new_model_and_nothing_is_replaced_without_asking(page: Page, folder: Path) -> None:
    page.open("#/word/bank")
    label(page, 2, "river bank")
    page.click("#save")
    name = page.one("#save-name")
    assert name.get_attribute("value") == "small-edited.model"
    page.click("#save-dialog [type=submit]")
    page.wait(lambda: page.all(".notice.saved"), "the message")
    page.ready()
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
