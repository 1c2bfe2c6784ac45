"""Reading, counting and encoding against gensim's build_vocab alone: python benchmarks/reading.py [CORPUS]

Both in processes of their own, alternating, on the same unpacked file, one of its lines as long as it is.
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
        print(json.dumps(run(arguments.run, arguments.corpus)))
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus = unpack(Path(arguments.corpus), Path(folder))
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
            f"{processor()}; {megabytes:.0f} MB of text, tokenizer `whitespace`; the best of {arguments.repeat} "
            "alternating runs. gensim counts; polyseme counts and writes the encoded corpus.",
            "",
            "| program | seconds | MB/s | peak MB |",
            "|---|---:|---:|---:|",
            *rows,
        ]
    )
    print(text)
    write_section(HERE / "RESULTS.md", f"## Reading {Path(arguments.corpus).name}", text)


def unpack(corpus: Path, folder: Path) -> str:
    from polyseme.corpus.sources import find_sources

    plain = folder / "corpus.txt"
    with find_sources(corpus)[0].open() as text, plain.open("wb") as out:
        while data := text.read(1 << 20):
            out.write(data)
    return str(plain)


def run(program: str, corpus: str) -> Result:
    """One program, without the time of its imports, or of loading compiled kernels."""
    if program.startswith("gensim"):
        from gensim.models import Word2Vec

        begin = time.perf_counter()
        Word2Vec(min_count=5).build_vocab(corpus_file=corpus)
    else:
        from polyseme.corpus.encoding import encode
        from polyseme.corpus.sources import find_sources
        from polyseme.corpus.tokenizers import get_tokenizer

        with tempfile.TemporaryDirectory() as folder:
            small = Path(folder) / "small.txt"
            small.write_text("a few words\n")
            encode(find_sources(small), get_tokenizer("whitespace"), Path(folder) / "small")
            begin = time.perf_counter()
            encode(find_sources(corpus), get_tokenizer("whitespace"), Path(folder) / "corpus")
    return {"seconds": time.perf_counter() - begin, "peak_mb": peak_memory()}


if __name__ == "__main__":
    main()
