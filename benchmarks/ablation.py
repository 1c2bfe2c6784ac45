"""What the low-level optimizations buy: python benchmarks/ablation.py [CORPUS]

Trains with the package as it is and with copies in which one optimization is replaced by its plain form, in separate
processes, alternating, and writes its section of benchmarks/RESULTS.md:

    vector intrinsics  kernels/simd/vector.py without LLVM vectors: scalar loops, which the compiler may vectorize
    prefetching        kernels/simd/prefetch.py with functions that do nothing
    precompiling       no second process that compiles kernels; measured on the first training, with an empty cache
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from speed import DATA, HERE, Result, prepare, processor, write_section

PACKAGE = HERE.parent / "src" / "polyseme"

PLAIN_VECTOR = """
import numpy as np

from polyseme.kernels.jit import inline


@inline
def load(table, row, column):
    return table[row, column]


@inline
def store(table, row, column, value):
    table[row, column] = value


@inline
def broadcast(value):
    return value


@inline
def reduce_add(value):
    return value


@inline
def sqrt(value):
    return np.sqrt(value)
"""

NO_PREFETCH = """
from polyseme.kernels.jit import inline


@inline
def prefetch(table, row, column):
    pass


@inline
def prefetch_to_read(table, row, column):
    pass


@inline
def prefetch_item(array, index):
    pass


@inline
def prefetch_row(table, row):
    pass


@inline
def prefetch_row_to_read(table, row):
    pass
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", default=str(DATA))
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        print(json.dumps(run(arguments)))
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus = prepare(Path(arguments.corpus), Path(folder))
        variants = {name: copy(Path(folder) / str(i), change) for i, (name, change) in enumerate(VARIANTS.items())}
        first = {name: variants[name] for name in (AS_IS, NO_PRECOMPILING)}
        later = {name: path for name, path in variants.items() if name != NO_PRECOMPILING}
        results: dict[str, list[Result]] = {name: [] for name in (*(f"{n}, first training" for n in first), *later)}
        for path in later.values():
            start(path, corpus, arguments)  # compiles the kernels
        for _ in range(arguments.repeat):
            for name, path in first.items():
                results[f"{name}, first training"].append(start(path, corpus, arguments, empty_cache=True))
            for name, path in later.items():
                results[name].append(start(path, corpus, arguments))
                print(name, results[name][-1], file=sys.stderr, flush=True)
    text = report(results, arguments)
    print(text)
    write_section(HERE / "RESULTS.md", "## Ablation", text)


def plain_vector(package: Path) -> None:
    """Replace vectors by scalars: one lane, and the functions of `simd/vector.py` on single numbers."""
    padding = package / "kernels" / "simd" / "padding.py"
    text = padding.read_text()
    if "\nLANES = 16" not in text:
        raise SystemExit(f"{padding} has no line 'LANES = 16'; adapt benchmarks/ablation.py.")
    padding.write_text(text.replace("\nLANES = 16", "\nLANES = 1"))
    (package / "kernels" / "simd" / "vector.py").write_text(PLAIN_VECTOR)


def no_prefetching(package: Path) -> None:
    (package / "kernels" / "simd" / "prefetch.py").write_text(NO_PREFETCH)


def no_precompiling(package: Path) -> None:
    module = package / "training" / "precompile.py"
    module.write_text(module.read_text() + "\n\ndef _worth_it() -> bool:\n    return False\n")


def as_is(_package: Path) -> None:
    pass


AS_IS, NO_PRECOMPILING = "as it is", "without precompiling"
VARIANTS: dict[str, Callable[[Path], None]] = {
    AS_IS: as_is,
    "without prefetching": no_prefetching,
    "without vector intrinsics": plain_vector,
    NO_PRECOMPILING: no_precompiling,
}


def copy(folder: Path, change: Callable[[Path], None]) -> Path:
    """A folder with a changed copy of the package."""
    shutil.copytree(PACKAGE, folder / "polyseme", ignore=shutil.ignore_patterns("__pycache__"))
    change(folder / "polyseme")
    return folder


def start(folder: Path, corpus: str, arguments: argparse.Namespace, *, empty_cache: bool = False) -> Result:
    """One training in a process of its own, with the package in a folder."""
    cache = folder / ("empty-cache" if empty_cache else "cache")
    if empty_cache:
        shutil.rmtree(cache, ignore_errors=True)
    command = [sys.executable, __file__, corpus, f"--dim={arguments.dim}", f"--epochs={arguments.epochs}", "--run=yes"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def run(arguments: argparse.Namespace) -> Result:
    begin = time.perf_counter()
    from polyseme import train

    with tempfile.TemporaryDirectory() as folder:
        model = train(
            arguments.corpus, f"{folder}/model", tokenizer="whitespace", model="mssg", dim=arguments.dim,
            epochs=arguments.epochs, threads=2,
        )  # fmt: skip
        return {"training": model.training["seconds"], "end_to_end": time.perf_counter() - begin}


def report(results: dict[str, list[Result]], arguments: argparse.Namespace) -> str:
    def row(name: str, runs: list[Result]) -> str:
        base = AS_IS + name[name.find(", first") :] if ", first" in name else AS_IS
        training, total = (min(r[part] for r in runs) for part in ("training", "end_to_end"))
        return f"| {name} | {training:.1f} | {total:.1f} | {total / min(r['end_to_end'] for r in results[base]):.2f} |"

    return "\n".join(
        [
            f"`python benchmarks/ablation.py --dim {arguments.dim} --epochs {arguments.epochs} "
            f"--repeat {arguments.repeat}`",
            "",
            f"{processor()}, 2 threads; mssg, {arguments.dim} dimensions, {arguments.epochs} epochs over "
            f"{Path(arguments.corpus).name}. Seconds, the best of {arguments.repeat} alternating runs; the ratio is to "
            "the package as it is. 'First training' starts with no compiled kernels.",
            "",
            "| variant | training | end to end | ratio |",
            "|---|---:|---:|---:|",
            *(row(name, runs) for name, runs in results.items()),
        ]
    )


if __name__ == "__main__":
    main()
