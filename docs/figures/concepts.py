"""The figures of docs/concepts.md, from the demo's text, a model of it, and benchmarks/RESULTS.md.

polyseme demo --out demo.model
python docs/figures/concepts.py demo.model
"""

from __future__ import annotations

import lzma
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import polyseme
from polyseme.model.data import unit_rows

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
TEXT = ROOT / "src" / "polyseme" / "data" / "simplewiki.txt.xz"
WORD = "star"
SENTENCE = "a planet is a large object such as venus or earth that orbits a star planets are smaller than stars"
COLORS = ("#c2571a", "#0f5ea8")
CONTEXTS = 600
# Measures of RESULTS.md with a control: the name in the table, and in the figure.
MEASURES = {
    "scws | softmax: avg_sim_c": "similarity in context (SCWS, avg_sim_c)",
    "scws | softmax: local_sim": "similarity in context (SCWS, local_sim)",
    "wic | dev: same_sense": "same sense in two sentences (WiC)",
    "wsi | all: paired_f": "induction (SemEval 2010, paired F)",
    "wsi | all: v_measure": "induction (SemEval 2010, V-measure)",
    "wsi | all: ari": "induction (SemEval 2010, ARI)",
}


def draw_choice(model: polyseme.SenseModel) -> None:
    """The part of each context word in the choice of a sense."""
    data = model._data
    tokens = SENTENCE.split()
    target, word = tokens.index(WORD), data.word_id(WORD)
    assert word is not None
    rows = list(data.rows(word))[:2]
    centers = unit_rows(np.asarray(data.sense_centers[rows[0] : rows[-1] + 1]))
    parts, labels = [], []
    for i, token in enumerate(tokens):
        other = data.word_id(token)
        if i == target or other is None:
            parts.append(np.zeros(2))
        else:
            weight = data.sense_decay ** (abs(i - target) - 1) * data.context_weights[other]
            parts.append(weight * (centers @ np.asarray(data.context_table[other])))
        labels.append(WORD.upper() if i == target else token)
    difference = np.array(parts) @ [-1, 1]
    probabilities = model.disambiguate(WORD, SENTENCE).senses
    fig, axes = plt.subplots(figsize=(9, 3.4))
    axes.bar(range(len(tokens)), difference, color=[COLORS[int(x > 0)] for x in difference])
    axes.set_xticks(range(len(tokens)), labels, rotation=55, ha="right")
    axes.axhline(0, color="#444", linewidth=0.8)
    axes.set_ylabel("contribution to a sense")
    names = [f"{data.key(row)} ({', '.join(n.key for n in model.neighbours(data.key(row), 3))})" for row in rows]
    axes.text(0.01, 0.96, f"{names[1]}: {probabilities[1].probability:.0%}", transform=axes.transAxes, va="top",
              color=COLORS[1])  # fmt: skip
    axes.text(0.01, 0.04, f"{names[0]}: {probabilities[0].probability:.0%}", transform=axes.transAxes, color=COLORS[0])
    low, high = min(difference.min(), 0), max(difference.max(), 0)
    axes.set_ylim(low - 0.35 * (high - low), high + 0.1 * (high - low))
    save(fig, "choosing.png")


def draw_whitening(model: polyseme.SenseModel) -> None:
    """Contexts of a word before and after whitening, in the plane of their two largest principal components."""
    data = model._data
    word = data.word_id(WORD)
    assert word is not None
    raw, white, senses = [], [], []
    for line in lzma.decompress(TEXT.read_bytes()).decode().split("\n"):
        ids = data.known_ids(data.tokenize(line))
        for i in (i for i, other in enumerate(ids) if other == word):
            around = [(j, ids[j]) for j in range(max(0, i - 20), min(len(ids), i + 21)) if j != i]
            weights = np.array([data.sense_decay ** (abs(j - i) - 1) * data.context_weights[w] for j, w in around])
            if len(around) > 10 and len(raw) < CONTEXTS:
                others = [w for _, w in around]
                raw.append(weights @ np.asarray(data.arrays.global_vectors[others]))
                white.append(weights @ np.asarray(data.context_table[others]))
                centers = unit_rows(np.asarray(data.sense_centers[list(data.rows(word))]))
                senses.append(int(np.argmax(centers @ white[-1])))
    colors = [COLORS[sense % 2] for sense in senses]
    fig, panels = plt.subplots(1, 2, figsize=(9, 4.2))
    for panel, vectors, title in zip(panels, (raw, white), ("before whitening", "after whitening"), strict=True):
        unit = unit_rows(np.array(vectors, np.float32))
        centered = unit - unit.mean(axis=0)
        _, sizes, axes = np.linalg.svd(centered, full_matrices=False)
        plane = centered @ axes[:2].T
        labels = np.array(senses)
        means = np.array([unit[labels == sense].mean(axis=0) for sense in (0, 1)])
        cosine = float(np.prod(unit_rows(means), axis=0).sum())
        panel.scatter(plane[:, 0], plane[:, 1], s=9, c=colors, alpha=0.7, linewidths=0)
        panel.set_title(f"{title}\ncosine of the means of both senses: {cosine:.2f}", fontsize=11)
        panel.set_xlabel(f"first component ({sizes[0] ** 2 / (sizes**2).sum():.0%} of the variance)")
        panel.set_ylabel(f"second ({sizes[1] ** 2 / (sizes**2).sum():.0%})")
        panel.set_xticks([])
        panel.set_yticks([])
    save(fig, "whitening.png")
    print(f"whitening.png: {len(raw)} contexts of {WORD}")


def draw_controls() -> None:
    """Scores of senses and of random senses, from the table of np-mssg with 300 dimensions."""
    section = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8").split("## Quality, 300 dimensions")[1]
    scores = []
    for measure in MEASURES:
        row = re.search(rf"^\| {re.escape(measure)} \| (-?[\d.]+) \(.*?\) / (-?[\d.]+)", section, re.MULTILINE)
        assert row, measure
        factor = 100 if float(row[1]) < 2 else 1
        scores.append((factor * float(row[1]), factor * float(row[2])))
    fig, axes = plt.subplots(figsize=(9, 3.2))
    for y, (score, control) in enumerate(scores):
        axes.plot([control, score], [y, y], color="#999", zorder=1)
    heights = range(len(scores))
    axes.scatter([score for score, _ in scores], heights, color=COLORS[1], label="learned senses", zorder=2)
    axes.scatter([control for _, control in scores], heights, color=COLORS[0], marker="D",
                 label="the same vectors, senses at random", zorder=2)  # fmt: skip
    axes.set_yticks(heights, MEASURES.values())
    axes.invert_yaxis()
    axes.set_xlim(-3, 100)
    axes.set_xlabel("score (times 100)")
    axes.grid(axis="x", color="#ddd")
    axes.legend(loc="lower right")
    save(fig, "controls.png")


def save(fig: plt.Figure, name: str) -> None:
    for axes in fig.axes:
        axes.spines[["top", "right"]].set_visible(False)
    fig.tight_layout()
    fig.savefig(FOLDER / name, dpi=110, metadata={"Software": None})
    plt.close(fig)


def main() -> None:
    model = polyseme.load(sys.argv[1])
    draw_choice(model)
    draw_whitening(model)
    draw_controls()


if __name__ == "__main__":
    main()
