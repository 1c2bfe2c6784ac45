"""What the views show, and that each has an address."""

from __future__ import annotations

import csv
import io
import json
import re
import struct
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

from tests.explorer.browser.page import Page
from tests.explorer.browser.processes import running

TEXT = "The boat reached the muddy bank of the stream. The bank raised the interest of my loan and deposit."
RIVER = ("water", "boat", "stream")
MONEY = ("loan", "money", "account")


def neighbours(page: Page, number: int) -> list[str]:
    return page.texts(f"#sense-{number} .words bdi")


def test_the_start_page_has_words_to_try_and_explains_the_views(page: Page) -> None:
    page.open("#/")
    assert len(page.all(".tries a")) == 6
    assert all(len(word.find_elements("css selector", ".glosses .badge")) > 1 for word in page.all(".tries a"))
    assert page.texts(".ways h2") == ["Senses", "Read", "Map", "Compare", "Two models"]
    page.click(".tries a")
    page.wait(lambda: page.fragment().startswith("#/word/"), "a word")
    page.ready()
    assert page.all(".card")


def test_the_search_completes_a_prefix_and_opens_the_word(page: Page) -> None:
    page.open("#/")
    page.press("/", "ba")
    words = page.wait(lambda: page.texts("#search [role=option] bdi"), "completions")
    assert all(word.startswith("ba") for word in words)
    assert "bank" in words
    page.press("nk", Keys.ENTER)
    page.at("#/word/bank")
    assert page.text("h1") == "bank"


def test_the_search_opens_a_word_that_is_typed_without_its_accents(page: Page) -> None:
    page.open("#/")
    page.press("/", "ROCK", Keys.ENTER)
    page.at("#/word/ROCK")
    page.press("/", Keys.DELETE, "bänk", Keys.ENTER)
    page.at("#/word/bank")
    page.open("#/compare/rock")
    page.press("BÁNK", Keys.ENTER)
    page.at("#/compare/rock/bank")


def test_the_search_suggests_words_for_a_typing_error(page: Page) -> None:
    page.open("#/")
    page.press("/", "bnak")
    page.wait(lambda: "bank" in page.texts("#search [role=option] bdi"), "a suggestion")
    assert "Did you mean" in page.text("#search .options")
    page.press(Keys.ENTER)
    page.at("#/word/bnak")
    assert "bank" in page.texts(".failure .examples a")
    page.driver.find_element("link text", "bank").click()
    page.at("#/word/bank")


def test_a_card_has_key_share_neighbours_collocates_and_aligned_examples(page: Page) -> None:
    page.open("#/word/bank")
    assert page.texts(".card h2") == ["bank#1", "bank#2"]
    assert page.text(".headword .note").endswith(" occurrences in text.txt")
    shares = [int(text.rstrip("%")) for text in page.texts(".card .share .figure")]
    assert sum(shares) == 100
    assert {"loan", "account"} & set(neighbours(page, 1))
    assert {"water", "boat"} & set(neighbours(page, 2))
    collocates = page.texts("#sense-2 .collocates th bdi")
    assert {"water", "stream", "boat", "shore"} & set(collocates)
    edges = page.js("return [...document.querySelectorAll('#sense-1 .keyword')].map((e) => e.getBoundingClientRect())")
    centers = [edge["x"] + edge["width"] / 2 for edge in edges]
    assert len(centers) == 12
    assert max(centers) - min(centers) < 2


def test_neighbours_are_links_and_the_back_button_returns(page: Page) -> None:
    page.open("#/word/bank")
    page.click("#sense-2 .words a")
    page.wait(lambda: page.text("h1") != "bank", "another word")
    page.driver.back()
    page.at("#/word/bank")
    assert page.text("h1") == "bank"


def test_a_sense_has_an_address(page: Page) -> None:
    page.open("#/word/bank/2")
    assert page.one("[data-selected] h2").text == "bank#2"
    assert page.driver.title == "bank#2 · polyseme"


@pytest.mark.parametrize("view", ["word", "concordance"])
def test_a_sense_that_a_word_does_not_have_is_not_found(page: Page, view: str) -> None:
    page.open(f"#/{view}/bank")
    for part in ("bank/9", "bank/x", "bank%239"):
        page.js("location.hash = arguments[0]", f"#/{view}/{part}")
        page.at(f"#/{view}/{part}")
        assert page.text(".failure h1") == f"bank#{part[-1]}"
        assert "'bank' has 2 senses: bank#1, bank#2." in page.text(".failure")
    page.open(f"#/{view}/the/1")
    assert page.all(".failure") == []


