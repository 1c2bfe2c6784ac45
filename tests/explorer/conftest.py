"""A model with an index in a folder of its own, a client of the application, and the server as a process."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from polyseme.corpus.planted import PlantedCorpus
from polyseme.explorer.app import make_app
from polyseme.explorer.models import ExploredModel, Session
from polyseme.explorer.opening import open_session
from polyseme.explorer.security import TOKEN_HEADER, Access
from tests.conftest import command, measured_environment

PORT = 8000
TOKEN = "a token"
HOSTILE = '<script>alert(1)</script> & "bank" \'</textarea>'


@pytest.fixture(scope="session")
def text_path(planted: PlantedCorpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The planted corpus as sentences, and lines of text that try to be markup."""
    lines = [" ".join(words).capitalize() + "." for words in planted.sentences]
    path = tmp_path_factory.mktemp("explorer") / "text.txt"
    path.write_text("\n".join([*lines, HOSTILE, f"{HOSTILE} river bank \u202e\ufffd"]), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def indexed_path(mssg_path: Path, text_path: Path) -> Path:
    """The folder of a model that has an index. Tests must not change either."""
    path = text_path.parent / "small.model"
    shutil.copytree(mssg_path, path)
    open_session([str(path)], [str(text_path)], quiet=True)
    return path


@pytest.fixture
def model_path(mssg_path: Path, tmp_path: Path) -> Path:
    """A copy of a model, which tests may change, in an empty folder."""
    return Path(shutil.copytree(mssg_path, tmp_path / "small.model"))


MakeClient = Callable[..., TestClient]


@pytest.fixture(scope="session")
def make_client() -> MakeClient:
    """Make a client of the application, by default with the token of its pages."""

    def make(session: Session, access: Access | None = None, **headers: str) -> TestClient:
        access = access or Access("127.0.0.1", PORT, token=TOKEN)
        return TestClient(
            make_app(session, access),
            base_url=f"http://127.0.0.1:{PORT}",
            headers={TOKEN_HEADER: TOKEN, **headers},
            follow_redirects=False,
        )

    return make


@pytest.fixture(scope="session")
def session(indexed_path: Path, mssg_path: Path) -> Session:
    return Session([open_session([str(indexed_path)]).models[0], ExploredModel(str(mssg_path))])


@pytest.fixture(scope="session")
def client(session: Session, make_client: MakeClient) -> TestClient:
    """A client for two models: the first has an index, the second has none."""
    return make_client(session)


@contextmanager
def running(*arguments: str | Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Run `polyseme explore` as a process; gives the process, its address, and what it printed before that."""
    process = subprocess.Popen(
        command("explore", *arguments, "--no-browser"),
        stderr=subprocess.PIPE,
        text=True,
        env=measured_environment(),
    )
    try:
        assert process.stderr is not None
        printed = ""
        while (found := re.search(r"http://\S+", printed)) is None:
            line = process.stderr.readline()
            assert line, printed
            printed += line
        yield process, found[0], printed
    finally:
        process.kill()
        process.wait()
