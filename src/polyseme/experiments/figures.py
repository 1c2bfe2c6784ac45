"""The figures of the report, drawn with matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure as Canvas

from polyseme.evaluation.scores import Score
from polyseme.experiments.report import Figure

SIZE = (7.5, 4.2)
COLORS = ("#1f5fa8", "#c2571a", "#3d8b4f", "#7a4d9e", "#8a8a8a")


def histogram(name: str, title: str, counts: Mapping[str, Mapping[int, int]], note: str) -> Figure:
    """How many words have how many senses, a bar for each model."""
    canvas, axes = _canvas("senses", "words")
    width = 0.8 / len(counts)
    numbers = sorted({number for each in counts.values() for number in each})
    for i, (label, each) in enumerate(counts.items()):
        places = [number + (i - (len(counts) - 1) / 2) * width for number in numbers]
        axes.bar(places, [each.get(number, 0) for number in numbers], width, label=label, color=COLORS[i])
    axes.set_xticks(numbers)
    axes.legend(frameon=False)
    return Figure(name, title, _png(canvas), note)


def lines(
    name: str, title: str, across: str, places: Sequence[int], scores: Mapping[str, Sequence[Score | None]], note: str
) -> Figure:
    """A line of scores for each measure with its 95% interval, and the random control as dots of the same color."""
    canvas, axes = _canvas(across, "Spearman x 100")
    for color, (measure, each) in zip(COLORS, scores.items(), strict=False):
        seen = [(place, score) for place, score in zip(places, each, strict=True) if score is not None]
        xs = [place for place, _ in seen]
        axes.plot(xs, [score.value for _, score in seen], marker="o", color=color, label=measure)
        axes.fill_between(xs, [s.low for _, s in seen], [s.high for _, s in seen], color=color, alpha=0.12, linewidth=0)
        control = [(place, score.control) for place, score in seen if score.control is not None]
        if measure != "avg_sim":
            axes.plot(*zip(*control, strict=True), ":", marker=".", color=color) if control else None
    axes.set_xticks(places)
    axes.legend(frameon=False)
    return Figure(name, title, _png(canvas), note)


def _canvas(across: str, up: str) -> tuple[Canvas, mpl.axes.Axes]:
    canvas = Canvas(figsize=SIZE, layout="constrained")
    axes = canvas.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e4e4e4")
    axes.set_axisbelow(True)
    return canvas, axes


def _png(canvas: Canvas) -> bytes:
    out = io.BytesIO()
    canvas.savefig(out, format="png", dpi=150)
    return out.getvalue()