@pytest.mark.parametrize(("column", "side", "step"), [("left", "td.left", -1), ("right", "td.right", 0)])
def test_examples_are_sorted_by_the_word_beside_the_keyword(page: Page, column: str, side: str, step: int) -> None:
    page.open("#/word/bank")
    page.click(f"#sense-1 th.{column} button")
    page.wait(lambda: page.all(f"#sense-1 th.{column}[aria-sort=ascending]"), "sorted lines")
    words = [re.findall(r"\w+", text.lower()) for text in page.texts(f"#sense-1 tr:not(.full) {side}")]
    beside = [found[step] if found else "" for found in words]
    assert len(beside) > 4
    assert beside == sorted(beside)


def test_the_concordance_has_pages_and_an_address_for_each_sense_and_order(page: Page) -> None:
    page.open("#/concordance/bank?sort=left")
    assert len(page.all(".kwic tbody tr:not(.full)")) == 50
    assert {row.get_attribute("data-key") for row in page.all(".kwic tr[data-key]")} == {"bank#1", "bank#2"}
    page.click(".pager [rel=next]")
    page.at("#/concordance/bank?sort=left&page=2")
    page.click(".chooser a:nth-of-type(3)")
    page.wait(lambda: page.fragment().startswith("#/concordance/bank/2"), "sense 2")
    page.ready()
    page.click(".kwic th.right button")
    page.at("#/concordance/bank/2?sort=right")
    page.driver.back()
    page.driver.back()
    page.at("#/concordance/bank?sort=left&page=2")


def test_a_collocate_leads_to_its_lines_and_another_word_can_be_asked_for(page: Page) -> None:
    page.open("#/word/bank")
    word = page.texts("#sense-2 .collocates th bdi")[0]
    page.click("#sense-2 a.sides")
    page.at(f"#/concordance/bank/2?near={word}")
    assert all(word in text.lower() for text in page.texts(".kwic tr:has(mark)"))
    assert len(page.all(".kwic tr:has(td.left mark, td.right mark)")) == len(page.all(".kwic .keyword"))
    field = page.one(".near input")
    field.clear()
    field.send_keys("bota", Keys.ENTER)
    page.at("#/concordance/bank/2?near=bota")
    assert "'bota' is not among the" in page.text(".controls .message")
    assert page.text(".headword .note") == f"{len(page.all('.kwic .keyword'))} lines in text.txt"
    assert page.one(".near input").get_attribute("value") == "bota"
    page.driver.find_element("link text", "boat").click()
    page.at("#/concordance/bank/2?near=boat")
    assert page.text(".headword .note").endswith("near boat in text.txt")
    page.click(".near > a")
    page.at("#/concordance/bank/2")


def test_a_concordance_without_lines_says_why(page: Page) -> None:
    page.open("#/concordance/bank/1?near=mercury")
    assert page.all(".kwic") == []
    assert page.text(".empty") == "No line of bank#1 has mercury within five words. Show all lines"
    page.click(".empty a")
    page.at("#/concordance/bank/1")
    page.open("#/concordance/bank/1?page=9999")
    page.click(".empty a")
    page.at("#/concordance/bank/1")
    assert page.all(".kwic .keyword")


def test_a_line_opens_to_the_whole_sentence(page: Page) -> None:
    page.open("#/concordance/bank/2")
    page.click(".keyword")
    assert page.one(".keyword").get_attribute("aria-expanded") == "true"
    assert page.one("tr.full mark").is_displayed()


def test_words_of_a_text_are_coloured_by_sense_and_lead_to_it(page: Page) -> None:
    page.open("#/read")
    page.one("#text").send_keys(TEXT)
    page.click("form.read-form [type=submit]")
    page.wait(lambda: page.all(".text a.token"), "colours")
    assert "".join(page.texts(".text p")) == TEXT
    first, second = page.all(".text a.token[data-key^='bank#']")
    assert (first.get_attribute("data-key"), second.get_attribute("data-key")) == ("bank#2", "bank#1")
    assert "s2" in str(first.get_attribute("class"))
    page.hover(".text a.token[data-key^='bank#']")
    page.wait(lambda: len(re.findall(r"[a-z]{3,}", page.text("#probabilities"))) > 4, "neighbours of both senses")
    assert re.search(r"\d+%", page.text("#probabilities"))
    first.click()
    page.at("#/word/bank/2")
    page.driver.back()
    page.wait(lambda: page.all(".text a.token"), "the text again")


