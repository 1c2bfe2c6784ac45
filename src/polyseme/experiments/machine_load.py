"""How busy a machine was with other programs, which decides whether a measured time counts."""

from __future__ import annotations

import os
import time
from pathlib import Path

STAT = Path("/proc/stat")
MAX_IDLE_LOAD = 0.05  # the share of the processors that other programs may use on a machine that counts as idle


class LoadMeter:
    """Measures the load by other programs since it was created."""

    def __init__(self) -> None:
        self._before = _processor_seconds()
        self._started = time.monotonic()

    def other_load(self) -> float | None:
        """The share of the machine's processor time that other programs used; None if the system does not tell."""
        after = _processor_seconds()
        if self._before is None or after is None:
            return None
        others = (after[0] - self._before[0]) - (after[1] - self._before[1])
        available = (time.monotonic() - self._started) * (os.cpu_count() or 1)
        return max(others / available, 0.0)


def _processor_seconds() -> tuple[float, float] | None:
    """The processor time that all programs have used, and the time of this one and its children; None if unknown."""
    try:
        fields = STAT.read_text().split("\n", 1)[0].split()
        user, nice, system, _, _, irq, softirq, steal = map(int, fields[1:9])
    except (OSError, ValueError):
        return None
    own = os.times()
    ticks = user + nice + system + irq + softirq + steal
    return ticks / os.sysconf("SC_CLK_TCK"), own.user + own.system + own.children_user + own.children_system
