"""Word sense induction with a model whose senses are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyseme import SenseModel
from polyseme.errors import ConfigError, DataError
from polyseme.evaluation.wsi import wsi
from tests.conftest import DATA
from tests.evaluation.toy import toy

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
MONEY, RIVER, NEITHER = "all the money", "by the river", "nothing"


@pytest.fixture
def model() -> SenseModel:
    """`bank` and `bow` have a sense for `money` and one for `river`, `go` has only one."""
    words = {
        "bank": [(EAST, 300), (NORTH, 100)],
        "bow": [(EAST, 200), (NORTH, 200)],
        "go": [(EAST, 30)],
        "money": [(EAST, 20)],
        "river": [(NORTH, 20)],
    }
    return toy(words, {word: [vector for vector, _ in senses] for word, senses in words.items()})


def write(path: Path, words: dict[str, list[tuple[str, str]]]) -> Path:
    """Write instances, given as (context, label) by word, in the one-file format."""
    dataset, key = [], []
    for word, instances in words.items():
        dataset.append(f"{word} {len(instances)}")
        dataset += [f"{context}\tand so on" for context, _ in instances]
        key += [f"{word} {word}.{i} {label}" for i, (_, label) in enumerate(instances, 1)]
    (path / "dataset.txt").write_text("\n".join(dataset))
    (path / "key.txt").write_text("\n".join(reversed(key)))
    return path


RIGHT = [(MONEY, "a"), (RIVER, "b")] * 10
HALF = [(MONEY, "a"), (MONEY, "b"), (RIVER, "a"), (RIVER, "b")] * 3


def test_senses_that_equal_the_labels_have_a_score_of_1_and_a_control_near_0(model: SenseModel, tmp_path: Path) -> None:
    evaluation = wsi(model, write(tmp_path, {"bank.n": RIGHT, "bow.v": RIGHT}))
    assert (evaluation.task, evaluation.covered, evaluation.total) == ("wsi", 40, 40)
    assert list(evaluation.table) == ["all", "nouns", "verbs"]
    for scores in evaluation.table.values():
        for name in ("ari", "v_measure", "paired_f"):
            assert (scores[name].value, scores[name].low, scores[name].high) == (1, 1, 1)
        assert scores["ari"].control == pytest.approx(0, abs=0.1)
        assert scores["clusters"].value == 2
    assert "fuzzy_nmi" not in evaluation.table["all"]


def test_means_over_words_without_and_with_unknown_words(model: SenseModel, tmp_path: Path) -> None:
    words = {"bank.n": RIGHT, "bow.v": HALF, "unknown.v": RIGHT}
    evaluation = wsi(model, write(tmp_path, words))
    assert (evaluation.covered, evaluation.total) == (32, 52)
    assert evaluation.facts["known words"] == 2
    assert evaluation.facts["labelled senses per word, all"] == 2
    scores = evaluation.table["all"]
    half = evaluation.table["verbs"]["ari"].value
    assert half < 0
    assert scores["ari"].value == pytest.approx((1 + half) / 2)
    assert scores["ari"].including_oov == pytest.approx((1 + half + 0) / 3)
    assert scores["v_measure"].value == pytest.approx(20 / 32)
    assert scores["v_measure"].including_oov == pytest.approx(20 / 52)
    assert scores["clusters"].including_oov == pytest.approx((2 + 2 + 1) / 3)
    assert (scores["ari"].low, scores["ari"].high) == pytest.approx((half, 1))


def test_baselines_are_reported(model: SenseModel, tmp_path: Path) -> None:
    evaluation = wsi(model, write(tmp_path, {"bank.n": [(MONEY, "a"), (RIVER, "b")] * 2}))
    # One cluster per word has all 6 pairs, of which 2 are true: F1 = 2 * 2 / (6 + 2).
    # Its B-cubed precision is 1/2, its recall 1.
    one_cluster = "ari 0.000, v_measure 0.000, paired_f 0.500, b_cubed 0.667, clusters 1.000"
    assert f"all, one cluster per word: {one_cluster}" in evaluation.notes
    # One cluster per instance has no pairs, a homogeneity of 1 and a completeness of 0.5: V = 2 * 1 * 0.5 / 1.5.
    # Its B-cubed precision is 1, its recall 1/2.
    per_instance = "ari 0.000, v_measure 0.667, paired_f 0.000, b_cubed 0.667, clusters 4.000"
    assert f"nouns, one cluster per instance: {per_instance}" in evaluation.notes


def test_words_with_one_sense_and_contexts_without_known_words_have_one_cluster(
    model: SenseModel, tmp_path: Path
) -> None:
    evaluation = wsi(model, write(tmp_path, {"go.v": RIGHT, "bank.n": [(NEITHER, "a"), (NEITHER, "b")] * 2}))
    for group in ("nouns", "verbs"):
        assert evaluation.table[group]["clusters"].value == 1
        assert evaluation.table[group]["ari"].value == 0
    assert evaluation.table["verbs"]["clusters"].control == 1


def test_graded_labels_are_compared_with_probabilities(model: SenseModel, tmp_path: Path) -> None:
    graded = [(MONEY, "a/4 b/1"), (MONEY, "a/4 b/1"), (RIVER, "b/3"), (RIVER, "b/3")]
    scores = wsi(model, write(tmp_path, {"bow.n": graded})).table["all"]
    assert scores["ari"].value == 1
    # The bins of each label determine those of a predicted sense, and are determined by them: FNMI = 1.
    # Instances 1 and 2 share 2 labels and 1 predicted sense: precision 1, recall 1/2.
    # Instances 1 and 3 share label b with an overlap of 0.25, and no predicted sense: recall 0.
    assert scores["fuzzy_nmi"].value == pytest.approx(1)
    precision, recall = 1, ((1 / 2 + 0 + 0) / 3 + (1 + 0 + 0) / 3) / 2
    assert scores["fuzzy_b_cubed"].value == pytest.approx(2 * precision * recall / (precision + recall))
    for score in scores.values():
        assert score.control is not None


def test_the_window_limits_the_context(model: SenseModel, tmp_path: Path) -> None:
    instances = [("money river", "b"), ("river money", "a")] * 5
    path = write(tmp_path, {"bow.n": instances})
    assert wsi(model, path, window=1).table["all"]["ari"].value == 1
    assert wsi(model, path).table["all"]["ari"].value < 1
    with pytest.raises(ConfigError, match="--window must be 1 or more"):
        wsi(model, path, window=0)


def test_data_without_known_words_are_refused(model: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="knows none of the 1 words, such as 'unknown'"):
        wsi(model, write(tmp_path, {"unknown.n": RIGHT}))


@pytest.mark.skipif(not (DATA / "eval" / "semeval2010").is_dir(), reason="needs SemEval-2010")
def test_the_baselines_of_semeval_2010_equal_the_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Manandhar et al. 2010: paired F of one cluster per word, V-measure of one cluster per instance."""
    words = [line.partition(".")[0] for line in (DATA / "eval" / "semeval2010" / "key.txt").read_text().splitlines()]
    model = toy({word: [(EAST, 1)] for word in dict.fromkeys(words)})
    monkeypatch.setattr("polyseme.evaluation.wsi.CONTROL_RUNS", 1)
    evaluation = wsi(model, DATA / "eval" / "semeval2010")
    assert evaluation.covered == evaluation.total == 8915
    assert evaluation.table["all"]["b_cubed"].value == pytest.approx(0.620, abs=1e-3)  # by our own computation
    published = {"all": (0.635, 0.317), "nouns": (0.570, 0.358), "verbs": (0.727, 0.256)}
    for group, (f, v) in published.items():
        assert evaluation.table[group]["paired_f"].value == pytest.approx(f, abs=1e-3)
        assert any(
            n.startswith(f"{group}, one cluster per instance") and f"v_measure {v:.3f}" in n for n in evaluation.notes
        )
