"""Edits of senses: previews, and saving as `refine` does."""

from __future__ import annotations

import json
import shlex
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from polyseme import SenseModel
from polyseme.explorer import editing, queries
from polyseme.explorer.models import ExploredModel
from polyseme.explorer.opening import open_session
from tests.explorer.conftest import MakeClient

MERGE = {"merge": ["bank#1", "bank#2"]}
DROP = {"drop": "rock#2"}
LABEL = {"label": {"key": "bass#2", "label": " deep  <b>sound</b> "}}


@pytest.fixture
def editor(model_path: Path, make_client: MakeClient) -> TestClient:
    """A client for a model that may be changed."""
    return make_client(open_session([str(model_path)]))


def preview(client: TestClient, word: str, *edits: Any) -> Any:
    return client.post("/api/preview", json={"word": word, "edits": edits}).json()


def test_a_preview_shows_what_refine_does(editor: TestClient, mssg: SenseModel) -> None:
    edits = [MERGE, DROP, LABEL]
    refined = mssg.refine(merge=["bank#1+bank#2"], drop=["rock#2"], labels={"bass#2": "deep <b>sound</b>"})
    for word in ("bank", "rock", "bass", "mouse"):
        shown = preview(editor, word, *edits)["senses"]
        expected = refined.senses(word)
        assert [(s["key"], s["label"], s["count"]) for s in shown] == [(s.key, s.label, s.count) for s in expected]
        assert [s["share"] for s in shown] == pytest.approx([s.share for s in expected])
    merged = [(n["key"], n["similarity"]) for n in preview(editor, "bank", MERGE)["senses"][0]["neighbours"]]
    expected_neighbours = mssg.refine(merge=["bank#1+bank#2"]).neighbours("bank", 12)
    assert [key for key, _ in merged] == [n.key for n in expected_neighbours]
    assert [s for _, s in merged] == pytest.approx([n.similarity for n in expected_neighbours], abs=1e-5)
    assert len(preview(editor, "bank")["senses"]) == 2  # the server keeps no edits


def test_edits_apply_in_order(editor: TestClient) -> None:
    first = {"label": {"key": "bank#1", "label": "money"}}
    assert [s["label"] for s in preview(editor, "bank", first)["senses"]] == ["money", None]
    removed = {"label": {"key": "bank#1", "label": " "}}
    assert [s["label"] for s in preview(editor, "bank", first, removed)["senses"]] == [None, None]
    after = preview(editor, "bank", first, MERGE, {"label": {"key": "bank", "label": "any"}})["senses"]
    assert [(s["key"], s["label"]) for s in after] == [("bank", "any")]


@pytest.mark.parametrize(
    ("edits", "status", "message"),
    [
        ([{"merge": ["bank#1"]}], 400, "an edit is "),
        ([{"merge": ["bank#1", 2]}], 400, "a key is a text"),
        ([{"merge": ["bank#1", "rock#2"]}], 400, "senses of different words cannot be merged"),
        ([{"merge": ["bank#1", "bank#1"]}], 400, "'bank#1' is named twice"),
        ([{"drop": "bank#1"}, {"drop": "bank#2"}], 400, "drop cannot remove the last sense of a word"),
        ([{"drop": "bank#1", "merge": []}], 400, "an edit is "),
        ([{"drop": ""}], 400, "a key is a text"),
        ([{"label": {"key": "bank#1", "label": "x" * 201}}], 400, "an edit is "),
        ([{"label": {"key": "bank#1", "label": "x", "y": 1}}], 400, "an edit is "),
        ([MERGE, {"drop": "bank#2"}], 404, "'bank' has 1 sense: bank."),
        ([{"drop": "xyzzy"}], 404, "'xyzzy' is not among"),
        ([{"merge": ["rock#1", "rock#9"]}], 404, "'rock' has 2 senses"),
        ([1], 400, "an edit is "),
        ([MERGE] * 1001, 400, "the body is not the JSON that is expected: 'edits' has more than 1,000 items"),
    ],
)
def test_impossible_edits_are_refused(
    editor: TestClient, model_path: Path, edits: list[Any], status: int, message: str
) -> None:
    answer = editor.post("/api/preview", json={"word": "bank", "edits": edits})
    assert answer.status_code == status
    assert answer.json()["error"].startswith(message)
    saved = editor.post("/api/save", json={"edits": edits, "name": "new.model"})
    assert saved.status_code == status
    assert {path.name for path in model_path.parent.iterdir()} == {"small.model"}


def test_edits_are_saved_as_a_new_model(editor: TestClient, model_path: Path) -> None:
    before = model_path.joinpath("config.json").read_bytes()
    answer = editor.post("/api/save", json={"edits": [MERGE, DROP, LABEL], "name": "new.model"})
    path = model_path.with_name("new.model")
    assert answer.json() == {"saved": "new.model", "command": f"polyseme explore {path}"}
    saved = SenseModel.load(model_path.with_name("new.model"))
    assert [s.key for s in saved.senses("bank")] == ["bank"]
    assert [s.label for s in saved.senses("bass")] == [None, "deep <b>sound</b>"]
    assert saved.refinements == ("--merge 'bank#1+bank#2' --drop 'rock#2' --label 'bass#2=deep <b>sound</b>'",)
    assert model_path.joinpath("config.json").read_bytes() == before
    assert len(editor.get("/api/senses/bank").json()["senses"]) == 2


