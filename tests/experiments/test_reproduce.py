"""The complete report, on a planted corpus with tiny models."""

from __future__ import annotations

import csv
import re
import shutil
from itertools import combinations
from pathlib import Path

import pytest

from polyseme.corpus.planted import PlantedCorpus, plant
from polyseme.errors import DataError, Interrupted, MissingFile, OutputExists
from polyseme.experiments.machine_load import STAT
from polyseme.experiments.plan import Profile
from polyseme.experiments.report import NOT_RUN
from polyseme.experiments.reproduce import reproduce
from polyseme.experiments.results import Result

TINY = Profile(dims=(6, 8), figure_dims=(8,), figure_senses=(1, 2), huang_senses=(10,), seeds=(1,))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evaluation sets of words of the planted corpus, with arbitrary ratings."""
    folder = tmp_path_factory.mktemp("data")
    pairs = list(combinations(("bank", "bass", "plant", "rock", "apple", "cell"), 2))
    for name in ("scws", "wordsim353", "analogy"):
        (folder / name).mkdir()
    (folder / "scws/ratings.txt").write_text(
        "".join(f"{i}\t{a}\tn\t{b}\tn\tthe <b>{a}</b> of\tof <b>{b}</b>\t{i % 7}\n" for i, (a, b) in enumerate(pairs))
    )
    (folder / "wordsim353/combined.csv").write_text("".join(f"{a},{b},{i % 5}\n" for i, (a, b) in enumerate(pairs)))
    (folder / "analogy/questions-words.txt").write_text(": x\nbank bass plant rock\n: gram1\nbank plant bass rock\n")
    return folder


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    small: PlantedCorpus = plant(sentences=1500, difficulty=0.3, seed=3)
    return small.write(tmp_path_factory.mktemp("corpus") / "planted.txt")


@pytest.fixture(scope="module")
def out(corpus: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "out"
    assert reproduce([corpus], folder, data=data, profile=TINY, threads=1) == folder / "report.html"
    return folder


def rows(out: Path, table: str) -> list[dict[str, str]]:
    with (out / "tables" / f"{table}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_report_has_all_tables_and_figures(out: Path) -> None:
    tables = {path.stem for path in (out / "tables").iterdir()}
    assert tables == {
        "summary", "corpora", "time", "neighbours_words_planted", "neighbours_plant_planted", "scws", "wordsim",
        "top_30000", "analogies", "controls", "settings", "all_scores",
    }  # fmt: skip
    figures = {path.name for path in (out / "figures").iterdir()}
    assert figures == {"senses_per_word.png", "dimension.png", "number_of_senses.png"}
    markdown = (out / "report.md").read_text()
    assert all(f"(figures/{name})" in markdown for name in figures)
    assert NOT_RUN not in markdown
    assert "runs are finished" not in markdown


def test_the_html_page_is_self_contained(out: Path) -> None:
    page = (out / "report.html").read_text()
    assert len(re.findall(r'src="data:image/png;base64,', page)) == 3
    assert not re.search(r'(src|href)=("(?!data:|#)|[^"])', page)
    assert set(re.findall(r'href="#([^"]*)"', page)) == set(re.findall(r'<h2 id="([^"]*)"', page))


def test_tables_have_models_baselines_controls_and_quoted_rows(out: Path) -> None:
    models = {row["model"] for row in rows(out, "scws")}
    assert {"TF-IDF", "Pruned TF-IDF", "Skip-gram 6d", "MSSG 8d", "NP-MSSG 8d", "Huang-style 6d, 10 senses"} <= models
    assert "Collobort & Weston 50d" in models
    assert {row["model"] for row in rows(out, "controls")} == {
        "MSSG 8d", "NP-MSSG 8d", "MSSG 8d, random senses", "One sense, as many parameters as MSSG 8d",
    }  # fmt: skip


def test_the_vectors_of_skip_gram_are_both_shown(out: Path) -> None:
    found = [row for row in rows(out, "scws") if row["model"] == "Skip-gram 8d"]
    assert [(row["measure"], row["paper"]) for row in found] == [("v_g", "65.2"), ("v_s", "65.2")]
    assert found[0]["default recipe, planted"] != found[1]["default recipe, planted"]


def test_every_score_of_senses_has_a_control(out: Path) -> None:
    scores = rows(out, "all_scores")
    assert {"global_sim", "avg_sim", "avg_sim_c", "local_sim"} <= {row["measure"] for row in scores}
    for row in scores:
        assert (row["control"] == "") == (row["measure"] == "global_sim")


def test_models_are_removed_and_finished_runs_are_not_run_again(out: Path, corpus: Path, data: Path) -> None:
    assert not list((out / "models").rglob("*.model"))
    before = (out / "report.md").read_text()
    steps: list[str] = []
    reproduce([corpus], out, data=data, profile=TINY, threads=1, say=steps.append)
    assert steps == ["20 runs (20 on planted); 20 are finished"]
    assert (out / "report.md").read_text() == before


def test_a_stopped_run_leaves_a_report_and_the_same_command_continues(
    corpus: Path, data: Path, out: Path, tmp_path: Path
) -> None:
    shutil.copytree(out, tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "tables")
    results = tmp_path / "out" / "results" / "planted"
    removed = ("tf-idf-default-seed-1.json", "skip-gram-6d-paper-seed-1.json")
    for name in removed:
        (results / name).unlink()
    steps: list[str] = []

    def stop() -> bool:
        return len(steps) == 3

    with pytest.raises(Interrupted):
        reproduce([corpus], tmp_path / "out", data=data, profile=TINY, threads=1, say=steps.append, stop=stop)
    assert steps[0] == "20 runs (20 on planted); 18 are finished"
    assert [(results / name).exists() for name in removed] == [False, True]
    partial = (tmp_path / "out" / "report.md").read_text()
    assert "So far 19 of 20 runs are finished." in partial
    assert "| TF-IDF | global_sim | 26.3 | - | not run yet |" in partial
    reproduce([corpus], tmp_path / "out", data=data, profile=TINY, threads=1, keep_models=True)
    assert rows(tmp_path / "out", "all_scores") == rows(out, "all_scores")


@pytest.mark.skipif(not STAT.exists(), reason="the load is known on Linux only")
def test_the_training_time_of_a_resumed_run_does_not_count(corpus: Path, data: Path, out: Path, tmp_path: Path) -> None:
    shutil.copytree(out, tmp_path / "out")
    path = tmp_path / "out" / "results" / "planted" / "skip-gram-6d-paper-seed-1.json"
    results = []
    for _ in range(2):  # the second time, the model is there already
        path.unlink()
        reproduce([corpus], tmp_path / "out", data=data, profile=TINY, threads=1, keep_models=True)
        results.append(Result.load(path))
    assert [result.other_load is None for result in results] == [False, True]
    assert results[0].scws == results[1].scws


def test_results_of_another_corpus_or_of_other_settings_are_refused(
    out: Path, corpus: Path, data: Path, tmp_path: Path
) -> None:
    def message(text: Path, **options: object) -> str:
        shutil.copytree(out, tmp_path / "out", dirs_exist_ok=True)
        with pytest.raises(OutputExists) as error:
            reproduce([text], tmp_path / "out", data=data, profile=TINY, threads=1, **options)  # type: ignore[arg-type]
        return str(error.value)

    assert "is the result of another tokenizer; choose another OUT" in message(corpus, tokenizer="whitespace")
    other = tmp_path / "planted.txt"
    other.write_text("some other text\n" * 50)
    assert "is the result of another corpus; choose another OUT" in message(other)
    saved = tmp_path / "out" / "results" / "planted" / "mssg-8d-paper-seed-1.json"
    saved.write_text(saved.read_text().replace('"dim": 8', '"dim": 9'))
    with pytest.raises(OutputExists, match="is the result of another dim; choose another OUT"):
        reproduce([corpus], tmp_path / "out", data=data, profile=TINY, threads=1)
    saved.write_text("{")
    with pytest.raises(DataError, match=r"mssg-8d-paper-seed-1.json is damaged .*; remove it to run this row again"):
        reproduce([corpus], tmp_path / "out", data=data, profile=TINY, threads=1)


def test_missing_data_is_reported_before_training(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(
        MissingFile, match="scws/ratings.txt does not exist; give the folder of the evaluation sets with --data"
    ):
        reproduce([corpus], tmp_path / "out", data=tmp_path)
    assert not (tmp_path / "out").exists()


def test_a_file_is_no_folder_for_the_report(corpus: Path, data: Path) -> None:
    with pytest.raises(OutputExists, match=r"planted.txt is a file, but the report needs a folder; choose another OUT"):
        reproduce([corpus], corpus, data=data)


def test_it_stops_when_stop_returns_true(corpus: Path, data: Path, tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        reproduce([corpus], tmp_path / "out", data=data, profile=TINY, threads=1, stop=lambda: True)
