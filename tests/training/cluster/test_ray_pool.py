"""Workers as Ray actors. One Ray is started for these tests, and one more by each command that is run."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polyseme import SenseModel, train
from polyseme.corpus.planted import PlantedCorpus
from polyseme.errors import CorpusError, Interrupted, MissingExtra, TrainingError
from polyseme.evaluation.planted_recovery import score_planted
from polyseme.training.cluster import pool, ray_pool
from polyseme.training.cluster.ray_pool import RayPool, running_ray
from polyseme.training.events import ClusterStarted, Event, TrainingProgress, WorkerLost
from tests.conftest import command

# Not importorskip: Ray reads settings of a local cluster when it is imported.
pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")

WORKERS = 2
COUNTED: dict[str, Any] = {
    "senses": 2, "dim": 32, "seed": 1, "threads": 1, "subsample": 0.0, "min_count": 1, "epochs": 8, "examples": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    with running_ray(None, WORKERS) as ray:
        yield ray


@pytest.fixture(scope="module")
def num_tokens(planted: PlantedCorpus) -> int:
    return sum(map(len, planted.sentences))


def test_ray_is_local_and_sends_no_usage_statistics(ray: Any) -> None:
    assert [node["NodeManagerAddress"] for node in ray.nodes()] == ["127.0.0.1"]
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    assert not ray._private.worker.global_worker.node.address_info["webui_url"]


@pytest.mark.usefixtures("ray")
def test_a_killed_worker_is_replaced_and_nothing_is_counted_twice(
    planted: PlantedCorpus, planted_text: Path, num_tokens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[RayPool] = []
    start = RayPool.start

    def start_and_remember(self: RayPool, workers: int) -> None:
        pools.append(self)
        start(self, workers)

    monkeypatch.setattr(RayPool, "start", start_and_remember)
    monkeypatch.setattr("polyseme.training.trainer.REPORT_SECONDS", 0.0)
    events: list[Event] = []

    def listen(event: Event) -> None:
        events.append(event)
        if isinstance(event, TrainingProgress) and event.progress > 0.2 and len(pools) == 1:
            os.kill(pools[0].places[1].process, signal.SIGKILL)
            pools.append(pools[0])

    model = train(planted_text, tmp_path / "m", workers=WORKERS, listen=listen, **COUNTED)
    assert [(event.worker, event.replaced) for event in events if isinstance(event, WorkerLost)] == [(1, True)]
    assert [event.workers for event in events if isinstance(event, ClusterStarted)] == [WORKERS]
    assert model.training["tokens"] == COUNTED["epochs"] * num_tokens
    scores = score_planted(model, planted)
    assert sum(score.purity for score in scores) / len(scores) > 0.85
    assert all(sense.examples for sense in model.senses(planted.occurrences[0].word))


@pytest.mark.usefixtures("ray")
def test_more_workers_than_the_cluster_has_room_for_are_refused(
    planted_text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "START_SECONDS", 5.0)
    with pytest.raises(TrainingError, match=r"only \d of 20 workers have started.* 2 CPUs; .* fewer --workers"):
        train(planted_text, workers=20, quiet=True, **COUNTED)


@pytest.mark.usefixtures("ray")
def test_an_error_of_a_worker_is_that_of_one_machine(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes("Ärger ".encode("latin-1") * 50_000)
    with pytest.raises(CorpusError, match="bad.txt is not UTF-8"):
        train(tmp_path / "bad.txt", workers=WORKERS, quiet=True)


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])  # Ray has a handler of its own for SIGTERM
def test_a_signal_leaves_a_checkpoint_that_fewer_workers_resume(
    signal_number: signal.Signals, planted_text: Path, num_tokens: int, tmp_path: Path
) -> None:
    model = tmp_path / "m"
    options = [
        word
        for name, value in {**COUNTED, "epochs": 40}.items()
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    arguments: list[str | Path] = ["train", planted_text, model, *options, "--workers"]
    process = subprocess.Popen(command(*arguments, "2"), stderr=subprocess.PIPE, text=True, start_new_session=True)
    log = tmp_path / "m.training" / "training.jsonl"
    while process.poll() is None and not (log.exists() and "training_progress" in log.read_text()):
        time.sleep(0.05)
    if signal_number == signal.SIGINT:
        os.killpg(process.pid, signal_number)  # as a terminal does: also to the processes that Ray has started
    else:
        process.send_signal(signal_number)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 128 + signal_number, errors
    assert errors.splitlines()[-1].startswith("polyseme: stopped at ")
    done = subprocess.run(command(*arguments, "1", "--resume", "--quiet"), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert SenseModel.load(model).training["tokens"] == 40 * num_tokens


def test_the_handler_of_sigterm_is_that_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def install_handler(**_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def end(**_: object) -> None:
        sys.exit(signal.SIGTERM)  # as Ray's handler does, here while Ray starts

    received: list[int] = []
    old = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    try:
        fake = SimpleNamespace(is_initialized=lambda: False, init=install_handler, shutdown=install_handler)
        monkeypatch.setitem(sys.modules, "ray", fake)
        with running_ray(None, 2):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        fake.init = end
        with pytest.raises(Interrupted, match="stopped"), running_ray(None, 2):
            pass
        assert received == [signal.SIGTERM] * 3
    finally:
        signal.signal(signal.SIGTERM, old)


def test_a_program_trains_several_times_and_ray_prints_nothing(planted_text: Path) -> None:
    program = f"""
