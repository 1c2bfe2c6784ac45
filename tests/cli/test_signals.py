"""Signals: Ctrl-C, SIGTERM and SIGHUP end every command soon, in one line, and leave no temporary files."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

from tests.conftest import command

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")

TEXT = b"the bank of the river\nmoney in the bank\n" * 20
TIMEOUT = 120  # seconds; far more than any machine needs
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}

# Runs `polyseme` and sends itself a signal when it imports a given module.
SIGNAL_AT_IMPORT = """
import os, runpy, sys
name, number = sys.argv.pop(1), int(sys.argv.pop(1))
class Finder:
    def find_spec(self, module, path=None, target=None):
        if module == name:
            os.kill(os.getpid(), number)
sys.meta_path.insert(0, Finder())
runpy.run_module("polyseme", run_name="__main__", alter_sys=True)
"""


@contextmanager
def started(arguments: list[str], folder: Path, **options: object) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(arguments, cwd=folder, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + TIMEOUT
    while not condition():
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < until
        time.sleep(0.01)


def is_encoding(folder: Path) -> bool:
    return next(folder.rglob(".*.part"), None) is not None


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


MODULES = ("polyseme.cli.app", "cyclopts", "numpy", "numba", "polyseme.training.run")
IMPORTS = [("polyseme.cli.signals", signal.SIGINT), *product(MODULES, STATUS)]


@pytest.mark.parametrize(("module", "number"), IMPORTS)
def test_a_signal_during_an_import_ends_the_process_without_a_traceback(
    module: str, number: int, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_bytes(TEXT)
    done = subprocess.run(
        [sys.executable, "-c", SIGNAL_AT_IMPORT, module, str(int(number)), "train", "text.txt", "m"],
        cwd=tmp_path, capture_output=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (STATUS[signal.Signals(number)], b"", b"polyseme: stopped.\n")
    assert names(tmp_path) == {"text.txt"}


@pytest.mark.parametrize("number", STATUS)
@pytest.mark.parametrize("arguments", [("train", "-", "m"), ("encode", "-", "m")])
def test_a_command_that_waits_for_a_pipe_can_be_stopped(
    arguments: tuple[str, ...], number: int, tmp_path: Path
) -> None:
    with started(command(*arguments), tmp_path, stdin=subprocess.PIPE) as process:
        wait_until(lambda: is_encoding(tmp_path), process)
        process.send_signal(number)
        process.wait(TIMEOUT)  # not communicate(), which would close the pipe
        assert process.stderr is not None
        errors = process.stderr.read().decode()
    assert process.returncode == STATUS[signal.Signals(number)]
    assert errors == "polyseme: stopped.\n"
    assert names(tmp_path) == set()


# Sends SIGINT to another thread than the main one, which waits for input.
SIGNAL_TO_THREAD = """
import signal, sys, threading, time
from pathlib import Path
from polyseme.__main__ import main
def send_when_encoding():
    while next(Path().rglob(".*.part"), None) is None:
        time.sleep(0.01)
    time.sleep(0.2)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
threading.Thread(target=send_when_encoding, daemon=True).start()
main()
"""


@pytest.mark.parametrize("name", ["encode", "train"])
def test_a_signal_that_does_not_interrupt_the_main_thread_stops_a_command(name: str, tmp_path: Path) -> None:
    with started([sys.executable, "-c", SIGNAL_TO_THREAD, name, "-", "m"], tmp_path, stdin=subprocess.PIPE) as process:
        assert process.wait(TIMEOUT) == 130
    assert names(tmp_path) == set()


def test_a_training_that_is_to_replace_a_model_says_how_to_continue_it(mssg_path: Path, tmp_path: Path) -> None:
    shutil.copytree(mssg_path, tmp_path / "m")
    with started(command("train", "-", "m", "--force"), tmp_path, stdin=subprocess.PIPE) as process:
        wait_until(lambda: is_encoding(tmp_path), process)
        process.send_signal(signal.SIGINT)
        process.wait(TIMEOUT)
        assert process.stderr is not None
        assert process.stderr.read() == b"polyseme: stopped. Continue with the same command and --resume.\n"
    assert names(tmp_path) == {"m", "m.training"}


# Sends itself signals after a checkpoint. The second one raises KeyboardInterrupt, the third one ends the process.
SIGNALS_AFTER_CHECKPOINT = """
import os, signal, sys
from polyseme.cli import app
from polyseme.training import run
write, signals = run.write_checkpoint, int(sys.argv.pop(1))
def write_and_send_signals(*arguments):
    write(*arguments)
    for number in range(1, signals + 1):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            if number == signals:
                raise
