"""polyseme learns word embeddings with one vector per meaning.

model = polyseme.train("news.txt.zst", "news.model", senses=3, dim=200, seed=1)
for sense in model.senses("bank"):
    print(sense.key, f"{sense.share:.0%}", [n.word for n in sense.neighbours(5)])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["PolysemeError", "SenseModel", "TrainConfig", "__version__", "load", "train"]

if TYPE_CHECKING:
    from polyseme.errors import PolysemeError
    from polyseme.model.sense_model import SenseModel
    from polyseme.training.config import TrainConfig
    from polyseme.training.run import train

    load = SenseModel.load

# Imported when first asked for: `import polyseme` is quick, and a question to a model never waits for a compiler.
_HOMES = {
    "PolysemeError": "polyseme.errors",
    "SenseModel": "polyseme.model.sense_model",
    "TrainConfig": "polyseme.training.config",
    "train": "polyseme.training.run",
}


def __getattr__(name: str) -> Any:
    if name == "load":
        return import_module(_HOMES["SenseModel"]).SenseModel.load
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'polyseme' has no attribute '{name}'")
