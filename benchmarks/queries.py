"""Speed of questions to a model: python benchmarks/questions.py MODEL TEXT

Tagging on one core and on two, the time in which a process of its own answers from MODEL and from a model of about
1 GB, and how long the first training takes, which compiles the kernels, and the next.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
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
    rows = [(f"tagging, tokens/s on {threads} threads", f"{tagging(arguments, threads):,.0f}") for threads in (1, 2)]
    first, next_ = compiling(arguments.repeat)
    rows += [("training on 100 lines, the first ever, seconds", f"{first:.1f}"), ("the next, seconds", f"{next_:.1f}")]
    with tempfile.TemporaryDirectory() as folder:
        large = large_model(Path(folder) / "large.model", words=174_000)
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
        loaded = SenseModel.load(large_model(Path(folder) / "neighbours.model", words=100_000))
        loaded.neighbours("w7#1")
        near = best(arguments.repeat, lambda: loaded.neighbours("w7#1"))
        rows.append(
            (
                f"neighbours among {len(loaded.sense_vectors):,} senses of 300 dimensions, seconds",
                f"{near:.3f}",
            )
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


def tagging(arguments: argparse.Namespace, threads: int) -> float:
    """Tokens tagged in a second, of the first 10 MB of a text for each thread."""
    with Path(arguments.text).open("rb") as file:
        texts = [file.read(10_000_000).decode("utf-8", "ignore") for _ in range(threads)]
    model = SenseModel.load(arguments.model)
    taggers = [Tagger(model._data) for _ in texts]
    for tagger in taggers:
        tagger.tag(texts[0][:10_000])
    tokens = sum(len(WORDS.pattern.findall(text)) for text in texts)
    with ThreadPoolExecutor(threads) as pool:
        return tokens / best(arguments.repeat, lambda: list(pool.map(Tagger.tag, taggers, texts)))


def compiling(repeat: int) -> tuple[float, float]:
    """Seconds of a small training in a process of its own: with no compiled kernels, and with those."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("a small text of some words that come again and again\n" * 100)
        command = ["train", str(text), f"{folder}/model", "--force", "--dim", "16"]
        cache = {"NUMBA_CACHE_DIR": f"{folder}/cache"}
        first = best(1, lambda: ask(command, cache))
        return first, best(repeat, lambda: ask(command, cache))


def large_model(path: Path, words: int) -> Path:
    """A model with random vectors, saved."""
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


def ask(arguments: list[str], environment: Mapping[str, str] = MappingProxyType({})) -> None:
    subprocess.run(
        [sys.executable, "-m", "polyseme", *arguments], check=True, env={**os.environ, **environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


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
