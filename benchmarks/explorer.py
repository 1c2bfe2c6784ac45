"""Load and latency of the explorer: python benchmarks/explorer.py MODEL [TEXT]

Starts `polyseme explore MODEL`, with TEXT as the corpus of its index, on this machine. Measures the time to open, the
latency of single requests, a load of clients with one request a second each, and clients that wait for nothing; then
the same latencies on a model of random vectors with 200,000 senses, about 1 GB, without an index. Writes a section of
benchmarks/RESULTS.md unless --dry-run is given.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np
from queries import large_model
from speed import HERE, processor, write_section

from polyseme import SenseModel

MIX = {"complete": 0.4, "senses": 0.25, "concordance": 0.15, "collocates": 0.1, "tag": 0.1}  # of the requests
SORTS = ("best", "left", "right", "text")
TEXT_WORDS = 100  # of a text to tag
MIN_COUNT = 100  # of the words that are asked for
NUM_SINGLE = 100  # requests of each kind, one after the other
LARGE_WORDS = 100_000
OVERLOAD = 4  # times the number of clients, for the last test


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("text", nargs="?")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300, help="of the load with one request a second")
    parser.add_argument("--dry-run", action="store_true", help="do not change RESULTS.md")
    arguments = parser.parse_args()
    rows: list[str] = []
    with server(arguments.model, arguments.text) as (process, url, seconds):
        requests = Requests(SenseModel.load(arguments.model), url, with_index=arguments.text is not None)
        rows.append(
            f"| until the address is printed{', index built or checked' if arguments.text else ''} | {seconds:.1f} s |"
        )
        rows += single_rows(requests)
        sizes = [memory(process.pid)]
        for name, num_clients, seconds, pause in (
            ("one request a second each", arguments.clients, arguments.seconds, 1.0),
            ("as fast as they can", arguments.clients, arguments.seconds / 10, 0.0),
            ("as fast as they can", arguments.clients * OVERLOAD, arguments.seconds / 10, 0.0),
        ):
            result = asyncio.run(load(requests, num_clients, seconds, pause))
            rows.append(f"| {num_clients} clients for {seconds:.0f} s, {name} | {result} |")
            sizes.append(memory(process.pid))
        rows.append(f"| memory before and after each, without mapped files | {', '.join(map(str, sizes))} MB |")
    with tempfile.TemporaryDirectory() as folder:
        path = large_model(Path(folder) / "large.model", LARGE_WORDS)
        size = sum(file.stat().st_size for file in path.iterdir()) / 1e9
        with server(str(path), None) as (_, url, seconds):
            rows.append(
                f"| {2 * LARGE_WORDS:,} senses, {size:.1f} GB: until the address is printed | {seconds:.2f} s |"
            )
            requests = Requests(SenseModel.load(path), url, with_index=False)
            rows.append(f"| the same: first answer | {1000 * asyncio.run(first_answer(requests)):.0f} ms |")
            rows += [row.replace("| ", "| the same: ", 1) for row in single_rows(requests)]
    names = " ".join(Path(name).name for name in (arguments.model, arguments.text) if name)
    mix = ", ".join(f"{share:.0%} {kind}" for kind, share in MIX.items())
    text = "\n".join(
        [
            f"`python benchmarks/explorer.py {names} --clients {arguments.clients} --seconds {arguments.seconds:g}`",
            "",
            f"{processor()}; clients and server on the same machine. Requests of the load: {mix}, about random words; "
            f"texts have {TEXT_WORDS} words. Times in milliseconds are those that a client waits.",
            "",
            "| measurement | result |",
            "|---|---:|",
            *rows,
        ]
    )
    print(text)
    if not arguments.dry_run:
        write_section(HERE / "RESULTS.md", "## Explorer", text)


@contextmanager
def server(model: str, text: str | None) -> Iterator[tuple[subprocess.Popen[str], str, float]]:
    """Run the server; gives the process, its address, and the seconds until it printed the address."""
    start = time.perf_counter()
    corpus = [] if text is None else ["--corpus", text]
    command = [sys.executable, "-m", "polyseme", "explore", model, "--no-browser", *corpus]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        while (found := re.search(r"http://\S+", line := process.stderr.readline())) is None:
            if not line:
                raise SystemExit("the server has not started")
        yield process, found[0], time.perf_counter() - start
    finally:
        process.terminate()
        process.wait()


class Requests:
    """Random requests to a server."""

    def __init__(self, model: SenseModel, url: str, *, with_index: bool) -> None:
        data = model._data
        frequent = int(np.searchsorted(-data.vocabulary.counts, -MIN_COUNT, side="right"))
        self.words = data.vocabulary.words[: max(frequent, 100)]
        self.several = [w for w, n in zip(self.words, data.num_visible_senses.tolist(), strict=False) if n > 1]
        self.with_index = with_index
        self.host, self.port = re.findall(r"//([^:/]+):(\d+)", url)[0]
        with urlopen(url) as page:
            self.token = re.findall(r'polyseme-token" content="([^"]*)"', page.read().decode())[0]

    @property
    def kinds(self) -> list[str]:
        return [kind for kind in MIX if self.with_index or kind != "collocates"]

    def make(self, kind: str, rng: random.Random) -> bytes:
        """A request of a kind, about a random word."""
        word = rng.choice(self.several or self.words)
        if kind == "tag":
            body = json.dumps({"text": " ".join(rng.choices(self.words, k=TEXT_WORDS))}).encode()
            return self._head("POST", "/api/tag", f"Content-Length: {len(body)}\r\n") + body
        paths = {
            "complete": f"/api/complete?q={quote(word[: rng.randint(1, 4)])}",
            "senses": f"/api/senses/{quote(word, safe='')}?neighbours=12",
            "concordance": f"/api/concordance/{quote(word, safe='')}?sort={rng.choice(SORTS)}",
            "collocates": f"/api/collocates/{quote(word, safe='')}?n=16",
        }
        return self._head("GET", paths[kind])

    def _head(self, method: str, path: str, more: str = "") -> bytes:
        host = f"{self.host}:{self.port}"
        return f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nX-Polyseme-Token: {self.token}\r\n{more}\r\n".encode()


class Client:
    """A connection that is kept open; opened again after an error."""

    def __init__(self, requests: Requests) -> None:
        self.requests = requests
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, request: bytes) -> int:
        """The status of the answer; 0 if there is none."""
        try:
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection(self.requests.host, int(self.requests.port))
            self.writer.write(request)
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            await self.reader.readexactly(int(length[1]) if length else 0)
            if b"connection: close" in head.lower():
                self.close()
            return int(head.split()[1])
        except (OSError, EOFError):
            self.close()
            return 0

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.writer = None


@dataclass
class Result:
    """Latencies in seconds, and the number of answers by status."""

    latencies: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0

    def __str__(self) -> str:
        p50, p99 = (1000 * np.percentile(self.latencies, p) for p in (50, 99)) if self.latencies else (0, 0)
        good, refused = self.statuses[200], self.statuses[503]
        others = sum(self.statuses.values()) - good - refused
        return (
            f"{good / self.seconds:.0f} answers/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms, "
            f"{refused:,} refused (503), {others:,} other errors"
        )


async def load(requests: Requests, num_clients: int, seconds: float, pause: float) -> Result:
    """The result of clients that send random requests, each with a pause between the beginnings of two."""
    result = Result()
    start = time.perf_counter()

    async def run(number: int) -> None:
        rng, client = random.Random(number), Client(requests)
        weights = [MIX[kind] for kind in requests.kinds]
        due = start + rng.random() * pause
        while True:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            begin = time.perf_counter()
            if begin - start > seconds:
                break
            (kind,) = rng.choices(requests.kinds, weights)
            status = await client.ask(requests.make(kind, rng))
            result.statuses[status] += 1
            if status == 200:
                result.latencies.append(time.perf_counter() - begin)
            due += pause
        client.close()

    await asyncio.gather(*(run(number) for number in range(num_clients)))
    result.seconds = time.perf_counter() - start
    return result


def single_rows(requests: Requests) -> list[str]:
    """The latencies of each kind of request, one at a time and each about another word."""
    rows = []
    for kind in requests.kinds:
        result = asyncio.run(_single(requests, kind))
        p50, p99 = (1000 * np.percentile(result, p) for p in (50, 99))
        rows.append(f"| {kind}, {NUM_SINGLE} requests one at a time | p50 {p50:.1f} ms, p99 {p99:.1f} ms |")
    return rows


async def _single(requests: Requests, kind: str) -> list[float]:
    rng, client = random.Random(1), Client(requests)
    latencies = []
    for _ in range(NUM_SINGLE):
        begin = time.perf_counter()
        status = await client.ask(requests.make(kind, rng))
        latencies.append(time.perf_counter() - begin)
        assert status == 200, (kind, status)
    client.close()
    return latencies


async def first_answer(requests: Requests) -> float:
    """Seconds until the first answer about senses of a server that has just started."""
    begin = time.perf_counter()
    client = Client(requests)
    assert await client.ask(requests.make("senses", random.Random(1))) == 200
    client.close()
    return time.perf_counter() - begin


def memory(process: int) -> int:
    """The memory of a process in MB, without that of mapped files, which the system can take back."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"RssAnon:\s+(\d+)", status)[0]) // 1024


if __name__ == "__main__":
    main()
