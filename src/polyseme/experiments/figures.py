"""The figures of the report, drawn with matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure as Canvas

from polyseme.evaluation.scores import Score
from polyseme.experiments.report import Figure

SIZE = (7.5, 4.2)  # inches
COLORS = ("#1f5fa8", "#c2571a", "#3d8b4f", "#7a4d9e", "#8a8a8a")


def histogram(name: str, title: str, counts: Mapping[str, Mapping[int, int]], note: str) -> Figure:
    """Number of words by number of senses, as one series of bars per model."""
    canvas, axes = _new_canvas("senses", "words")
    width = 0.8 / len(counts)
    num_senses = sorted({number for model_counts in counts.values() for number in model_counts})
    for i, (label, model_counts) in enumerate(counts.items()):
        xs = [number + (i - (len(counts) - 1) / 2) * width for number in num_senses]
        axes.bar(xs, [model_counts.get(number, 0) for number in num_senses], width, label=label, color=COLORS[i])
    axes.set_xticks(num_senses)
    axes.legend(frameon=False)
    return Figure(name, title, _png(canvas), note)


def lines(
    name: str, title: str, x_label: str, x_values: Sequence[int], scores: Mapping[str, Sequence[Score]], note: str
) -> Figure:
    """One line of scores per measure with 95% intervals; its control is a dotted line in the same color.

    scores  by measure, one score per x value
    """
    canvas, axes = _new_canvas(x_label, "Spearman x 100")
    for i, (measure, series) in enumerate(scores.items()):
        xs = [n + 0.06 * (i - (len(scores) - 1) / 2) for n in range(len(x_values))]  # keeps error bars from overlapping
        values = [score.value for score in series]
        below = [score.value - score.low for score in series]
        above = [score.high - score.value for score in series]
        axes.errorbar(xs, values, (below, above), marker="o", capsize=3, color=COLORS[i], label=measure)
        controls = [float("nan") if score.control is None else score.control for score in series]
        axes.plot(xs, controls, ":", marker=".", color=COLORS[i], label=f"{measure}, random senses")
    axes.set_xticks(range(len(x_values)), [str(value) for value in x_values])
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return Figure(name, title, _png(canvas), note)


def _new_canvas(x_label: str, y_label: str) -> tuple[Canvas, mpl.axes.Axes]:
    canvas = Canvas(figsize=SIZE, layout="constrained")
    axes = canvas.add_subplot()
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e4e4e4")
    axes.set_axisbelow(True)
    return canvas, axes


def _png(canvas: Canvas) -> bytes:
    out = io.BytesIO()
    canvas.savefig(out, format="png", dpi=150)
    return out.getvalue()
