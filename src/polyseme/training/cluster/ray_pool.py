"""Workers as Ray actors, on a Ray of our own on this machine or on a running cluster.

A Ray of our own listens on the loopback interface only, with a random token, without dashboard and without usage
statistics. Ray reads these settings from the environment, in part when it is imported.
"""

from __future__ import annotations

import math
import os
import secrets
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polyseme.errors import Interrupted, MissingExtra, PolysemeError, TrainingError, shorten
from polyseme.training.cluster.pool import TICK_SECONDS, Lost, Pool
from polyseme.training.cluster.worker import Worker
from polyseme.training.events import Listener

# Of the shared memory of a Ray of our own. It should hold the messages of two rounds: what does not fit goes to disk,
# which takes several times as long. Memory that was never used takes no space.
OBJECT_STORE_BYTES, LEAST_OBJECT_STORE_BYTES = 1 << 30, 256 << 20
SHARED_MEMORY = Path("/dev/shm")  # on Linux; what Ray would put there and does not fit, it puts on disk altogether
CONNECT_SECONDS = 10.0  # until a cluster must answer; Ray itself tries for minutes
# Lines that Ray does not print: the event WorkerLost says the same. Ray has this variable for lines of its log.
QUIET = {"RAY_DEDUP_LOGS_SKIP_REGEX": "A worker died or was killed|has been marked dead"}
LOCAL = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on all systems: listen on the loopback interface only
    "RAY_AUTH_MODE": "token",
    "RAY_worker_niceness": "0",  # the priority of a run without workers; Ray's default is 15, the lowest but four
}
START_ADVICE = "start one with: ray start --head, and use the same versions and token (RAY_AUTH_MODE) on all machines"
_imported_with: dict[str, str] = {}  # LOCAL and the token, if Ray was imported with them: it keeps the token


@contextmanager
def running_ray(address: str | None, workers: int) -> Iterator[Any]:
    """The module `ray`, connected to a cluster; without address, to one that is started and shut down again.

    If the program has connected to Ray already, that connection is used and kept.
    """
    with _environment(address):
        ray = _import_ray()
        if ray.is_initialized():
            yield ray
            return
        try:
            with _kept_handler():
                _connect(ray, address, workers)
            yield ray
        finally:
            with _kept_handler():
                ray.shutdown()


@contextmanager
def _kept_handler() -> Iterator[None]:
    """Restore the handler of SIGTERM, which Ray replaces: the process would end at once, without a checkpoint."""
    handler = signal.getsignal(signal.SIGTERM)

    def restore() -> None:
        if handler is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)

    try:
        yield
    except SystemExit:  # by Ray's handler
        restore()
        signal.raise_signal(signal.SIGTERM)
        raise Interrupted("stopped.") from None
    finally:
        restore()


@contextmanager
def _environment(address: str | None) -> Iterator[None]:
    """The environment that Ray needs, until the block ends. What the user has set is kept."""
    settings = {"RAY_USAGE_STATS_ENABLED": "0"}
    # If the program has imported Ray, it is too late: Ray has read these settings, and uses its own defaults.
    if "ray" not in sys.modules:
        settings |= QUIET
        if address is None:
            _imported_with.update(LOCAL, RAY_AUTH_TOKEN=secrets.token_hex(32))
    if address is None:
        settings |= _imported_with
    added = {name: value for name, value in settings.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _import_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtra("--workers needs Ray; install it with: pip install 'polyseme[cluster]'") from None
    return ray


def _connect(ray: Any, address: str | None, workers: int) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "namespace": "polyseme"}
    try:
        if address is None:
            resources = {"num_cpus": workers, "num_gpus": 0, "object_store_memory": object_store_bytes()}
            # "local": not a cluster that happens to run on this machine
            ray.init(address="local", include_dashboard=False, **resources, **quiet)
        else:
            _try_address(address)
            ray.init(address=address, **quiet)
    except Exception as error:  # Ray raises errors of many kinds, among them plain exceptions
        place = "Ray could not be started" if address is None else f"there is no Ray cluster at {shorten(address)}"
        advice = "check memory, disk and load of the machine" if address is None else START_ADVICE
        raise TrainingError(f"{place} ({shorten(error, 200)}); {advice}.") from error


def object_store_bytes() -> int:
    """The size of the object store of a Ray of our own."""
    if not SHARED_MEMORY.is_dir():
        return OBJECT_STORE_BYTES
    free = int(0.9 * shutil.disk_usage(SHARED_MEMORY).free)
    return max(min(OBJECT_STORE_BYTES, free), LEAST_OBJECT_STORE_BYTES)


def _try_address(address: str) -> None:
    """Raise OSError if nothing answers at an address of the form host:port."""
    host, _, port = address.rpartition(":")
    if host and "/" not in host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()


class RayPool(Pool):
    """Workers as Ray actors.

    arguments  of Worker, after the number
    cpus       that Ray reserves for each worker
    """

    def __init__(
        self, ray: Any, arguments: tuple[Any, ...], cpus: int, tick: Callable[[], None], listen: Listener
    ) -> None:
        super().__init__(tick, listen)
        self.ray, self.arguments = ray, arguments
        # Ray must not restart a worker by itself: the new process would have neither shards nor parameters.
        self.actor = ray.remote(num_cpus=cpus, max_restarts=0, scheduling_strategy="SPREAD")(Worker)

    def share(self, value: Any) -> Any:
        return self.ray.put(value)

    def close(self) -> None:
        """End all workers."""
        for handle in self.handles.values():
            self._end(handle)

    def _start(self, number: int) -> Any:
        return self.actor.remote(number, *self.arguments)

    def _end(self, handle: Any) -> None:
        self.ray.kill(handle)

    def _submit(self, handle: Any, method: str, *arguments: Any) -> Any:
        return getattr(handle, method).remote(*arguments)

    def _result(self, call: Any, deadline: float = math.inf) -> Any:
        exceptions = self.ray.exceptions
        while not self.ray.wait([call], timeout=TICK_SECONDS)[0]:
            self.tick()
            if time.monotonic() > deadline:
                raise TimeoutError
        try:
            return self.ray.get(call)
        except (exceptions.RayActorError, exceptions.ObjectLostError, exceptions.OutOfMemoryError) as error:
            raise Lost(str(error).strip().splitlines()[0]) from None
        except exceptions.RayTaskError as error:
            if isinstance(error.cause, PolysemeError):
                raise error.cause from None
            raise TrainingError(f"a worker failed: {shorten(repr(error.cause), 300)}") from error

    def _no_room(self, started: int, workers: int) -> str:
        cpus = int(self.ray.cluster_resources().get("CPU", 0))
        return (
            f"only {started} of {workers} workers have started, on a Ray cluster with {cpus} CPUs; add machines with "
            f"ray start, use fewer --workers, or try again when the machines are less busy."
        )
