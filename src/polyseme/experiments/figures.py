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
    name: str, title: str, across: str, places: Sequence[int], scores: Mapping[str, Sequence[Score]], note: str
) -> Figure:
    """A line of scores for each measure with its 95% interval; its control is dotted, in the same color."""
    canvas, axes = _canvas(across, "Spearman x 100")
    for i, (measure, each) in enumerate(scores.items()):
        xs = [n + 0.06 * (i - (len(scores) - 1) / 2) for n in range(len(places))]  # side by side
        values = [score.value for score in each]
        below = [score.value - score.low for score in each]
        above = [score.high - score.value for score in each]
        axes.errorbar(xs, values, (below, above), marker="o", capsize=3, color=COLORS[i], label=measure)
        controls = [float("nan") if score.control is None else score.control for score in each]
        axes.plot(xs, controls, ":", marker=".", color=COLORS[i], label=f"{measure}, random senses")
    axes.set_xticks(range(len(places)), [str(place) for place in places])
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
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
