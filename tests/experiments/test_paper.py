"""The quotations of `experiments.paper`, compared with the LaTeX source of the paper where it is at hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyseme.experiments import paper
from polyseme.training.config import make_config

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT.parent / "shared/paper/paper.tex"
PAGE = ROOT / "docs/paper.md"

pytestmark = pytest.mark.skipif(not SOURCE.exists(), reason="the source of the paper is not at hand")

Rows = list[list[str]]


@pytest.fixture(scope="module")
def source() -> str:
    return SOURCE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tables(source: str) -> list[Rows]:
    """The cells of the paper's tables, in order: Table 1 is the first."""
    bodies = re.findall(r"\\begin\{table\*?\}.*?\\end\{table\*?\}", source, re.DOTALL)
    assert len(bodies) == 6
    return [_rows(body) for body in bodies]


def _rows(table: str) -> Rows:
    body = re.search(r"\\begin\{tabular\}\{[^\n]*\}\n(.*)\\end\{tabular\}", table, re.DOTALL)
    assert body is not None
    return [
        cells
        for line in body[1].replace(r"\hline", "").split(r"\\")
        if any(cells := [_plain(cell) for cell in re.split(r"(?<!\\)&", line)])
    ]


def _plain(cell: str) -> str:
    """The text of a cell: without the commands around it, with the paper's dimensions written as ' 50d'."""
    text = re.sub(r"\\multirow\{\d+\}\{\*\}", "", cell.replace("\n", " "))
    text = re.sub(r"\\[a-z]+sc?\b(?=\{)|\\textbf|\\multicolumn\{2\}\{l\}|[{}]|\$(?=\\)|(?<!\\)\$", "", text)
    text = re.sub(r"\\([&$])", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"-(?=\d+d\b)", " ", text)).strip()


def _numbers(cells: list[str]) -> tuple[float | None, ...]:
    return tuple(None if cell == "-" else float(cell) for cell in cells)


def test_table_1_has_the_quoted_hours(tables: list[Rows]) -> None:
    assert {model: float(hours) for model, hours in tables[0][1:]} == paper.HOURS


def test_table_4_has_the_quoted_scores(tables: list[Rows]) -> None:
    assert {row[0]: _numbers(row[1:]) for row in tables[3][1:]} == paper.SCWS


def test_table_5_has_the_quoted_scores(tables: list[Rows]) -> None:
    scores: dict[str, dict[str, float]] = {}
    for model, value in tables[4][1:]:
        match = re.fullmatch(r"(.*?)-([GM])", model)
        name, measure = (match[1], match[2]) if match else (model, "G")
        scores.setdefault(name, {})[measure] = float(value)
    assert {name: (found["G"], found.get("M")) for name, found in scores.items()} == paper.WORDSIM


def test_table_6_has_the_quoted_scores(tables: list[Rows]) -> None:
    names = {"Skip-gram": "Skip-gram 300d", "MSSG": "MSSG 300d", "NP MSSG": "NP-MSSG 300d"}
    measures = {r"\globalSim": 0, r"\avgSim": 1, r"\avgSimC": 2, r"\localSim": 3}
    quoted: dict[tuple[str, str, int], float | None] = {
        (task, model, i): value
        for task, scores in (("WS-353", paper.WORDSIM_30K), ("SCWS", paper.SCWS_30K))
        for model, values in scores.items()
        for i, value in enumerate(values)
        if value is not None
    }
    found = {(task, names[model], measures[measure]): float(value) for model, task, measure, value in tables[5][1:]}
    assert found == quoted


def test_table_2_has_the_quoted_neighbours(tables: list[Rows]) -> None:
    found: dict[str, dict[str, list[str]]] = {}
    word = model = ""
    for row in tables[1]:
        if len(row) == 1:
            word = row[0].lower()
            continue
        model = row[0] or model
        found.setdefault(word, {}).setdefault(model, []).append(_words(row[1]))
    expected = {word: models for word, models in paper.NEIGHBOURS.items() if word != "plant"}
    assert {word: {m: tuple(rows) for m, rows in models.items()} for word, models in found.items()} == expected


