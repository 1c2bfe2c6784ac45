"""Speed of queries: python benchmarks/queries.py MODEL TEXT

Measures tagging on one and two threads, commands of the command line on MODEL and on a model of about 1 GB, and a small
training run with and without compiled kernels in the cache. Loading and neighbours are compared with gensim, which
loads the sense vectors of the same model from its own format, memory-mapped. It has nothing like tagging. Writes a
section of benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from speed import HERE, environment, processor, write_section

from polyseme import SenseModel
from polyseme.corpus.tokenizers import WORDS
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData
from polyseme.model.tagging import Tagger
from polyseme.training.config import make_config
from polyseme.vocabulary import Vocabulary


class Row(NamedTuple):
    """A measurement, its result, and gensim's seconds if gensim can do the same."""

    name: str
    result: str
    seconds: float = 0.0
    gensim: float | None = None

    def __str__(self) -> str:
        if self.gensim is None:
            return f"| {self.name} | {self.result} | - | - |"
        return f"| {self.name} | {self.result} | {self.gensim:.3f} | {self.gensim / self.seconds:.1f} |"


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
            f"{processor()}; the best of {arguments.repeat} runs. The speedup is gensim's time divided by polyseme's.",
            "",
            "| measurement | polyseme | gensim | speedup |",
            "|---|---:|---:|---:|",
            *map(str, rows),
        ]
    )
    print(text)
    write_section(HERE / "RESULTS.md", "## Queries", text)


def measurements(arguments: argparse.Namespace) -> Iterator[Row]:
    for threads in (1, 2):
        yield Row(f"tagging, {threads} threads, tokens/s", f"{tagging_speed(arguments, threads):,.0f}")
    cold, warm = training_seconds(arguments.repeat)
    yield Row("training on 100 lines, kernels not compiled, seconds", f"{cold:.1f}")
    yield Row("training on 100 lines, kernels compiled, seconds", f"{warm:.2f}")
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
            yield Row(f"{name}, seconds", f"{seconds:.2f}")
        seconds = best_seconds(arguments.repeat, lambda: SenseModel.load(large).vector("w7"))
        gensim_file = save_for_gensim(SenseModel.load(large), Path(folder) / "large.gensim")
        gensim_seconds = best_seconds(arguments.repeat, lambda: load_with_gensim(gensim_file)["w7#1"])
        yield Row(f"loading {size:.1f} GB in a running process, seconds", f"{seconds:.3f}", seconds, gensim_seconds)
        model = SenseModel.load(large_model(Path(folder) / "neighbours.model", words=100_000))
        vectors = load_with_gensim(save_for_gensim(model, Path(folder) / "neighbours.gensim"))
        model.neighbours("w7#1")  # computes the norms
        vectors.most_similar("w7#1")
        seconds = best_seconds(arguments.repeat, lambda: model.neighbours("w7#1"))
        gensim_seconds = best_seconds(arguments.repeat, lambda: vectors.most_similar("w7#1"))
        senses = f"{len(model.sense_vectors):,} senses, {model.dim} dimensions"
        yield Row(f"neighbours among {senses}, seconds", f"{seconds:.3f}", seconds, gensim_seconds)


def save_for_gensim(model: SenseModel, path: Path) -> Path:
    """Save the sense vectors of a model in gensim's own format, and return the path."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(model.dim)
    vectors.add_vectors(model.index_to_key, np.asarray(model.sense_vectors))
    vectors.save(str(path))
    return path


def load_with_gensim(path: Path) -> Any:
    """The vectors that `save_for_gensim` saved, memory-mapped as polyseme's."""
    from gensim.models import KeyedVectors

    return KeyedVectors.load(str(path), mmap="r")


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


def run_command(arguments: list[str], variables: Mapping[str, str] = MappingProxyType({})) -> None:
    """Run `polyseme` with these arguments in a new process."""
    subprocess.run(
        [sys.executable, "-m", "polyseme", *arguments], check=True, env={**environment(), **variables},
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
