"""The command `polyseme explore` as a process: its address, its end, and its errors."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from polyseme.errors import ConfigError
from polyseme.explorer.server import address, listen, make_access
from tests.conftest import Run, command, measured_environment
from tests.explorer.conftest import running

TIMEOUT = 120
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
needs_signals = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")


@needs_signals
@pytest.mark.parametrize("number", STATUS)
def test_the_server_answers_until_a_signal(number: signal.Signals, mssg_path: Path) -> None:
    with running(mssg_path) as (process, url, printed):
        assert printed == f"explorer  {url}  (stop with Ctrl-C)\n"
        with urllib.request.urlopen(f"{url}api/senses/bank", timeout=TIMEOUT) as answer:
            assert json.load(answer)["word"] == "bank"
        process.send_signal(number)
        assert process.wait(TIMEOUT) == STATUS[number]
        assert process.stderr is not None
        assert process.stderr.read() == "polyseme: stopped.\n"


@needs_signals
def test_a_signal_while_an_index_is_built_leaves_nothing(model_path: Path, text_path: Path) -> None:
    text = model_path.parent / "text.txt"
    text.write_bytes(text_path.read_bytes() * 200)
    process = subprocess.Popen(
        command("explore", model_path, "--corpus", text, "--no-browser"),
        stderr=subprocess.PIPE, text=True, env=measured_environment(),
    )  # fmt: skip
    try:
        until = time.monotonic() + TIMEOUT
        while not list(model_path.parent.glob(".*.part")):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT) == 130
        assert process.stderr is not None
        assert process.stderr.read().splitlines()[-1] == "polyseme: stopped."
    finally:
        process.kill()
        process.wait()
    assert {path.name for path in model_path.parent.iterdir()} == {"small.model", "text.txt"}


@needs_signals
def test_a_killed_build_leaves_nothing_that_is_taken_for_an_index(
    model_path: Path, text_path: Path, polyseme_command: Run
) -> None:
    text = model_path.parent / "text.txt"
    text.write_bytes(text_path.read_bytes() * 200)
    process = subprocess.Popen(
        command("explore", model_path, "--corpus", text, "--no-browser"), stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + TIMEOUT
    while not list(model_path.parent.glob(".*.part")):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not model_path.with_name("small.model.index").exists()
    done = polyseme_command("explore", model_path, "--export", "page.html", "--words", "bank")
    assert (done.returncode, done.stderr) == (0, "saved     page.html\n")


def test_a_busy_port_is_an_error_of_one_line(mssg_path: Path, polyseme_command: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = polyseme_command("explore", mssg_path, "--port", str(port), "--no-browser")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"polyseme: port {port} is in use by another program; choose one with --port, 0 for any.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--export", "p.html"], "--export and --words need each other"),
        (["--words", "bank"], "--export and --words need each other"),
        (["--password", ""], "--password is empty"),
        (["--port", "65536"], "It must be between 0 and 65535."),
        (["--reader", "jsonl"], "--reader and --field are for --corpus"),
        (["--host", "300.1.1.1"], "--host 300.1.1.1 is not an address of this machine"),
        (["--host", "../.."], "--host ../.. is not the name of a machine"),
        (["--host", "192.0.2.1"], "cannot listen at 192.0.2.1"),
        (["--corpus", "missing.txt"], "missing.txt does not exist"),
    ],
)
def test_errors_are_one_line(mssg_path: Path, polyseme_command: Run, arguments: list[str], message: str) -> None:
    done = polyseme_command("explore", mssg_path, "--no-browser", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr


def test_a_missing_model_is_an_error(polyseme_command: Run) -> None:
    done = polyseme_command("explore", "missing.model", "--no-browser")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "missing.model does not exist" in done.stderr


def test_a_missing_library_is_named(mssg_path: Path, tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ImportError('no', name='uvicorn')")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        command("explore", mssg_path), env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert (done.returncode, done.stderr) == (
        2,
        "polyseme: the explorer needs uvicorn: pip install 'polyseme[explore]'\n",
    )


def test_other_machines_need_the_printed_token(mssg_path: Path) -> None:
    with running(mssg_path, "--host", "0.0.0.0") as (_, url, printed):
        assert "--host 0.0.0.0 lets other machines connect." in printed
        assert "with the token in the address below. The connection is not encrypted." in printed
        port = url.split(":")[2].split("/")[0]
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/info", timeout=TIMEOUT)
        token = url.split("?token=")[1]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(f"http://127.0.0.1:{port}/api/info?token={token}", timeout=TIMEOUT) as answer:
            assert json.load(answer)["models"][0]["name"] == "mssg.model"


def test_many_bytes_get_an_answer_and_the_server_lives(mssg_path: Path) -> None:
    """A paste of 10 MB is refused before it is read, and whoever sends it to the end gets the answer, too."""
    with running(mssg_path) as (_, url, _printed):
        host, port = url.removeprefix("http://").rstrip("/").split(":")
        page = urllib.request.urlopen(url, timeout=TIMEOUT).read().decode()
        token = page.split('polyseme-token" content="')[1].split('"')[0]
        with socket.create_connection((host, int(port)), TIMEOUT) as connection:
            connection.sendall(
                f"POST /api/tag HTTP/1.1\r\nHost: {host}:{port}\r\nX-Polyseme-Token: {token}\r\n"
                f"Content-Length: 10000000\r\n\r\n".encode()
            )
            assert b" 413 " in connection.recv(100)
        request = urllib.request.Request(f"{url}api/tag", b" " * 10_000_000, {"X-Polyseme-Token": token})
        with pytest.raises(urllib.error.HTTPError, match="413"):  # also for those who send everything first
            urllib.request.urlopen(request, timeout=TIMEOUT)
        with urllib.request.urlopen(f"{url}api/info", timeout=TIMEOUT) as answer:
            assert answer.status == 200


def test_a_password_takes_the_place_of_the_token() -> None:
    access = make_access("0.0.0.0", 8000, "secret")
    assert access.secret
    assert "token" not in address(access)
    assert make_access("127.0.0.1", 8000, "").secret == ""
    assert address(make_access("::1", 8000, "")) == "http://[::1]:8000/"


def test_names_that_cannot_be_resolved_are_refused() -> None:
    with pytest.raises(ConfigError, match="is not (an address of this|the name of a) machine"):
        listen("x" * 70 + ".invalid", 0)
