"""Closed and full standard streams, and narrow terminals: a one-line error or silence, and every command ends."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import Run, command

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")

OUTPUT_CLOSED = "polyseme: standard input or output is closed (Bad file descriptor); redirect it"
INPUT_CLOSED = "polyseme: standard input is closed; "
FULL = "polyseme: the disk is full: "
TRAIN = "train text.txt out --dim 4 --epochs 1"


@pytest.mark.parametrize(
    ("call", "status", "error"),
    [
        ("info MODEL >&-", 2, OUTPUT_CLOSED),
        ("tag MODEL text.txt >&-", 2, OUTPUT_CLOSED),
        ("--help >&-", 2, OUTPUT_CLOSED),
        ("tag MODEL <&-", 2, INPUT_CLOSED),
        ("disambiguate MODEL bank <&-", 2, INPUT_CLOSED),
        ("train - out <&-", 2, INPUT_CLOSED),
        ("info MODEL >/dev/full", 2, FULL),
        ("train --help >/dev/full", 2, FULL),
        (f"{TRAIN} --quiet >&-", 0, ""),
        (f"{TRAIN} --quiet >/dev/full", 0, ""),
        (f"{TRAIN} --quiet <&- >&- 2>&-", 0, ""),
        (f"{TRAIN} 2>/dev/full", 0, ""),
        (f"{TRAIN} 2>&-", 0, ""),
        ("info nothing 2>/dev/full", 2, ""),
        ("info nothing 2>&-", 2, ""),
        ("info MODEL >&- 2>&-", 2, ""),
    ],
)
def test_a_closed_or_full_stream_is_an_error_in_one_line_or_silent(
    call: str, status: int, error: str, mssg_path: Path, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("the bank of the river\nmoney in the bank\n" * 20)
    script = " ".join(command()) + " " + call.replace("MODEL", str(mssg_path))
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == status, done
    assert done.stderr.startswith(error)
    assert done.stderr.count("\n") == (error != "")
    assert done.stdout == ""
    assert (tmp_path / "out").exists() == (status == 0)


@pytest.mark.parametrize("call", ["--help", "train --help"])
def test_help_whose_reader_exits_is_a_success(call: str, tmp_path: Path) -> None:
    script = f"{' '.join(command())} {call} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("columns", ["0", "1", "2", "39", "1000000000", "²", "x", ""])
def test_help_ends_in_a_terminal_of_any_width(columns: str, polyseme_command: Run) -> None:
    done = polyseme_command("train", "--help", env={**os.environ, "COLUMNS": columns})
    assert (done.returncode, done.stderr) == (0, "")
    assert "--min-count" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 1000


@pytest.mark.parametrize("columns", [1, 2, 80])
def test_training_ends_in_a_terminal_of_any_width(columns: int, tmp_path: Path) -> None:
    import fcntl
    import pty
    import struct
    import termios

    (tmp_path / "text.txt").write_text("the bank of the river\nmoney in the bank\n" * 20)
    ours, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 1, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        command(*TRAIN.split()), cwd=tmp_path, stdin=terminal, stdout=terminal, stderr=terminal,
        env={**environment, "TERM": "xterm"},
    ) as process:  # fmt: skip
        os.close(terminal)
        with os.fdopen(ours, "rb", buffering=0) as screen, suppress(OSError):  # Linux reports the end as an error
            while screen.read(4096):
                pass
    assert process.returncode == 0
