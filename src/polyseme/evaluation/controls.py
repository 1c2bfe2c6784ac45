"""The control of every contextual score: the same vectors, with senses drawn at random instead of chosen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Probabilities = NDArray[np.float64]


def drawn_instead(probabilities: Probabilities, shares: Probabilities, random: np.random.Generator) -> Probabilities:
    """The probabilities of a context with a sense drawn by the shares in the place of the most probable one.

    The two change places, so that the control is as sure of its sense as the model is, and only the choice is left
    to chance.
    """
    drawn = int(random.choice(len(shares), p=shares))
    best = int(probabilities.argmax())
    changed = probabilities.copy()
    changed[[best, drawn]] = probabilities[[drawn, best]]
    return changed
