"""A thread pool that returns results in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

PENDING_PER_THREAD = 2  # bounds the memory of results that the caller has not taken yet


def map_in_order(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield function(item) of each item, in order, computed by several threads; if there is one, by the caller's.

    The items are taken from their iterable by the caller's thread, a few ahead of the results.

    >>> list(map_in_order(len, ["a", "bcd"], threads=2))
    [1, 3]
    """
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Future[Result]] = deque()
        for item in items:
            pending.append(pool.submit(function, item))
            if len(pending) > PENDING_PER_THREAD * threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def available_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
