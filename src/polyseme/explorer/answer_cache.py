"""Answers that were given before, up to a number of bytes; the least recently used ones are forgotten first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

MAX_BYTES = 8 << 20  # some hundred answers: more than one goes back to


class AnswerCache:
    """Answers by request. It can be used by several threads."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._size = 0
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, request: Hashable) -> bytes | None:
        with self._lock:
            if request in self._answers:
                self._answers.move_to_end(request)
            return self._answers.get(request)

    def put(self, request: Hashable, answer: bytes) -> None:
        with self._lock:
            self._size += len(answer) - len(self._answers.pop(request, b""))
            self._answers[request] = answer
            while self._size > self.max_bytes:
                self._size -= len(self._answers.popitem(last=False)[1])
