"""Names that model format version 1 used for settings, their values, and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OLD_SETTINGS = {
    "apartness": "min_separation",
    "center_start": "sense_init",
    "choice_dim": "sense_dim",
    "choice_fade": "sense_decay",
    "choice_window": "sense_window",
    "kept_vectors": "output_vectors",
    "noise_span": "negative_sharing",
    "noise_words": "max_negatives",
}
OLD_VALUES = {"output_vectors": {"sum": "sense+global", "learned": "sense"}}
OLD_ARRAYS = {"choice_vectors": "whitened_vectors"}


def upgrade_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a version 1 model under their current names and values.

    >>> upgrade_settings({"dim": 100, "kept_vectors": "sum"})
    {'dim': 100, 'output_vectors': 'sense+global'}
    """
    renamed = {OLD_SETTINGS.get(name, name): value for name, value in settings.items()}
    return {
        name: OLD_VALUES.get(name, {}).get(value, value) if isinstance(value, str) else value
        for name, value in renamed.items()
    }
