"""What a token costs as the task grows: python benchmarks/scaling.py CORPUS

Trains on the first tokens of an encoded corpus (see `polyseme encode`) with one thing changed at a time: the number of
tokens, dimensions, negatives, senses or threads. Each is the best of several runs of training alone, in nanoseconds for
each token of the corpus. Writes its section of benchmarks/RESULTS.md and benchmarks/scaling.png.
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
from polyseme.training.config import make_config
from polyseme.training.events import Event, TrainingFinished

BASE: dict[str, Any] = {"dim": 100, "negatives": 5, "senses": 3, "threads": 2}
ALWAYS: dict[str, Any] = {"subsample": 1e-3, "epochs": 1, "warmup": 0.0, "examples": 0}
TOKENS = (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000)
SAME_WORDS, WORDS = "tokens, 14,000 words", 14_000  # a larger text has more words, which is another thing
SWEEPS: dict[str, tuple[int, ...]] = {
    "tokens": TOKENS,
    SAME_WORDS: TOKENS,
    "dim": (50, 100, 200, 300, 600),
    "negatives": (1, 2, 5, 10, 20),
    "senses": (1, 2, 3, 5, 10),
    "threads": (1, 2),
}
MODELS = ("skip-gram", "mssg")
PART = 5_000_000  # tokens, where their number is not what changes

Costs = dict[str, dict[str, list[float]]]  # by what changes and by model, one for each value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    corpus = EncodedCorpus.open(arguments.corpus)
    cost(first_part(corpus, 200_000), "mssg", 1)  # the kernels are compiled before anything is timed
    costs: Costs = {}
    for changed, values in SWEEPS.items():
        costs[changed] = {model: [] for model in MODELS}
        for value in values:
            of_tokens = changed in ("tokens", SAME_WORDS)
            part = first_part(corpus, value if of_tokens else PART)
            settings = {changed: value} if not of_tokens else {"max_vocabulary": WORDS} if changed == SAME_WORDS else {}
            for model in MODELS:
                costs[changed][model].append(cost(part, model, arguments.repeat, **settings))
                print(changed, value, model, f"{costs[changed][model][-1]:.0f} ns", file=sys.stderr, flush=True)
    text = "\n".join(report(costs, arguments))
    print(text)
    write_section(HERE / "RESULTS.md", "## Scaling", text)
    plot(costs, HERE / "scaling.png")


def first_part(corpus: EncodedCorpus, tokens: int) -> EncodedCorpus:
    """The sentences of about the first so many tokens; a corpus that is shorter begins anew."""
    times = -(-tokens // len(corpus.tokens))
    sentences = np.concatenate([corpus.sentences[:-1] + i * len(corpus.tokens) for i in range(times)])
    last = int(np.searchsorted(sentences, tokens, side="right")) - 1
    ids = np.concatenate([corpus.tokens] * times)[: sentences[last]] if times > 1 else corpus.tokens[: sentences[last]]
    return corpus.with_tokens(ids, corpus.words, sentences[: last + 1])


def cost(corpus: EncodedCorpus, model: str, repeat: int, **changed: int) -> float:
    """Nanoseconds of training for each token of the corpus, the best of several runs."""
    seconds: list[float] = []

    def listen(event: Event) -> None:
        if isinstance(event, TrainingFinished):
            seconds.append(event.seconds)

    config = make_config(model=model, **{**ALWAYS, **BASE, **changed})
    for _ in range(repeat):
        train(corpus, config=config, tokenizer=corpus.description["tokenizer"], listen=listen)
    return min(seconds) / len(corpus.tokens) * 1e9


def report(costs: Costs, arguments: argparse.Namespace) -> Iterator[str]:
    yield f"`python benchmarks/scaling.py {arguments.corpus.name} --repeat {arguments.repeat}`\n"
    fixed = ", ".join(f"{name} {value}" for name, value in BASE.items())
    yield (
        f"{processor()}. Nanoseconds of training for each token of the corpus, the best of {arguments.repeat}; "
        f"what does not change is {PART:,} tokens, {fixed}. A vocabulary of {WORDS:,} words is about that of the "
        "first million tokens. No warm-up, so that mssg chooses among its senses all the time; subsampling 0.001. The "
        "corpus begins anew where it is shorter than asked for.\n"
    )
    yield "![cost of a token](scaling.png)\n"
    for changed, values in SWEEPS.items():
        yield f"| {changed} | {' | '.join(f'{value:,}' for value in values)} |"
        yield "|---|" + "---:|" * len(values)
        for model in MODELS:
            yield f"| {model} | {' | '.join(f'{c:.0f}' for c in costs[changed][model])} |"
        yield ""


def plot(costs: Costs, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(SWEEPS), figsize=(18, 3.2), layout="constrained")
    for axis, (changed, values) in zip(axes, SWEEPS.items(), strict=True):
        for model in MODELS:
            axis.plot(values, costs[changed][model], marker="o", label=model)
        axis.set_xlabel(changed)
        axis.set_ylim(bottom=0)
        if changed in ("tokens", SAME_WORDS):
            axis.set_xscale("log")
        else:
            axis.set_xticks(values)
    axes[0].set_ylabel("ns per token")
    axes[0].legend()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
