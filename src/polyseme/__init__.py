"""polyseme learns word embeddings with one vector per meaning.

model = polyseme.train("news.txt.zst", "news.model", dim=200, seed=1)
for sense in model.senses("bank"):
    print(sense.key, f"{sense.share:.0%}", [n.word for n in sense.neighbours(5)])
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, whose import would take most of the time of `import polyseme`
__version__ = "0.2.0"
__all__ = [
    "ConfigError", "CorpusError", "DataError", "Disambiguation", "Example", "HubError", "Interrupted", "MissingExtra",
    "MissingFile", "ModelError", "Neighbour", "OutputExists", "PolysemeError", "Sense", "SenseModel",
    "SenseProbability", "SenseVectorizer", "Senses", "Similarity", "TrainConfig", "TrainingError", "UnknownWord",
    "__version__", "export", "load", "train",
]  # fmt: skip

if TYPE_CHECKING:
    from typing import Any

    from polyseme.errors import (
        ConfigError,
        CorpusError,
        DataError,
        HubError,
        Interrupted,
        MissingExtra,
        MissingFile,
        ModelError,
        OutputExists,
        PolysemeError,
        TrainingError,
        UnknownWord,
    )
    from polyseme.examples.store import Example
    from polyseme.formats.export import export
    from polyseme.formats.open_model import open_model as load
    from polyseme.integrations.sklearn import SenseVectorizer
    from polyseme.model.results import (
        Disambiguation,
        Neighbour,
        Sense,
        SenseProbability,
        Senses,
        Similarity,
    )
    from polyseme.model.sense_model import SenseModel
    from polyseme.training.config import TrainConfig
    from polyseme.training.run import train

# Public names by module. They are imported on first access, so that `import polyseme` imports neither NumPy nor Numba.
_MODULES = {
    "polyseme.errors": (
        "ConfigError", "CorpusError", "DataError", "HubError", "Interrupted", "MissingExtra", "MissingFile",
        "ModelError", "OutputExists", "PolysemeError", "TrainingError", "UnknownWord",
    ),
    "polyseme.examples.store": ("Example",),
    "polyseme.formats.export": ("export",),
    "polyseme.integrations.sklearn": ("SenseVectorizer",),
    "polyseme.model.results": ("Disambiguation", "Neighbour", "Sense", "SenseProbability", "Senses", "Similarity"),
    "polyseme.model.sense_model": ("SenseModel",),
    "polyseme.training.config": ("TrainConfig",),
    "polyseme.training.run": ("train",),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "load":
        return import_module("polyseme.formats.open_model").open_model
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module 'polyseme' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