def test_uncertain_words_are_grey(page: Page) -> None:
    """Words from two topics leave the sense open."""
    page.open("#/read?text=" + "+".join(f"the+{a}+and+the+{b}+of+the+bank." for a in RIVER for b in MONEY))
    found = page.js("return [...document.querySelectorAll('.text a.token')].map((e) => [e.className, e.ariaLabel])")
    grey = {name == "token uncertain" for name, label in found if int(re.findall(r"(\d+)%", label)[0]) < 60}
    coloured = {name == "token uncertain" for name, label in found if int(re.findall(r"(\d+)%", label)[0]) > 60}
    assert grey == {True}
    assert coloured == {False}


def test_the_number_of_a_word_stays_beside_it(page: Page) -> None:
    page.emulate(width=390)
    page.open("#/read?text=" + "+".join(f"{'i' * (i % 23 + 1)}+bank" for i in range(120)))
    assert len(page.all(".text a.token")) >= 120
    boxes = "return [...document.querySelectorAll('.text a.token')].map((e) => e.getClientRects().length)"
    assert set(page.js(boxes)) == {1}


def test_a_text_without_ambiguous_words_says_so(page: Page) -> None:
    page.open("#/read?text=qwertz")
    assert page.text(".reading .note") == "No word of this text has several senses in this model."
    assert page.all(".reading-key") == []


def test_the_first_tap_on_a_word_shows_probabilities_and_the_second_opens_the_sense(page: Page) -> None:
    page.emulate(width=390, height=844)
    page.open("#/read?text=the+boat+at+the+bank+of+the+stream")
    box = page.js("return document.querySelector('.text a.token').getBoundingClientRect().toJSON()")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def tap() -> None:
        for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
            page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        tap()
        page.wait(lambda: page.one("#probabilities").is_displayed(), "the probabilities")
        assert page.fragment().startswith("#/read")
        time.sleep(0.4)  # two quick taps would zoom
        assert page.one("#probabilities").is_displayed()
        tap()
        page.wait(lambda: page.fragment().startswith("#/word/"), "the sense")
    finally:
        page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_a_text_that_is_too_long_is_refused_before_it_is_sent(page: Page) -> None:
    page.open("#/read")
    page.js("document.getElementById('text').value = 'bank '.repeat(60000)")
    page.click("form.read-form [type=submit]")
    assert "300,000 bytes" in page.text(".read-form .message")


def test_two_words_are_compared_sense_by_sense(page: Page) -> None:
    page.open("#/compare/bank/shore")
    assert len(page.all(".matrix td.figure")) == 4
    assert page.all(".shared tbody tr")
    page.click(".swap")
    page.at("#/compare/shore/bank")
    second = page.all(".choose-two input")[1]
    second.clear()
    second.send_keys("plant", Keys.ENTER)
    page.at("#/compare/shore/plant")


def test_a_comparison_names_the_word_that_is_not_known_and_keeps_the_fields(page: Page) -> None:
    page.open("#/compare/bank/shroe")
    assert page.text(".failure h2") == "shroe"
    assert "'shroe' is not among the" in page.text(".failure")
    assert [field.get_attribute("value") for field in page.all(".choose-two input")] == ["bank", "shroe"]
    page.driver.find_element("link text", "shore").click()
    page.at("#/compare/bank/shore")
    assert page.all(".matrix")


def test_two_models_are_compared_and_a_merged_sense_has_no_partner(page: Page) -> None:
    page.open("#/models/rock")
    assert page.texts(".model-names h2") == ["small.model", "other.model"]
    hashes = page.js("return [...document.querySelectorAll('.overlap + .half .words a')].map((a) => a.hash)")
    assert hashes
    assert all(address.endswith("?model=1") for address in hashes)
    matches = page.all(".match")
    assert len(matches) == 2
    assert sorted(len(match.find_elements("css selector", ".half.none")) for match in matches) == [0, 1]


def test_the_second_model_has_words_to_try_of_its_own(page: Page) -> None:
    """In the second model, the senses of `rock` are merged."""
    page.open("#/?model=1")
    assert "rock" not in page.texts(".tries strong")
    assert all(len(word.find_elements("css selector", ".glosses .badge")) > 1 for word in page.all(".tries a"))


