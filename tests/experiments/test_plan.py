"""The runs of the report."""

from __future__ import annotations

from collections import Counter

import pytest

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.experiments.corpora import NamedCorpus
from polyseme.experiments.plan import PROFILES, Task, dim_with_equal_parameters, make_plan
from polyseme.training.config import RecipeName, TrainConfig, make_config

FULL = PROFILES["full"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> EncodedCorpus:
    """Ten words: two with 200 tokens, eight with 10."""
    folder = tmp_path_factory.mktemp("plan")
    (folder / "text.txt").write_text("a b\n" * 200 + "c d e f g h i j\n" * 10)
    return encode(find_sources(folder / "text.txt"), WORDS, folder / "corpus")


@pytest.fixture(scope="module")
def plan(corpus: EncodedCorpus) -> list[Task]:
    return make_plan(FULL, [NamedCorpus("first", corpus), NamedCorpus("second", corpus)], (4, 5, 6), threads=2)


def test_the_control_has_as_many_parameters_as_mssg(corpus: EncodedCorpus) -> None:
    # 10 global vectors, and 3 senses of each of the 2 frequent words and 1 of the others: 10 + 14 vectors of 100
    # dimensions. Skip-gram has 10 + 10 vectors.
    config = TrainConfig(model="mssg", dim=100, senses=3, min_count=5)
    assert dim_with_equal_parameters(config, corpus) == 120


def test_each_run_has_a_file_name_of_its_own(plan: list[Task]) -> None:
    names = Counter((task.corpus.name, task.run.name) for task in plan)
    assert set(names.values()) == {1}


def test_models_of_tables_have_all_seeds_and_other_runs_the_first_one(plan: list[Task]) -> None:
    seeds: dict[tuple[str, str, str], set[int]] = {}
    for task in plan:
        seeds.setdefault(task.key, set()).add(task.run.seed)
    for recipe in ("paper", "default"):
        for model in ("Skip-gram", "MSSG", "NP-MSSG"):
            assert seeds["first", f"{model} 50d", recipe] == {4, 5, 6}
            assert seeds["first", f"{model} 300d", recipe] == {4, 5, 6}
            assert seeds["second", f"{model} 300d", recipe] == {4, 5, 6}
            assert ("second", f"{model} 50d", recipe) not in seeds
        assert seeds["first", "MSSG 400d", recipe] == {4}
        assert seeds["first", "MSSG 50d, 6 senses", recipe] == {4}
    assert seeds["second", "MSSG 300d, random senses", "default"] == {4}
    assert seeds["first", "MSSG 300d, random senses", "default"] == {4}
    assert seeds["first", "MSSG 300d, 30,000 words", "paper"] == {4}
    assert ("second", "MSSG 300d, 30,000 words", "paper") not in seeds
    assert {task.run.config.threads for task in plan} == {2}


def test_the_first_runs_are_those_of_300_dimensions_on_each_corpus(plan: list[Task]) -> None:
    first = [task for task in plan if task.run.seed == 4]
    assert [task.run.label for task in first[:3]] == ["MSSG 300d", "NP-MSSG 300d", "Skip-gram 300d"]
    last_of_second = max(i for i, task in enumerate(first) if task.corpus.name == "second")
    assert all("300d" in task.run.label for task in first[: last_of_second + 1])


@pytest.mark.parametrize("recipe", ["paper", "default"])
def test_main_rows_change_nothing_but_model_dimension_and_seed(plan: list[Task], recipe: RecipeName) -> None:
    expected = make_config(recipe, model="np-mssg", dim=50, seed=5, threads=2, examples=0)
    (run,) = [t.run for t in plan if t.key == ("first", "NP-MSSG 50d", recipe) and t.run.seed == 5]
    assert run.config == expected


def test_variants_have_the_settings_that_their_labels_say(plan: list[Task]) -> None:
    configs = {(task.run.label, task.run.recipe): task.run.config for task in plan}
    assert configs["MSSG 300d, random senses", "default"].model == "random-senses"
    assert configs["MSSG 300d, 30,000 words", "paper"].multi_sense_top == 30_000
    assert configs["MSSG 50d, 5 senses", "paper"].senses == 5
    assert configs["Huang-style 50d, 10 senses", "default"].senses == 10
    assert configs["One sense, as many parameters as MSSG 300d", "default"].dim == 360


def test_the_quick_profile_has_the_same_rows_with_few_tokens_and_one_seed(corpus: EncodedCorpus) -> None:
    quick = PROFILES["quick"]
    assert quick.max_tokens == 2_000_000
    tasks = make_plan(quick, [NamedCorpus("first", corpus)], quick.seeds, threads=1)
    full = make_plan(FULL, [NamedCorpus("first", corpus)], FULL.seeds, threads=1)
    assert {task.key for task in tasks} == {task.key for task in full}
    assert len(tasks) < len(full)
