"""The web application: the page, its static files, the API, and the form for the password."""

from __future__ import annotations

import asyncio
import functools
import html
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from polyseme._io.strict_json import check_types, parse_json
from polyseme.errors import OutputExists, PolysemeError, UnknownWord
from polyseme.explorer.answers import ApiError, json_response, to_json
from polyseme.explorer.endpoints import ENDPOINTS, Endpoint
from polyseme.explorer.models import Session
from polyseme.explorer.openapi import describe
from polyseme.explorer.security import Access, Guard, same, set_cookie

STATIC = Path(__file__).parent / "static"
MAX_BODY_BYTES = 2_000_000  # a text of the maximum size, with many characters escaped
MAX_LOGIN_BYTES = 10_000
MAX_DISCARDED_BYTES = 50_000_000  # of a body that is too large
MAX_THREADS, MAX_QUICK_THREADS = 4, 2
MAX_BODY_SECONDS = 30
LOGIN_SECONDS = 1.0  # that a wrong password costs
JSON_TYPES = {"string": str, "array": list, "boolean": bool}

LOGIN_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>polyseme</title><link rel="stylesheet" href="/static/style.css"></head>
<body class="login"><main><h1>polyseme</h1>{message}
<form method="post"><label>{secret} <input type="password" name="password" autofocus required
autocomplete="current-password"></label> <button>Sign in</button></form></main></body></html>
"""
PASSWORD, PRINTED_TOKEN = "Password", "Token that polyseme explore has printed"


def make_app(session: Session, access: Access) -> Starlette:
    """The application for a session."""
    server = _Server(session, access)
    routes = [Route(e.path.replace("}", ":path}"), server.api(e), methods=[e.method]) for e in ENDPOINTS]
    return Starlette(
        routes=[
            Route("/", server.page),
            Route("/api", server.description),
            *routes,
            Route("/login", server.login, methods=["GET", "POST"]),
            Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
        ],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={HTTPException: _http_error, ApiError: _api_error, Exception: _unexpected},  # type: ignore[dict-item]
    )


class _Server:
    def __init__(self, session: Session, access: Access) -> None:
        self.session, self.access = session, access

    @functools.cached_property
    def threads(self) -> dict[bool, anyio.CapacityLimiter]:
        """The threads for quick requests, and for others; created inside the event loop."""
        return {True: anyio.CapacityLimiter(MAX_QUICK_THREADS), False: anyio.CapacityLimiter(MAX_THREADS)}

    async def page(self, _: Request) -> Response:
        """The page, with the token that it sends with POST."""
        try:
            text = (STATIC / "index.html").read_text(encoding="utf-8")
        except FileNotFoundError:
            raise ApiError(404, "the page is not installed.") from None
        return Response(with_token(text, self.access.token), media_type="text/html")

    async def description(self, _: Request) -> Response:
        return json_response(describe(ENDPOINTS))

    def api(self, endpoint: Endpoint) -> Callable[[Request], Any]:
        """The handler of a request of the API."""

        async def handle(request: Request) -> Response:
            arguments = endpoint.arguments(request.path_params, request.query_params.multi_items())
            if endpoint.body:
                arguments |= _body_fields(endpoint, await _read_body(request))
            answer = functools.partial(self._answer, endpoint, arguments)
            try:
                with anyio.fail_after(endpoint.seconds):
                    body = await anyio.to_thread.run_sync(
                        answer, limiter=self.threads[endpoint.quick], abandon_on_cancel=True
                    )
            except TimeoutError:
                raise ApiError(503, f"the answer took more than {endpoint.seconds} seconds; try again later.") from None
            return Response(body, media_type="application/json")

        return handle

    def _answer(self, endpoint: Endpoint, arguments: dict[str, Any]) -> bytes:
        """The answer as JSON, computed in a thread."""
        key = (endpoint.path, *arguments.values()) if endpoint.cached else None
        answers = self.session.answers  # saving over a model replaces them: no answer of the old model is kept
        body = answers.get(key) if key else None
        if body is None:
            try:
                body = to_json(endpoint.answer(self.session, **arguments))
            except UnknownWord as error:
                raise ApiError(404, str(error)) from error
            except OutputExists as error:
                raise ApiError(409, str(error)) from error
            except PolysemeError as error:
                raise ApiError(400, str(error)) from error
            if key:
                answers.put(key, body)
        return body

    async def login(self, request: Request) -> Response:
        """The form for the password, or for the token if there is none."""
        message = ""
        if request.method == "POST":
            body = (await _read_body(request, MAX_LOGIN_BYTES)).decode("utf-8", "replace")
            try:
                fields = parse_qs(body, max_num_fields=10)
            except ValueError:
                raise ApiError(400, "the form has too many fields.") from None
            given, expected = fields.get("password", [""])[0], self.access.password or self.access.secret
            if expected and same(given, expected):
                response = RedirectResponse("/", 303)
                set_cookie(response, self.access)
                return response
            await asyncio.sleep(LOGIN_SECONDS)
            message = f"<p role='alert'>The {'password' if self.access.password else 'token'} is not right.</p>"
        status = 403 if message else 200
        secret = PASSWORD if self.access.password else PRINTED_TOKEN
        return Response(LOGIN_PAGE.format(message=message, secret=secret), status, media_type="text/html")


def with_token(page: str, token: str) -> str:
    """The page with the token in its meta element."""
    element = f'<meta name="polyseme-token" content="{html.escape(token)}">'
    return re.sub(r'<meta name="polyseme-token"[^>]*>', lambda _: element, page, count=1)


async def _read_body(request: Request, limit: int = MAX_BODY_BYTES) -> bytes:
    """The body of a request; an error 413 as soon as it is too large."""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 18 or int(length) > limit:
        raise _too_large(limit, more=True)
    body, more = bytearray(), True
    try:
        with anyio.fail_after(MAX_BODY_SECONDS):
            while more:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise ApiError(400, "the request is not complete.")
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > limit:
                    raise _too_large(limit, more)
    except TimeoutError:
        raise ApiError(408, "the request took too long to arrive.") from None
    return bytes(body)


def _too_large(limit: int, more: bool) -> ApiError:
    """The error for a body of more bytes than the limit; `more`: whether some of it is not read yet."""
    return ApiError(
        413, f"the request is larger than {limit:,} bytes.", headers={"Connection": "close"} if more else {}
    )


def _body_fields(endpoint: Endpoint, body: bytes) -> dict[str, Any]:
    """The fields of a JSON body; an error 400 if they are not those of the request."""
    try:
        fields = parse_json(body)
        if not isinstance(fields, dict):
            raise ValueError("it is not an object")
        unknown = fields.keys() - endpoint.body.keys()
        if unknown:
            raise ValueError(f"it has an unknown field; there are: {', '.join(endpoint.body)}")
        needed = {n: s for n, s in endpoint.body.items() if n in fields or n not in endpoint.optional}
        check_types(fields, {name: JSON_TYPES[schema["type"]] for name, schema in needed.items()})
        for name, schema in needed.items():
            if len(fields[name]) > schema["maxItems"] if "maxItems" in schema else False:
                raise ValueError(f"'{name}' has more than {schema['maxItems']:,} items")
    except ValueError as error:
        raise ApiError(400, f"the body is not the JSON that is expected: {error}.") from None
    return fields


async def _http_error(_: Request, error: HTTPException) -> Response:
    """Errors of the router, such as 404 and 405, as JSON."""
    messages = {404: "there is nothing at this address; see /api.", 405: "this address does not take that method."}
    message = messages.get(error.status_code, str(error.detail))
    return ApiError(error.status_code, message, headers=dict(error.headers or {})).response()


async def _api_error(_: Request, error: ApiError) -> Response:
    response = error.response()
    return _DiscardingResponse(response) if response.headers.get("Connection") == "close" else response


class _DiscardingResponse(Response):
    """Sends an answer at once, and then reads the rest of the request without keeping it.

    A client that is still sending when the connection is closed would not see the answer.
    """

    def __init__(self, answer: Response) -> None:
        super().__init__(answer.body, answer.status_code, dict(answer.headers))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        size = 0
        with anyio.move_on_after(MAX_BODY_SECONDS):
            while size < MAX_DISCARDED_BYTES:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    break
        await send({"type": "http.response.body", "body": b""})


async def _unexpected(request: Request, error: Exception) -> Response:
    """A bug: say so in one line, and keep serving."""
    print(f"polyseme: internal error at {request.url.path}: {type(error).__name__}: {error}", file=sys.stderr)
    return ApiError(500, f"internal error: {type(error).__name__}. Please report it.").response()
