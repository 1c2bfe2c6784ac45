"""Comparing words and models, and the map."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from polyseme import SenseModel
from polyseme.explorer.comparing import best_assignment
from polyseme.explorer.mapping import project
from polyseme.explorer.models import ExploredModel, Session
from tests.explorer.conftest import MakeClient


def test_two_words_are_compared_sense_by_sense(client: TestClient, mssg: SenseModel) -> None:
    other = mssg.neighbours("bank#1", 1)[0].word
    answer = client.get(f"/api/compare/words?a=bank&b={other}").json()
    keys = {word: [sense.key for sense in mssg.senses(word)] for word in ("bank", other)}
    expected = [[mssg.similarity(a, b).max_sim for b in keys[other]] for a in keys["bank"]]
    assert np.array(answer["similarities"]) == pytest.approx(np.array(expected), abs=1e-5)
    near = {word: {n.word for key in keys[word] for n in mssg.neighbours(key, 50)} for word in keys}
    assert {item["word"] for item in answer["shared"]} <= near["bank"] & near[other]
    assert {item["word"] for item in answer["only_a"]} <= near["bank"] - near[other]
    assert {item["word"] for item in answer["only_b"]} <= near[other] - near["bank"]
    assert answer["shared"]
    assert answer["only_a"]
    for item in answer["shared"]:
        assert item["similarity_a"] == max(
            n.similarity for key in keys["bank"] for n in mssg.neighbours(key, 50) if n.word == item["word"]
        )
    assert [s["key"] for s in answer["a"]["senses"]] == keys["bank"]


def test_a_model_matches_itself(client: TestClient) -> None:
    answer = client.get("/api/compare/models?word=bank").json()
    assert [(m["first"], m["second"], m["overlap"]) for m in answer["matches"]] == [
        ("bank#1", "bank#1", 1.0), ("bank#2", "bank#2", 1.0),
    ]  # fmt: skip
    assert len(answer["matches"][0]["shared"]) == 50


def test_senses_without_a_partner_are_alone(model_path: Path, mssg_path: Path, make_client: MakeClient) -> None:
    SenseModel.load(mssg_path).refine(merge=["bank#1+bank#2"]).save(model_path, force=True)
    client = make_client(Session([ExploredModel(str(model_path)), ExploredModel(str(mssg_path))]))
    matches = client.get("/api/compare/models?word=bank").json()["matches"]
    assert [m["first"] for m in matches] == ["bank", None]
    assert {m["second"] for m in matches} == {"bank#1", "bank#2"}
    assert client.get("/api/compare/models?word=xyzzy").status_code == 404


def test_comparing_models_needs_two(mssg_path: Path, make_client: MakeClient) -> None:
    answer = make_client(Session([ExploredModel(str(mssg_path))])).get("/api/compare/models?word=bank")
    assert (answer.status_code, "start the explorer with two" in answer.json()["error"]) == (404, True)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 5), (5, 2), (4, 4), (0, 3)])
def test_the_assignment_is_the_best_of_all(shape: tuple[int, int]) -> None:
    scores = np.random.default_rng(3).random(shape)
    found = best_assignment(scores)
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found) == min(shape)
    wide = scores if shape[0] <= shape[1] else scores.T
    best = max(sum(wide[i, j] for i, j in enumerate(p)) for p in permutations(range(wide.shape[1]), wide.shape[0]))
    assert sum(scores[i, j] for i, j in found) == pytest.approx(best)


def test_many_senses_are_assigned_one_by_one() -> None:
    assert best_assignment(np.eye(30)[::-1]) == [(i, 29 - i) for i in range(30)]


def test_the_map_has_the_neighbours_of_each_sense(client: TestClient, mssg: SenseModel) -> None:
    answer = client.get("/api/map/bank?n=8").json()
    assert [sense["key"] for sense in answer["senses"]] == ["bank#1", "bank#2"]
    expected = {n.key for key in ("bank#1", "bank#2") for n in mssg.neighbours(key, 8)}
    assert {point["key"] for point in answer["points"]} == expected
    for point in answer["points"]:
        cosines = {key: mssg.similarity(key, point["key"]).max_sim for key in ("bank#1", "bank#2")}
        assert point["sense"] == max(cosines, key=cosines.__getitem__)
        assert point["similarity"] == pytest.approx(max(cosines.values()), abs=1e-5)
    assert client.get("/api/map/bank?n=8").json() == answer


def test_the_projection_keeps_distances_in_a_plane() -> None:
    rng = np.random.default_rng(1)
    plane = rng.normal(size=(20, 2))
    vectors = (plane @ np.linalg.qr(rng.normal(size=(30, 2)))[0].T).astype(np.float32)
    positions, explained = project(vectors)
    assert explained == pytest.approx(1)
    distances = [np.linalg.norm(x[:, None] - x[None], axis=2) for x in (plane, positions)]
    assert distances[0] == pytest.approx(distances[1], abs=1e-5)
    alone, explained = project(np.zeros((1, 3), np.float32))
    assert (alone.tolist(), explained) == ([[0.0, 0.0]], 1.0)