def test_the_start_page_shows_both_models_and_leads_to_the_words_of_each(page: Page) -> None:
    page.open("#/")
    assert page.texts(".lead bdi") == page.texts(".start .chooser a") == ["small.model", "other.model"]
    assert page.text(".start .chooser [aria-current]") == "small.model"
    page.click(".start .chooser a:last-child")
    page.at("#/start?model=1")
    assert page.text(".start .chooser [aria-current]") == "other.model"
    page.click(".tries a")
    page.wait(lambda: page.fragment().startswith("#/word/"), "a word")
    assert page.fragment().endswith("?model=1")


def test_a_word_or_sense_that_only_the_other_model_has_is_linked(driver: Chrome, page: Page, folder: Path) -> None:
    page.open("#/concordance/rock/2?model=1")  # whose senses of `rock` are merged
    page.wait(lambda: page.all(".other-model"), "the link")
    page.driver.find_element("link text", "small.model has this sense").click()
    page.at("#/concordance/rock/2")
    page.open("#/word/xyzzy")
    assert page.all(".failure")
    assert page.all(".other-model") == []
    (folder / "vectors.txt").write_text("2 2\nbank 1 0\nxyzzy 0 1\n")
    with running(folder / "small.model", folder / "vectors.txt") as address:
        page = Page(driver, address)
        page.open("#/word/xyzzy")
        page.wait(lambda: page.texts(".other-model") == ["vectors.txt has this word"], "the link")
        page.click(".other-model a")
        page.at("#/word/xyzzy?model=1")
        assert page.all(".card")


def test_the_second_model_can_be_chosen(page: Page) -> None:
    page.open("#/word/rock")
    assert len(page.all(".card")) == 2
    page.js("const s = document.getElementById('model'); s.value = '1'; s.dispatchEvent(new Event('change'))")
    page.at("#/word/rock?model=1")
    assert len(page.all(".card")) == 1


def test_the_map_zooms_and_moves_and_keeps_its_place_in_the_address(page: Page) -> None:
    page.open("#/map/bank")
    canvas = page.one(".map canvas")
    assert canvas.get_attribute("data-zoom") == "1.00"
    assert int(str(canvas.get_attribute("data-points"))) == len(page.all(".as-table tbody tr")) + 2
    page.click(".map-controls button")
    ActionChains(page.driver).drag_and_drop_by_offset(canvas, 60, 40).perform()
    page.js("arguments[0].focus()", canvas)
    page.press("+", Keys.ARROW_LEFT)
    page.wait(lambda: "at=" in page.fragment(), "the place in the address")
    assert canvas.get_attribute("data-zoom") == "1.75"
    page.wait(lambda: page.fragment().endswith("1.75"), "the zoom in the address")
    page.open(page.fragment())
    assert page.one(".map canvas").get_attribute("data-zoom") == "1.75"
    page.click(".map-controls [aria-label=Fit]")
    assert page.one(".map canvas").get_attribute("data-zoom") == "1.00"


def zoom(page: Page) -> float:
    return float(str(page.one(".map canvas").get_attribute("data-zoom")))


def test_the_map_zooms_by_wheel_and_by_two_fingers(page: Page) -> None:
    page.open("#/map/bank")
    canvas = page.one(".map canvas")
    page.js("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", canvas)
    ActionChains(page.driver).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -300).perform()
    page.wait(lambda: zoom(page) > 1.3, "the zoom of the wheel")
    before = zoom(page)
    box = page.js(
        "const { x, y, width, height } = arguments[0].getBoundingClientRect(); return [x, y, width, height]", canvas
    )
    x, y = box[0] + box[2] / 2, box[1] + box[3] / 2
    for kind, apart in (("touchStart", 40), ("touchMove", 60), ("touchMove", 80), ("touchEnd", 0)):
        fingers = [{"x": x + side * apart, "y": y, "id": side} for side in (-1, 1) if apart]
        page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    page.wait(lambda: zoom(page) > 1.7 * before, "the zoom of the fingers")
    assert page.fragment().startswith("#/map/bank")


