"""A model as gensim's KeyedVectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyseme.errors import MissingExtra
from polyseme.model.data import ModelData

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def keyed_vectors(data: ModelData) -> KeyedVectors:
    """The visible senses with their keys (`bank#1`), vectors and counts."""
    try:
        from gensim.models import KeyedVectors
    except ModuleNotFoundError as error:
        raise MissingExtra(f"to_gensim needs {error.name}: pip install 'polyseme[gensim]'") from error
    vectors = KeyedVectors(data.arrays.dim)
    vectors.add_vectors(data.visible_keys, data.arrays.sense_vectors[data.visible_rows])
    vectors.expandos["count"] = data.arrays.sense_counts[data.visible_rows]
    return vectors
