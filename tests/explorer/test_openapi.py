"""The OpenAPI description, and random requests that follow or break it (schemathesis): no answer contradicts it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from polyseme.explorer.app import make_app
from polyseme.explorer.endpoints import ENDPOINTS
from polyseme.explorer.openapi import describe
from polyseme.explorer.opening import open_session
from polyseme.explorer.security import TOKEN_HEADER, Access
from tests.explorer.conftest import PORT, TOKEN

schemathesis = pytest.importorskip("schemathesis")

NUM_EXAMPLES = 25  # of each request
SCHEMA = schemathesis.openapi.from_dict(describe(ENDPOINTS))
HEADERS = {"Host": f"127.0.0.1:{PORT}", TOKEN_HEADER: TOKEN}


@pytest.fixture(scope="module")
def application(mssg_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    import shutil

    path = Path(shutil.copytree(mssg_path, tmp_path_factory.mktemp("api") / "small.model"))
    (path.parent / "t.txt").write_text("We sat on the bank of the river.\n" * 9, encoding="utf-8")
    session = open_session([str(path)], [str(path.parent / "t.txt")], quiet=True)
    return make_app(session, Access("127.0.0.1", PORT, token=TOKEN))


@SCHEMA.parametrize()
@settings(max_examples=NUM_EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None)
def test_random_requests_get_answers_that_follow_the_description(case: Any, application: Any) -> None:
    SCHEMA.app = application
    case.app = application
    case.call_and_validate(headers=HEADERS)


def test_every_request_of_the_table_is_described() -> None:
    paths = describe(ENDPOINTS)["paths"]
    assert {path: list(methods) for path, methods in paths.items()} == {
        endpoint.path: [endpoint.method.lower()] for endpoint in ENDPOINTS
    }
    names = [operation["operationId"] for methods in paths.values() for operation in methods.values()]
    assert len(names) == len(set(names))
