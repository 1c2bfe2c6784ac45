"""`polyseme refine MODEL OUT`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import SWITCH, ModelPath
from polyseme.cli.signals import interruptible
from polyseme.errors import ConfigError

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

SEVERAL = Parameter(consume_multiple=True, negative="", show_default=False)


def refine(
    model: ModelPath,
    out: Annotated[str, Parameter(help="Folder of the refined model.")],
    /,
    *,
    min_separation: Annotated[
        float | None,
        Parameter(help="Merge senses with a lower separation, by the rule of np-mssg. Raise it for fewer senses."),
    ] = None,
    min_share: Annotated[
        float | None, Parameter(help="Drop senses with a smaller share of their word's tokens, such as 0.05.")
    ] = None,
    merge: Annotated[list[str] | None, SEVERAL, Parameter(help="Senses to merge, such as bank#1+bank#3.")] = None,
    drop: Annotated[
        list[str] | None,
        SEVERAL,
        Parameter(help="Senses to drop, such as bank#4. Their tokens are counted for the nearest sense of the word."),
    ] = None,
    label: Annotated[list[str] | None, SEVERAL, Parameter(help="Names of senses, such as 'bank#2=river bank'.")] = None,
    force: Annotated[bool, SWITCH, Parameter(help="Overwrite OUT.")] = False,
) -> None:
    """Merge, drop or label senses of a finished model, without training. Sense keys keep their numbers."""
    if min_separation is None and min_share is None and not (merge or drop or label):
        raise ConfigError("nothing to refine: give --min-separation, --min-share, --merge, --drop or --label.")
    labels = _parse_labels(label or [])
    from polyseme.cli.opening import open_for_query
    from polyseme.model import storage

    with interruptible():
        storage.refuse_existing(Path(out), force)
        before = open_for_query(model)
        after = before.refine(
            min_separation=min_separation, min_share=min_share, merge=merge or (), drop=drop or (), labels=labels
        )
        after.save(out, force=force)
    print(f"saved     {out}: {_summary(after)} (before: {_summary(before)})", file=sys.stderr)


def _parse_labels(labels: list[str]) -> dict[str, str]:
    """Labels by key, from texts such as `bank#2=river bank`."""
    by_key: dict[str, str] = {}
    for text in labels:
        key, equals, label = text.partition("=")
        if not equals:
            raise ConfigError(f"--label needs a sense and its name, such as 'bank#2=river bank', not '{text}'.")
        if key in by_key:
            raise ConfigError(f"'{key}' is labelled twice; give one label.")
        by_key[key] = label
    return by_key


def _summary(model: SenseModel) -> str:
    num_senses = model._data.num_visible_senses
    return f"{num_senses.sum():,} senses, {(num_senses > 1).sum():,} words with several"
