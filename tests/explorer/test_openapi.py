"""The OpenAPI description, and random requests that follow or break it (schemathesis): no answer contradicts it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyseme.explorer.app import make_app
from polyseme.explorer.endpoints import ENDPOINTS, Endpoint
from polyseme.explorer.openapi import describe
from polyseme.explorer.opening import open_session
from polyseme.explorer.security import TOKEN_HEADER, Access
from tests.explorer.conftest import TOKEN

schemathesis = pytest.importorskip("schemathesis")

KNOWN = ("bank", "bank#2", "the", "")
NUM_EXAMPLES = 15  # of each request, besides those at the limits of its parameters


@pytest.fixture(scope="module")
def api(mssg_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The API of a model with an index, as its own description tells."""
    path = Path(shutil.copytree(mssg_path, tmp_path_factory.mktemp("api") / "small.model"))
    (path.parent / "t.txt").write_text("We sat on the bank of the river.\n" * 9, encoding="utf-8")
    session = open_session([str(path), str(mssg_path)], [str(path.parent / "t.txt")], quiet=True)
    return schemathesis.openapi.from_asgi("/api", make_app(session, Access("testserver", 80, token=TOKEN)))


@pytest.mark.parametrize("mode", ["POSITIVE", "NEGATIVE"])
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.path)
def test_random_requests_get_answers_that_follow_the_description(api: Any, endpoint: Endpoint, mode: str) -> None:
    """Requests that follow the description (POSITIVE), and others, which must be refused (NEGATIVE)."""
    operation = api[endpoint.path][endpoint.method]
    if mode == "NEGATIVE" and not operation.path_parameters and not operation.query and not operation.body:
        pytest.skip("every request follows the description")

    @given(operation.as_strategy(generation_mode=schemathesis.GenerationMode[mode]), st.sampled_from(KNOWN))
    @settings(max_examples=NUM_EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None)
    def check(case: Any, known: str) -> None:
        if known and mode == "POSITIVE":  # random words are unknown to the model
            for values in (case.path_parameters, case.query):
                values.update({name: known for name in values or () if name in ("word", "key", "a", "b")})
        case.call_and_validate(headers={TOKEN_HEADER: TOKEN})

    check()


def test_every_request_of_the_table_is_described() -> None:
    paths = describe(ENDPOINTS)["paths"]
    assert {path: list(methods) for path, methods in paths.items()} == {
        endpoint.path: [endpoint.method.lower()] for endpoint in ENDPOINTS
    }
    names = [operation["operationId"] for methods in paths.values() for operation in methods.values()]
    assert len(names) == len(set(names))


def test_the_count_of_a_sense_is_described_as_that_of_training() -> None:
    (path,) = (path for path in describe(ENDPOINTS)["paths"] if path.startswith("/api/senses"))
    answer = describe(ENDPOINTS)["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    count = answer["properties"]["senses"]["items"]["properties"]["count"]
    assert count["description"] == "contexts of the sense in training, over all epochs and after subsampling"
