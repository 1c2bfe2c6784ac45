"""A stand-in for the Hugging Face Hub: the few requests that huggingface_hub sends for a download and an upload."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Files = dict[str, bytes]
TOKEN = "hf_secret"
NEWEST = ("main", "v1.0")  # a branch and a tag


class Hub(ThreadingHTTPServer):
    """Repositories by name, each a list of commits, and the requests that were made."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories: dict[str, list[Files]] = {}
        self.requests: list[str] = []
        self.private: dict[str, int] = {}  # status of requests without a token, by repository

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def commit(self, repository: str, files: Files) -> str:
        """Add a commit; returns its hash."""
        commits = self.repositories.setdefault(repository, [])
        commits.append(files)
        return self.commit_hash(repository, len(commits) - 1)

    def commit_hash(self, repository: str, number: int) -> str:
        return hashlib.sha1(f"{repository} {number}".encode()).hexdigest()

    def find(self, repository: str, revision: str) -> tuple[str, Files] | None:
        """The hash and the files of a revision."""
        commits = self.repositories[repository]
        hashes = [self.commit_hash(repository, number) for number in range(len(commits))]
        number = len(commits) - 1 if revision in NEWEST else hashes.index(revision) if revision in hashes else -1
        return (hashes[number], commits[number]) if number >= 0 else None


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self._answer(b"")

    def do_HEAD(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def log_message(self, *arguments: object) -> None:
        pass

    def _answer(self, body: bytes) -> None:
        path = self.path.partition("?")[0]
        self.server.requests.append(f"{self.command} {path}")
        if path == "/api/validate-yaml":
            return self._send_json({"errors": [], "warnings": []})
        if path == "/api/repos/create":
            return self._create(json.loads(body))
        match = re.fullmatch(r"(?:/api/models)?/([^/]+/[^/]+)(?:/(\w+)/([\w.]+)(?:/(.*))?)?", path)
        repository = match[1] if match else ""
        if not match or repository not in self.server.repositories:
            return self._send(404, {"X-Error-Code": "RepoNotFound"})
        if self._refused(repository):
            return self._send(self.server.private[repository])
        action, revision, name = match[2] or "revision", match[3] or "main", match[4]
        if action == "preupload":
            entries = [{"path": f["path"], "uploadMode": "regular"} for f in json.loads(body)["files"]]
            return self._send_json({"files": [{**entry, "shouldIgnore": False, "oid": None} for entry in entries]})
        if action == "commit":
            return self._commit(repository, body)
        found = self.server.find(repository, revision)
        if found is None:
            return self._send(404, {"X-Error-Code": "RevisionNotFound"})
        commit, files = found
        if action == "resolve":
            return self._send_file(commit, files.get(name))
        if action == "tree":
            return self._send_json(
                [{"type": "file", "path": n, "size": len(d), "oid": _etag(d)} for n, d in files.items()]
            )
        return self._send_json({"id": repository, "sha": commit, "siblings": [{"rfilename": name} for name in files]})

    def _refused(self, repository: str) -> bool:
        return repository in self.server.private and self.headers.get("Authorization") != f"Bearer {TOKEN}"

    def _create(self, request: dict[str, Any]) -> None:
        repository = f"{request['organization']}/{request['name']}"
        if self._refused(repository):
            return self._send(self.server.private[repository])
        exists = repository in self.server.repositories
        self.server.repositories.setdefault(repository, [{".gitattributes": b""}])
        return self._send_json({"url": f"{self.server.url}/{repository}"}, 409 if exists else 200)

    def _commit(self, repository: str, body: bytes) -> None:
        files = dict(self.server.repositories[repository][-1])
        for line in map(json.loads, body.splitlines()):
            if line["key"] == "file":
                files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            elif line["key"] == "deletedFile":
                del files[line["value"]["path"]]
        commit = self.server.commit(repository, files)
        url = f"{self.server.url}/{repository}/commit/{commit}"
        self._send_json({"success": True, "commitOid": commit, "commitUrl": url})

    def _send_file(self, commit: str, data: bytes | None) -> None:
        if data is None:
            return self._send(404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
        return self._send(200, {"ETag": f'"{_etag(data)}"', "X-Repo-Commit": commit}, data)

    def _send_json(self, value: object, status: int = 200) -> None:
        self._send(status, {"Content-Type": "application/json"}, json.dumps(value).encode())

    def _send(self, status: int, headers: dict[str, str] | None = None, data: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _etag(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


@contextmanager
def running_hub() -> Iterator[Hub]:
    """A stand-in that answers while the block runs."""
    with Hub() as hub:
        thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield hub
        finally:
            hub.shutdown()
            thread.join()
