"""Small models answer as the models they were made from, and damage is noticed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import polyseme
from polyseme import SenseModel
from polyseme._io.tensors import map_tensors
from polyseme.errors import ConfigError, ModelError, OutputExists
from polyseme.evaluation.analogy import analogy
from polyseme.evaluation.word_similarity import scws, wordsim
from polyseme.model import storage
from polyseme.model.compact import save_compact
from polyseme.model.rows import CompactRows, Dtype
from tests.conftest import MODELS, Run
from tests.model.test_storage import Arrays, change_config, refused, update_digests

CONTEXTS = ["boat on the water by the bank of mud", "money in the bank"]
DTYPES: list[Dtype] = ["int8", "float16"]


@pytest.fixture(params=DTYPES)
def dtype(request: pytest.FixtureRequest) -> Dtype:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def path(mssg: SenseModel, tmp_path: Path) -> Path:
    save_compact(mssg, tmp_path / "m", examples=True, global_vectors=True)
    return tmp_path / "m"


@pytest.mark.parametrize("name", MODELS)
def test_every_model_answers_almost_as_before(
    name: str, dtype: Dtype, trained: Callable[[str], Path], tmp_path: Path
) -> None:
    model = SenseModel.load(trained(name))
    save_compact(model, tmp_path / "m", dtype=dtype, examples=True, global_vectors=True)
    storage.verify(tmp_path / "m")
    small = SenseModel.load(tmp_path / "m")
    words = model.vocabulary.words[:50]
    for word in words:
        assert small.senses(word) == model.senses(word)
        for among in ("senses", "words"):
            old, new = model.neighbours(word, among=among), small.neighbours(word, among=among)
            assert [n.similarity for n in new] == pytest.approx([n.similarity for n in old], abs=0.01)
        assert small.similarity(word, "bank").avg_sim == pytest.approx(model.similarity(word, "bank").avg_sim, abs=0.01)
        vector = model.vector(word)
        assert small.vector(word) == pytest.approx(vector, abs=0.01 * float(np.abs(vector).max()))
    for text in CONTEXTS:
        before, after = (m.disambiguate("bank", text).senses for m in (model, small))
        assert [s.probability for s in after] == pytest.approx([s.probability for s in before], abs=0.02)
        assert small.tag(text) == model.tag(text)
    assert small.sense_vectors.dtype == small.global_vectors.dtype == np.float32
    assert repr(small) == repr(model)


@pytest.mark.parametrize(("dtype", "share"), [("int8", 0.3), ("float16", 0.55)])
def test_tensors_and_examples_take_less_space(dtype: Dtype, share: float, mssg_path: Path, tmp_path: Path) -> None:
    save_compact(SenseModel.load(mssg_path), tmp_path / "m", dtype=dtype, examples=True, global_vectors=True)
    sizes = [(folder / "model.safetensors").stat().st_size for folder in (mssg_path, tmp_path / "m")]
    assert sizes[1] < share * sizes[0]
    assert (tmp_path / "m" / "examples.jsonl.zst").stat().st_size < (mssg_path / "examples.jsonl").stat().st_size / 2


def test_vectors_are_memory_mapped(path: Path) -> None:
    vectors = SenseModel.load(path)._data.arrays.sense_vectors
    assert isinstance(vectors, CompactRows)
    assert isinstance(vectors.values, np.memmap)


def test_a_small_model_is_saved_as_it_is(path: Path, tmp_path: Path) -> None:
    SenseModel.load(path).save(tmp_path / "again")
    for file in path.iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()


def test_float32_writes_the_ordinary_format(mssg: SenseModel, mssg_path: Path, tmp_path: Path) -> None:
    save_compact(mssg, tmp_path / "m", dtype="float32")
    for name in ("config.json", "model.safetensors", "examples.jsonl"):
        assert (tmp_path / "m" / name).read_bytes() == (mssg_path / name).read_bytes()


def test_a_small_model_can_be_refined_and_stays_small(path: Path, tmp_path: Path) -> None:
    refined = SenseModel.load(path).refine(merge=["bank#1+bank#2"], min_separation=0.5, labels={"bank": "both"})
    refined.save(tmp_path / "refined")
    small = SenseModel.load(tmp_path / "refined")
    assert small.senses("bank") == refined.senses("bank")
    assert json.loads((tmp_path / "refined" / "config.json").read_text())["dtype"] == "int8"


@pytest.mark.parametrize("words", [2, 100, 811, 10**9])
def test_only_the_most_frequent_words_are_kept(words: int, mssg: SenseModel, tmp_path: Path) -> None:
    save_compact(mssg.refine(labels={"bank#1": "a label"}), tmp_path / "m", words=words, examples=True)
    small = SenseModel.load(tmp_path / "m")
    assert small.vocabulary.words == mssg.vocabulary.words[:words]
    assert small.vocabulary.counts.tolist() == mssg.vocabulary.counts[:words].tolist()
    last = small.vocabulary.words[-1]
    assert [s.examples for s in small.senses(last)] == [s.examples for s in mssg.senses(last)]
    assert small._data.labels == ({"bank#1": "a label"} if "bank" in small else {})


def test_by_default_one_example_and_no_global_vectors_are_kept(mssg: SenseModel, dtype: Dtype, tmp_path: Path) -> None:
    save_compact(mssg, tmp_path / "m", dtype=dtype)
    storage.verify(tmp_path / "m")
    small = SenseModel.load(tmp_path / "m")
    assert [s.examples for s in small.senses("bank")] == [s.examples[:1] for s in mssg.senses("bank")]
    for text in CONTEXTS:
        assert small.disambiguate("bank", text).best.key == mssg.disambiguate("bank", text).best.key
        assert small.tag(text) == mssg.tag(text)
    similarity = small.similarity("bank", "boat")
    assert similarity.global_sim is None
    assert similarity.avg_sim == pytest.approx(mssg.similarity("bank", "boat").avg_sim, abs=0.01)
    with pytest.raises(ModelError, match=r"^this small model has no global vectors; .* with --global-vectors\.$"):
        small.neighbours("bank", among="words")
    with pytest.raises(ModelError, match="has no global vectors"):
        _ = small.global_vectors


def test_a_model_whose_contexts_need_global_vectors_keeps_them(trained: Callable[[str], Path], tmp_path: Path) -> None:
    model = SenseModel.load(trained("skip-gram"))
    assert model._data.arrays.whitened_vectors is None
    save_compact(model, tmp_path / "m")
    assert SenseModel.load(tmp_path / "m").neighbours("bank", among="words")


def test_a_small_model_can_be_written_as_float32_but_not_continued(mssg: SenseModel, tmp_path: Path) -> None:
    save_compact(mssg, tmp_path / "small")
    save_compact(SenseModel.load(tmp_path / "small"), tmp_path / "large", dtype="float32")
    large = SenseModel.load(tmp_path / "large")
    assert large.senses("bank") == SenseModel.load(tmp_path / "small").senses("bank")
    with pytest.raises(ModelError, match="has no global vectors"):
        polyseme.train(texts=["some new text"] * 10, init=large)


@pytest.mark.parametrize("task", ["scws", "wordsim", "analogy"])
def test_tasks_leave_out_the_measures_that_need_global_vectors(task: str, mssg: SenseModel, tmp_path: Path) -> None:
    save_compact(mssg, tmp_path / "m")
    small = SenseModel.load(tmp_path / "m")
    pair = "bank\tguitar\t5\nmoney\tbank\t7\nboat\twater\t8\n"
    contexts = "1\tbank\tn\tboat\tn\tthe <b> bank </b> of\tthe <b> boat </b> is\t5\t" + "5\t" * 9 + "5\n"
    texts = {"scws": contexts * 3, "wordsim": pair, "analogy": ": s\nbank guitar money boat\n"}
    (tmp_path / "data").write_text(texts[task])
    run = {"scws": scws, "wordsim": wordsim, "analogy": analogy}[task]
    before, after = (
        {name for measures in run(model, tmp_path / "data").table.values() for name in measures}
        for model in (mssg, small)
    )
    assert before - after == ({"words"} if task == "analogy" else {"global_sim"})


@pytest.mark.parametrize("examples", [False, 0, 1, 3, True])
def test_the_best_examples_of_each_sense_are_kept(examples: int, mssg: SenseModel, tmp_path: Path) -> None:
    save_compact(mssg, tmp_path / "m", examples=examples)
    small = SenseModel.load(tmp_path / "m")
    kept = None if examples is True else int(examples)
    for word in ("bank", "the"):
        assert [s.examples for s in small.senses(word)] == [s.examples[:kept] for s in mssg.senses(word)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "int4"}, "--dtype must be one of float32, float16, int8, not 'int4'."),
        ({"words": 1}, "--words must be 2 or more, not 1."),
        ({"examples": -1}, "the number of examples per sense must be 0 or more, not -1."),
    ],
)
def test_impossible_options_are_refused(
    options: dict[str, Any], message: str, mssg: SenseModel, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=f"^{message}$"):
        save_compact(mssg, tmp_path / "m", **options)
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_kept_unless_forced(mssg: SenseModel, path: Path) -> None:
    with pytest.raises(OutputExists):
        save_compact(mssg, path)
    save_compact(mssg, path, dtype="float16", force=True)
    assert SenseModel.load(path)._data.dtype == "float16"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a["sense_vectors.scales"].__setitem__(3, np.nan), "has numbers that are NaN or infinite"),
        (lambda a: a["sense_vectors.scales"].__setitem__(3, np.inf), "has numbers that are NaN or infinite"),
        (lambda a: a["sense_vectors.scales"].__setitem__(3, -1), "sense_vectors.scales has a number that is"),
        (lambda a: a["sense_vectors.scales"].__setitem__(3, 3e38), "sense_vectors.scales has a number that is"),
        (lambda a: a.update({"sense_vectors.scales": a["sense_vectors.scales"][1:]}), "a float32 number per row"),
        (lambda a: a.update({"sense_vectors.scales": a["sense_vectors.scales"][:, None]}), "a float32 number per row"),
        (lambda a: a.update({"sense_vectors.scales": a["sense_counts"]}), "a float32 number per row"),
        (lambda a: a.pop("sense_vectors.scales"), "missing or unknown: sense_vectors.scales"),
        (lambda a: a.pop("cluster_centers"), "missing or unknown: cluster_centers.scales"),
        (lambda a: a.update(x=a["sense_counts"]), "missing or unknown: x"),
        (lambda a: a.update(sense_vectors=a["sense_vectors"].astype(np.float32)), "has the dtype float32, not int8"),
        (lambda a: a.update(sense_vectors=a["sense_vectors"].astype(np.uint8)), "'sense_vectors' has the dtype U8"),
        (lambda a: a.update(sense_vectors=a["sense_vectors"].ravel()), "sense_vectors has 1 dimensions"),
        (lambda a: a.update(sense_vectors=a["sense_vectors"][:, 1:]), "global_vectors has the shape"),
        (
            lambda a: a.update({n: a[n][1:] for n in ("cluster_centers", "cluster_centers.scales")}),
            " rows, not ",
        ),
        (lambda a: a.update(cluster_centers=a["cluster_centers"][:, 1:]), "cluster_centers has the shape"),
        (lambda a: a.update(example_offsets=a["example_offsets"][1:]), "does not have a word and an offset per frame"),
        (lambda a: a["example_offsets"].__setitem__((1, 1), 10**12), "has offsets that do not divide"),
        (lambda a: a["example_offsets"].__setitem__((0, 1), 10**12), "has words that do not divide"),
        (lambda a: a.update(sense_offsets=a["sense_offsets"].astype(np.int16)), "'sense_offsets' has the dtype I16"),
        (lambda a: a["sense_offsets"].__setitem__(2, -5), "sense_offsets and sense_counts are inconsistent"),
        (
            lambda a: [a.pop(f"{n}_vectors{s}") for n in ("whitened", "global") for s in ("", ".scales")],
            "missing or unknown: global_vectors",
        ),
    ],
)
def test_tensors_that_queries_cannot_use_are_refused_despite_correct_digests(
    change: Callable[[Arrays], object], message: str, path: Path
) -> None:
    mapped, _ = map_tensors(path / "model.safetensors")
    arrays: Arrays = {name: np.array(array) for name, array in mapped.items()}
    change(arrays)
    save_file(arrays, path / "model.safetensors")
    update_digests(path)
    assert message in refused(path)


@pytest.mark.parametrize("dtype", [None, "float32", "int4", 8, ["int8"], "float16"])
def test_a_config_with_another_dtype_is_refused(dtype: object, path: Path) -> None:
    change_config(path, lambda config: config.update(dtype=dtype))
    assert "dtype" in refused(path) or "missing or unknown" in refused(path)


def test_a_version_that_does_not_have_this_dtype_is_refused(path: Path, mssg_path: Path, tmp_path: Path) -> None:
    change_config(path, lambda config: config.update(format_version=2))
    assert "it names the file 'examples.jsonl.zst', which a model does not have" in refused(path)
    copy = Path(shutil.copytree(mssg_path, tmp_path / "float32"))
    change_config(copy, lambda config: config.update(dtype="int8"))
    assert "'dtype' is not part of format version 2" in refused(copy)


def test_damaged_examples_are_one_line(path: Path) -> None:
    file = path / "examples.jsonl.zst"
    file.write_bytes(b"x" * file.stat().st_size)
    update_digests(path)
    with pytest.raises(ModelError, match=r"is damaged: examples\.jsonl\.zst cannot be read \(a frame is damaged"):
        SenseModel.load(path).senses("bank")


def test_commands_take_a_small_model(path: Path, polyseme_command: Run) -> None:
    done = polyseme_command("info", path, "--verify")
    assert done.returncode == 0, done.stderr
    assert "stored as        int8" in done.stdout
