"""`polyseme senses MODEL WORD`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import MAX_EXAMPLES, MAX_NEIGHBOURS, JsonFlag, ModelPath, between
from polyseme.cli.output import bold, highlight_marks, one_line, print_json

if TYPE_CHECKING:
    from polyseme.model.results import Senses


def senses(
    model: ModelPath,
    word: Annotated[str, Parameter(help="Such as bank.")],
    /,
    *,
    neighbours: Annotated[int, between(0, MAX_NEIGHBOURS), Parameter(help="Number of neighbours of each sense.")] = 10,
    examples: Annotated[
        int, between(0, MAX_EXAMPLES), Parameter(help="Number of example sentences of each sense.")
    ] = 3,
    json: JsonFlag = False,
) -> None:
    """Show the senses of a word: share of its tokens, neighbours and example sentences."""
    from polyseme.cli.opening import open_for_query
    from polyseme.model.json_results import senses_json

    result = open_for_query(model, "shares").senses(word)
    if json:
        print_json(senses_json(result, neighbours, examples))
    else:
        print_senses(result, neighbours, examples)


def print_senses(senses: Senses, neighbours: int, examples: int) -> None:
    """Print senses as text, with so many neighbours and examples each."""
    left, right = highlight_marks()
    for sense in senses:
        near = ", ".join(n.key for n in sense.neighbours(neighbours)) if neighbours else ""
        label = f" ({sense.label})" if sense.label else ""
        print(f"{bold(sense.key)}{label}  {sense.share:.0%}  {near}")
        for example in sense.examples[:examples]:
            print(f"    {one_line(example.marked(left, right))}")
    if senses.hidden:
        plural = "s" if senses.hidden > 1 else ""
        print(f"({senses.hidden} rarer sense{plural} not shown)")
