"""What protects the server: whose requests are answered, how large they may be, and what browsers may do with answers.

Host      A page of another site can make its own name point to this machine (DNS rebinding). Its requests then name
          that site as their host, and are refused.
Origin    A page of another site can send requests without reading the answers. Requests that change something or that
          take long need a token, which only our own pages know, and come from our own origin.
Password  If other machines can connect, every request needs a cookie, which a password or a token in the address gives.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyseme.explorer.answers import ApiError, busy

TOKEN_HEADER = "X-Polyseme-Token"
MAX_ACTIVE = 64  # requests at the same time
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OPEN_PATHS = ("/login", "/static/")  # without a cookie; static files are the same for everyone


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to a server with this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Access:
    """Who may use the server.

    host, port  where it listens
    token       what our pages send with POST
    secret      value of the cookie and of `?token=`; '' if everyone who can connect may use the server
    password    gives the cookie, too; '' if there is none
    """

    host: str
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    secret: str = ""
    password: str = ""

    def knows_host(self, host_header: str) -> bool:
        """Whether a Host header names this server."""
        host, port = _split_host(host_header)
        if port not in (str(self.port), "" if self.port == 80 else None):
            return False
        if host in ("localhost", self.host.lower()):
            return True
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return not is_loopback(self.host) and host == socket.gethostname().lower()
        return address.is_loopback if is_loopback(self.host) else True

    @property
    def cookie(self) -> str:
        """The name of the cookie. Browsers share cookies among the ports of a host, and each server has its own."""
        return f"polyseme-{self.port}"

    def allows(self, cookie: str) -> bool:
        return not self.secret or same(cookie, self.secret)


def same(given: str, expected: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell how much of them is."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def _split_host(header: str) -> tuple[str, str]:
    """The name or address, and the port, of a Host header.

    >>> _split_host("[::1]:8000"), _split_host("localhost")
    (('::1', '8000'), ('localhost', ''))
    """
    name, separator, port = header.strip().rpartition(":")
    if not separator or port.endswith("]"):
        name, port = header.strip(), ""
    return name.removeprefix("[").removesuffix("]").lower().removesuffix("."), port


class Guard:
    """Middleware that refuses requests as described above, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access
        self.active = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if scope["path"] == "/login":  # with no-referrer, browsers send `Origin: null` with the form
                    headers["Referrer-Policy"] = "same-origin"
                headers.setdefault("Cache-Control", "no-cache" if scope["path"].startswith("/static/") else "no-store")
            await send(message)

        response = self._refusal(scope)
        if response is not None:
            await response(scope, receive, send_with_headers)
            return
        self.active += 1
        try:
            await self.app(scope, receive, send_with_headers)
        finally:
            self.active -= 1

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not let through; None for others."""
        try:
            return self._check(scope)
        except ApiError as error:
            return error.response()

    def _check(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self.access.knows_host(host):
            raise ApiError(403, "this server is not known under that name; use the address that it has printed.")
        if self.active >= MAX_ACTIVE:
            raise busy()
        if not self.access.allows(_cookie(headers, self.access.cookie)) and not path.startswith(OPEN_PATHS):
            return self._sign_in(scope)
        if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            self._check_origin(headers, host, path)
        return None

    def _sign_in(self, scope: Scope) -> Response:
        """Set the cookie if the address has the right token; else lead to the form for the password."""
        query = QueryParams(scope["query_string"])
        if same(query.get("token", ""), self.access.secret):
            others = [(name, value) for name, value in query.multi_items() if name != "token"]
            path = quote("/" + scope["path"].lstrip("/"))  # "//name" would be the address of another server
            response = RedirectResponse(path + (f"?{urlencode(others)}" if others else ""), 303)
            set_cookie(response, self.access)
            return response
        if scope["path"].startswith("/api"):
            raise ApiError(403, "sign in first, at /login.")
        return RedirectResponse("/login", 303)

    def _check_origin(self, headers: Headers, host: str, path: str) -> None:
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            raise ApiError(403, "requests from pages of other sites are refused.")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise ApiError(403, "requests from pages of other sites are refused.")
        if path != "/login" and not same(headers.get(TOKEN_HEADER, ""), self.access.token):
            raise ApiError(403, f"the header {TOKEN_HEADER} is missing or wrong; reload the page.")


def _cookie(headers: Headers, wanted: str) -> str:
    """The value of a cookie; '' if there is none."""
    for cookie in headers.get("cookie", "").split(";"):
        name, _, value = cookie.strip().partition("=")
        if name == wanted:
            return value
    return ""


def set_cookie(response: Response, access: Access) -> None:
    """Set the cookie. `lax`: with `strict`, browsers would not send it when a link in a mail opens the page."""
    response.set_cookie(access.cookie, access.secret, httponly=True, samesite="lax", path="/")