def test_a_click_on_a_label_opens_the_word(page: Page) -> None:
    page.open("#/map/bank")
    script = """
    const canvas = document.querySelector(".map canvas");
    const { left, top, width, height } = canvas.getBoundingClientRect();
    for (let y = 10; y < height; y += 6) for (let x = 10; x < width; x += 6) {
      canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: left + x, clientY: top + y }));
      if (canvas.classList.contains("over")) return [x - width / 2, y - height / 2];
    }"""
    x, y = page.js(script)
    ActionChains(page.driver).move_to_element_with_offset(page.one(".map canvas"), int(x), int(y)).click().perform()
    page.wait(lambda: page.fragment().startswith("#/word/"), "a word")


def test_the_legend_hides_a_sense(page: Page) -> None:
    page.open("#/map/bank")
    before = int(str(page.one(".map canvas").get_attribute("data-points")))
    page.click(".legend button")
    assert int(str(page.one(".map canvas").get_attribute("data-points"))) < before


def test_labels_do_not_overlap(page: Page) -> None:
    page.open("#/")
    script = """
    const done = arguments[arguments.length - 1];
    const point = (i) => ({ x: (i * 7919) % 640, y: (i * 104729) % 480, radius: 4, text: "x".repeat(3 + (i % 9)) });
    const measure = ({ text }) => ({ width: 8 * text.length, height: 18 });
    import("/static/labels.js").then(({ placeLabels }) =>
      done(placeLabels(Array.from({ length: 300 }, (_, i) => point(i)), measure, { width: 640, height: 480 })));
    """
    boxes = page.driver.execute_async_script(script)
    assert len(boxes) > 30
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart_x = a["x"] + a["width"] + 3 <= b["x"] or b["x"] + b["width"] + 3 <= a["x"]
            assert apart_x or a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]


def test_no_label_is_under_the_buttons_of_the_map(page: Page) -> None:
    page.emulate(width=390, height=844)
    page.open("#/map/bank")
    script = """
    const done = arguments[arguments.length - 1];
    import("/static/mapcanvas.js").then(({ MapCanvas }) => {
      const place = (i) => ({ key: "word", sense: "a", similarity: 1, x: i % 5, y: Math.floor(i / 5) });
      const map = new MapCanvas(document.querySelector(".map canvas"),
        { senses: [], points: Array.from({ length: 50 }, (_, i) => place(i)) }, {});
      map.view.zoom = 1.3; // points are everywhere, also under the buttons
      const { offsetLeft: left, offsetTop: top } = document.querySelector(".map-controls");
      const labels = map.labels(map.markers());
      done([labels.length, labels.filter((box) => box.x + box.width > left && box.y + box.height > top).length]);
    });
    """
    placed, covered = page.driver.execute_async_script(script)
    assert placed > 10
    assert covered == 0


def table(content: bytes) -> list[list[str]]:
    """The rows of a TSV file, as other programs read them."""
    rows = list(csv.reader(io.StringIO(content.decode(), newline=""), delimiter="\t", strict=True))
    assert len(rows) == content.count(b"\n")
    return rows


VIEWS = {
    "#/word/bank": "bank-senses",
    "#/concordance/bank/2": "bank-2-concordance",
    "#/map/bank": "bank-map",
    "#/compare/bank/shore": "bank-shore",
    "#/models/rock": "rock-models",
    "#/read?text=the+boat+at+the+bank": "text-senses",
}


@pytest.mark.parametrize("fragment", VIEWS)
def test_each_view_is_exported_in_four_formats(page: Page, downloaded: Callable[[str], bytes], fragment: str) -> None:
    page.open(fragment)
    name = VIEWS[fragment]
    for ending in ("tsv", "json", "svg", "png"):
        page.click(".menu summary")
        page.click(f".menu [data-format={ending}]")
    rows = table(downloaded(f"{name}.tsv"))
    assert len(rows) > 1
    assert {len(row) for row in rows} == {len(rows[0])} == {len({*rows[0]})}
    assert json.loads(downloaded(f"{name}.json"))
    svg = ElementTree.fromstring(downloaded(f"{name}.svg").decode())
    assert svg.findall(".//{http://www.w3.org/2000/svg}text")
    assert downloaded(f"{name}.png").startswith(b"\x89PNG")