def test_table_3_has_the_quoted_neighbours(source: str) -> None:
    start = source.index(r"\begin{tabular}{|p{0.7cm}|p{6.4cm}|}")
    body = source[start : source.index(r"\end{tabular}", start)]
    rows = [_words(words) for words in re.findall(r"&\s*([^&]*?)\s*(?:\\\\)", body)]
    assert tuple(rows) == tuple(words for senses in paper.NEIGHBOURS["plant"].values() for words in senses)


def _words(cell: str) -> str:
    return ", ".join(word.strip() for word in cell.split(","))


def test_the_text_has_the_quoted_figures(source: str) -> None:
    text = re.sub(r"\s+", " ", source)
    assert f"approximately 2 million articles and {paper.TOKENS // 10**6} million tokens" in text
    assert "April 2010 snapshot of the Wikipedia corpus" in text
    assert paper.SNAPSHOT == "English Wikipedia, April 2010, about 2 million articles"
    assert f"a {paper.MULTI_SENSE_WORDS:,} subset of the {paper.VOCABULARY:,} vocabulary" in text
    assert f"for top {paper.MULTI_SENSE_WORDS_TABLE_6:,} most frequent words" in text
    quoted = paper.ANALOGIES
    assert quoted["MSSG"] == quoted["NP-MSSG"]
    assert f"both MSSG and NP-MSSG models achieve {quoted['MSSG']}\\% accuracy compared to" in text
    assert f"{quoted['Huang et al']}\\% accuracy by \\newcite{{huang:2012}}" in text
    assert f"Skip-gram which is the state-of-art model for this task achieves {quoted['Skip-gram']}\\% accuracy" in text


def test_the_text_has_the_settings_of_the_recipe(source: str) -> None:
    text = re.sub(r"\s+", " ", source)
    config = make_config("paper")
    assert f"remove all the words with less than {config.min_count} occurrences" in text
    assert f"maximum context window ($N$) of length {config.window} " in text
    assert f"senses ($K$) to be {config.senses} for the MSSG model" in text
    assert f"$\\lambda$ to {config.new_sense_threshold}." in text
    assert config.negatives == 1
    assert "sample one noisy context word ($S$) for each of the observed context words" in text
    assert config.optimizer == "adagrad"
    assert "We train our models using AdaGrad" in text
    assert f"initial learning rate set to {config.learning_rate}" in text
    assert config.multi_sense_top == paper.MULTI_SENSE_WORDS


def test_the_page_on_the_paper_quotes_it_correctly(source: str) -> None:
    text, page = (re.sub(r"\s+", " ", content) for content in (source, PAGE.read_text(encoding="utf-8")))
    mssg, np_mssg, huang = (paper.HOURS[model] for model in ("MSSG 300d", "NP-MSSG 300d", "Huang et al"))
    skip_gram = paper.HOURS["Skip-gram 300d"]
    best, best_of_table_6 = (
        max(values[3] or 0 for values in quoted.values()) for quoted in (paper.SCWS, paper.SCWS_30K)
    )
    for sentence in (
        f"MSSG with 300 dimensions takes {mssg / skip_gram:.0f} times as long as Skip-gram, and NP-MSSG "
        f"{np_mssg / skip_gram:.1f} times",
        f"Table 1 says {mssg} hours for MSSG and {np_mssg} for NP-MSSG",
        f"by Table 1 MSSG is {huang / mssg:.0f} times faster ({mssg} hours, {huang} hours) and NP-MSSG "
        f"{huang / np_mssg:.0f} times",
        f"The best local_sim in Table 4 is {best:.2f}, in bold face. Table 6 has {best_of_table_6}",
        f"(the paper: {paper.ANALOGIES['MSSG']})",
        f"the same {paper.MULTI_SENSE_WORDS:,} words. Table 6 has {paper.MULTI_SENSE_WORDS_TABLE_6:,}",
        f"Huang et al. have {paper.VOCABULARY:,} words",
    ):
        assert sentence in page
    for words in (
        "with probability proportional to the distance",
        "in less than 6 hours---a 27x improvement",
        f"\\textbf{{{best:.2f}}}",
        "First three models",
        "the top 30,00 frequent words",
        "for all our experiments",
    ):
        assert words in text
