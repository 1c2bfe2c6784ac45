"""Continued training: old words keep their senses, new ones are learned, and runs can be stopped and resumed.

The old model is trained on the planted corpus. In the new text, `violin`, a word of the topic music, also has a sense
of its own among words of the topic railway, and there are new words that only occur together.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import SenseModel, load, train
from polyseme.corpus.planted_words import COMMON, TOPICS
from polyseme.corpus.tokenizers import WORDS
from polyseme.errors import ConfigError, CorpusError, DataError, Interrupted, ModelError, OutputExists, TrainingError
from polyseme.model.compact import save_compact
from polyseme.model.data import ModelData
from polyseme.training.added_senses import separation_from_old
from polyseme.training.config import make_config
from polyseme.training.continued import raised_counts, trained_sense_vectors
from polyseme.training.events import Event, ModelContinued
from polyseme.training.init_model import InitModel
from polyseme.training.state import TrainState
from polyseme.vocabulary import Vocabulary
from tests.conftest import MODELS, Run
from tests.training.test_resume import StopAt, assert_same_bits

NEW_WORDS = [f"blorp{letter}" for letter in "abcdefghij"]
SETTINGS: dict[str, Any] = {"threads": 1, "seed": 1, "epochs": 5}


@pytest.fixture(scope="session")
def new_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(0)
    topics = {name: words.split() for name, words in TOPICS.items() if name in ("railway", "music", "river")}
    sentences = []
    for _ in range(1500):
        topic = chance.choice([*topics.values(), NEW_WORDS])
        words = chance.choices(topic, k=7) + chance.choices(COMMON.split(), k=4)
        if topic is topics["railway"] and chance.random() < 0.9:
            words += ["violin"]
        if topic is topics["river"]:
            words += ["bank"]
        chance.shuffle(words)
        sentences.append(" ".join(words))
    path = tmp_path_factory.mktemp("new") / "new.txt"
    path.write_text("\n".join(sentences) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def old_path(trained: Callable[[str], Path]) -> Path:
    return trained("np-mssg")


@pytest.fixture(scope="session")
def continued_path(old_path: Path, new_text: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("continued") / "new.model"
    train(new_text, path, init=old_path, **SETTINGS)
    return path


@pytest.fixture(scope="session")
def frozen(old_path: Path, new_text: Path) -> SenseModel:
    return train(new_text, init=old_path, freeze=True, **SETTINGS)


def keys(model: SenseModel, word: str) -> set[str]:
    return {sense.key for sense in model.senses(word)}


def vectors_of(model: SenseModel, word: str) -> dict[str, np.ndarray]:
    """All vectors of a word, by name."""
    data, i = model._data, model.vocabulary.index[word]
    rows = slice(*data.arrays.sense_offsets[i : i + 2])
    assert data.arrays.cluster_centers is not None
    assert data.arrays.whitened_vectors is not None
    return {
        "sense": data.arrays.sense_vectors[rows],
        "center": data.arrays.cluster_centers[rows],
        "global": data.global_vectors[i],
        "whitened": data.arrays.whitened_vectors[i],
    }


def test_all_old_words_keep_their_keys_and_new_words_are_added(old_path: Path, continued_path: Path) -> None:
    old, new = load(old_path), load(continued_path)
    assert set(new.vocabulary.words) == {*old.vocabulary.words, *NEW_WORDS}
    for word in old.vocabulary.words:
        if len(keys(old, word)) > 1:
            assert keys(old, word) <= keys(new, word)
    assert new.vocabulary.counts.sum() == old.vocabulary.counts.sum() + new.corpus["tokens"]


def test_new_words_are_learned(continued_path: Path) -> None:
    neighbours = [n.word for n in load(continued_path).neighbours("blorpa", 5)]
    assert len(set(neighbours) & set(NEW_WORDS)) >= 4


def test_vectors_of_words_that_do_not_occur_in_the_new_text_do_not_change(
    old_path: Path, continued_path: Path, new_text: Path
) -> None:
    old, new = load(old_path), load(continued_path)
    absent = sorted(set(old.vocabulary.words) - set(new_text.read_text().split()))
    assert len(absent) > 300
    for word in absent:
        for name, array in vectors_of(old, word).items():
            np.testing.assert_array_equal(array, vectors_of(new, word)[name], err_msg=f"{word} {name}")
    assert not np.array_equal(vectors_of(old, "train")["sense"], vectors_of(new, "train")["sense"])


def test_a_new_sense_of_an_old_word_gets_the_next_number(old_path: Path, continued_path: Path) -> None:
    old, new = load(old_path), load(continued_path)
    assert keys(old, "violin") == {"violin"}
    assert keys(new, "violin") == {"violin#1", "violin#2"}
    assert new.disambiguate("violin", "the song and the melody of the drum at the concert").best.key == "violin#1"
    assert new.disambiguate("violin", "the train at the station with a locomotive").best.key == "violin#2"
    first, second = sorted(new.senses("violin"), key=lambda sense: sense.number)
    assert first.examples == old.senses("violin")[0].examples
    railway = set(TOPICS["railway"].split())
    assert all(railway & set(example.text.split()) for example in second.examples)


def test_an_old_word_in_contexts_of_its_old_senses_gets_no_new_sense(old_path: Path, continued_path: Path) -> None:
    old, new = load(old_path), load(continued_path)
    assert keys(new, "bank") == keys(old, "bank")
    assert {word: len(new.senses(word)) for word in ("drum", "boat")} == {"drum": 1, "boat": 1}


def test_freeze_keeps_every_old_vector_and_learns_new_words(old_path: Path, frozen: SenseModel) -> None:
    old = load(old_path)
    for word in old.vocabulary.words:
        assert keys(old, word) == keys(frozen, word)
        for name, array in vectors_of(old, word).items():
            np.testing.assert_array_equal(array, vectors_of(frozen, word)[name], err_msg=f"{word} {name}")
    neighbours = [n.word for n in frozen.neighbours("blorpa", 5)]
    assert len(set(neighbours) & set(NEW_WORDS)) >= 4
    assert frozen.training["frozen"] is True


def test_freeze_keeps_old_vectors_with_several_threads(old_path: Path, planted_text: Path) -> None:
    old = load(old_path)
    new = train(planted_text, init=old, freeze=True, threads=2, epochs=1)
    assert new.training["threads"] == 2
    for word in old.vocabulary.words:
        for name, array in vectors_of(old, word).items():
            np.testing.assert_array_equal(array, vectors_of(new, word)[name], err_msg=f"{word} {name}")


def test_the_history_is_recorded(old_path: Path, continued_path: Path, new_text: Path) -> None:
    old, new = load(old_path), load(continued_path)
    (first,) = new.continued_from
    assert first["fingerprint"] == InitModel(old._data, "", freeze=False).origin.fingerprint
    assert first["corpus"] == old.corpus
    card = (continued_path / "README.md").read_text()
    assert f"`{first['fingerprint'][:12]}`, trained on {old.corpus['tokens']:,} tokens" in card
    again = train(new_text, init=new, epochs=1, threads=1)
    assert [model["corpus"]["tokens"] for model in again.continued_from] == [old.corpus["tokens"], new.corpus["tokens"]]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("recipe", ["default", "paper"])
def test_every_model_can_be_continued_and_keeps_its_keys(
    model: Any, recipe: Any, planted_text: Path, new_text: Path
) -> None:
    old = train(planted_text, config=make_config(recipe, model=model, dim=16, senses=2, threads=1, examples=2))
    new = train(new_text, init=old, threads=1)
    assert new.config["model"] == model
    for word in ("bank", "violin", "the"):
        assert keys(old, word) <= keys(new, word) or keys(old, word) == {word}
    np.testing.assert_array_equal(old.vector("volcano"), new.vector("volcano"))
    assert "blorpa" in new


@pytest.mark.parametrize("output", ["sense+global", "sense"])
@pytest.mark.parametrize("model", MODELS)
def test_trained_vectors_are_recovered_from_a_model(model: Any, output: Any) -> None:
    vocabulary = Vocabulary(["a", "b", "c"], np.array([500, 400, 1]))
    state = TrainState.initial(make_config(model=model, dim=4, output_vectors=output), vocabulary, 1)
    state.split_senses()
    state.parameters.sense_counts[:] = np.arange(len(state.parameters.sense_counts), 0, -1)  # keeps the order of rows
    used = np.concatenate([np.arange(n) + first for n, first in zip(
        state.parameters.num_senses, state.parameters.sense_offsets[:-1], strict=True)])  # fmt: skip
    expected = state.parameters.sense_vectors[used, :4].copy()
    data = ModelData(state.vocabulary, state.to_model_arrays(), WORDS, state.config.to_dict())
    recovered = trained_sense_vectors(InitModel(data, "", freeze=False), slice(None))
    np.testing.assert_allclose(recovered, expected, atol=1e-6)


def test_numbers_and_labels_of_a_refined_model_are_kept(old_path: Path, new_text: Path) -> None:
    old = load(old_path)
    word = next(word for word in old.vocabulary.words if len(keys(old, word)) == 3)
    refined = old.refine(drop=[f"{word}#1"], labels={f"{word}#3": "third", "violin": "instrument"})
    new = train(new_text, init=refined, **SETTINGS)
    assert keys(new, word) == {f"{word}#2", f"{word}#3"}
    labels = {sense.key: sense.label for name in (word, "violin") for sense in new.senses(name) if sense.label}
    assert labels == {f"{word}#3": "third", "violin#1": "instrument"}
    assert new.continued_from[0]["refinements"] == list(refined.refinements)
    assert new.refinements == ()


def test_the_number_of_a_removed_sense_is_not_used_again(old_path: Path, new_text: Path, tmp_path: Path) -> None:
    old = load(old_path)
    word = next(word for word in old.vocabulary.words if len(old.senses(word)) > 1)
    highest = max(sense.number for sense in old.senses(word))
    refined = old.refine(drop=[f"{word}#{highest}"])
    assert refined._data.last_numbers == {word: highest}
    refined.save(tmp_path / "refined.model")
    assert load(tmp_path / "refined.model").refine(labels={"violin": "x"})._data.last_numbers == {word: highest}
    removed = SenseModel(replace(refined._data, last_numbers={"violin": 4, word: highest}))
    new = train(new_text, init=removed, **SETTINGS)
    assert keys(new, "violin") == {"violin#1", "violin#5"}
    assert new._data.last_numbers == removed._data.last_numbers


def test_a_shown_sense_stays_shown_however_rare_it_becomes(old_path: Path, tmp_path: Path) -> None:
    old = load(old_path)
    (tmp_path / "river.txt").write_text("the boat on the bank of the water by the shore of the stream\n" * 5000)
    new = train(tmp_path / "river.txt", init=old, threads=1, epochs=10, subsample=0.0)
    assert keys(new, "bank") == keys(old, "bank")
    assert min(sense.share for sense in new.senses("bank")) < 0.02


@pytest.mark.parametrize("min_share", [0.1, 0.3])
def test_a_shown_sense_keeps_the_share_that_the_settings_ask_for(
    min_share: float, old_path: Path, tmp_path: Path
) -> None:
    (tmp_path / "river.txt").write_text("the boat on the bank of the water by the shore of the stream\n" * 5000)
    old = load(old_path)
    old = SenseModel(replace(old._data, config={**old.config, "min_share": min_share}))
    assert keys(old, "bank") == {"bank#1", "bank#2"}
    new = train(tmp_path / "river.txt", init=old, threads=1, epochs=10, subsample=0.0)
    assert keys(new, "bank") == keys(old, "bank")
    assert min_share <= min(sense.share for sense in new.senses("bank")) < min_share + 0.02


def test_a_higher_min_share_hides_senses_that_were_shown(old_path: Path, tmp_path: Path) -> None:
    old = load(old_path)
    (tmp_path / "river.txt").write_text("the boat on the bank of the water by the shore of the stream\n" * 5000)
    higher = max(sense.share for sense in old.senses("bank")) + 0.01
    new = train(tmp_path / "river.txt", init=old, min_share=higher, threads=1, epochs=1)
    assert (len(old.senses("bank")), len(new.senses("bank"))) == (2, 1)


def test_counts_are_raised_until_every_shown_sense_has_its_share() -> None:
    shown = np.array([True, True, True, False])
    for counts in ([0, 0, 0, 0], [1000, 1, 0, 10], [5, 500, 3, 800], [1, 1, 10**6, 0]):
        for min_share in (0.0, 0.01, 0.2, 0.33):
            raised = raised_counts(np.array(counts), shown, min_share)
            assert (raised >= counts).all()
            assert raised[3] == counts[3]
            assert (raised[:3] >= max(min_share * raised.sum(), 1)).all()
    halves = raised_counts(np.array([70, 30]), np.array([True, True]), 0.5)
    assert 70 <= halves[0] == halves[1] < 75


def test_senses_are_found_for_the_words_of_a_skip_gram_model(
    trained: Callable[[str], Path], planted_text: Path
) -> None:
    new = train(planted_text, init=trained("skip-gram"), model="np-mssg", threads=1)
    assert len(new.senses("bank")) > 1
    river = new.disambiguate("bank", "the boat on the water by the shore of the stream").best.key
    money = new.disambiguate("bank", "a loan of money and a deposit in an account").best.key
    assert river != money


@pytest.fixture
def vector_file(old_path: Path, tmp_path: Path) -> Path:
    old, path = load(old_path), tmp_path / "old.vec"
    lines = [f"{word} {' '.join(map(str, old.vector(word)))}\n" for word in old.vocabulary.words]
    path.write_text(f"{len(lines)} {old.dim}\n" + "".join(lines))
    return path


def test_a_word2vec_file_can_be_continued(old_path: Path, new_text: Path, vector_file: Path) -> None:
    old, path = load(old_path), vector_file
    new = train(new_text, init=path, **SETTINGS)
    assert new.config["model"] == "np-mssg"
    np.testing.assert_array_equal(new.vector("volcano"), old.vector("volcano"))
    assert new.disambiguate("train", "the station").best.key
    assert len({n.word for n in new.neighbours("blorpa", 5)} & set(NEW_WORDS)) >= 4
    frozen = train(new_text, init=path, freeze=True, **SETTINGS)
    assert all(np.array_equal(frozen.vector(word), old.vector(word)) for word in old.vocabulary.words)


def test_a_folder_of_vectors_can_be_continued(old_path: Path, new_text: Path, tmp_path: Path) -> None:
    old = load(old_path)
    vectors = tmp_path / "projector"
    vectors.mkdir()
    rows = ("\t".join(map(str, old.vector(word))) + "\n" for word in old.vocabulary.words)
    (vectors / "tensors.tsv").write_text("".join(rows))
    (vectors / "metadata.tsv").write_text("\n".join(old.vocabulary.words) + "\n")
    new = train(new_text, init=vectors, **SETTINGS)
    np.testing.assert_allclose(new.vector("volcano"), old.vector("volcano"), rtol=1e-6)


@pytest.mark.usefixtures("frequent_reports")
def test_a_resumed_run_equals_an_uninterrupted_one(
    old_path: Path, continued_path: Path, new_text: Path, tmp_path: Path
) -> None:
    for progress in (0.1, 0.6):
        stop = StopAt(progress)
        with pytest.raises(Interrupted):
            train(
                new_text, tmp_path / "parts", init=old_path, resume=True, listen=stop.listen, stop=stop.stop, **SETTINGS
            )
    with pytest.raises(TrainingError, match="the unfinished run was started with --init; resume it in the same way"):
        train(new_text, tmp_path / "parts", resume=True)
    with pytest.raises(TrainingError, match="the unfinished run was started without --freeze"):
        train(new_text, tmp_path / "parts", init=old_path, resume=True, freeze=True)
    with pytest.raises(TrainingError, match="started from another model than --init gives"):
        train(new_text, tmp_path / "parts", init=continued_path, resume=True)
    parts = train(new_text, tmp_path / "parts", init=old_path, resume=True)
    assert_same_bits(load(continued_path), parts)
    assert {p.name for p in tmp_path.iterdir()} == {"parts"}
    again = train(new_text, tmp_path / "parts", init=old_path, resume=True)  # it is finished
    assert_same_bits(again, parts)
    with pytest.raises(TrainingError, match="parts was started with --init; choose another name"):
        train(new_text, tmp_path / "parts", resume=True)


@pytest.mark.usefixtures("frequent_reports")
def test_a_resumed_run_from_a_vector_file_equals_an_uninterrupted_one(
    vector_file: Path, new_text: Path, tmp_path: Path
) -> None:
    whole = train(new_text, tmp_path / "whole", init=vector_file, **SETTINGS)
    stop = StopAt(0.6)
    with pytest.raises(Interrupted):
        train(new_text, tmp_path / "parts", init=vector_file, listen=stop.listen, stop=stop.stop, **SETTINGS)
    assert_same_bits(whole, train(new_text, tmp_path / "parts", init=vector_file, resume=True))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["2 2", "bank#1 1 0", "bank#2 0 1", "bass#1 1 1", "bass#2 0 1"], "the header says 2 words, but 4 follow"),
        (["4 2", "bank#1 1 0", "bank#2 0 1", "bass#1 1 1", "bass#2 0 1"], "has several vectors per word"),
        (["2 2", "bank 1 nan", "bass 0 1"], "'nan' is not a finite number"),
    ],
)
def test_vector_files_that_cannot_be_continued_are_refused(
    lines: list[str], message: str, new_text: Path, tmp_path: Path
) -> None:
    (tmp_path / "v.vec").write_text("\n".join(lines) + "\n")
    with pytest.raises((DataError, ModelError), match=message):
        train(new_text, tmp_path / "m", init=tmp_path / "v.vec")
    assert [path.name for path in tmp_path.iterdir()] == ["v.vec"]


def test_a_model_can_be_replaced_by_its_continuation(old_path: Path, new_text: Path, tmp_path: Path) -> None:
    path = tmp_path / "m"
    shutil.copytree(old_path, path)
    with pytest.raises(OutputExists, match="overwrite it with --force"):
        train(new_text, path, init=path, **SETTINGS)
    with pytest.raises(Interrupted):
        train(new_text, path, init=path, force=True, stop=lambda: True, **SETTINGS)
    assert_same_bits(load(path), load(old_path))
    new = train(new_text, path, init=path, resume=True, **SETTINGS)
    assert "blorpa" in new
    assert new.senses("volcano")[0].examples == load(old_path).senses("volcano")[0].examples


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 50}, "has --dim 32, not 50, and continued training cannot change it"),
        ({"model": "mssg"}, "has --model np-mssg, not mssg"),
        ({"whitening": 0.0}, "has --whitening 0.9, not 0.0"),
        ({"config": make_config(dim=50)}, "has --dim 32, not 50"),
        ({"optimizer": "adagrad"}, "--optimizer adagrad and --init cannot be combined"),
        ({"recipe": "paper"}, "--recipe paper and --init cannot be combined"),
        ({"max_vocabulary": 10}, "--max-vocabulary 10 is less than the [0-9,]+ words of"),
        ({"tokenizer": "whitespace"}, "has --tokenizer words, not whitespace"),
        ({"epochs": 0}, "--epochs must be between"),
        ({"epoch": 1}, "'epoch' is not a setting"),
        ({"init": None, "freeze": True}, "--freeze needs --init"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    options: dict[str, Any], message: str, old_path: Path, new_text: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        train(new_text, tmp_path / "m", **{"init": old_path, **options})
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_or_missing_initial_model_is_refused_in_one_line(
    old_path: Path, new_text: Path, tmp_path: Path, polyseme_command: Run
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(old_path, damaged)
    tensors = damaged / "model.safetensors"
    tensors.write_bytes(tensors.read_bytes()[:-5] + b"12345")
    for init, message in ((damaged, "was changed after it was written"), (tmp_path / "none", "does not exist")):
        done = polyseme_command("train", new_text, tmp_path / "m", "--init", init)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "m").exists()
    assert not (tmp_path / "m.training").exists()


@pytest.mark.parametrize(
    ("name", "value"), [("sense_dim", 7), ("whitening", 0.0), ("dim", 33), ("model", "mssg-maxoutt"), ("senses", "x")]
)
def test_a_model_with_settings_that_do_not_fit_its_arrays_is_refused(
    name: str, value: object, old_path: Path, new_text: Path
) -> None:
    data = load(old_path)._data
    tampered = SenseModel(replace(data, config={**data.config, name: value}))
    with pytest.raises((ModelError, ConfigError), match=r"do not fit its settings|--(model|senses) must be"):
        train(new_text, init=tampered)


def test_a_model_of_an_earlier_version_can_be_continued(old_path: Path, new_text: Path) -> None:
    data = load(old_path)._data
    older = SenseModel(replace(data, arrays=replace(data.arrays, vector_mean=None)))
    new = train(new_text, init=older, **SETTINGS)
    np.testing.assert_array_equal(new.vector("volcano"), older.vector("volcano"))
    assert np.linalg.norm(new.vector("station") - older.vector("station")) < np.linalg.norm(older.vector("station"))
    assert len({n.word for n in new.neighbours("blorpa", 5)} & set(NEW_WORDS)) >= 4


def test_a_text_without_old_words_is_reported(old_path: Path, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("uno dos tres cuatro cinco\n" * 50)
    events: list[Event] = []
    new = train(tmp_path / "other.txt", init=old_path, threads=1, listen=events.append)
    (event,) = (event for event in events if isinstance(event, ModelContinued))
    assert (event.shared_words, event.new_words, event.shared_tokens) == (0, 5, 0)
    assert "dos" in new
    (tmp_path / "rare.txt").write_text("seis siete ocho\n")
    with pytest.raises(CorpusError, match=r"no word of the text is in .* or occurs 5 times \(--min-count\)"):
        train(tmp_path / "rare.txt", init=old_path)


def test_the_vocabulary_can_be_limited(old_path: Path, new_text: Path) -> None:
    old = load(old_path)
    new = train(new_text, init=old, max_vocabulary=len(old) + 3, epochs=1, threads=1)
    assert len(new) == len(old) + 3


def test_the_command_continues_a_model(
    old_path: Path, new_text: Path, continued_path: Path, tmp_path: Path, polyseme_command: Run
) -> None:
    done = polyseme_command(
        "train", new_text, tmp_path / "m", "--init", old_path, "--threads", "1", "--seed", "1", "--epochs", "5"
    )
    assert done.returncode == 0, done.stderr
    assert "old words occur" in done.stderr
    assert_same_bits(load(tmp_path / "m"), load(continued_path))
    info = polyseme_command("info", tmp_path / "m").stdout
    assert "continued from" in info


def test_the_separation_of_a_cluster_depends_on_its_share_in_both_texts() -> None:
    """By hand: the cluster is orthogonal to the first old sense and opposite to the second."""
    old = np.array([[1, 0], [0, -1]], np.float32)
    cluster = np.array([[0, 2]], np.float32)
    equal = separation_from_old(cluster, np.array([100.0]), old, np.array([100.0, 100.0]))
    rare = separation_from_old(cluster, np.array([100.0]), old, np.array([1500.0, 100.0]))
    assert equal == pytest.approx(0.5**0.25)
    assert rare == pytest.approx((100 / 1600) ** 0.25)
    # Another cluster, near the first old sense, adds its tokens to it.
    two = separation_from_old(
        np.array([[0, 2], [1, 0]], np.float32), np.array([100.0, 1400.0]), old, np.array([100.0, 100])
    )
    assert two == pytest.approx([(100 / 1600) ** 0.25, 0])


def test_a_small_model_is_refused(old_path: Path, new_text: Path, tmp_path: Path) -> None:
    save_compact(load(old_path), tmp_path / "small.model", dtype="int8")
    with pytest.raises(ModelError, match="has vectors of int8; continue the float32 model"):
        train(new_text, init=tmp_path / "small.model", **SETTINGS)
