"""Running the server: a socket, uvicorn in the main thread, and a thread that prepares the first answers."""

from __future__ import annotations

import errno
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import uvicorn

from polyseme.errors import ConfigError
from polyseme.explorer.app import make_app
from polyseme.explorer.models import Session
from polyseme.explorer.security import Access, is_loopback

MAX_CONNECTIONS = 256
SHUTDOWN_SECONDS = 2
PREPARE_PAUSE = 1.0  # seconds in which the first page is loaded


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; ConfigError if the address is in use or not ours."""
    try:
        address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(address[0], socket.SOCK_STREAM, address[2])  # asyncio sets TCP_NODELAY for TCP only
    except UnicodeError:
        raise ConfigError(f"--host {host} is not the name of a machine; use 127.0.0.1.") from None
    except OSError as error:
        raise ConfigError(f"--host {host} is not an address of this machine ({error}); use 127.0.0.1.") from None
    try:
        if sys.platform != "win32":  # where it would let two servers use one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address[4])
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(f"port {port} is in use by another program; choose one with --port, 0 for any.") from None
        raise ConfigError(f"cannot listen at {host}, port {port} ({error.strerror}); choose others.") from None
    return listener


def make_access(host: str, port: int, password: str) -> Access:
    """Who may use a server at this address: others than this machine only with a password or a token."""
    private = is_loopback(host) and not password
    return Access(host, port, secret="" if private else secrets.token_urlsafe(24), password=password)


def address(access: Access) -> str:
    """The address to open, with the token if there is no password to type."""
    host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(access.host, access.host)
    token = f"?token={access.secret}" if access.secret and not access.password else ""
    return f"http://{f'[{host}]' if ':' in host else host}:{access.port}/{token}"


class _Server(uvicorn.Server):
    """A server that calls a function when it is ready, and that stops when another one says so.

    Signals are left to the caller.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], stop: Callable[[], bool]) -> None:
        super().__init__(config)
        self._ready, self._stop = ready, stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def on_tick(self, counter: int) -> bool:
        return self._stop() or await super().on_tick(counter)

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        return nullcontext()


def serve(
    session: Session,
    access: Access,
    listener: socket.socket,
    ready: Callable[[], None] = lambda: None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Answer requests until `stop` returns True."""
    config = uvicorn.Config(
        make_app(session, access),
        access_log=False,
        log_level="critical",
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    threading.Thread(target=session.prepare, args=[PREPARE_PAUSE], daemon=True).start()
    with listener:
        _Server(config, ready, stop).run(sockets=[listener])


def open_browser(url: str) -> None:
    """Show a page in the user's browser, if there is one; without waiting for it."""
    threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()
