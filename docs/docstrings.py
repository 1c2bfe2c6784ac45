"""Docstrings of polyseme as reStructuredText: parameters in columns become fields, and so do errors.

word   the word            :param word: the word
n      how many            :param n: how many
Raises UnknownWord if ...  :raises UnknownWord: if ...
Returns the model.         :returns: the model.
"""

from __future__ import annotations

import re

COLUMNS = re.compile(r"(\w+)( {2,})(\S.*)")
RAISES = re.compile(r"Raises (\w+) (.*)")
RETURNS = re.compile(r"Returns (.*)")


def to_restructured_text(lines: list[str]) -> list[str]:
    """The lines of a docstring, without its indentation, with fields for parameters and errors.

    >>> to_restructured_text(["Find it.", "", "n  how many", "   of them", "Raises UnknownWord if there is none."])
    ['Find it.', '', '', ':param n: how many of them', ':raises UnknownWord: if there is none.', '']
    """
    text: list[str] = []
    fields: list[str] = []
    indent = 0
    for line in lines:
        column, error, result = COLUMNS.fullmatch(line), RAISES.fullmatch(line), RETURNS.fullmatch(line)
        if column:
            fields.append(f":param {column[1]}: {column[3]}")
            indent = column.end(2)
        elif error:
            fields.append(f":raises {error[1]}: {error[2]}")
            indent = 1
        elif result:
            fields.append(f":returns: {result[1]}")
            indent = 1
        elif indent and line.startswith(" " * indent) and line.strip():
            fields[-1] += " " + line.strip()
        else:
            indent = 0
            text.append(line)
    text, examples = _split_examples(text)
    quoted = [re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line) for line in [*text, "", *fields, ""]]
    return [*quoted, *examples]


def _split_examples(lines: list[str]) -> tuple[list[str], list[str]]:
    """The text before the first example, and the examples."""
    first = next((i for i, line in enumerate(lines) if line.startswith(">>>")), len(lines))
    return lines[:first], lines[first:]
