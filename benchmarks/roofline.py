"""Training speed relative to the limits of the machine (roofline model): python benchmarks/roofline.py CORPUS

Measures the memory bandwidth (copying arrays) and the arithmetic throughput (matrix product) of the machine, then the
training time per token. Compares the arithmetic and the minimum memory traffic of training with both limits. Writes a
section of benchmarks/RESULTS.md. CORPUS is an encoded corpus.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scaling import first_tokens, train_repeatedly
from speed import HERE, processor, write_section

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.training.config import make_config

THREADS = 2
TOKENS = 5_000_000
RUNS = (("skip-gram", 100), ("skip-gram", 300), ("mssg", 100), ("mssg", 300))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    part = first_tokens(EncodedCorpus.open(arguments.corpus), TOKENS)
    text = "\n".join(report(part, arguments))
    print(text)
    write_section(HERE / "RESULTS.md", "## Roofline", text)


def report(corpus: EncodedCorpus, arguments: argparse.Namespace) -> Iterator[str]:
    bandwidth, throughput = memory_bandwidth(arguments.repeat), arithmetic_throughput(arguments.repeat)
    yield f"`python benchmarks/roofline.py {arguments.corpus.name} --repeat {arguments.repeat}`\n"
    yield (
        f"{processor()}, {THREADS} threads: {bandwidth / 1e9:.1f} GB/s read and written when copying arrays, "
        f"{throughput / 1e9:.0f} GFLOP/s in a product of large float32 matrices. The FLOPs of a token are three "
        "operations on each of its rows (dot product, gradient, update); its memory traffic is at least the rows that "
        "the token before did not use, read and written. The best of several runs.\n"
    )
    yield "| kernel | dimensions | ns/token | FLOPs/token | of the limit | memory traffic/token | of the limit |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for model, dim in RUNS:
        seconds = seconds_per_token(corpus, model, dim, arguments.repeat)
        flops, traffic = required(model, dim)
        yield (
            f"| {model} | {dim} | {seconds * 1e9:.0f} | {flops:,.0f} | {flops / seconds / throughput:.0%} "
            f"| {traffic:,.0f} B | {traffic / seconds / bandwidth:.0%} |"
        )


def required(model: str, dim: int) -> tuple[float, float]:
    """The FLOPs and the bytes of memory traffic per trained token."""
    config = make_config(dim=dim)
    context = config.window + 1  # the mean of 2 R words, R uniform from 1 to the window
    rows = context + config.max_negatives
    # For each row a dot product, its part of the sense vector's gradient and its update; then the update of the sense.
    flops = 2 * dim * (3 * rows + 1)
    new_rows = 2 + config.max_negatives / config.negative_sharing  # sense, new context word, negative samples
    traffic = 2 * 4 * dim * new_rows
    if model == "mssg":
        flops += 2 * config.sense_dim * (config.senses + 5)  # cosines; sliding window, context vector and center
        # All centers are read and one is written; the context rows that enter and leave the window, and its middle one.
        traffic += 4 * config.sense_dim * (config.senses + 1 + 3)
    return flops, traffic


def seconds_per_token(corpus: EncodedCorpus, model: str, dim: int, repeat: int) -> float:
    """Training time per token that subsampling keeps, the best of several runs."""
    config = make_config(model=model, dim=dim, epochs=1, warmup=0.0, examples=0, threads=THREADS)
    runs = train_repeatedly(corpus, repeat + 1, config)  # the first may compile
    return min(run.seconds / run.tokens for run in runs)


def memory_bandwidth(repeat: int) -> float:
    """Bytes read and written per second when each thread copies an array larger than the caches."""
    arrays = [(np.ones(1 << 26, np.float32), np.empty(1 << 26, np.float32)) for _ in range(THREADS)]
    seconds = in_threads(repeat, lambda thread: np.copyto(arrays[thread][1], arrays[thread][0]))
    return 2 * THREADS * arrays[0][0].nbytes / seconds


def arithmetic_throughput(repeat: int) -> float:
    """FLOPs per second of a matrix product."""
    n = 2000
    a = np.ones((n, n), np.float32)
    seconds = in_threads(repeat, lambda _: a @ a, threads=1)  # NumPy itself uses all cores
    return 2 * n**3 / seconds


def in_threads(repeat: int, work: Callable[[int], object], threads: int = THREADS) -> float:
    """The time in seconds of the fastest of several runs, each with `work(thread)` in all threads at once."""
    best = float("inf")
    for _ in range(repeat + 1):
        workers = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        best = min(best, time.perf_counter() - start)
    return best


if __name__ == "__main__":
    main()
