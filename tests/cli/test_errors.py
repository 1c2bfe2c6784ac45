"""Every error is one line that says what to do, with exit code 2 (1 if nothing was found), and loses nothing."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run, command

TEXT = "the bank of the river\nmoney in the bank\n" * 20


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(TEXT)
    return tmp_path / "text.txt"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def assert_fails(done: subprocess.CompletedProcess[str], message: str, status: int = 2) -> None:
    assert done.returncode == status, done
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.startswith("polyseme: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "missing.txt", "m"], "missing.txt does not exist"),
        (["train", "no*.txt", "m"], "no*.txt does not exist"),
        (["train", "text.txt"], "polyseme train CORPUS... MODEL"),
        (["train"], "polyseme train CORPUS... MODEL"),
        (["train", "text.txt", "m", "--dim", "0"], "--dim must be between 1 and 10000, not 0"),
        (["train", "text.txt", "m", "--senses", "0"], "--senses must be between 1 and 100, not 0"),
        (["train", "text.txt", "m", "--threads", "-1"], "--threads must be between 0 and 1024, not -1"),
        (["train", "text.txt", "m", "--dim", "wide"], "--dim"),
        (["train", "text.txt", "m", "--model", "bert"], "--model"),
        (["train", "text.txt", "m", "--tokenizer", "magic"], "tokenizer 'magic' is not known"),
        (["train", "text.txt", "m", "--diim", "5"], "--diim"),
        (["train", "text.txt", "m", "--min-count", "10000"], "lower --min-count than 10000"),
        (["train", "text.txt", "m", "--multi-sense-words", "none.txt"], "none.txt is not there"),
        (["train", "text.txt", "text.txt"], "already exists; choose another name"),
        (["train", "text.txt", "text.txt", "--force"], "is not a model, so --force does not remove it"),
        (["train", ".", "text.txt/m"], "text.txt"),
        (["senses", "m", "bank"], "m does not exist; train a model with"),
        (["senses", ".", "bank"], "is not a model"),
        (["tag", "text.txt"], "is a file, not a model folder"),
        (["fly"], "fly"),
        (["demo", "--seed", "-1"], "--seed must be 0 or more"),
        (["train", "text.txt", "."], "already exists"),
        (["train", "text.txt", "m", "--min-count", "9" * 400], "--min-count"),
    ],
)
def test_mistakes_get_one_line(arguments: list[str], message: str, polyseme_command: Run, text: Path) -> None:
    assert_fails(polyseme_command(*arguments), message)
    assert names(text.parent) == {"text.txt"}
    assert text.read_text() == TEXT


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no words"),
        (b"\n\n \n", "holds no words"),
        (b"one\n" * 100, "at least 2 are needed"),
        (b"\x7fELF\x00\x00" * 100, "is not a text: byte 4 is NUL"),
        (os.urandom(100_000), "is not"),
        ("Ћирилица".encode("utf-16"), "UTF-16"),
    ],
    ids=["empty", "blank", "one word", "binary", "random", "UTF-16"],
)
def test_texts_that_cannot_be_learned_from(data: bytes, message: str, polyseme_command: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(data)
    assert_fails(polyseme_command("train", "bad.txt", "m", "--quiet"), message)
    assert not (tmp_path / "m").exists()


def test_a_word_that_is_not_there_is_nothing_found(polyseme_command: Run, mssg_path: Path) -> None:
    assert_fails(polyseme_command("senses", mssg_path, "bnak"), "Closest: beak, bark, bank", status=1)
    assert_fails(polyseme_command("neighbours", mssg_path, "bank#9"), "'bank' has", status=1)
    assert_fails(polyseme_command("disambiguate", mssg_path, "zebras", "a"), "'zebras' is not among", status=1)


def test_a_damaged_model_gets_one_line(polyseme_command: Run, mssg_path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "m"
    copy.mkdir()
    for file in mssg_path.iterdir():
        (copy / file.name).write_bytes(file.read_bytes()[:-1])
    for arguments in (["senses", "m", "bank"], ["tag", "m"], ["info", "m"], ["info", "m", "--verify"]):
        assert_fails(polyseme_command(*arguments), "m is damaged")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission_to_write(polyseme_command: Run, text: Path) -> None:
    text.parent.chmod(0o500)
    try:
        assert_fails(polyseme_command("train", "text.txt", "m"), "no permission")
    finally:
        text.parent.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="needs a folder in which no one can write")
def test_a_place_where_no_one_can_write(polyseme_command: Run, text: Path) -> None:
    assert_fails(polyseme_command("train", text, "/proc/polyseme.model"), "/proc/polyseme.model.training")


@pytest.mark.skipif(os.name == "nt", reason="needs resource limits")
@pytest.mark.parametrize("limit", [100, 20_000, 400_000, 1_000_000])
def test_a_full_disk_loses_nothing(limit: int, planted_text: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: writing beyond it fails in the same places."""

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    flags = ("--dim", "100", "--epochs", "1", "--quiet")
    done = subprocess.run(
        command("train", planted_text, "m", *flags),
        cwd=tmp_path, preexec_fn=small_files, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("polyseme: the disk is full")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "m").exists()
    again = subprocess.run(command("train", planted_text, "m", "--resume", *flags), cwd=tmp_path, check=False)
    assert again.returncode == 0
    assert names(tmp_path) == {"m"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_an_error(mssg_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("senses", mssg_path, "bank"), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("polyseme: the disk is full")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_no_terminal_and_no_input_is_too_odd(encoding: str, mssg_path: Path) -> None:
    done = subprocess.run(
        command("disambiguate", mssg_path, "bank", "-"),
        input="the bank in 東京\n".encode() + b"\xff\xfe bank\n",
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 2


def test_errors_are_ours_and_the_builtin_ones() -> None:
    check = (
        "import polyseme\n"
        "calls = {ValueError: lambda: polyseme.train('x', dim=0), FileNotFoundError: lambda: polyseme.load('x')}\n"
        "for kind, call in calls.items():\n"
        "    try: call()\n"
        "    except kind as e: assert isinstance(e, polyseme.PolysemeError)\n"
        "    else: raise SystemExit(1)\n"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