def test_all_that_a_word_or_a_comparison_shows_is_exported(page: Page, downloaded: Callable[[str], bytes]) -> None:
    for fragment, name, column in (("#/word/bank", "bank-senses", 5), ("#/compare/bank/rock", "bank-rock", 1)):
        page.open(fragment)
        page.click(".menu summary")
        page.click(".menu [data-format=tsv]")
        rows = table(downloaded(f"{name}.tsv"))[1:]
        kinds = {"neighbour", "collocate", "example"} if column == 5 else {"both", "bank", "rock"}
        assert {row[column] for row in rows} | {"both"} == kinds | {"both"}
        page.click(".menu summary")
        page.press(Keys.ESCAPE)
        assert page.js("return document.activeElement.textContent") == "Export"


def test_the_picture_of_two_words_has_what_only_one_of_them_is_near(
    page: Page, downloaded: Callable[[str], bytes]
) -> None:
    page.open("#/compare/bank/rock")
    own = page.texts(".own .words li a")
    page.click(".menu summary")
    page.click(".menu [data-format=svg]")
    texts = {"".join(e.itertext()) for e in ElementTree.fromstring(downloaded("bank-rock.svg").decode()).iter()}
    assert set(own) <= texts
    assert {"Shared neighbours", "Only bank", "Only rock"} <= texts


def saved(page: Page, ending: str) -> None:
    page.click(".menu summary")
    page.click(f".menu [data-format={ending}]")
    page.ready()


def test_other_programs_read_each_line_of_a_saved_table_as_a_row(
    page: Page, downloaded: Callable[[str], bytes]
) -> None:
    page.open("#/")
    page.js("""
    const rows = [['"an open quotation', "a\\ttab, a\\r\\nline end\\u2028and\\u0000"], ['all "quoted"', 0.1]];
    import("/static/exports.js").then(({ exportMenu }) => document.querySelector("main").replaceChildren(
      exportMenu({ name: "cells", table: { columns: ["a", "b"], rows } })));""")
    saved(page, "tsv")
    assert table(downloaded("cells.tsv")) == [
        ["a", "b"],
        ['"an open quotation', "a tab, a line end and "],
        ['all "quoted"', "0.1"],
    ]
    page.open("#/concordance/mercury")  # its lines have quotation marks
    saved(page, "tsv")
    assert {len(row) for row in table(downloaded("mercury-concordance.tsv"))} == {5}


def test_a_saved_concordance_has_the_lines_of_all_pages(page: Page, downloaded: Callable[[str], bytes]) -> None:
    page.open("#/concordance/the?sort=left&page=2")
    first = page.js("return document.querySelector('.kwic .left bdi').textContent")
    total = int(page.text(".headword .note").replace(",", "").split()[0])
    assert total > 500  # lines that the server gives at once
    for ending in ("tsv", "json", "svg"):
        saved(page, ending)
    rows = table(downloaded("the-concordance.tsv"))
    answer = json.loads(downloaded("the-concordance.json"))
    assert (len(rows) - 1, len(answer["lines"]), answer["total"], answer["offset"]) == (total, total, total, 0)
    assert [row[1] for row in rows[1:]] == [line["left"].replace("\n", " ") for line in answer["lines"]]
    assert rows[51][1] == first
    assert downloaded("the-concordance.svg").count(b"<text") < 5 * 51


def test_a_saved_concordance_is_bounded_and_the_menu_says_so(page: Page) -> None:
    page.open("#/")
    script = """
    const done = arguments[arguments.length - 1];
    const asked = [];
    fetch = async (url) => {
      asked.push(new URLSearchParams(url.split("?")[1]).get("offset"));
      return Response.json({ total: 12345, lines: Array(500).fill({}) });
    };
    import("/static/concordance.js").then(({ fetchAllLines }) =>
      fetchAllLines("bank", {}).then(({ lines }) => done([lines.length, asked.length, asked.at(-1)])));
    """
    assert page.driver.execute_async_script(script) == [10000, 20, "9500"]
    page.open("#/")
    page.js("""
    const real = fetch;
    fetch = async (url, options) => {
      const answer = await real(url, options);
      return url.startsWith("api/concordance/") ? Response.json({ ...(await answer.json()), total: 12345 }) : answer;
    };
    location.hash = "#/concordance/bank";""")
    page.at("#/concordance/bank")
    assert page.texts(".menu .note") == ["TSV and JSON have the first 10,000 lines."]


