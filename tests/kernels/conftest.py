"""Coverage is not measured in these tests: it leaves kernels out, and would take longer than they do."""

from __future__ import annotations

from collections.abc import Iterator

import coverage
import pytest


@pytest.fixture(autouse=True, scope="module")
def _without_coverage() -> Iterator[None]:
    measured = coverage.Coverage.current()
    if measured is None:
        yield
        return
    measured.stop()
    yield
    measured.start()
