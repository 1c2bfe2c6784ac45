"""Runs with workers in this process instead of Ray actors: the same code, without the time that Ray takes to start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from polyseme.training.cluster import run as cluster_run_module
from polyseme.training.cluster.pool import LocalPool, Lost
from polyseme.training.run import Run
from polyseme.training.workspace import CORPUS


class FragilePool(LocalPool):
    """Workers in this process, some of whose calls fail because the worker is lost.

    fails  called with the number of each call of `train`, and the worker; returns whether the worker is lost
    """

    fails: Callable[[int, int], bool] = staticmethod(lambda call, worker: False)  # noqa: ARG005
    replaceable = True
    calls = 0

    def _submit(self, handle, method, *arguments):  # type: ignore[no-untyped-def]
        call = super()._submit(handle, method, *arguments)
        if method != "train":
            return call
        FragilePool.calls += 1
        lost = FragilePool.fails(FragilePool.calls, handle.number)

        def run_and_lose() -> object:
            result = call()  # the worker is lost after its work, before the driver has its update
            if lost:
                raise Lost("killed by a test")
            return result

        return run_and_lose

    def _start(self, number):  # type: ignore[no-untyped-def]
        if self.handles and not self.replaceable:
            raise_lost: Callable[[], None] = _raise_lost
            return _Missing(number, raise_lost)
        return super()._start(number)


class _Missing:
    """A worker that cannot be started."""

    def __init__(self, number: int, place: Callable[[], None]) -> None:
        self.number, self.place = number, place


def _raise_lost() -> None:
    raise Lost("no room")


@pytest.fixture
def local_workers(monkeypatch: pytest.MonkeyPatch) -> type[FragilePool]:
    """Makes `polyseme.train(..., workers=N)` use workers in this process; returns the class of their pool."""

    @contextmanager
    def cluster_run(run: Run, workers: int, ray_address: str | None) -> Iterator[Run]:  # noqa: ARG001
        folder = run.folder / CORPUS
        pool = FragilePool((str(folder), cluster_run_module.make_mark(folder)), run.raise_if_stopped, run.listen)
        pool.start(workers)
        yield cluster_run_module.ClusterRun(**vars(run), pool=pool)

    monkeypatch.setattr(cluster_run_module, "cluster_run", cluster_run)
    monkeypatch.setattr(FragilePool, "calls", 0)
    monkeypatch.setattr(FragilePool, "fails", staticmethod(lambda call, worker: False))  # noqa: ARG005
    monkeypatch.setattr(FragilePool, "replaceable", True)
    return FragilePool
