"""Speed of reading and writing word2vec text compared with gensim: python benchmarks/formats.py

Each runs in its own process, in turn, on the same random vectors. Seconds of all threads are counted as well, since a
shared machine makes elapsed time vary.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from speed import HERE, Result, peak_memory, processor, write_section

PROGRAMS = ("gensim write", "polyseme write", "gensim read", "polyseme read")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        print(json.dumps(run_here(arguments.run, Path(arguments.folder), arguments.words, arguments.dim)))
        return
    results: dict[str, list[Result]] = {program: [] for program in PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.repeat):
            for program, runs in results.items():
                command = [sys.executable, __file__, f"--run={program}", f"--folder={folder}"]
                command += [f"--words={arguments.words}", f"--dim={arguments.dim}"]
                runs.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
                print(program, runs[-1], file=sys.stderr, flush=True)
    text = report(results, arguments)
    print(text)
    write_section(HERE / "RESULTS.md", "## Reading and writing word2vec text", text)


def report(results: dict[str, list[Result]], arguments: argparse.Namespace) -> str:
    words, dim, repeat = arguments.words, arguments.dim, arguments.repeat
    rows = []
    for program, runs in results.items():
        seconds, cpu, megabytes = min(r["seconds"] for r in runs), min(r["cpu"] for r in runs), runs[0]["megabytes"]
        rows.append(
            f"| {program} | {megabytes:.0f} | {seconds:.1f} | {megabytes / seconds:.0f} | {cpu:.1f} "
            f"| {max(r['peak_mb'] for r in runs):.0f} |"
        )
    return "\n".join(
        [
            f"`python benchmarks/formats.py --words {words} --dim {dim} --repeat {repeat}`",
            "",
            f"{processor()}; {words:,} words, {dim} dimensions; the best of {repeat} runs. "
            "Both programs read the file that polyseme writes. Imports and loading compiled kernels are not timed.",
            "",
            "| program | MB | seconds | MB/s | CPU seconds | peak MB |",
            "|---|---:|---:|---:|---:|---:|",
            *rows,
        ]
    )


def run_here(program: str, folder: Path, words: int, dim: int) -> Result:
    """Run a program in this process, after writing a small file, which loads the compiled kernels."""
    path = folder / f"{'gensim' if program == 'gensim write' else 'polyseme'}.vec"
    prepare("polyseme write", folder / "small.vec", 10, dim)()
    run = prepare(program, path, words, dim)
    start, start_cpu = time.perf_counter(), time.process_time()
    run()
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - start_cpu,
        "megabytes": path.stat().st_size / 1e6,
        "peak_mb": peak_memory(),
    }


def prepare(program: str, path: Path, words: int, dim: int) -> Any:
    """A function that reads or writes a file."""
    from gensim.models import KeyedVectors

    from polyseme import SenseModel, export
    from polyseme.formats import text_file, word2vec
    from polyseme.formats.imported import ImportedVectors
    from polyseme.formats.open_model import _make_model
    from polyseme.formats.registry import FORMATS

    if program == "gensim read":
        return lambda: KeyedVectors.load_word2vec_format(path)
    if program == "polyseme read":
        text_file._parse(b"word 1\n", 1, True)
        return lambda: word2vec.read(path)
    vectors = (np.random.default_rng(1).normal(size=(words, dim)) * 0.2).astype(np.float32)
    names = [f"word{i}" for i in range(words)]
    if program == "gensim write":
        keyed = KeyedVectors(dim)
        keyed.add_vectors(names, vectors)
        return lambda: keyed.save_word2vec_format(path)
    imported = ImportedVectors(names, vectors, np.arange(words + 1))
    model = SenseModel(_make_model(FORMATS["word2vec"], imported, None))
    return lambda: export(model, path, force=True)


if __name__ == "__main__":
    main()
