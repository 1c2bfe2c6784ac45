"""The workers as the driver sees them: calling their methods, noticing that one is lost, replacing it.

A lost worker is replaced by a new one with the same number, which has neither shards nor parameters: its `generation`
tells the driver to send them again. If there is no room for a replacement, the run continues with fewer workers.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from polyseme.errors import TrainingError, shorten
from polyseme.training.cluster.worker import Place, Worker
from polyseme.training.events import Listener, WorkerLost, silent

TICK_SECONDS = 0.1  # between calls of `tick` while the driver waits
START_SECONDS = 100.0  # until a worker must run; it imports Numba, which takes long on a busy machine
MAX_LOSSES = 3  # of each worker, without any result in between
PREPARATIONS = ("start", "load", "open_text", "open_tokens")  # methods that a new worker needs, and that are no results


class Lost(Exception):
    """A worker does not exist any more."""


class AllWorkersLost(TrainingError):
    """The run cannot continue. The message says what to wait for, but not whether the run can be resumed then."""


class Pool(ABC):
    """Workers with numbers from 0 on.

    tick    called again and again while the driver waits; it may raise
    places  where each worker runs; workers that are lost for good are not among them
    """

    def __init__(self, tick: Callable[[], None], listen: Listener) -> None:
        self.tick, self.listen = tick, listen
        self.handles: dict[int, Any] = {}
        self.places: dict[int, Place] = {}
        self.generation: dict[int, int] = {}
        self._losses = 0

    @property
    def numbers(self) -> list[int]:
        return sorted(self.handles)

    def start(self, workers: int) -> None:
        """Start workers; TrainingError if there is no room for all of them."""
        self.handles = {number: self._start(number) for number in range(workers)}
        self.generation = dict.fromkeys(self.handles, 0)
        calls = {number: self._submit(handle, "place") for number, handle in self.handles.items()}
        deadline = time.monotonic() + START_SECONDS
        for number, call in calls.items():
            try:
                self.places[number] = self._result(call, deadline)
            except (Lost, TimeoutError):
                raise TrainingError(self._no_room(len(self.places), workers)) from None

    def each(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """Call a method of several workers at the same time. The results do not have those of lost workers."""
        calls = {number: self._submit(self.handles[number], method, *args) for number, args in arguments.items()}
        results, lost = {}, {}
        for number in sorted(calls):
            try:
                results[number] = self._result(calls[number])
            except Lost as error:
                lost[number] = error
        if results and method not in PREPARATIONS:
            self._losses = 0
        for number, reason in lost.items():
            self._replace(number, reason)
        return results

    def share(self, value: Any) -> Any:
        """The value as an argument of several calls: it is sent to each machine only once."""
        return value

    def _replace(self, number: int, error: Lost) -> None:
        self._losses += 1
        if self._losses > MAX_LOSSES * max(len(self.handles), 1):
            raise AllWorkersLost(f"workers end again and again ({shorten(error, 200)}); check their memory")
        del self.handles[number]
        handle = self._start(number)
        try:
            self.places[number] = self._result(self._submit(handle, "place"), time.monotonic() + START_SECONDS)
            self.handles[number] = handle
            self.generation[number] += 1
        except (Lost, TimeoutError):
            del self.places[number]
            self._end(handle)
        self.listen(WorkerLost(number, len(self.handles), number in self.handles, shorten(error, 200)))
        if not self.handles:
            raise AllWorkersLost("all workers are lost; wait until machines are available again")

    @abstractmethod
    def _start(self, number: int) -> Any: ...

    @abstractmethod
    def _end(self, handle: Any) -> None: ...

    @abstractmethod
    def _submit(self, handle: Any, method: str, *arguments: Any) -> Any: ...

    @abstractmethod
    def _result(self, call: Any, deadline: float = math.inf) -> Any:
        """Wait for the result of a call; Lost, TimeoutError, or the error that the method raised."""

    @abstractmethod
    def _no_room(self, started: int, workers: int) -> str: ...


class LocalPool(Pool):
    """Workers in this process, one after the other: for tests and experiments, without Ray.

    arguments  of Worker, after the number
    """

    def __init__(
        self,
        arguments: tuple[Any, ...],
        tick: Callable[[], None] = lambda: None,
        listen: Listener = silent,
    ) -> None:
        super().__init__(tick, listen)
        self.arguments = arguments

    def _start(self, number: int) -> Worker:
        return Worker(number, *self.arguments)

    def _end(self, handle: Worker) -> None:
        pass

    def _submit(self, handle: Worker, method: str, *arguments: Any) -> Callable[[], Any]:
        return lambda: getattr(handle, method)(*arguments)

    def _result(self, call: Callable[[], Any], deadline: float = math.inf) -> Any:  # noqa: ARG002
        self.tick()
        return call()

    def _no_room(self, started: int, workers: int) -> str:
        return f"there is room for {started} of {workers} workers."
