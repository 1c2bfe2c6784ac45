"""Comparing two words of a model, or the senses of a word in two models, by their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme.explorer.answers import ApiError
from polyseme.explorer.models import ExploredModel, Session
from polyseme.explorer.queries import senses_of
from polyseme.model.data import unit_rows

NUM_COMPARED = 50  # neighbours of each sense
NUM_LISTED = 30  # words that are shared, or not
MAX_MATCHED = 10  # senses that are matched optimally
SHOWN_NEIGHBOURS, SHOWN_EXAMPLES = 10, 5


def compare_words(session: Session, a: str, b: str, model: int) -> dict[str, Any]:
    """The senses of two words, their cosines, and which neighbours they share."""
    opened = session.model(model)
    words = [opened.find(name)[0] for name in (a, b)]
    vectors = [opened.data.arrays.sense_vectors[list(opened.data.rows(w))] for w in words]
    near_a, near_b = (_nearest_senses(opened, w) for w in words)
    names = {opened.data.vocabulary.words[w] for w in words}
    shared: list[dict[str, Any]] = [
        {
            "word": word,
            "a": near_a[word][0],
            "b": near_b[word][0],
            "similarity_a": near_a[word][1],
            "similarity_b": near_b[word][1],
        }
        for word in near_a
        if word in near_b and word not in names
    ]
    shared.sort(key=lambda item: -min(item["similarity_a"], item["similarity_b"]))
    return {
        "a": senses_of(opened, a, SHOWN_NEIGHBOURS, SHOWN_EXAMPLES),
        "b": senses_of(opened, b, SHOWN_NEIGHBOURS, SHOWN_EXAMPLES),
        "similarities": (unit_rows(vectors[0]) @ unit_rows(vectors[1]).T).tolist(),
        "shared": shared[:NUM_LISTED],
        "only_a": _only(near_a, near_b, names, "a"),
        "only_b": _only(near_b, near_a, names, "b"),
    }


def _nearest_senses(opened: ExploredModel, word: int) -> dict[str, tuple[str, float]]:
    """The neighbours of all senses of a word, each with the key of the nearest sense and the cosine, if positive."""
    nearest: dict[str, tuple[str, float]] = {}
    for row in opened.data.rows(word):
        key = opened.data.key(row)
        for neighbour in opened.model.neighbours(key, NUM_COMPARED):
            if neighbour.similarity > nearest.get(neighbour.word, ("", 0.0))[1]:
                nearest[neighbour.word] = key, neighbour.similarity
    return nearest


def _only(
    near: dict[str, tuple[str, float]], other: dict[str, tuple[str, float]], names: set[str], side: str
) -> list[dict[str, Any]]:
    """The neighbours of one word that are not neighbours of the other."""
    found: list[dict[str, Any]] = [
        {"word": word, side: key, f"similarity_{side}": similarity}
        for word, (key, similarity) in near.items()
        if word not in other and word not in names
    ]
    return sorted(found, key=lambda item: -item[f"similarity_{side}"])[:NUM_LISTED]


def compare_models(session: Session, word: str) -> dict[str, Any]:
    """The senses of a word in both models, matched so that the sum of overlaps is highest."""
    if len(session.models) < 2:
        raise ApiError(404, "there is one model; start the explorer with two: polyseme explore MODEL MODEL2")
    found = [opened.data.lookup(word) for opened in session.models]
    if found == [None, None]:
        session.models[0].find(word)  # the error, with words of a similar spelling
    words = [None if match is None else match[0] for match in found]
    first, second = (
        None if w is None else senses_of(opened, opened.data.vocabulary.words[w], SHOWN_NEIGHBOURS, SHOWN_EXAMPLES)
        for opened, w in zip(session.models, words, strict=True)
    )
    near = [
        [] if w is None else [_words_near(opened, row, other) for row in opened.data.rows(w)]
        for opened, other, w in zip(session.models, reversed(session.models), words, strict=True)
    ]
    keys = [
        [] if w is None else [opened.data.key(row) for row in opened.data.rows(w)]
        for opened, w in zip(session.models, words, strict=True)
    ]
    return {"word": word, "first": first, "second": second, "matches": _matches(near[0], near[1], keys[0], keys[1])}


def _words_near(opened: ExploredModel, row: int, other: ExploredModel) -> list[str]:
    """The nearest words of a sense that the other model also has."""
    index = other.data.vocabulary.index
    near = opened.model.neighbours(opened.data.key(row), 2 * NUM_COMPARED)
    return [neighbour.word for neighbour in near if neighbour.word in index][:NUM_COMPARED]


def _matches(
    first: list[list[str]], second: list[list[str]], first_keys: list[str], second_keys: list[str]
) -> list[dict[str, Any]]:
    """Pairs of senses, most similar first; then the senses without a partner."""
    overlaps = np.zeros((len(first), len(second)))
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            overlaps[i, j] = len({*a} & {*b}) / max(min(len(a), len(b)), 1)
    pairs = [(i, j) for i, j in best_assignment(overlaps) if overlaps[i, j] > 0]
    pairs.sort(key=lambda pair: -overlaps[pair])
    matches: list[dict[str, Any]] = [
        {
            "first": first_keys[i],
            "second": second_keys[j],
            "overlap": float(overlaps[i, j]),
            "shared": [word for word in first[i] if word in set(second[j])],
        }
        for i, j in pairs
    ]
    alone = {"overlap": 0.0, "shared": []}
    matches += [
        {"first": key, "second": None, **alone} for i, key in enumerate(first_keys) if i not in {i for i, _ in pairs}
    ]
    matches += [
        {"first": None, "second": key, **alone} for j, key in enumerate(second_keys) if j not in {j for _, j in pairs}
    ]
    return matches


def best_assignment(scores: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The pairs of rows and columns, each at most once, with the highest sum of scores.

    Of more than MAX_MATCHED columns and rows, the best pair is taken again and again instead.

    >>> best_assignment(np.array([[0.9, 0.8], [0.8, 0.1]]))
    [(0, 1), (1, 0)]
    """
    num_rows, num_columns = scores.shape
    if num_columns > num_rows:
        return sorted((i, j) for j, i in best_assignment(scores.T))
    if num_columns > MAX_MATCHED:
        pairs: list[tuple[int, int]] = []
        for flat in np.argsort(-scores, axis=None, kind="stable").tolist():
            i, j = divmod(flat, num_columns)
            if i not in {i for i, _ in pairs} and j not in {j for _, j in pairs}:
                pairs.append((i, j))
        return sorted(pairs)
    best: dict[int, tuple[float, list[tuple[int, int]]]] = {0: (0.0, [])}  # by the set of columns that are taken
    for i in range(num_rows):
        for taken, (score, pairs) in list(best.items()):
            for j in range(num_columns):
                if not taken >> j & 1:
                    longer = score + float(scores[i, j])
                    known = best.get(taken | 1 << j)
                    if known is None or known[0] < longer:
                        best[taken | 1 << j] = longer, [*pairs, (i, j)]
    return sorted(max(best.values(), key=lambda item: item[0])[1])
