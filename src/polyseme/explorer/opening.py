"""Opening the models of the explorer with their indexes."""

from __future__ import annotations

from collections.abc import Callable

from polyseme.explorer.models import ExploredModel, Session


def open_session(
    paths: list[str],
    corpus: list[str] | None = None,
    reader: str | None = None,
    field: str | None = None,
    *,
    quiet: bool = False,
    check: Callable[[], None] = lambda: None,
) -> Session:
    """Open one or two models; with a corpus, build the index of the first unless it is there."""
    return Session([ExploredModel(path) for path in paths])


def open_index(*a):
    return None
