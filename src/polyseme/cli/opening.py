"""Opening a model for a query, with notes on what an imported model lacks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

from polyseme.errors import DataError

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

Need = Literal["senses", "shares", "contexts", "global vectors"]


def open_for_query(path: str, *needs: Need) -> SenseModel:
    """Open a model folder or vectors of another program.

    If vectors lack what the query needs, a note on standard error says what is assumed instead. DataError if the query
    needs several senses per word and there are none.
    """
    from polyseme.formats.open_model import open_model

    model = open_model(path)
    if "imported_from" not in model.config:
        return model
    missing = model._data.missing
    if not (model._data.num_visible_senses > 1).any():
        if "senses" in needs:
            raise DataError(
                f"{path} has one vector per word, so there is no sense to choose; give a model with senses."
            )
        return model
    if "shares" in needs and "shares" in missing:
        _note(f"{path} has no counts; the senses of a word are assumed to be equally frequent.")
    if "contexts" in needs and "global_vectors" in missing:
        _note(f"{path} has no global vectors; contexts are compared with the sense vectors, which is less accurate.")
    if "global vectors" in needs and "global_vectors" in missing:
        _note(f"{path} has no global vectors; that of a word is assumed to be the mean of its senses.")
    return model


def _note(text: str) -> None:
    print(f"polyseme: {text}", file=sys.stderr)
