"""Requests about one model: the answers are those of the command line, and errors say what is wrong."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from polyseme import SenseModel
from polyseme.explorer import app, endpoints, queries
from polyseme.explorer.models import ExploredModel, Session
from tests.conftest import Run
from tests.explorer.conftest import MakeClient


@pytest.mark.parametrize(
    ("address", "arguments"),
    [
        ("senses/bank?neighbours=10&examples=3&model=1", ("senses", "bank")),
        ("neighbours/bank%232?n=4&model=1", ("neighbours", "bank#2", "-n", "4")),
        ("neighbours/Bank?model=1", ("neighbours", "bank")),
        ("similarity?a=bank&b=rock&model=1", ("similarity", "bank", "rock")),
    ],
)
def test_answers_are_those_of_the_command_line(
    client: TestClient, polyseme_command: Run, mssg_path: Path, address: str, arguments: tuple[str, ...]
) -> None:
    printed = polyseme_command(arguments[0], mssg_path, *arguments[1:], "--json").stdout
    assert client.get(f"/api/{address}").json() == json.loads(printed)


def test_a_tagged_text_is_cut_into_pieces_with_probabilities_as_the_command_line_prints(
    client: TestClient, polyseme_command: Run, mssg_path: Path
) -> None:
    text = "The Bank of the river,  naïve!\r"
    printed = json.loads(polyseme_command("tag", mssg_path, "--json", stdin=text).stdout)
    tokens = client.post("/api/tag", json={"text": text}).json()["tokens"]
    assert printed["tokens"] == tokens
    assert "".join(token["text"] for token in tokens) == text
    (bank,) = [token for token in tokens if token["text"] == "Bank"]
    assert f" Bank#{bank['key'].removeprefix('bank#')} " in printed["tagged"]
    model = SenseModel.load(mssg_path)
    expected = {sense.key: sense.probability for sense in model.disambiguate("bank", text).senses}
    assert bank["probabilities"] == pytest.approx(expected, abs=1e-4)
    assert bank["key"] == max(expected, key=expected.__getitem__)


@pytest.mark.parametrize(
    "text", ["", "\n", "\n\nbank\n bank", "x" * 1000, "bank\u2028bank \U0001f600 bank", "<b>&amp;\0"]
)
def test_the_pieces_of_any_text_are_the_text(client: TestClient, text: str) -> None:
    tokens = client.post("/api/tag", json={"text": text}).json()["tokens"]
    assert "".join(token["text"] for token in tokens) == text


def test_words_are_completed_most_frequent_first_without_case(client: TestClient, mssg: SenseModel) -> None:
    answer = client.get("/api/complete?q=BA&n=3").json()
    expected = [word for word in mssg.vocabulary.words if word.startswith("ba")][:3]
    assert [found["word"] for found in answer["words"]] == expected
    assert answer["words"][0]["count"] == mssg.vocabulary.counts[mssg.vocabulary.index[expected[0]]]
    assert answer["closest"] == []
    answer = client.get("/api/complete?q=bnak").json()
    assert (answer["words"], answer["closest"][0], answer["match"]) == ([], "bank", None)
    for query, match in {"bank": "bank", "Bank%232": "Bank#2", "BÄNK": "bank", "ba": None}.items():
        assert client.get(f"/api/complete?q={query}").json()["match"] == match


def test_an_unknown_word_is_not_found_and_similar_words_are_suggested(client: TestClient) -> None:
    answer = client.get("/api/senses/bannk")
    assert (answer.status_code, answer.json()["closest"][0]) == (404, "bank")
    assert "'bannk' is not among the" in answer.json()["error"]
    answer = client.get(f"/api/senses/{quote('bank#9')}")
    assert (answer.status_code, answer.json()) == (
        404,
        {"error": "'bank' has 2 senses: bank#1, bank#2.", "word": "bank#9", "closest": ["bank"]},
    )


@pytest.mark.parametrize(
    ("address", "status", "message"),
    [
        ("senses/bank?neighbours=101", 400, "'neighbours' must be a whole number from 0 to 100."),
        ("senses/bank?neighbours=x", 400, "'neighbours' must be a whole number"),
        ("senses/bank?neighbours=%C2%B2", 400, "'neighbours' must be a whole number"),
        ("senses/bank?neighbors=3", 400, "the parameter 'neighbors' is unknown"),
        ("senses/bank?examples=1&examples=2", 400, "the parameter 'examples' is given twice"),
        ("senses/bank?model=2", 400, "'model' must be a whole number from 0 to 1."),
        ("senses/", 400, "'word' must have 1 to 200 characters"),
        (f"senses/{'x' * 201}", 400, "'word' must have 1 to 200 characters"),
        ("similarity?a=bank", 400, "the parameter 'b' is missing"),
        ("concordance/bank?sort=up", 400, "'sort' must be one of best, left, right, text."),
        ("collocates/bank?model=1", 404, "collocates need an index of the corpus; build it with: polyseme explore"),
        ("concordance/bank?near=river&model=1", 404, "lines near a word need an index of the corpus"),
        ("concordance/bank?near=rivre", 404, "'rivre' is not among the"),
        ("nothing", 404, "there is nothing at this address"),
    ],
)
def test_errors_are_one_sentence(client: TestClient, address: str, status: int, message: str) -> None:
    answer = client.get(f"/api/{address}")
    assert answer.status_code == status
    assert answer.json()["error"].startswith(message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "Expecting value"),
        (b"[]", "it is not an object"),
        (b"{}", "'text' is missing"),
        (b'{"text": 1}', "'text' must be a string, not 1"),
        (b'{"text": "a", "texts": ""}', "it has an unknown field; there are: text"),
        (b'{"text": "\\ud800"}', "half of a surrogate pair"),
        (b"\xff", "codec can't decode"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_malformed_body_is_refused(client: TestClient, body: bytes, message: str) -> None:
    answer = client.post("/api/tag", content=body)
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/json")
    assert message in answer.json()["error"]


def test_a_wrong_method_is_refused(client: TestClient) -> None:
    answer = client.post("/api/info")
    assert (answer.status_code, set(answer.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})
    assert "error" in client.get("/api/tag").json()


def test_the_information_tells_models_limits_and_words_to_try(
    client: TestClient, mssg: SenseModel, indexed_path: Path
) -> None:
    info = client.get("/api/info").json()
    first, second = info["models"]
    assert (first["name"], first["words"], first["dim"], first["has_index"]) == ("small.model", len(mssg), 32, True)
    assert (second["has_index"], info["editable"]) == (False, True)
    assert first["how_to_index"] == f"polyseme explore {shlex.quote(str(indexed_path))} --corpus TEXT"
    assert info["limits"] == {"text_bytes": 200_000}
    assert all(word in mssg for word in first["examples"] + second["examples"])
    assert len(first["examples"]) == len(second["examples"]) == 6


def test_words_to_try_are_final_when_the_model_is_prepared(mssg_path: Path) -> None:
    model = ExploredModel(str(mssg_path))
    assert not queries.info(Session([model]))["models"][0]["examples_are_final"]
    model.prepare()
    assert queries.info(Session([model]))["models"][0]["examples_are_final"]


def test_without_an_index_the_concordance_has_the_examples_of_the_model(client: TestClient, mssg: SenseModel) -> None:
    stored = [(sense.key, *example) for sense in mssg.senses("bank") for example in sense.examples]
    answer = client.get("/api/concordance/bank?model=1&offset=1&limit=3").json()
    assert (answer["total"], answer["offset"]) == (len(stored), 1)
    assert [(line["key"], line["left"], line["word"], line["right"]) for line in answer["lines"]] == stored[1:4]
    by_right = client.get("/api/concordance/bank%231?model=1&sort=right").json()["lines"]
    assert [line["right"].lower().split() for line in by_right] == sorted(
        line["right"].lower().split() for line in by_right
    )
    assert "key" not in by_right[0]
    by_left = client.get("/api/concordance/bank%231?model=1&sort=left").json()["lines"]
    assert [x["left"].lower().split()[::-1] for x in by_left] == sorted(
        x["left"].lower().split()[::-1] for x in by_left
    )


def test_answers_are_kept(session: Session, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    before = client.get("/api/senses/rock").json()
    monkeypatch.setattr(session.models[0], "find", None)
    assert client.get("/api/senses/rock").json() == before


def test_a_slow_answer_ends_with_an_error_that_is_not_retried(
    session: Session, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = [replace(endpoint, seconds=0) for endpoint in endpoints.ENDPOINTS]
    monkeypatch.setattr(app, "ENDPOINTS", at_once)
    answer = make_client(session).get("/api/senses/mouse")
    assert (answer.status_code, "retry-after" in answer.headers) == (503, False)
    assert "took more than 0 seconds" in answer.json()["error"]


def test_an_unexpected_error_is_reported_in_one_line(
    session: Session, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(type(session.models[0]), "info", lambda _: 1 / 0)
    client = make_client(session)
    client = type(client)(client.app, base_url=str(client.base_url), raise_server_exceptions=False)
    answer = client.get("/api/info")
    assert (answer.status_code, answer.json()) == (
        500,
        {"error": "internal error: ZeroDivisionError. Please report it."},
    )
    assert "polyseme: internal error at /api/info: ZeroDivisionError" in capsys.readouterr().err
