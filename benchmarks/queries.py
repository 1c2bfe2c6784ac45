"""Speed of queries: python benchmarks/queries.py MODEL TEXT

Measures tagging on one and two threads, commands of the command line on MODEL and on a model of about 1 GB, and a small
training run with and without compiled kernels in the cache. Writes a section of benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np
from speed import HERE, processor, write_section

from polyseme import SenseModel
from polyseme.corpus.tokenizers import WORDS
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData
from polyseme.model.tagging import Tagger
from polyseme.training.config import make_config
from polyseme.vocabulary import Vocabulary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    rows = list(measurements(arguments))
    text = "\n".join(
        [
            f"`python benchmarks/queries.py {Path(arguments.model).name} {Path(arguments.text).name}`",
            "",
            f"{processor()}; the best of {arguments.repeat} runs.",
            "",
            "| measurement | result |",
            "|---|---:|",
            *(f"| {name} | {result} |" for name, result in rows),
        ]
    )
    print(text)
    write_section(HERE / "RESULTS.md", "## Queries", text)


def measurements(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """What was measured, and the result."""
    for threads in (1, 2):
        yield f"tagging, {threads} threads, tokens/s", f"{tagging_speed(arguments, threads):,.0f}"
    cold, warm = training_seconds(arguments.repeat)
    yield "training on 100 lines, kernels not compiled, seconds", f"{cold:.1f}"
    yield "training on 100 lines, kernels compiled, seconds", f"{warm:.1f}"
    with tempfile.TemporaryDirectory() as folder:
        large = large_model(Path(folder) / "large.model", words=174_000)
        size = sum(file.stat().st_size for file in large.iterdir()) / 1e9
        for name, command in (
            ("`polyseme --help`", ["--help"]),
            ("`polyseme train --help`", ["train", "--help"]),
            ("`polyseme senses MODEL bank`", ["senses", arguments.model, "bank"]),
            (f"`polyseme info`, model of {size:.1f} GB", ["info", str(large)]),
            (f"`polyseme senses`, model of {size:.1f} GB", ["senses", str(large), "w7"]),
        ):
            seconds = best_seconds(arguments.repeat, partial(run_command, command))
            yield f"{name}, seconds", f"{seconds:.2f}"
        seconds = best_seconds(arguments.repeat, lambda: SenseModel.load(large).vector("w7"))
        yield f"loading {size:.1f} GB in a running process, seconds", f"{seconds:.3f}"
        model = SenseModel.load(large_model(Path(folder) / "neighbours.model", words=100_000))
        model.neighbours("w7#1")  # computes the norms
        seconds = best_seconds(arguments.repeat, lambda: model.neighbours("w7#1"))
        senses = f"{len(model.sense_vectors):,} senses, {model.dim} dimensions"
        yield f"neighbours among {senses}, seconds", f"{seconds:.3f}"


def tagging_speed(arguments: argparse.Namespace, threads: int) -> float:
    """Tokens tagged per second. Each thread tags 10 MB of the text."""
    with Path(arguments.text).open("rb") as file:
        texts = [file.read(10_000_000).decode("utf-8", "ignore") for _ in range(threads)]
    model = SenseModel.load(arguments.model)
    taggers = [Tagger(model._data) for _ in texts]
    for tagger in taggers:
        tagger.tag(texts[0][:10_000])  # compiles the kernels
    tokens = sum(len(WORDS.pattern.findall(text)) for text in texts)
    with ThreadPoolExecutor(threads) as pool:
        return tokens / best_seconds(arguments.repeat, lambda: list(pool.map(Tagger.tag, taggers, texts)))


def training_seconds(repeat: int) -> tuple[float, float]:
    """The time of a small training run in a new process, without and with compiled kernels in the cache."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("a small text with a few words that are repeated a hundred times\n" * 100)
        command = ["train", str(text), f"{folder}/model", "--force", "--dim", "16"]
        cache = {"NUMBA_CACHE_DIR": f"{folder}/cache"}
        cold = best_seconds(1, lambda: run_command(command, cache))
        return cold, best_seconds(repeat, lambda: run_command(command, cache))


def large_model(path: Path, words: int) -> Path:
    """Save a model with random vectors, 300 dimensions and two senses per word, and return its path."""
    senses, dim = 2, 300
    random = np.random.default_rng(0)
    counts = np.sort(random.integers(50, 10_000, words))[::-1].astype(np.int64)
    vectors = [random.standard_normal((n, dim), np.float32) for n in (words, words * senses, words * senses)]
    data = ModelData(
        vocabulary=Vocabulary([f"w{i}" for i in range(words)], counts),
        arrays=ModelArrays(
            global_vectors=vectors[0],
            sense_vectors=vectors[1],
            sense_offsets=np.arange(0, words * senses + 1, senses),
            sense_counts=np.repeat(counts // senses, senses),
            cluster_centers=vectors[2],
        ),
        tokenizer=WORDS,
        config=make_config(subsample=1e-4).to_dict(),
        corpus={"tokens": 0, "sentences": 0},
        training={"seconds": 0.0, "threads": 1, "loss": 0.0},
    )
    SenseModel(data).save(path)
    return path


def run_command(arguments: list[str], environment: Mapping[str, str] = MappingProxyType({})) -> None:
    """Run `polyseme` with these arguments in a new process."""
    subprocess.run(
        [sys.executable, "-m", "polyseme", *arguments], check=True, env={**os.environ, **environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def best_seconds(repeat: int, work: Callable[[], object]) -> float:
    """The time in seconds of the fastest of several runs."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


if __name__ == "__main__":
    main()
