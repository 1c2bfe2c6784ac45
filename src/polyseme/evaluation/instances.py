"""Words in contexts, as data sets give them, and the senses that a model finds there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.evaluation.text_files import Line
from polyseme.model.disambiguation import Posterior, context_around, sense_probabilities

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

MARKED = re.compile(r"^(.*?)<b>(.*?)</b>(.*)$", re.DOTALL)


@dataclass(frozen=True)
class Instance:
    """A word, and what stands to the left and right of it."""

    word: str
    left: str
    right: str


def marked(word: str, text: str, line: Line) -> Instance:
    """A word at the place that `<b>` and `</b>` mark."""
    found = MARKED.match(text)
    if not found:
        raise line.wrong(f"the context of '{word}' has no <b>...</b> around it.")
    return Instance(word, found[1], found[3])


def probabilities_of(
    model: SenseModel, occurrence: Instance, posterior: Posterior = "softmax", window: int | None = None
) -> NDArray[np.float64]:
    """The probabilities of the shown senses of a known word in its context."""
    word = model._data.find(occurrence.word)[0]
    context = context_around(model._data, occurrence.left, occurrence.right, window)
    return sense_probabilities(model._data, word, context, posterior)
