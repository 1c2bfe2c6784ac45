"""The values of config.json that queries and the model card use: their types and ranges."""

from __future__ import annotations

from typing import Any, get_args

from polyseme._io.strict_json import check_types
from polyseme.errors import shorten
from polyseme.model.disambiguation import Posterior

MAX_WINDOW = 1_000_000

TYPES: dict[str, dict[str, type]] = {
    "settings": {"model": str, "window": int, "subsample": float},
    "corpus": {"tokens": int, "sentences": int},
    "training": {"seconds": float, "loss": float, "threads": int},
}
OPTIONAL_TYPES: dict[str, dict[str, type]] = {  # depending on whether a model was trained or imported, and when
    "settings": {
        "sense_window": int, "sense_decay": float, "multi_sense_top": int, "multi_sense_min_count": int,
        "phrases": bool, "min_share": float, "posterior": str, "examples": int, "imported_from": str, "missing": str,
        "duplicates": int,
    },
    "corpus": {"bad_bytes": int},
    "training": {"sense_distance": float},
}  # fmt: skip
MAX_NUMBER = 10**9  # of a sense
LIMITS: dict[str, tuple[float, float]] = {  # other numbers, except the loss, are 0 or more
    "window": (1, MAX_WINDOW),
    "sense_window": (0, MAX_WINDOW),
    "sense_decay": (0, 1),
    "subsample": (0, 1),
    "min_share": (0, 1),
}


def check_config(config: dict[str, Any]) -> None:
    """Raise ValueError if a value is missing, has another type, or is out of range."""
    check_types(config, {"tokenizer": str})
    for part, types in TYPES.items():
        values = config.get(part)
        if not isinstance(values, dict):
            raise ValueError(f"'{part}' is missing")
        present = {name: kind for name, kind in OPTIONAL_TYPES[part].items() if name in values}
        check_types(values, types | present)
        for name, kind in (types | present).items():
            low, high = LIMITS.get(name, (0, float("inf")))
            if kind is not str and name != "loss" and not low <= values[name] <= high:
                raise ValueError(f"'{name}' is out of range: {shorten(values[name])}")
    _check_multi_sense_words(config["settings"])
    _check_dtype(config)
    if config["settings"].get("phrases", False) != ("phrases.txt" in config["files"]):
        raise ValueError("the setting 'phrases' and the list of files contradict each other")
    posterior, posteriors = config["settings"].get("posterior", "softmax"), get_args(Posterior)
    if posterior not in posteriors:
        raise ValueError(f"'posterior' must be {' or '.join(posteriors)}, not '{shorten(posterior)}'")
    labels, refinements = config.get("labels", {}), config.get("refinements", [])
    if not (isinstance(labels, dict) and all(isinstance(label, str) for label in labels.values())):
        raise ValueError("'labels' must be an object of strings")
    if not (isinstance(refinements, list) and all(isinstance(options, str) for options in refinements)):
        raise ValueError("'refinements' must be a list of strings")
    last_numbers = config.get("last_numbers", {})
    if not (
        isinstance(last_numbers, dict)
        and all(type(number) is int and 0 < number <= MAX_NUMBER for number in last_numbers.values())
    ):
        raise ValueError(f"'last_numbers' must be an object of numbers from 1 to {MAX_NUMBER:,}")
    _check_continued_from(config.get("continued_from", []))
    for name, entry in config["files"].items():
        if not isinstance(entry, dict):
            raise ValueError(f"the entry of {name} is not an object with 'bytes' and 'sha256'")
        check_types(entry, {"bytes": int, "sha256": str})


def _check_continued_from(models: Any) -> None:
    if not (isinstance(models, list) and all(isinstance(model, dict) for model in models)):
        raise ValueError("'continued_from' must be a list of objects")
    for model in models:
        check_types(model, {"fingerprint": str, "corpus": dict, "training": dict, "refinements": list})
        check_types(model["corpus"], {"tokens": int})


def _check_multi_sense_words(settings: dict[str, Any]) -> None:
    """The settings that say which words may have several senses are all present, or none is."""
    names = ("multi_sense_top", "multi_sense_min_count", "multi_sense_words")
    present = [name for name in names if name in settings]
    if present and len(present) < len(names):
        raise ValueError(f"'{present[0]}' is given without the other settings of multi_sense")
    words = settings.get("multi_sense_words")
    if words is not None and not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
        raise ValueError("'multi_sense_words' must be a list of words")


def _check_dtype(config: dict[str, Any]) -> None:
    """Models have a dtype since version 3; float32 models are written without it, as version 2 if without phrases."""
    if config["format_version"] < 3:
        if "dtype" in config:
            raise ValueError(f"'dtype' is not part of format version {config['format_version']}")
    elif "dtype" not in config and config["settings"].get("phrases"):
        return
    elif config.get("dtype") not in ("int8", "float16"):
        raise ValueError(f"'dtype' must be int8 or float16, not {shorten(repr(config.get('dtype')))}")
