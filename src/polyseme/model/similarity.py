"""Similarity of two words: the paper's four measures, and two of later work.

With u_i and v_j the sense vectors of the two words, and p_i and q_j the probabilities of their senses in context:

    global_sim  cos(v_g(a), v_g(b))           avg_sim_c  sum over i, j of p_i q_j cos(u_i, v_j)
    avg_sim     mean of cos(u_i, v_j)         local_sim  cosine of the two most probable senses
    max_sim     maximum of cos(u_i, v_j)      max_sim_c  another name of local_sim (Reisinger and Mooney 2010)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ConfigError
from polyseme.model.data import ModelData, unit_rows
from polyseme.model.disambiguation import Posterior, context_of, sense_probabilities
from polyseme.model.results import Similarity


def similarity(
    data: ModelData, a: str, b: str, contexts: tuple[str, ...] | None, posterior: Posterior | None
) -> Similarity:
    """See `SenseModel.similarity`; a sense key stands for that sense alone."""
    (word_a, row_a), (word_b, row_b) = data.find(a), data.find(b)
    rows_a = list(data.rows(word_a)) if row_a is None else [row_a]
    rows_b = list(data.rows(word_b)) if row_b is None else [row_b]
    senses, words = data.arrays.sense_vectors, data.arrays.global_vectors
    cosines = unit_rows(senses[rows_a]) @ unit_rows(senses[rows_b]).T
    without_contexts = Similarity(
        global_sim=None if words is None else float((unit_rows(words[[word_a]]) @ unit_rows(words[[word_b]]).T)[0, 0]),
        avg_sim=float(cosines.mean()),
        max_sim=float(cosines.max()),
    )
    if contexts is None:
        return without_contexts
    if len(contexts) != 2 or row_a is not None or row_b is not None:
        raise ConfigError("contexts need two words, not senses, and one context for each word.")
    p, q = (
        sense_probabilities(data, word, context_of(data, word, context, None), posterior)
        for word, context in zip((word_a, word_b), contexts, strict=True)
    )
    return replace(without_contexts, **similarity_in_context(cosines, p, q))


def similarity_in_context(
    cosines: NDArray[np.float32], p: NDArray[np.float64], q: NDArray[np.float64]
) -> dict[str, float]:
    """The measures that need contexts, from the cosines of all pairs of senses and the senses' probabilities."""
    local_sim = float(cosines[p.argmax(), q.argmax()])
    return {"avg_sim_c": float(p @ cosines @ q), "max_sim_c": local_sim, "local_sim": local_sim}
