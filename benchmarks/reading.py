"""Speed of encoding a corpus compared with gensim's build_vocab: python benchmarks/reading.py [CORPUS]

Each runs in its own process, in turn, on the same decompressed file. Lines keep their length.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from speed import DATA, HERE, Result, peak_memory, processor, write_section


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", default=str(DATA))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        print(json.dumps(run_here(arguments.run, arguments.corpus)))
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus = decompress(Path(arguments.corpus), Path(folder))
        megabytes = Path(corpus).stat().st_size / 1e6
        results: dict[str, list[Result]] = {"gensim build_vocab": [], "polyseme encode": []}
        for _ in range(arguments.repeat):
            for program, runs in results.items():
                command = [sys.executable, __file__, corpus, f"--run={program}"]
                runs.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
                print(program, runs[-1], file=sys.stderr, flush=True)
    rows = [
        f"| {program} | {min(r['seconds'] for r in runs):.1f} | {megabytes / min(r['seconds'] for r in runs):.0f} "
        f"| {max(r['peak_mb'] for r in runs):.0f} |"
        for program, runs in results.items()
    ]
    text = "\n".join(
        [
            f"`python benchmarks/reading.py {Path(arguments.corpus).name} --repeat {arguments.repeat}`",
            "",
            f"{processor()}; {megabytes:.0f} MB of text, tokenizer `whitespace`; the best of {arguments.repeat} runs. "
            "gensim only counts words; polyseme counts them and writes the encoded corpus.",
            "",
            "| program | seconds | MB/s | peak MB |",
            "|---|---:|---:|---:|",
            *rows,
        ]
    )
    print(text)
    write_section(HERE / "RESULTS.md", f"## Reading {Path(arguments.corpus).name}", text)


def decompress(corpus: Path, folder: Path) -> str:
    """Write the decompressed corpus to a file, and return its path."""
    from polyseme.corpus.sources import find_sources

    plain = folder / "corpus.txt"
    with find_sources(corpus)[0].open() as text, plain.open("wb") as out:
        while data := text.read(1 << 20):
            out.write(data)
    return str(plain)


def run_here(program: str, corpus: str) -> Result:
    """Run a program in this process. Imports and loading compiled kernels are not timed."""
    if program.startswith("gensim"):
        from gensim.models import Word2Vec

        start = time.perf_counter()
        Word2Vec(min_count=5).build_vocab(corpus_file=corpus)
    else:
        from polyseme.corpus.encoding import encode
        from polyseme.corpus.sources import find_sources
        from polyseme.corpus.tokenizers import get_tokenizer

        with tempfile.TemporaryDirectory() as folder:
            small = Path(folder) / "small.txt"  # loads the compiled kernels
            small.write_text("a few words\n")
            encode(find_sources(small), get_tokenizer("whitespace"), Path(folder) / "small")
            start = time.perf_counter()
            encode(find_sources(corpus), get_tokenizer("whitespace"), Path(folder) / "corpus")
    return {"seconds": time.perf_counter() - start, "peak_mb": peak_memory()}


if __name__ == "__main__":
    main()
