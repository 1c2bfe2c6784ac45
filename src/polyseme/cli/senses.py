"""`polyseme senses MODEL WORD`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polyseme.cli.arguments import JsonFlag, ModelPath
from polyseme.cli.output import bold, marks, one_line, print_json

if TYPE_CHECKING:
    from polyseme.model.results import Senses


def senses(
    model: ModelPath,
    word: str,
    /,
    *,
    neighbours: Annotated[int, Parameter(help="Neighbours of each sense.")] = 10,
    examples: Annotated[int, Parameter(help="Example sentences of each sense.")] = 3,
    json: JsonFlag = False,
) -> None:
    """The senses of a word: share of its uses, neighbours and example sentences."""
    from polyseme.model.sense_model import SenseModel

    found = SenseModel.load(model).senses(word)
    if json:
        print_json(as_json(found, neighbours, examples))
    else:
        print_senses(found, neighbours, examples)


def print_senses(found: Senses, neighbours: int, examples: int) -> None:
    """For people."""
    left, right = marks()
    for sense in found:
        near = ", ".join(n.key for n in sense.neighbours(neighbours)) if neighbours else ""
        print(f"{bold(sense.key)}  {sense.share:.0%}  {near}")
        for example in sense.examples[:examples]:
            print(f"    {one_line(example.marked(left, right))}")
    if found.hidden:
        print(f"({found.hidden} more with less than 1% of the tokens {'is' if found.hidden == 1 else 'are'} not shown)")


def as_json(found: Senses, neighbours: int, examples: int) -> dict[str, Any]:
    """For machines."""
    return {
        "word": found.word,
        "hidden": found.hidden,
        "senses": [
            {
                "key": sense.key,
                "share": sense.share,
                "count": sense.count,
                "neighbours": [vars(n) for n in sense.neighbours(neighbours)] if neighbours else [],
                "examples": [{"text": e.text, **e._asdict()} for e in sense.examples[:examples]],
            }
            for sense in found
        ],
    }
