"""Requests to the explorer, valid and not: random parameters, bodies, headers, and bytes that are not HTTP."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import socket
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from .commands import Child, start
from .mutation import JSON_VALUES, Mutator
from .results import Context, Part, Result

TIMEOUT = 60.0
COMPLETE = ("valid", "parameters", "body")  # kinds of requests that must get an answer
VALUES = ("bank", "bank#1", "bank#99", "guitar", "", "é", "東京", "\x00", "../../etc/passwd", "<script>", "a" * 5000,
          "-1", "0", "5", "999999999999", "1.5", "nan", "%", "%ff", "\ud83d", "#", "a b", "'", '"', "null")  # fmt: skip
PATHS = ("/", "/api", "/api/", "/login", "/static/main.js", "/static/../app.py", "/static/%2e%2e/app.py", "//etc",
         "/static/", "/api/openapi.json", "/favicon.ico", "/..", "/static/..%2f..%2fapp.py", "/%00", "*")  # fmt: skip

HEADERS = ("Host", "Origin", "Content-Length", "X-Polyseme-Token", "Cookie", "Range", "Transfer-Encoding",
           "Sec-Fetch-Site", "Expect", "Upgrade", "Accept-Encoding")  # fmt: skip
HEADER_VALUES = ("", "x", "-1", "99999999999999999999", "chunked", "evil.example", "é", "bytes=0-999999999999",
                 "100-continue", "websocket", "y" * 20_000)  # fmt: skip


class Server:
    """An explorer in a forked process."""

    def __init__(self, folder: Path) -> None:
        self.child: Child = start(["explore", "np.model", "--no-browser", "--quiet"], folder)
        until = time.monotonic() + 60
        while not (found := re.search(r"http://127.0.0.1:(\d+)/", self.child.stderr())):
            assert time.monotonic() < until, self.child.stderr()
            time.sleep(0.01)
        self.port = int(found[1])
        self.token = ""
        page = self.send(request(self, "GET", "/"))[1]
        if match := re.search(rb'name="polyseme-token" content="([^"]+)"', page):
            self.token = match[1].decode()

    def memory(self) -> int:
        """Resident memory in bytes."""
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) * 1024 if found else 0

    def send(self, data: bytes, complete: bool = True) -> tuple[int, bytes]:
        """Send bytes and read the answer: its status, 0 if there is none, and its bytes.

        complete  whether the bytes are a whole request; else the connection is closed after them
        """
        with socket.create_connection(("127.0.0.1", self.port), TIMEOUT) as connection:
            answer = b""
            try:
                connection.sendall(data)
                if not complete:
                    connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(1 << 16):
                    answer += part
            except (ConnectionResetError, BrokenPipeError):
                pass
        found = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
        return int(found[1]) if found else 0, answer


def request(server: Server, method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    fields = {
        "Host": f"127.0.0.1:{server.port}", "Connection": "close", "Content-Length": str(len(body)),
        "X-Polyseme-Token": server.token, **headers,
    }  # fmt: skip
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogatepass") + body


class Requests:
    """Random requests. All choices depend on the seed of the case."""

    def __init__(self, seed: str, server: Server) -> None:
        self.mutator = Mutator(seed)
        self.random: random.Random = self.mutator.random
        self.server = server

    def make(self) -> tuple[str, bytes]:
        """A kind and the bytes to send."""
        kind = self.random.choice(("valid", "valid", "parameters", "parameters", "body", "headers", "path", "bytes"))
        method, path, body = self._endpoint(valid=kind not in ("parameters", "body"))
        headers: dict[str, str] = {}
        if kind == "body":
            method = self.random.choice(("POST", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "GET"))
            body = self._bad_body(body)
        elif kind == "headers":
            headers[self.random.choice(HEADERS)] = self.random.choice(HEADER_VALUES)
        elif kind == "path":
            path = self.random.choice(PATHS)
        data = request(self.server, method, path, body, **headers)
        if kind == "bytes":
            for _ in range(self.random.randint(1, 5)):
                data = self.mutator.mutated("", data)
        return kind, data

    def _endpoint(self, valid: bool) -> tuple[str, str, bytes]:
        from polyseme.explorer.endpoints import ENDPOINTS

        endpoint = self.random.choice([e for e in ENDPOINTS if e.path != "/api/save"])
        path, query = endpoint.path, []
        for parameter in endpoint.parameters:
            value = self._value(parameter.schema) if valid else self.random.choice(VALUES)
            if f"{{{parameter.name}}}" in path:
                path = path.replace(f"{{{parameter.name}}}", _quoted(value))
            elif parameter.default is None or self.random.random() < 0.5:
                query.append(f"{parameter.name}={_quoted(value)}")
        body = b""
        if endpoint.body:
            texts = {"text": "money in the bank of the river", "word": "bank", "edits": [{"drop": "bank#2"}]}
            body = json.dumps({name: texts.get(name, "") for name in endpoint.body}).encode()
        return endpoint.method, f"{path}?{'&'.join(query)}" if query else path, body

    def _value(self, schema: dict[str, object]) -> str:
        if schema["type"] == "integer":
            low, high = int(str(schema["minimum"])), int(str(schema["maximum"]))
            return str(self.random.choice((low, high, min(low + 3, high))))
        choices = schema.get("enum")
        names = choices if isinstance(choices, list) else ["bank", "guitar", "bank#1", "money"]
        return str(self.random.choice(names))

    def _bad_body(self, body: bytes) -> bytes:
        match self.random.randrange(4):
            case 0:
                return self.random.choice(JSON_VALUES).encode("utf-8", "surrogatepass")
            case 1:
                return json.dumps({"text": self.random.choice(VALUES) * self.random.choice((1, 100))}).encode()
            case 2:
                return self.mutator.mutated("x.json", body or b"{}")
        return self.mutator.mutated("", body or b"{}")


def _quoted(value: str) -> str:
    return quote(value.encode("utf-8", "surrogatepass"), safe="")


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    folder = context.scratch / "http"
    folder.mkdir()
    shutil.copytree(context.targets / "np.model", folder / "np.model")
    shutil.copytree(context.targets / "np.model.index", folder / "np.model.index")
    server = Server(folder)
    try:
        for number in numbers:
            yield _case(Requests(f"{context.seed} {number}", server), server)
    finally:
        server.child.kill(signal.SIGTERM)
        server.child.wait()
        shutil.rmtree(folder)


def _case(requests: Requests, server: Server) -> Result:
    kind, data = requests.make()
    started = time.monotonic()
    problem, status = "", 0
    try:
        status, answer = server.send(data, complete=kind in COMPLETE)
        if status >= 500 and status != 501 and b"more than" not in answer:
            problem = f"status {status}: {answer[-300:]!r}"
        elif not status and kind in COMPLETE:
            problem = "no answer"
    except TimeoutError:
        problem = f"no answer within {TIMEOUT:.0f} s"
    except OSError as error:
        problem = f"no connection: {error}"
    facts = {"seconds": round(time.monotonic() - started, 4), "megabytes": round(server.memory() / 2**20, 1)}
    return Result(kind, str(status or "none"), problem and f"{problem} after {data[:500]!r}", facts)


PART = Part("http", "HTTP requests to the explorer, valid and not", "no 500, no hang, constant memory", 10_000, cases)
