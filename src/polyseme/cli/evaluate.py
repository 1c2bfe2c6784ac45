"""`polyseme evaluate MODEL TASK [DATA]`"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from polyseme.cli.arguments import MAX_COUNT, MAX_WINDOW, FieldOption, JsonFlag, ReaderOption, Seed, between
from polyseme.cli.output import bold, print_json
from polyseme.cli.signals import interruptible
from polyseme.errors import MissingExtra

if TYPE_CHECKING:
    from polyseme.evaluation.scores import Evaluation, Score

Task = Literal["scws", "wordsim", "analogy", "wic", "wsi", "pseudowords", "ambiguity", "health"]


def evaluate(
    model: Annotated[Path, Parameter(help="Model folder, or vectors of another program (see polyseme import).")],
    task: Annotated[Task, Parameter(help="Evaluation task.")],
    data: Annotated[
        Path | None,
        Parameter(help="Data set; a corpus for pseudowords, word lists for ambiguity, nothing for health."),
    ] = None,
    /,
    *,
    window: Annotated[
        int | None,
        between(1, MAX_WINDOW),
        Parameter(help="Number of context words on each side.", show_default="as in training"),
    ] = None,
    min_count: Annotated[
        int | None,
        between(1, MAX_COUNT),
        Parameter(help="Minimum number of occurrences of a word, for the task ambiguity; 300 by default."),
    ] = None,
    reader: ReaderOption = None,
    field: FieldOption = None,
    seed: Seed = 1,
    json: JsonFlag = False,
) -> None:
    """Evaluate a model or vectors of other programs. Each score has a 95% confidence interval.

    Scores that depend on the senses have a control as well: the same vectors with senses drawn at random.
    """
    from polyseme.formats.open_model import open_model

    try:
        from polyseme.evaluation.tasks import evaluate as run

        with interruptible():
            evaluation = run(
                open_model(model), task, data, window=window, min_count=min_count, seed=seed, reader=reader, field=field
            )
    except ModuleNotFoundError as error:
        raise MissingExtra(f"evaluate needs {error.name}: pip install 'polyseme[eval]'") from error
    if json:
        print_json(asdict(evaluation))
    else:
        for line in _lines(evaluation):
            print(line)


def _lines(evaluation: Evaluation) -> Iterator[str]:
    """The lines of a table with a row for each score, by group."""
    yield f"{bold(evaluation.task)}  {evaluation.covered:,} of {evaluation.total:,} {evaluation.items}"
    rows = [(group, name, score) for group, scores in evaluation.table.items() for name, score in scores.items()]
    if rows:
        width = max(len(name) for _, name, _ in rows) + 2
        digits = 1 if any(abs(score.value) > 10 for _, _, score in rows) else 3  # percentages or fractions
        yield f"{'':{width}}{'score':>8}  {'95%':^16}  {evaluation.control:>14}  {'incl. OOV':>9}".rstrip()
        last_group = ""
        for group, name, score in rows:
            if group != last_group:
                yield bold(group)
            yield f"  {name:{width - 2}}{_columns(score, digits)}"
            last_group = group
    for name, value in evaluation.facts.items():
        yield f"{name}: {_format_fact(value)}"
    yield from evaluation.notes


def _format_fact(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_format_fact(item)}" for key, item in value.items())
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _columns(score: Score, digits: int) -> str:
    """A score, its interval and its control as the columns of a row."""
    value, low, high, control, including_oov = (
        "" if x is None else f"{x:.{digits}f}"
        for x in (score.value, score.low, score.high, score.control, score.including_oov)
    )
    return f"{value:>8}  {f'{low} to {high}':^16}  {control:>14}  {including_oov:>9}".rstrip()
