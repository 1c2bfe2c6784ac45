"""`polyseme similarity MODEL WORD WORD [--contexts TEXT TEXT]`"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import JsonFlag, ModelPath, PosteriorName
from polyseme.cli.output import print_json


def similarity(
    model: ModelPath,
    a: Annotated[str, Parameter(help="Word or sense.")],
    b: Annotated[str, Parameter(help="Word or sense.")],
    /,
    *,
    contexts: Annotated[
        tuple[str, str] | None, Parameter(negative="", help="A text with each of the two words.")
    ] = None,
    posterior: PosteriorName = None,
    json: JsonFlag = False,
) -> None:
    """Show the similarity of two words: global_sim, avg_sim, max_sim; with contexts avg_sim_c, max_sim_c, local_sim."""
    from polyseme.cli.opening import open_for_query
    from polyseme.model.json_results import similarity_json

    loaded = open_for_query(model, "global vectors", *(() if contexts is None else ("contexts",)))
    measures = similarity_json(loaded.similarity(a, b, contexts=contexts, posterior=posterior))
    if json:
        print_json(measures)
    else:
        for name, value in measures.items():
            print(f"{value:6.3f}  {name}")
