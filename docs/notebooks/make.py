"""Write the notebook from the cells below, with the output that they print.

python docs/notebooks/make.py
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "senses.ipynb"
CELLS = [
    """# Senses in a notebook

This notebook trains a model on the text that comes with polyseme, 2 million words of Simple English Wikipedia, and
looks at the senses of a word. It runs in about ten seconds.""",
    """    from importlib.resources import files

    import polyseme

    text = files("polyseme") / "data" / "simplewiki.txt.xz"
    model = polyseme.train(text, dim=50, epochs=3, threads=1, seed=1, quiet=True)
    print(model)""",
    """## The senses of a word

A sense has a key, a share of the word's occurrences, neighbours, and example sentences.""",
    """    word = "star"
    for sense in model.senses(word):
        print(f"{sense.key}  {sense.share:.0%}  {', '.join(n.word for n in sense.neighbours(6))}")
        for example in sense.examples[:2]:
            print("   ", example.marked())""",
    """## Which words have several senses?

Most words have one. These are the most frequent ones that have several:""",
    """    several = [word for word in model.vocabulary.words if len(model.senses(word)) > 1]
    print(f"{len(several)} of {len(model):,} words, such as", ", ".join(several[:15]))""",
    """## The sense in a context

`disambiguate` gives the probability of each sense. `tag` marks all ambiguous words of a text.""",
    """    for context in ("the star of the movie won an award", "the light of a star in the sky"):
        for sense in model.disambiguate(word, context).senses:
            print(f"{sense.key}  {sense.probability:.2f}  {context}")

    print(model.tag("The star of the movie looked at a star in the sky."))""",
    """## Vectors

Each sense has a vector of its own. The nearest neighbours of the word as a whole mix both meanings.""",
    """    import numpy as np

    keys = [word, *(sense.key for sense in model.senses(word))]
    for key in keys:
        print(f"{key:8}", ", ".join(neighbour.word for neighbour in model.neighbours(key, 6)))

    vectors = np.array([model.vector(key) for key in keys])
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    print(np.round(units @ units.T, 2))""",
    """## Shares

How is the most frequent sense of each ambiguous word distributed? A share near 1 means that one meaning dominates.""",
    """    shares = [model.senses(word)[0].share for word in several]
    counts, edges = np.histogram(shares, bins=8, range=(0.2, 1))
    for count, low, high in zip(counts, edges, edges[1:], strict=False):
        print(f"{low:.0%} to {high:.0%}  {'#' * (count * 40 // max(counts))} {count}")""",
    """## Where to go next

Save the model with `model.save("star.model")` and open it with `polyseme.load`. The tutorial and the guides have the
rest.""",
]


def make(cells: list[str]) -> dict[str, Any]:
    """The notebook: indented cells are code, and are run."""
    names: dict[str, Any] = {"__name__": "__main__"}
    made: list[dict[str, Any]] = []
    count = 0
    for i, text in enumerate(cells):
        if not text.startswith("    "):
            made.append({"cell_type": "markdown", "id": f"cell-{i}", "metadata": {}, "source": lines(text)})
            continue
        source = "\n".join(line[4:] for line in text.split("\n"))
        count += 1
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(source, f"cell-{i}", "exec"), names)
        output = {"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())}
        made.append({
            "cell_type": "code", "id": f"cell-{i}", "execution_count": count, "metadata": {}, "source": lines(source),
            "outputs": [output] if printed.getvalue() else [],
        })  # fmt: skip
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        PATH.write_text(json.dumps(make(CELLS), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
