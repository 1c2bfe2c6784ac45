"""The neighbours of all senses of a word in two dimensions, by principal component analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.explorer.models import Session
from polyseme.model.data import unit_rows


def sense_map(session: Session, word: str, n: int, model: int) -> dict[str, Any]:
    """Positions of the senses of a word and of the n nearest neighbours of each; always the same for a model."""
    opened = session.model(model)
    data = opened.data
    w, _ = opened.find(word)
    rows = list(data.rows(w))
    keys = [data.key(row) for row in rows]
    near = {neighbour.key: neighbour for key in keys for neighbour in opened.model.neighbours(key, n)}
    vectors = unit_rows(np.array([opened.model.vector(key) for key in [*keys, *near]], np.float32))
    positions, explained = project(vectors)
    cosines = vectors[len(keys) :] @ vectors[: len(keys)].T
    points = [
        {
            "key": neighbour.key,
            "word": neighbour.word,
            "sense": keys[int(of_point.argmax())],
            "similarity": float(of_point.max()),
            "x": x,
            "y": y,
        }
        for neighbour, of_point, (x, y) in zip(near.values(), cosines, positions[len(keys) :].tolist(), strict=True)
    ]
    senses = [{"key": key, "x": x, "y": y} for key, (x, y) in zip(keys, positions.tolist(), strict=False)]
    return {"word": data.vocabulary.words[w], "senses": senses, "points": points, "explained": explained}


def project(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    """(k, 2) The first two principal components of vectors, and the share of the variance that they explain.

    The largest number of each component is positive, so that the result does not depend on the signs of eigenvectors.

    >>> positions, explained = project(np.array([[1, 0, 5], [-1, 0, 5], [0, 2, 5], [0, -2, 5]], np.float32))
    >>> positions.round(2).tolist(), round(explained, 2)
    ([[0.0, 1.0], [0.0, -1.0], [2.0, 0.0], [-2.0, 0.0]], 1.0)
    """
    centered = np.nan_to_num(vectors.astype(np.float64))
    centered -= centered.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    positions = np.zeros((len(vectors), 2))
    num_components = min(2, len(sizes))
    positions[:, :num_components] = (left * sizes)[:, :num_components]
    largest = positions[np.abs(positions.round(9)).argmax(axis=0), np.arange(2)]
    positions *= np.where(largest < 0, -1.0, 1.0)
    total = float((sizes**2).sum())
    return positions + 0.0, float((sizes[:2] ** 2).sum() / total) if total else 1.0