def test_an_existing_model_is_replaced_only_if_asked_to(editor: TestClient, model_path: Path) -> None:
    for name in ("small.model", "new.model"):
        first = editor.post("/api/save", json={"edits": [LABEL], "name": name})
        assert first.status_code == (409 if name == "small.model" else 200)
        again = {"edits": [MERGE], "name": name}
        assert editor.post("/api/save", json=again).status_code == 409
        assert editor.post("/api/save", json={**again, "overwrite": True}).json()["saved"] == name
        assert [s.key for s in SenseModel.load(model_path.with_name(name)).senses("bank")] == ["bank"]
        if name == "small.model":  # the open model: its new senses are shown
            assert [s["key"] for s in editor.get("/api/senses/bank").json()["senses"]] == ["bank"]
            editor.post("/api/save", json={"edits": [], "name": "new.model"})
            break


def test_the_command_that_opens_a_saved_model_is_quoted(editor: TestClient, model_path: Path) -> None:
    answer = editor.post("/api/save", json={"edits": [], "name": "my new.model"}).json()
    assert shlex.split(answer["command"]) == ["polyseme", "explore", str(model_path.with_name("my new.model"))]


def test_an_answer_that_was_begun_before_the_model_was_replaced_is_not_kept(
    model_path: Path, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session([str(model_path)])
    client = make_client(session)
    original = queries.senses_of

    def slow(*arguments: Any) -> Any:
        answer = original(*arguments)
        monkeypatch.setattr(queries, "senses_of", original)
        editing.save(session, [MERGE], "small.model", 0, overwrite=True)
        return answer

    monkeypatch.setattr(queries, "senses_of", slow)
    assert len(client.get("/api/senses/bank").json()["senses"]) == 2
    assert len(client.get("/api/senses/bank").json()["senses"]) == 1
    assert "bank" not in client.get("/api/info").json()["models"][0]["examples"]


def test_a_save_that_waits_for_another_edits_the_new_model(model_path: Path) -> None:
    session = open_session([str(model_path)])
    with session.editing:
        waiting = threading.Thread(target=editing.save, args=[session, [LABEL], "new.model", 0])
        waiting.start()
        waiting.join(0.2)
        session.models[0] = ExploredModel(str(model_path), session.models[0].model.refine(merge=["bank#1+bank#2"]))
    waiting.join()
    assert [s.key for s in SenseModel.load(model_path.with_name("new.model")).senses("bank")] == ["bank"]


def test_what_is_not_a_model_is_not_replaced(editor: TestClient, model_path: Path) -> None:
    kept = model_path.parent / "notes"
    kept.mkdir()
    (kept / "a.txt").write_text("kept")
    answer = editor.post("/api/save", json={"edits": [LABEL], "name": "notes", "overwrite": True})
    assert (answer.status_code, "is not a model" in answer.json()["error"]) == (409, True)
    assert (kept / "a.txt").read_text() == "kept"


@pytest.mark.parametrize(
    "name", ["", "../x", "a/b", "a\\b", "/tmp/x", ".hidden", "..", "x\n", "x" * 101, "a\0b", "-x", " x"]
)
def test_names_that_lead_elsewhere_are_refused(editor: TestClient, model_path: Path, name: str) -> None:
    answer = editor.post("/api/save", json={"edits": [], "name": name})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("the name of a model starts with a letter, a digit or '_', and goes on")
    assert {path.name for path in model_path.parent.iterdir()} == {"small.model"}


@pytest.mark.parametrize("name", ["日" * 67, "a\u202eb", "a\u2028b", "\u0301a", "a💥"])
def test_names_that_no_folder_should_have_are_refused(editor: TestClient, model_path: Path, name: str) -> None:
    assert editor.post("/api/save", json={"edits": [], "name": name}).status_code == 400
    assert {path.name for path in model_path.parent.iterdir()} == {"small.model"}


@pytest.mark.parametrize("name", ["Wörter-überarbeitet.model", "модель 2", "日本語", "हिन्दी", "e\u0301te\u0301"])
def test_names_may_have_letters_of_any_script(editor: TestClient, model_path: Path, name: str) -> None:
    assert editor.post("/api/save", json={"edits": [], "name": name}).json()["saved"] == name
    assert name in {path.name for path in model_path.parent.iterdir()}


def test_vectors_of_another_program_cannot_be_edited(tmp_path: Path, make_client: MakeClient) -> None:
    (tmp_path / "v.txt").write_text("2 2\nbank 1 0\nriver 0 1\n")
    client = make_client(open_session([str(tmp_path / "v.txt")]))
    assert client.get("/api/info").json()["editable"] is False
    answer = client.post("/api/save", json={"edits": [], "name": "x"})
    assert (answer.status_code, "cannot be edited" in answer.json()["error"]) == (403, True)
    assert client.get("/api/senses/bank").json()["senses"][0]["neighbours"][0]["word"] == "river"
    assert json.loads(client.get("/api/map/bank").text)["explained"] == pytest.approx(1)


def test_a_full_disk_is_reported(editor: TestClient, model_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SenseModel, "save", fail)
    answer = editor.post("/api/save", json={"edits": [LABEL], "name": "new.model"})
    assert (answer.status_code, answer.json()["error"]) == (
        503,
        "new.model could not be saved: No space left on device.",
    )
    assert {path.name for path in model_path.parent.iterdir()} == {"small.model"}
