"""The ordered thread pool."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Barrier

import pytest

from polyseme._io.thread_pool import PENDING_PER_THREAD, map_in_order


def test_results_come_in_the_order_of_the_items() -> None:
    def slow_for_the_first(n: int) -> int:
        time.sleep(0.02 if n == 0 else 0)
        return n

    assert list(map_in_order(slow_for_the_first, range(20), threads=3)) == list(range(20))


def test_items_are_processed_at_the_same_time() -> None:
    barrier = Barrier(2)

    def meet(_: int) -> int:
        return barrier.wait(timeout=30)  # until two threads are here

    assert sorted(map_in_order(meet, range(2), threads=2)) == [0, 1]


def test_items_are_taken_only_a_few_ahead_of_the_results() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for n in range(100):
            taken += 1
            yield n

    results = map_in_order(abs, items(), threads=2)
    for n in range(10):
        assert next(results) == n
        assert taken == n + 1 + 2 * PENDING_PER_THREAD


def test_an_error_in_a_thread_is_raised_when_its_result_is_taken() -> None:
    def work(n: int) -> int:
        if n == 3:
            raise ValueError("item 3")
        return n

    results = map_in_order(work, range(10), threads=2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="item 3"):
        next(results)
