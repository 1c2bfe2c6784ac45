"""Speed of questions to a model: python benchmarks/questions.py MODEL TEXT

Tagging on one core, and the time in which a process of its own answers from MODEL and from a model of about 1 GB.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from speed import HERE, processor, write_section

from polyseme import SenseModel
from polyseme.corpus.tokenizers import WORDS
from polyseme.model.arrays import ModelArrays
from polyseme.model.tagging import Tagger
from polyseme.training.config import make_config
from polyseme.vocabulary import Vocabulary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    rows = [("tagging, tokens/s on one core", f"{tagging(arguments):,.0f}")]
    with tempfile.TemporaryDirectory() as folder:
        large = large_model(Path(folder) / "large.model")
        size = sum(file.stat().st_size for file in large.iterdir()) / 1e9
        for what, arguments_of in (
            ("`polyseme --help`", ["--help"]),
            ("`polyseme train --help`", ["train", "--help"]),
            ("`polyseme senses MODEL bank`", ["senses", arguments.model, "bank"]),
            (f"`polyseme info` of {size:.1f} GB", ["info", str(large)]),
            (f"`polyseme senses` of {size:.1f} GB", ["senses", str(large), "w7"]),
        ):
            seconds = best(arguments.repeat, lambda a=arguments_of: ask(a))  # type: ignore[misc]
            rows.append((f"{what}, seconds", f"{seconds:.2f}"))
        opening = best(arguments.repeat, lambda: SenseModel.load(large).vector("w7"))
        rows.append((f"opening {size:.1f} GB in a running process, seconds", f"{opening:.3f}"))
        loaded = SenseModel.load(large)
        loaded.neighbours("w7#1")
        near = best(arguments.repeat, lambda: loaded.neighbours("w7#1"))
        rows.append(
            (f"neighbours among {len(loaded.arrays.sense_vectors):,} senses of 300 dimensions, seconds", f"{near:.3f}")
        )
    text = "\n".join(
        [
            f"`python benchmarks/questions.py {Path(arguments.model).name} {Path(arguments.text).name}`",
            "",
            f"{processor()}; the best of {arguments.repeat}.",
            "",
            "| what | figure |",
            "|---|---:|",
            *(f"| {what} | {figure} |" for what, figure in rows),
        ]
    )
    print(text)
    write_section(HERE / "RESULTS.md", "## Questions", text)


def tagging(arguments: argparse.Namespace) -> float:
    """Tokens tagged in a second, of the first 10 MB of a text."""
    with Path(arguments.text).open("rb") as file:
        text = file.read(10_000_000).decode("utf-8", "ignore")
    tagger = Tagger(SenseModel.load(arguments.model))
    tagger.tag(text[:10_000])
    tokens = len(WORDS.pattern.findall(text))
    return tokens / best(arguments.repeat, lambda: tagger.tag(text))


def large_model(path: Path) -> Path:
    """A model with random vectors, saved."""
    words, senses, dim = 200_000, 2, 300
    random = np.random.default_rng(0)
    counts = np.sort(random.integers(50, 10_000, words))[::-1].astype(np.int64)
    vectors = [random.standard_normal((n, dim), np.float32) for n in (words, words * senses, words * senses)]
    SenseModel(
        vocabulary=Vocabulary([f"w{i}" for i in range(words)], counts),
        arrays=ModelArrays(
            global_vectors=vectors[0],
            sense_vectors=vectors[1],
            sense_offsets=np.arange(0, words * senses + 1, senses),
            sense_counts=np.repeat(counts // senses, senses),
            cluster_centers=vectors[2],
        ),
        tokenizer=WORDS,
        config=make_config().to_dict(),
        corpus={"tokens": 0, "sentences": 0},
        training={"seconds": 0.0, "threads": 1, "loss": 0.0},
    ).save(path)
    return path


def ask(arguments: list[str]) -> None:
    subprocess.run([sys.executable, "-m", "polyseme", *arguments], check=True, stdout=subprocess.DEVNULL)


def best(repeat: int, work: Callable[[], object]) -> float:
    """The seconds of the quickest of several runs."""
    seconds = []
    for _ in range(repeat):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


if __name__ == "__main__":
    main()