run.write_checkpoint = write_and_send_signals
app.main(sys.argv[1:])
"""


@pytest.mark.parametrize("signals", [1, 2, 3])
def test_a_training_that_leaves_a_checkpoint_says_how_to_continue_it(
    signals: int, planted_text: Path, tmp_path: Path
) -> None:
    options = ["--dim", "8", "--epochs", "100", "--checkpoint-minutes", "0", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", SIGNALS_AFTER_CHECKPOINT, str(signals), "train", planted_text, "m", *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 130
    assert re.fullmatch(r"polyseme: stopped( at .*%.*)?\. Continue with the same command and --resume\.\n", done.stderr)
    assert names(tmp_path) == {"m.training"}


@pytest.mark.parametrize("name", ["encode", "train"])
def test_a_command_that_waits_for_the_writer_of_a_named_pipe_can_be_stopped(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with started(command(name, "pipe", "m"), tmp_path) as process:
        wait_until(lambda: is_encoding(tmp_path), process)
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT) == 130
    assert names(tmp_path) == {"pipe"}


def test_the_writer_of_a_named_pipe_may_come_later(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with started(command("encode", "pipe", "m"), tmp_path, stdout=subprocess.PIPE) as process:
        wait_until(lambda: is_encoding(tmp_path), process)
        (tmp_path / "pipe").write_bytes(TEXT)
        output, _ = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, output) == (0, b"m: 180 tokens, 40 sentences, 6 words\n")


@pytest.mark.parametrize("name", ["encode", "train"])
def test_ctrl_c_stops_a_command_that_reads_a_terminal(name: str, tmp_path: Path) -> None:
    import fcntl
    import pty
    import termios

    ours, terminal = pty.openpty()

    def make_terminal_ours() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with started(
        command(name, "-", "m", "--quiet"), tmp_path,
        stdin=terminal, start_new_session=True, preexec_fn=make_terminal_ours,
    ) as process:  # fmt: skip
        wait_until(lambda: is_encoding(tmp_path), process)
        os.write(ours, b"the bank of the river\n\x03")
        assert process.wait(TIMEOUT) == 130
    os.close(terminal)
    os.close(ours)
    assert names(tmp_path) == set()


def test_a_third_signal_ends_a_process_that_does_not_stop() -> None:
    script = """
import time
from polyseme.cli.signals import Signals
with Signals():
    print("ready", flush=True)
    while True:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass
"""
    with started([sys.executable, "-c", script], Path.cwd(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        assert process.returncode == 130


def test_an_error_that_an_interrupted_library_raises_is_not_reported() -> None:
    script = """
import os, signal
from polyseme.cli import app
from polyseme.cli.signals import interruptible
def interrupted_library(*_, **__):
    with interruptible():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt:
            raise RuntimeError("no compiled object yet")
app.app = interrupted_library
app.main([])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=TIMEOUT)
    assert (done.returncode, done.stderr) == (143, b"polyseme: stopped.\n")


def test_a_library_that_exits_with_an_error_is_not_a_success() -> None:
    script = "import sys; from polyseme.cli import app; app.app = lambda *_, **__: sys.exit(1); app.main([])"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=TIMEOUT).returncode == 1


def test_a_signal_in_a_finalizer_is_not_lost() -> None:
    script = """
import os, signal, time
from polyseme.__main__ import exit_on_signals
exit_on_signals()
from polyseme.cli import app, signals

def interrupted_when_closed():
    try:
        yield
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)

def work(*_, **__):
    with signals.interruptible():
        next(interrupted_when_closed())  # closed when it is deleted, at once
        time.sleep(60)
app.app = work
app.main([])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=TIMEOUT)
    assert (done.returncode, done.stderr) == (143, b"polyseme: stopped.\n")


def test_errors_of_finalizers_are_not_printed_after_a_signal() -> None:
    script = """
from polyseme.__main__ import exit_on_signals
exit_on_signals()
from polyseme.cli import app, signals

class Incomplete:
    def __del__(self):
        del self.handle  # not set: the creation of the object was interrupted

def work(*_, **__):
    with signals.interruptible():
        try:
            signals._raise(15, None)
        finally:
            Incomplete()
app.app = work
app.main([])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=TIMEOUT)
    assert (done.returncode, done.stderr) == (143, b"polyseme: stopped.\n")


def test_an_interrupted_call_of_train_ends_although_a_pipe_is_idle(tmp_path: Path) -> None:
    call = [sys.executable, "-c", "import polyseme; polyseme.train('-', 'm')"]
    with started(call, tmp_path, stdin=subprocess.PIPE) as process:
        wait_until(lambda: is_encoding(tmp_path), process)
        process.send_signal(signal.SIGINT)
        process.wait(TIMEOUT)
        assert process.stderr is not None
        assert process.stderr.read().endswith(b"KeyboardInterrupt\n")
    assert names(tmp_path) == set()


def test_ignored_signals_stay_ignored(tmp_path: Path) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does

    with started(
        command("encode", "-", "m"), tmp_path, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=ignore
    ) as process:
        wait_until(lambda: is_encoding(tmp_path), process)
        process.send_signal(signal.SIGHUP)
        process.communicate(TEXT, timeout=TIMEOUT)
    assert process.returncode == 0


def test_the_demo_removes_its_temporary_files(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with started(command("demo"), tmp_path, stdout=subprocess.DEVNULL, env=environment) as process:
        wait_until(lambda: any(tmp_path.glob("polyseme-*/*")), process)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 143, errors
    assert names(tmp_path) == set()
