"""How far kernels are from what the machine can do: python benchmarks/roofline.py CORPUS

Measures the machine (bytes copied and multiplications and additions in a matrix product in a second, on all threads),
then the training kernels, and sets the arithmetic that training needs, and the memory it must touch at least, against
both. Writes its section of benchmarks/RESULTS.md. CORPUS is an encoded corpus.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scaling import first_part
from speed import HERE, processor, write_section

from polyseme import train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.training.config import make_config
from polyseme.training.events import Event, TrainingFinished

THREADS = 2
TOKENS = 5_000_000
RUNS = (("skip-gram", 100), ("skip-gram", 300), ("mssg", 100), ("mssg", 300))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    part = first_part(EncodedCorpus.open(arguments.corpus), TOKENS)
    text = "\n".join(report(part, arguments))
    print(text)
    write_section(HERE / "RESULTS.md", "## Roofline", text)


def report(corpus: EncodedCorpus, arguments: argparse.Namespace) -> Iterator[str]:
    bandwidth, arithmetic = copied(arguments.repeat), multiplied(arguments.repeat)
    yield f"`python benchmarks/roofline.py {arguments.corpus.name} --repeat {arguments.repeat}`\n"
    yield (
        f"{processor()}, {THREADS} threads: {bandwidth / 1e9:.1f} GB/s read and written in copying, "
        f"{arithmetic / 1e9:.0f} billion additions and multiplications a second in a product of large matrices of "
        "single precision. `needed` is what a token takes at least: three passes of arithmetic over its rows, and from "
        "memory the rows that the token before did not use, read and written. The best of several runs.\n"
    )
    yield "| kernel | dimensions | ns a token | arithmetic needed | of the limit | memory needed | of the limit |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for model, dim in RUNS:
        seconds = trained(corpus, model, dim, arguments.repeat)
        operations, moved = needed(model, dim)
        yield (
            f"| {model} | {dim} | {seconds * 1e9:.0f} | {operations:,.0f} | {operations / seconds / arithmetic:.0%} "
            f"| {moved:,.0f} B | {moved / seconds / bandwidth:.0%} |"
        )


def needed(model: str, dim: int) -> tuple[float, float]:
    """Additions and multiplications, and bytes to and from memory, for each token that is trained."""
    config = make_config(dim=dim)
    context = config.window + 1  # on average: 2 R words, R from 1 to the window
    rows = context + config.max_negatives
    operations = 2 * dim * (3 * rows + 1)  # dot product, gradient of the sense, step of each row; step of the sense
    new_rows = (
        2 + config.max_negatives / config.negative_sharing
    )  # its sense, the word that comes into the window, noise
    moved = 2 * 4 * dim * new_rows
    if model == "mssg":
        small, senses = config.sense_dim, config.senses
        operations += 2 * small * (senses + 5)  # cosines; window, context and center
        moved += 4 * small * (senses + 1 + 3)  # centers, one of them written; rows that come, go and are left out
    return operations, moved


def trained(corpus: EncodedCorpus, model: str, dim: int, repeat: int) -> float:
    """Seconds for each token that is trained on."""
    found: list[float] = []

    def listen(event: Event) -> None:
        if isinstance(event, TrainingFinished):
            found.append(event.seconds / event.tokens)

    for _ in range(repeat + 1):  # the first may compile
        config = make_config(model=model, dim=dim, epochs=1, warmup=0.0, examples=0, threads=THREADS)
        train(corpus, config=config, tokenizer=corpus.description["tokenizer"], listen=listen)
    return min(found)


def copied(repeat: int) -> float:
    """Bytes read and written in a second when every thread copies arrays too large for caches."""
    arrays = [(np.ones(1 << 26, np.float32), np.empty(1 << 26, np.float32)) for _ in range(THREADS)]
    seconds = in_threads(repeat, lambda thread: np.copyto(arrays[thread][1], arrays[thread][0]))
    return 2 * THREADS * arrays[0][0].nbytes / seconds


def multiplied(repeat: int) -> float:
    """Additions and multiplications in a second in products of matrices."""
    n = 2000
    a = np.ones((n, n), np.float32)
    seconds = in_threads(repeat, lambda _: a @ a, threads=1)  # NumPy's product uses all cores
    return 2 * n**3 / seconds


def in_threads(repeat: int, work: Callable[[int], object], threads: int = THREADS) -> float:
    """The seconds of the quickest of several runs of work in threads at once."""
    best = float("inf")
    for _ in range(repeat + 1):
        workers = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
        begin = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        best = min(best, time.perf_counter() - begin)
    return best


if __name__ == "__main__":
    main()
