"""The control of the scores in context: the same vectors, with random senses in place of the most probable ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Probabilities = NDArray[np.float64]  # of the senses of a word in a context
PairProbabilities = tuple[Probabilities, Probabilities]  # in the two contexts of a pair


def with_random_sense(probabilities: Probabilities, shares: Probabilities, rng: np.random.Generator) -> Probabilities:
    """The probabilities of a word's senses, with a random sense as the most probable one.

    The sense is sampled by the senses' shares and swaps its probability with the most probable sense. So the control
    has the same confidence as the model, and differs only in the sense that it chooses.
    """
    sampled = int(rng.choice(len(shares), p=shares))
    best = int(probabilities.argmax())
    swapped = probabilities.copy()
    swapped[[best, sampled]] = probabilities[[sampled, best]]
    return swapped
