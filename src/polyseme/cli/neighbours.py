"""`polyseme neighbours MODEL WORD_OR_SENSE`"""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from polyseme.cli.arguments import MAX_NEIGHBOURS, JsonFlag, ModelPath, between
from polyseme.cli.output import print_json


def neighbours(
    model: ModelPath,
    word_or_sense: Annotated[str, Parameter(help="Such as bank or bank#2.")],
    /,
    *,
    number: Annotated[
        int, between(1, MAX_NEIGHBOURS), Parameter(name=["--number", "-n"], help="Number of neighbours.")
    ] = 10,
    among: Annotated[
        Literal["senses", "words"],
        Parameter(help="senses: nearest sense of each word. words: by global vectors, as in the paper."),
    ] = "senses",
    json: JsonFlag = False,
) -> None:
    """Show the nearest neighbours of a word or of one of its senses."""
    from polyseme.cli.opening import open_for_query
    from polyseme.model.json_results import neighbours_json

    loaded = open_for_query(model, *(("global vectors",) if among == "words" else ()))
    nearest = loaded.neighbours(word_or_sense, number, among=among)
    if json:
        print_json(neighbours_json(nearest))
    else:
        for n in nearest:
            print(f"{n.similarity:.3f}  {n.key}")
