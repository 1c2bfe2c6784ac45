"""The results of queries as JSON values: what `--json` prints and what the explorer's API answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from polyseme.examples.store import Example
from polyseme.model.results import Neighbour, Sense, Senses, Similarity

if TYPE_CHECKING:
    from polyseme.model.tagging import TaggedPiece  # imports Numba, which most queries do not need

DIGITS = 4  # of the probabilities of senses in a tagged text


def senses_json(senses: Senses, neighbours: int, examples: int) -> dict[str, Any]:
    """The senses of a word, with so many neighbours and examples each."""
    return {
        "word": senses.word,
        "hidden": senses.hidden,
        "senses": [sense_json(sense, neighbours, sense.examples[:examples]) for sense in senses],
    }


def sense_json(sense: Sense, neighbours: int, examples: Iterable[Example]) -> dict[str, Any]:
    return {
        "key": sense.key,
        "label": sense.label,
        "share": sense.share,
        "count": sense.count,
        "neighbours": neighbours_json(sense.neighbours(neighbours)) if neighbours else [],
        "examples": [example_json(example) for example in examples],
    }


def example_json(example: Example) -> dict[str, str]:
    return {"text": example.text, **example._asdict()}


def neighbours_json(neighbours: Iterable[Neighbour]) -> list[dict[str, Any]]:
    return [vars(neighbour) for neighbour in neighbours]


def similarity_json(similarity: Similarity) -> dict[str, float]:
    """The measures that were computed."""
    return {name: value for name, value in vars(similarity).items() if value is not None}


def tokens_json(pieces: Iterable[TaggedPiece]) -> list[dict[str, Any]]:
    """The pieces of a tagged text."""
    return [
        {"text": piece.text}
        if piece.key is None
        else {
            "text": piece.text,
            "key": piece.key,
            "probabilities": {key: round(p, DIGITS) for key, p in piece.probabilities.items()},
        }
        for piece in pieces
    ]
