"""The complete report, on a planted corpus with tiny models."""

from __future__ import annotations

import csv
import re
import shutil
from itertools import combinations
from pathlib import Path

import pytest

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.planted import PlantedCorpus, plant
from polyseme.errors import Interrupted, MissingFile, OutputExists
from polyseme.experiments.plan import PROFILES, Profile
from polyseme.experiments.reproduce import reproduce

TINY = Profile(dims=(8, 12), figure_dims=(8, 12), figure_senses=(1, 2, 3), figure_dim=8, epochs=1)


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
    assert reproduce(corpus, folder, data=data, profile=TINY, threads=1) == folder / "report.html"
    return folder


def rows(out: Path, table: str) -> list[dict[str, str]]:
    with (out / "tables" / f"{table}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_report_has_all_tables_and_figures(out: Path) -> None:
    tables = {path.stem for path in (out / "tables").iterdir()}
    assert tables == {
        "time", "neighbours", "scws", "scws_inverse_distance", "controls", "wordsim", "top_30000", "analogies",
        "intervals", "settings",
    }  # fmt: skip
    figures = {path.name for path in (out / "figures").iterdir()}
    assert figures == {"senses_per_word.png", "dimension.png", "number_of_senses.png"}
    markdown = (out / "report.md").read_text()
    assert all(f"(figures/{name})" in markdown for name in figures)


def test_the_html_page_is_self_contained(out: Path) -> None:
    page = (out / "report.html").read_text()
    assert len(re.findall(r'src="data:image/png;base64,', page)) == 3
    assert not re.search(r'(src|href)=("(?!data:)|[^"])', page)


def test_tables_have_models_baselines_and_controls(out: Path) -> None:
    models = {row["model"] for row in rows(out, "scws")}
    assert {"TF-IDF", "Pruned TF-IDF", "Skip-gram 8d", "MSSG 12d", "NP-MSSG 12d", "Huang-style 8d"} <= models
    assert {"MSSG 12d, paper's recipe", "C&W 50d (quoted from the paper)"} <= models
    assert {row["model"] for row in rows(out, "controls")} >= {"MSSG 12d", "MSSG 12d, random senses"}
    assert any("as many parameters" in row["model"] for row in rows(out, "controls"))


def test_every_score_of_senses_has_a_control(out: Path) -> None:
    scores = rows(out, "intervals")
    assert {"global_sim", "avg_sim", "avg_sim_c", "local_sim"} <= {row["measure"] for row in scores}
    for row in scores:
        assert (row["random senses"] == "") == (row["measure"] == "global_sim")


def test_a_second_run_reuses_all_models(out: Path, corpus: Path, data: Path) -> None:
    def modification_times() -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in (out / "models").iterdir()}

    before = modification_times()
    steps: list[str] = []
    reproduce(corpus, out, data=data, profile=TINY, threads=1, say=steps.append)
    assert modification_times() == before
    assert len(before) == sum("model " in step for step in steps)


def test_models_trained_with_other_settings_are_not_reused(out: Path, corpus: Path, data: Path) -> None:
    with pytest.raises(OutputExists, match="was trained with another seed; choose another OUT"):
        reproduce(corpus, out, data=data, profile=TINY, threads=1, seed=2)


def test_another_tokenizer_does_not_reuse_the_encoded_corpus(
    out: Path, corpus: Path, data: Path, tmp_path: Path
) -> None:
    shutil.copytree(out, tmp_path / "out")
    with pytest.raises(OutputExists, match="was trained with another tokenizer; choose another OUT"):
        reproduce(corpus, tmp_path / "out", data=data, profile=TINY, threads=1, tokenizer="whitespace")
    assert EncodedCorpus.open(tmp_path / "out" / "corpus").description["tokenizer"] == "whitespace"


def test_the_quick_profile_trains_less_than_the_full_one() -> None:
    assert PROFILES["quick"].epochs < PROFILES["full"].epochs


def test_missing_data_is_reported_before_training(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(
        MissingFile, match="scws/ratings.txt does not exist; give the folder of the evaluation sets with --data"
    ):
        reproduce(corpus, tmp_path / "out", data=tmp_path)
    assert not (tmp_path / "out").exists()


def test_it_stops_when_stop_returns_true(corpus: Path, data: Path, tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        reproduce(corpus, tmp_path / "out", data=data, profile=TINY, threads=1, stop=lambda: True)