import os, signal, polyseme
from polyseme.training.cluster import pool, ray_pool
text, settings, killed = {str(planted_text)!r}, {{"dim": 8, "epochs": 5, "examples": 0}}, []
pools, each = [], pool.Pool.each
def each_after_a_kill(self, method, arguments):
    if self not in pools:
        pools.append(self)
    if method == "train" and not killed:
        killed.append(self.places[0].process)
        os.kill(killed[0], signal.SIGKILL)
    return each(self, method, arguments)
pool.Pool.each = each_after_a_kill
polyseme.train(text, workers=2, **settings)
polyseme.train(text, workers=2, quiet=True, **settings)
print(len(killed), pools[0].generation[0], len(pools))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, "1 1 2\n"), done.stderr


def test_an_address_where_nothing_answers_is_an_error_at_once(
    planted_text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = SimpleNamespace(is_initialized=lambda: False, init=pytest.fail, shutdown=lambda: None)
    monkeypatch.setitem(sys.modules, "ray", fake)
    with socket.socket() as unused:  # bound, but it does not listen
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(TrainingError, match=rf"there is no Ray cluster at {address} \(.*refused.*ray start --head"):
            train(planted_text, workers=2, ray_address=address, quiet=True)


def test_a_ray_that_does_not_start_is_an_error_of_one_line(planted_text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**_: object) -> None:
        raise Exception("The current node timed out during startup.")

    monkeypatch.setitem(
        sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=init, shutdown=lambda: None)
    )
    with pytest.raises(TrainingError, match=r"Ray could not be started \(The current node timed out.*\); check memory"):
        train(planted_text, workers=2, quiet=True)


@pytest.mark.parametrize(("free", "expected"), [(64 << 20, 256 << 20), (600_000_000, 540_000_000), (1 << 40, 1 << 30)])
def test_the_object_store_fits_in_the_shared_memory(
    free: int, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_pool, "SHARED_MEMORY", tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert ray_pool.object_store_bytes() == expected
    monkeypatch.setattr(ray_pool, "SHARED_MEMORY", tmp_path / "missing")  # not Linux
    assert ray_pool.object_store_bytes() == 1 << 30


def test_without_ray_the_command_says_how_to_install_it(planted_text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'polyseme\[cluster\]'"):
        train(planted_text, workers=2)
