"""The figures of the report, drawn with matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure as Canvas

from polyseme.evaluation.scores import Score
from polyseme.experiments.report import Figure

HISTOGRAM_SIZE, PANELS_SIZE = (7.5, 4.2), (10.5, 4.4)  # inches
COLORS = ("#1f5fa8", "#c2571a", "#3d8b4f", "#7a4d9e", "#8a8a8a")

Series = Mapping[str, Sequence[Score | None]]  # by measure, a score per x value; None if it is missing


def histogram(name: str, title: str, counts: Mapping[str, Mapping[int, int]], note: str) -> Figure:
    """Percentage of words by number of senses, as one series of bars per model."""
    canvas = Canvas(figsize=HISTOGRAM_SIZE, layout="constrained")
    axes = canvas.add_subplot()
    _style(axes, "senses per word", "% of words")
    width = 0.8 / max(len(counts), 1)
    num_senses = sorted({number for model_counts in counts.values() for number in model_counts})
    for i, (label, model_counts) in enumerate(counts.items()):
        xs = [number + (i - (len(counts) - 1) / 2) * width for number in num_senses]
        total = max(sum(model_counts.values()), 1)
        heights = [100 * model_counts.get(number, 0) / total for number in num_senses]
        axes.bar(xs, heights, width, label=f"{label} ({total:,} words)", color=COLORS[i % len(COLORS)])
    axes.set_xticks(num_senses)
    if counts:
        axes.legend(frameon=False)
    return Figure(name, title, _png(canvas), note)


def lines(
    name: str, title: str, x_label: str, x_values: Sequence[int], panels: Mapping[str, Series], note: str
) -> Figure:
    """Panels side by side, each with one line of scores per measure with 95% intervals.

    The control of a measure is a dotted line in the same color.
    """
    canvas = Canvas(figsize=PANELS_SIZE, layout="constrained")
    all_axes = canvas.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (panel_title, series) in zip(all_axes, panels.items(), strict=True):
        _style(axes, x_label, "Spearman x 100" if axes is all_axes[0] else "")
        axes.set_title(panel_title, fontsize="medium")
        for i, (measure, scores) in enumerate(series.items()):
            _draw_line(axes, i - (len(series) - 1) / 2, measure, scores, COLORS[i % len(COLORS)])
        axes.set_xticks(range(len(x_values)), [str(value) for value in x_values])
        axes.set_xlim(-0.4, len(x_values) - 0.6)
    handles, labels = all_axes[0].get_legend_handles_labels()
    canvas.legend(handles, labels, frameon=False, fontsize="small", loc="outside lower center", ncols=4)
    return Figure(name, title, _png(canvas), note)


def _draw_line(axes: mpl.axes.Axes, shift: float, measure: str, scores: Sequence[Score | None], color: str) -> None:
    """Draw the scores that are not missing, and their controls. `shift` keeps error bars from overlapping."""
    points = [(n + 0.06 * shift, score) for n, score in enumerate(scores) if score is not None]
    xs = [x for x, _ in points]
    bars = ([s.value - s.low for _, s in points], [s.high - s.value for _, s in points])
    axes.errorbar(xs, [s.value for _, s in points], bars, marker="o", capsize=3, color=color, label=measure)
    with_control = [(x, s.control) for x, s in points if s.control is not None]
    if with_control:
        label = f"{measure}, senses at random"
        axes.plot([x for x, _ in with_control], [y for _, y in with_control], ":", marker=".", color=color, label=label)


def _style(axes: mpl.axes.Axes, x_label: str, y_label: str) -> None:
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e4e4e4")
    axes.set_axisbelow(True)


def _png(canvas: Canvas) -> bytes:
    out = io.BytesIO()
    canvas.savefig(out, format="png", dpi=150, metadata={"Software": None})
    return out.getvalue()
