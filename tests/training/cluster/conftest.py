"""Runs with workers in this process instead of Ray actors: the same code, without the time that Ray takes to start."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest

from polyseme.training.cluster import run as cluster_run_module
from polyseme.training.cluster.pool import LocalPool, Lost
from polyseme.training.run import Run


class FragilePool(LocalPool):
    """Workers in this process, some of whose calls fail because the worker is lost.

    method  whose calls can fail
    fails   called with the number of each call of this method, and the worker; returns whether the worker is lost
    """

    method = "train"
    fails: Callable[[int, int], bool] = staticmethod(lambda call, worker: False)  # noqa: ARG005
    replaceable = True
    calls = 0

    def _submit(self, handle: Any, method: str, *arguments: Any) -> Callable[[], Any]:
        call = super()._submit(handle, method, *arguments)
        if method != FragilePool.method:
            return call
        FragilePool.calls += 1
        lost = FragilePool.fails(FragilePool.calls, handle.number)

        def run_and_lose() -> object:
            result = call()  # the worker is lost after its work, before the driver has its update
            if lost:
                raise Lost("killed by a test")
            return result

        return run_and_lose

    def _start(self, number: int) -> Any:
        is_replacement = number in self.generation
        return _Missing() if is_replacement and not self.replaceable else super()._start(number)


class _Missing:
    """A worker for which there is no room."""

    def place(self) -> None:
        raise Lost("no room")


@pytest.fixture
def local_workers(monkeypatch: pytest.MonkeyPatch) -> type[FragilePool]:
    """Makes `polyseme.train(..., workers=N)` use workers in this process; returns the class of their pool."""

    def cluster_run(run: Run, workers: int, ray_address: str | None) -> AbstractContextManager[Run]:  # noqa: ARG001
        return cluster_run_module.local_run(run, workers, FragilePool)

    monkeypatch.setattr(cluster_run_module, "cluster_run", cluster_run)
    monkeypatch.setattr(FragilePool, "calls", 0)
    monkeypatch.setattr(FragilePool, "method", "train")
    monkeypatch.setattr(FragilePool, "fails", staticmethod(lambda call, worker: False))  # noqa: ARG005
    monkeypatch.setattr(FragilePool, "replaceable", True)
    return FragilePool
