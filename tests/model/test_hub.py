"""Models on the Hub, with huggingface_hub itself and a stand-in for its server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyseme import SenseModel
from polyseme.errors import ConfigError, HubError, MissingExtra, MissingFile, ModelError, PolysemeError
from polyseme.model.compact import save_compact
from tests.guides import run_examples
from tests.model.hub_server import TOKEN, Files, Hub, running_hub

NAME = "someone/words"
CONTEXT = "boat on the water by the bank of mud"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    constants = pytest.importorskip("huggingface_hub.constants")
    with running_hub() as server:
        monkeypatch.setattr(constants, "ENDPOINT", server.url)
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", server.url + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        yield server


@pytest.fixture
def files(mssg: SenseModel, tmp_path: Path) -> Files:
    """A model folder, and two files that are not part of it."""
    save_compact(mssg, tmp_path / "pushed.model", examples=True)
    folder = {path.name: path.read_bytes() for path in (tmp_path / "pushed.model").iterdir()}
    return {**folder, "pytorch_model.bin": b"x" * 100, "scores/table.csv": b"1,2"}


def refused(error: type[PolysemeError], *arguments: str, **options: Any) -> str:
    """The message with which a model is refused."""
    with pytest.raises(error) as caught:
        SenseModel.from_pretrained(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_model_is_downloaded_once_and_then_opened_from_the_cache(
    hub: Hub, files: Files, mssg: SenseModel, tmp_path: Path
) -> None:
    hub.commit(NAME, files)
    model = SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache")
    assert model.disambiguate("bank", CONTEXT).best.key == mssg.disambiguate("bank", CONTEXT).best.key
    assert model.senses("bank")[0].examples == mssg.senses("bank")[0].examples
    hub.requests.clear()
    SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache")
    assert [request for request in hub.requests if "/resolve/" in request and request.startswith("GET")] == []
    hub.requests.clear()
    SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache", local_files_only=True)
    assert hub.requests == []


def test_only_the_files_of_the_format_are_downloaded(hub: Hub, files: Files, tmp_path: Path) -> None:
    hub.commit(NAME, files)
    SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache")
    downloaded = {request.rpartition("/")[2] for request in hub.requests if "/resolve/" in request}
    assert downloaded == {"config.json", "vocabulary.tsv", "model.safetensors", "examples.jsonl.zst", "README.md"}


def test_a_revision_can_be_pinned(hub: Hub, files: Files, mssg: SenseModel, tmp_path: Path) -> None:
    first = hub.commit(NAME, files)
    mssg.refine(drop=["bank#2"]).save(tmp_path / "refined.model")
    hub.commit(NAME, {path.name: path.read_bytes() for path in (tmp_path / "refined.model").iterdir()})
    senses = [
        len(SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache", revision=revision).senses("bank"))
        for revision in (first, "main", None)
    ]
    assert senses == [2, 1, 1]
    assert f"{NAME} has no revision 'v9'" in refused(HubError, NAME, cache_dir=tmp_path / "cache", revision="v9")


def test_a_folder_is_opened_without_the_library_and_without_the_network(
    mssg_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.chdir(mssg_path.parent)
    assert "bank" in SenseModel.from_pretrained(mssg_path)
    assert "bank" in SenseModel.from_pretrained(mssg_path.name)
    assert "has no revision 'main'; leave it out" in refused(ConfigError, str(mssg_path), revision="main")


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert refused(MissingExtra, NAME).endswith("pip install 'polyseme[hub]'")


@pytest.mark.parametrize(
    "name", ["", "words", "/no/such/folder", "./words", "a/b/c", "a b/c", "someone/wörds", "a/b\n", "x" * 5000, "a\0b"]
)
def test_a_name_that_is_neither_a_folder_nor_a_repository_is_refused(name: str) -> None:
    assert "is neither a folder nor the name of a model on the Hub, user/name" in refused(MissingFile, name)


def test_a_repository_that_does_not_exist_is_named(hub: Hub, tmp_path: Path) -> None:
    message = refused(HubError, "someone/missing", cache_dir=tmp_path)
    assert message.startswith("someone/missing is neither a folder nor a model on the Hub that you can read")
    assert hub.requests


@pytest.mark.parametrize("status", [401, 403])
def test_a_repository_without_permission_needs_a_token(status: int, hub: Hub, files: Files, tmp_path: Path) -> None:
    hub.commit(NAME, files)
    hub.private[NAME] = status
    assert "hf auth login" in refused(HubError, NAME, cache_dir=tmp_path / "cache", token=False)
    assert "bank" in SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache", token=TOKEN)


def test_a_server_that_cannot_be_reached_is_one_line(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pytest.importorskip("huggingface_hub.constants"), "ENDPOINT", "http://127.0.0.1:9")
    assert refused(HubError, NAME, cache_dir=tmp_path).startswith(f"{NAME} failed on the Hub: ")
    assert hub.requests == []


def test_nothing_is_requested_in_offline_mode(
    hub: Hub, files: Files, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hub.commit(NAME, files)
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    for options in ({}, {"local_files_only": True}):
        message = refused(HubError, NAME, cache_dir=tmp_path / "cache", **options)
        assert message.startswith(f"{NAME} is not in the cache, and downloads are turned off")
    assert hub.requests == []
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    hub.requests.clear()
    assert "bank" in SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache")
    assert hub.requests == []


def test_a_repository_that_is_not_a_model_is_refused(hub: Hub, tmp_path: Path) -> None:
    hub.commit(NAME, {"README.md": b"# nothing"})
    assert "is not a model: it has no config.json" in refused(ModelError, NAME, cache_dir=tmp_path / "cache")


def test_a_link_out_of_the_cache_is_refused(hub: Hub, files: Files, tmp_path: Path) -> None:
    hub.commit(NAME, files)
    SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache")
    (link,) = (tmp_path / "cache").glob("*/snapshots/*/vocabulary.tsv")
    (tmp_path / "elsewhere.tsv").write_bytes(link.read_bytes())
    link.unlink()
    link.symlink_to(tmp_path / "elsewhere.tsv")
    message = refused(ModelError, NAME, cache_dir=tmp_path / "cache", local_files_only=True)
    assert "vocabulary.tsv is a symbolic link" in message


def test_a_pushed_model_can_be_opened_by_others(hub: Hub, mssg: SenseModel, tmp_path: Path) -> None:
    url = mssg.push_to_hub(NAME, token=TOKEN, metadata={"license": "mit", "language": "en"})
    assert url == f"{hub.url}/{NAME}/commit/{hub.commit_hash(NAME, 1)}"
    card = hub.repositories[NAME][-1]["README.md"].decode()
    yaml = pytest.importorskip("yaml")
    fields = yaml.safe_load(card.split("---\n")[1])
    assert (fields["library_name"], fields["license"], fields["language"]) == ("polyseme", "mit", "en")
    model = SenseModel.from_pretrained(NAME, cache_dir=tmp_path / "cache")
    assert model.senses("bank") == mssg.senses("bank")


def test_pushing_again_removes_outdated_examples_and_keeps_an_edited_card(
    hub: Hub, files: Files, mssg: SenseModel
) -> None:
    hub.commit(NAME, {**files, "README.md": b"edited"})
    mssg.push_to_hub(NAME, token=TOKEN)
    pushed = hub.repositories[NAME][-1]
    assert "examples.jsonl.zst" not in pushed
    assert {"examples.jsonl", "pytorch_model.bin"} <= pushed.keys()
    assert pushed["README.md"] == b"edited"


def test_pushing_without_permission_is_one_line(hub: Hub, files: Files, mssg: SenseModel) -> None:
    hub.commit(NAME, files)
    hub.private[NAME] = 403
    with pytest.raises(
        HubError, match=rf"^the Hub gives no permission for {NAME} \(status 403\); log in with: hf auth"
    ):
        mssg.push_to_hub(NAME, token="hf_wrong")
    with pytest.raises(ConfigError, match=r"^'words' is not a name on the Hub; give user/name\.$"):
        mssg.push_to_hub("words")
    with pytest.raises(ConfigError, match=r"^the metadata of a model card must be strings, numbers and lists"):
        mssg.push_to_hub(NAME, metadata={"license": {"mit"}})


def test_nothing_is_left_in_the_temporary_folder(
    hub: Hub, mssg: SenseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mssg.push_to_hub(NAME, token=TOKEN)
    assert list(tmp_path.iterdir()) == []
    assert hub.repositories[NAME]


def test_the_examples_of_the_guide_run(
    hub: Hub, files: Files, mssg: SenseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.chdir(tmp_path)
    hub.commit("user/name", files)
    mssg.save("news.model")
    run_examples("hub")
    assert len(hub.repositories["user/name"]) == 2
    assert b"cc-by-sa-4.0" in hub.repositories["user/name"][-1]["README.md"]
    assert "examples.jsonl.zst" in hub.repositories["user/name-small"][-1]