def test_saved_senses_have_the_occurrences_of_the_page_beside_the_count_of_training(
    page: Page, downloaded: Callable[[str], bytes]
) -> None:
    page.open("#/word/bank")
    shown = {
        key: int(total.replace(",", "").split()[0])
        for key, total in zip(page.texts(".card h2"), page.texts(".card .total"), strict=True)
    }
    saved(page, "tsv")
    saved(page, "json")
    rows = table(downloaded("bank-senses.tsv"))
    columns = [rows[0].index(name) for name in ("key", "occurrences", "training_count")]
    in_table = {tuple(row[column] for column in columns) for row in rows[1:]}
    senses = json.loads(downloaded("bank-senses.json"))["senses"]
    assert {(s["key"], str(s["occurrences"]), str(s["training_count"])) for s in senses} == in_table
    assert {sense["key"]: sense["occurrences"] for sense in senses} == shown
    assert not any("count" in sense for sense in senses)
    for fragment, name, sides in (("#/compare/bank/rock", "bank-rock", "ab"), ("#/models/rock", "rock-models", ())):
        page.open(fragment)
        saved(page, "json")
        answer = json.loads(downloaded(f"{name}.json"))
        for side in sides or ("first", "second"):
            assert all("training_count" in sense and "count" not in sense for sense in answer[side]["senses"])


@pytest.mark.parametrize("width", [390, 1280])
def test_the_tabs_of_a_word_do_not_scroll_up_and_down(page: Page, width: int) -> None:
    page.emulate(width=width)
    page.open("#/word/bank")
    assert (
        page.js(
            "const { scrollHeight, clientHeight } = document.querySelector('.tabs'); return scrollHeight - clientHeight"
        )
        == 0
    )


def test_lines_of_a_picture_are_cut_between_words(page: Page) -> None:
    page.open("#/")
    script = """
    const done = arguments[arguments.length - 1];
    const line = { left: "mountains ".repeat(30), word: "bank", right: " meadows".repeat(30) };
    import("/static/figures.js").then(({ linesFigure }) => {
      const svg = new DOMParser().parseFromString(linesFigure("bank", [line]), "image/svg+xml");
      done([...svg.querySelectorAll("text")].map((e) => e.textContent));
    });"""
    _, left, word, right = page.driver.execute_async_script(script)
    assert re.fullmatch(r"… (mountains ){3,}", left)
    assert word == "bank"
    assert re.fullmatch(r"( meadows){3,} …", right)


def test_a_text_without_spaces_stays_inside_its_picture(page: Page) -> None:
    page.open("#/")
    script = """
    const done = arguments[arguments.length - 1];
    import("/static/figures.js").then(({ textFigure }) => {
      const main = document.querySelector("main");
      main.innerHTML = textFigure([{ text: "銀行".repeat(200) }], () => true);
      const right = main.querySelector("svg").getBoundingClientRect().right;
      done(right - Math.max(...[...main.querySelectorAll("text")].map((e) => e.getBoundingClientRect().right)));
    });"""
    assert page.driver.execute_async_script(script) > 0


def test_a_long_text_is_saved_as_png(page: Page, downloaded: Callable[[str], bytes]) -> None:
    page.open("#/")
    script = """
    import("/static/exports.js").then(({ exportMenu }) => {
      const figure = () => '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="40000"></svg>';
      document.querySelector("main").replaceChildren(exportMenu({ name: "long", figure }));
    });"""
    page.js(script)
    page.click(".menu summary")
    page.click(".menu [data-format=png]")
    width, height = struct.unpack(">II", downloaded("long.png")[16:24])
    assert (width, height) == (360, 16000)


def test_a_concordance_from_right_to_left_has_the_first_words_on_the_right(page: Page) -> None:
    page.open("#/")
    script = """
    const done = arguments[arguments.length - 1];
    const lines = [{ left: "على ضفة ", word: "البنك", right: " كتاب" }, { left: "في ", word: "بنك", right: " صغير" }];
    import("/static/concordance.js").then(({ concordanceTable }) => {
      const table = concordanceTable(lines, { key: "بنك", sort: "best", caption: "" });
      document.querySelector("main").replaceChildren(table);
      const edges = (name) => [...table.querySelectorAll(`${name} bdi`)].map((e) => e.getBoundingClientRect().toJSON());
      done([edges("td.left"), edges("td.node"), edges("td.right")]);
    });"""
    for before, keyword, after in zip(*page.driver.execute_async_script(script), strict=True):
        assert before["left"] >= keyword["right"]
        assert keyword["left"] >= after["right"]
