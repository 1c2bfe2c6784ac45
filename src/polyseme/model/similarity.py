"""Similarity of two words: the paper's four measures, and the two that later work adds.

With u_i, v_j the senses of the two words and p, q their probabilities in the contexts:

    global_sim  cos(v_g(a), v_g(b))           avg_sim_c  sum of p_i q_j cos(u_i, v_j)
    avg_sim     mean of cos(u_i, v_j)         local_sim  cos of the most probable senses
    max_sim     max of cos(u_i, v_j)          max_sim_c  the same, under the name of Reisinger and Mooney (2010)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ConfigError
from polyseme.model.disambiguation import Posterior, context_of, sense_probabilities
from polyseme.model.neighbours import unit_rows
from polyseme.model.results import Similarity

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel


def similarity(model: SenseModel, a: str, b: str, contexts: tuple[str, ...] | None, posterior: Posterior) -> Similarity:
    """See `SenseModel.similarity`; a sense key stands for that sense alone."""
    (word_a, row_a), (word_b, row_b) = model.find(a), model.find(b)
    rows_a = list(model.rows(word_a)) if row_a is None else [row_a]
    rows_b = list(model.rows(word_b)) if row_b is None else [row_b]
    senses, words = model.arrays.sense_vectors, model.arrays.global_vectors
    cosines = unit_rows(senses[rows_a]) @ unit_rows(senses[rows_b]).T
    plain = Similarity(
        global_sim=float((unit_rows(words[[word_a]]) @ unit_rows(words[[word_b]]).T)[0, 0]),
        avg_sim=float(cosines.mean()),
        max_sim=float(cosines.max()),
    )
    if contexts is None:
        return plain
    if len(contexts) != 2 or row_a is not None or row_b is not None:
        raise ConfigError("contexts go with two words: give two contexts, and words rather than senses.")
    p, q = (
        sense_probabilities(model, word, context_of(model, word, context, None), posterior)
        for word, context in zip((word_a, word_b), contexts, strict=True)
    )
    return replace(plain, **in_contexts(cosines, p, q))


def in_contexts(cosines: NDArray[np.float32], p: NDArray[np.float64], q: NDArray[np.float64]) -> dict[str, float]:
    """The measures that need contexts, from the cosines of all senses and their probabilities."""
    local_sim = float(cosines[p.argmax(), q.argmax()])
    return {"avg_sim_c": float(p @ cosines @ q), "max_sim_c": local_sim, "local_sim": local_sim}
