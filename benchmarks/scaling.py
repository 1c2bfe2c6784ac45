"""Training time per token by corpus size, dim, negatives, senses and threads: python benchmarks/scaling.py CORPUS

Trains on the first tokens of an encoded corpus (see `polyseme encode`), varying one parameter at a time. Each figure is
the best of several runs, training only, in nanoseconds per token of the corpus. Writes a section of
benchmarks/RESULTS.md and benchmarks/scaling.png.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from speed import HERE, processor, write_section

from polyseme import train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.training.config import TrainConfig, make_config
from polyseme.training.events import Event, TrainingFinished

BASE: dict[str, Any] = {"dim": 100, "negatives": 5, "senses": 3, "threads": 2}
FIXED: dict[str, Any] = {"subsample": 1e-3, "epochs": 1, "warmup": 0.0, "examples": 0}
TOKENS = (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000)
SAME_VOCABULARY, WORDS = "tokens, 14,000 words", 14_000  # separates the size of the text from that of the vocabulary
SWEEPS: dict[str, tuple[int, ...]] = {
    "tokens": TOKENS,
    SAME_VOCABULARY: TOKENS,
    "dim": (50, 100, 200, 300, 600),
    "negatives": (1, 2, 5, 10, 20),
    "senses": (1, 2, 3, 5, 10),
    "threads": (1, 2),
}
MODELS = ("skip-gram", "mssg")
DEFAULT_TOKENS = 5_000_000  # where the number of tokens does not vary

Costs = dict[str, dict[str, list[float]]]  # by varied parameter, then by model: ns per token for each value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    corpus = EncodedCorpus.open(arguments.corpus)
    cost(first_tokens(corpus, 200_000), "mssg", 1)  # compile the kernels before the timed runs
    costs: Costs = {}
    for varied, values in SWEEPS.items():
        costs[varied] = {model: [] for model in MODELS}
        for value in values:
            part = first_tokens(corpus, value if varied in ("tokens", SAME_VOCABULARY) else DEFAULT_TOKENS)
            settings = {"tokens": {}, SAME_VOCABULARY: {"max_vocabulary": WORDS}}.get(varied, {varied: value})
            for model in MODELS:
                costs[varied][model].append(cost(part, model, arguments.repeat, **settings))
                print(varied, value, model, f"{costs[varied][model][-1]:.0f} ns", file=sys.stderr, flush=True)
    text = "\n".join(report(costs, arguments))
    print(text)
    write_section(HERE / "RESULTS.md", "## Scaling", text)
    plot(costs, HERE / "scaling.png")


def first_tokens(corpus: EncodedCorpus, tokens: int) -> EncodedCorpus:
    """The first sentences of a corpus, about `tokens` tokens; a shorter corpus is repeated."""
    copies = -(-tokens // len(corpus.tokens))
    sentences = np.concatenate([corpus.sentences[:-1] + i * len(corpus.tokens) for i in range(copies)])
    last = int(np.searchsorted(sentences, tokens, side="right")) - 1
    ids = np.concatenate([corpus.tokens] * copies) if copies > 1 else corpus.tokens
    return corpus.with_tokens(ids[: sentences[last]], corpus.words, sentences[: last + 1])


def cost(corpus: EncodedCorpus, model: str, repeat: int, **settings: int) -> float:
    """Nanoseconds of training per token of the corpus, the best of several runs."""
    runs = train_repeatedly(corpus, repeat, make_config(model=model, **{**FIXED, **BASE, **settings}))
    return min(run.seconds for run in runs) / len(corpus.tokens) * 1e9


def train_repeatedly(corpus: EncodedCorpus, repeat: int, config: TrainConfig) -> list[TrainingFinished]:
    """Train `repeat` times in this process; the time and tokens of each run."""
    runs: list[TrainingFinished] = []

    def listen(event: Event) -> None:
        if isinstance(event, TrainingFinished):
            runs.append(event)

    for _ in range(repeat):
        train(corpus, tokenizer=corpus.description["tokenizer"], listen=listen, config=config)
    return runs


def report(costs: Costs, arguments: argparse.Namespace) -> Iterator[str]:
    yield f"`python benchmarks/scaling.py {arguments.corpus.name} --repeat {arguments.repeat}`\n"
    base = ", ".join(f"{name} {value}" for name, value in BASE.items())
    yield (
        f"{processor()}. Nanoseconds of training per token of the corpus, the best of {arguments.repeat} runs. One "
        f"parameter varies in each table; the others are {DEFAULT_TOKENS:,} tokens, {base}. {WORDS:,} words are about "
        "the vocabulary of the first million tokens. No warm-up, so that mssg assigns senses from the start; "
        "subsampling 0.001. A corpus with fewer tokens is repeated.\n"
    )
    yield "![training time per token](scaling.png)\n"
    for varied, values in SWEEPS.items():
        yield f"| {varied} | {' | '.join(f'{value:,}' for value in values)} |"
        yield "|---|" + "---:|" * len(values)
        for model in MODELS:
            yield f"| {model} | {' | '.join(f'{c:.0f}' for c in costs[varied][model])} |"
        yield ""


def plot(costs: Costs, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(SWEEPS), figsize=(18, 3.2), layout="constrained")
    for axis, (varied, values) in zip(axes, SWEEPS.items(), strict=True):
        for model in MODELS:
            axis.plot(values, costs[varied][model], marker="o", label=model)
        axis.set_xlabel(varied)
        axis.set_ylim(bottom=0)
        if varied in ("tokens", SAME_VOCABULARY):
            axis.set_xscale("log")
        else:
            axis.set_xticks(values)
    axes[0].set_ylabel("ns per token")
    axes[0].legend()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
