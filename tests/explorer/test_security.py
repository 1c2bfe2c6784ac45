"""What the server refuses, and the headers of its answers."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from polyseme.explorer import app, security
from polyseme.explorer.models import Session
from polyseme.explorer.security import TOKEN_HEADER, Access
from tests.explorer.conftest import PORT, TOKEN, MakeClient

TEXT = {"text": "bank"}


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000", "localhost.:8000"]
)
def test_our_own_names_are_known(client: TestClient, host: str) -> None:
    assert client.get("/api/info", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "localhost", "", ":8000", "127.0.0.1.evil.example:8000",
     "192.168.1.5:8000", "0.0.0.0:8000", "127.0.0.1:8000@evil.example", "[::1"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/api/info", "/static/style.css", "/login"])
def test_a_host_that_is_not_ours_is_refused(client: TestClient, host: str, path: str) -> None:
    """So that a page of another site, whose name leads to this machine, cannot read anything."""
    answer = client.get(path, headers={"Host": host})
    assert (answer.status_code, list(answer.json())) == (403, ["error"])


@pytest.mark.parametrize("path", ["tag", "preview", "save"])
def test_post_needs_the_token(client: TestClient, path: str) -> None:
    for token in ("", "another", TOKEN + "x", "é"):
        answer = client.post(f"/api/{path}", json=TEXT, headers={TOKEN_HEADER.encode(): token.encode()})
        assert answer.status_code == 403
        assert TOKEN_HEADER in answer.json()["error"]


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": f"https://127.0.0.1:{PORT}"},
     {"Origin": "http://127.0.0.1:8001"}, {"Origin": ""}, {"Sec-Fetch-Site": "cross-site"},
     {"Sec-Fetch-Site": "same-site"}],
)  # fmt: skip
def test_post_from_a_page_of_another_site_is_refused(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/api/tag", json=TEXT, headers=headers).status_code == 403


def test_post_from_our_page_is_answered(client: TestClient) -> None:
    headers = {"Origin": f"http://127.0.0.1:{PORT}", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/tag", json=TEXT, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/static/style.css", "/api", "/api/info", "/api/senses/xyzzy", "/nothing", "/login"]
)
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    for headers in ({}, {"Host": "evil.example"}):
        answer = client.get(path, headers=headers)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        # With no-referrer, browsers would send the form of /login with `Origin: null`.
        assert answer.headers["referrer-policy"] == ("same-origin" if path == "/login" else "no-referrer")
        assert answer.headers["cache-control"] == ("no-cache" if path.startswith("/static") else "no-store")
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers


def test_the_page_has_the_token_and_static_files_have_an_etag(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert f'<meta name="polyseme-token" content="{TOKEN}">' in page.text
    style = client.get("/static/style.css")
    assert client.get("/static/style.css", headers={"If-None-Match": style.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("path", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "....//app.py", "/etc/passwd", "x", ""])
def test_only_static_files_are_served(client: TestClient, path: str) -> None:
    answer = client.get(f"/static/{path}")
    assert answer.status_code in (403, 404)
    assert "import" not in answer.text


def test_a_large_text_is_refused(client: TestClient) -> None:
    answer = client.post("/api/tag", json={"text": "é" * 100_001})
    assert (answer.status_code, answer.json()["error"]) == (
        413, "the text has 200,002 bytes; at most 200,000 can be tagged at once.",
    )  # fmt: skip
    assert client.post("/api/tag", json={"text": "é" * 100_000}).status_code == 200


def test_a_large_body_is_not_read(client: TestClient) -> None:
    read = 0

    def body() -> object:
        nonlocal read
        while read < 100_000_000:
            read += 100_000
            yield b" " * 100_000

    answer = client.post("/api/tag", content=b" ", headers={"Content-Length": "10000000"})
    assert (answer.status_code, answer.json()["error"]) == (413, "the request is larger than 2,000,000 bytes.")
    for length in ("-1", "9" * 30, "x", "1e9"):
        assert client.post("/api/tag", content=b" ", headers={"Content-Length": length}).status_code == 413
    answer = client.post("/api/tag", content=body())  # type: ignore[arg-type]
    assert answer.status_code == 413


def test_too_many_requests_at_a_time_are_refused(
    session: Session, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "MAX_ACTIVE", 0)
    answer = make_client(session).get("/api/info")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json() == {"error": "the server is busy; try again in a second."}


# With a password, or for other machines


@pytest.fixture
def locked(session: Session, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(app, "LOGIN_SECONDS", 0)
    return make_client(session, Access("127.0.0.1", PORT, token=TOKEN, secret="s3cret", password="pässword"))


def test_without_the_password_nothing_is_answered(locked: TestClient) -> None:
    assert locked.get("/").headers["location"] == "/login"
    for path in ("/api", "/api/info", "/api/senses/bank", "/api?token=", "/api/info?token=wrong"):
        assert locked.get(path).status_code == 403
    assert locked.post("/api/tag", json=TEXT).status_code == 403
    assert (
        locked.get(
            "/api/info", headers={"Cookie": "polyseme-8000=s3cre; polyseme-80001=s3cret; polyseme=s3cret"}
        ).status_code
        == 403
    )
    assert 'type="password"' in locked.get("/login").text
    assert locked.get("/static/style.css").status_code == 200


def test_the_password_opens_everything(locked: TestClient) -> None:
    for wrong in ("", "password", "pässword2"):
        answer = locked.post("/login", data={"password": wrong})
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    assert (
        locked.post("/login", data={"password": "pässword"}, headers={"Origin": "http://evil.example"}).status_code
        == 403
    )
    answer = locked.post("/login", data={"password": "pässword"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"polyseme-{PORT}=")
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert locked.get("/api/info").status_code == 200  # the client keeps the cookie
    assert locked.post("/api/tag", json=TEXT).status_code == 200


def test_the_token_in_the_address_becomes_a_cookie(locked: TestClient) -> None:
    answer = locked.get("/api/complete?token=s3cret&q=a%26b")
    assert (answer.status_code, answer.headers["location"]) == (303, "/api/complete?q=a%26b")
    assert locked.get("/api/info").status_code == 200


@pytest.mark.parametrize(
    "path", ["//evil.example/", "///evil.example/", "/%5Cevil.example/", "//evil.example/%0d%0aX:1"]
)
def test_the_token_does_not_lead_to_another_site(locked: TestClient, path: str) -> None:
    answer = locked.get(f"http://127.0.0.1:{PORT}{path}?token=s3cret")
    assert answer.status_code == 303
    assert re.match(r"/[^/\\]", answer.headers["location"])


def test_a_form_that_is_too_large_is_refused(locked: TestClient) -> None:
    assert locked.post("/login", data={"password": "x" * 10_000}).status_code == 413
    assert locked.post("/login", content="&".join(["password=x"] * 11)).status_code == 400


def test_without_a_password_the_form_asks_for_the_printed_token(
    session: Session, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "LOGIN_SECONDS", 0)
    client = make_client(session, Access("0.0.0.0", PORT, token=TOKEN, secret="s3cret"))
    assert "Token that polyseme explore has printed" in client.get("/login").text
    for wrong in ("", TOKEN, "s3cre"):
        answer = client.post("/login", data={"password": wrong})
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
        assert "The token is not right." in answer.text
    assert client.post("/login", data={"password": "s3cret"}).status_code == 303
    assert client.get("/api/info").status_code == 200


def test_where_everyone_may_connect_the_form_gives_no_cookie(
    session: Session, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "LOGIN_SECONDS", 0)
    answer = make_client(session).post("/login", data={"password": ""})
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


def test_for_other_machines_addresses_are_known_but_no_foreign_names() -> None:
    access = Access("0.0.0.0", 8000)
    assert access.knows_host("192.168.1.5:8000")
    assert access.knows_host("localhost:8000")
    assert not access.knows_host("evil.example:8000")
    assert Access("127.0.0.1", 80).knows_host("127.0.0.1")
    assert Access("box.example", 8000).knows_host("BOX.example:8000")
