"""Speed of all readers, compared with gensim and mwparserfromhell: python benchmarks/reading.py [CORPUS] [--dump 500]

First a corpus is encoded in each format, compared with gensim's build_vocab. Each runs in its own process, in turn, on
the same decompressed text, whose long lines are split. Each line is a row of the tables. Speeds are in MB of text,
whatever the size of the file. With --dump, a Wikipedia dump of this many MB is read as well (see wikipedia.py).
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import wikipedia
from speed import DATA, HERE, MAX_LINE_WORDS, Result, peak_memory, prepare, processor, write_section


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", default=str(DATA))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--dump", type=int, default=0, metavar="MEGABYTES")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        print(json.dumps(run_here(arguments.run, arguments.corpus)))
        return
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(prepare(Path(arguments.corpus), Path(folder)))
        megabytes = plain.stat().st_size / 1e6
        files = {"gensim build_vocab": plain, "polyseme encode, plain text": plain, "polyseme encode, iterable": plain}
        for suffix in ("jsonl", "csv", "parquet"):
            files[f"polyseme encode, {suffix}"] = convert(plain, suffix)
        results: dict[str, list[Result]] = {program: [] for program in files}
        for _ in range(arguments.repeat):
            for program, runs in results.items():
                command = [sys.executable, __file__, str(files[program]), f"--run={program}"]
                runs.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
                print(program, runs[-1], file=sys.stderr, flush=True)
    rows = [
        f"| {program} | {min(r['seconds'] for r in runs):.1f} | {megabytes / min(r['seconds'] for r in runs):.0f} "
        f"| {min(r['cpu_seconds'] for r in runs):.1f} | {max(r['peak_mb'] for r in runs):.0f} |"
        for program, runs in results.items()
    ]
    text = "\n".join(
        [
            f"`python benchmarks/reading.py {Path(arguments.corpus).name} --repeat {arguments.repeat}`",
            "",
            f"{processor()}; {megabytes:.0f} MB of text in lines of at most {MAX_LINE_WORDS:,} words, "
            f"tokenizer `whitespace`; the best of {arguments.repeat} runs. "
            "gensim only counts words; polyseme counts them and writes the encoded corpus, and "
            "except for plain text a compressed copy of the text.",
            "",
            "| program | seconds | MB/s | CPU seconds | peak MB |",
            "|---|---:|---:|---:|---:|",
            *rows,
        ]
    )
    print(text)
    write_section(HERE / "RESULTS.md", f"## Reading {Path(arguments.corpus).name}", text)
    if arguments.dump:
        wikipedia.measure(arguments.dump, arguments.repeat)


def convert(plain: Path, suffix: str) -> Path:
    """Write a text in another format, one row per line, with a second field that is not read."""
    path = plain.with_suffix(f".{suffix}")
    with plain.open(encoding="utf-8", errors="replace", newline="\n") as lines:
        texts = (line.rstrip("\n").replace("\0", " ") for line in lines)
        if suffix == "parquet":
            import pyarrow
            from pyarrow.parquet import ParquetWriter

            schema = pyarrow.schema({"id": pyarrow.int64(), "text": pyarrow.string()})
            with ParquetWriter(path, schema) as writer:
                while batch := list(islice(texts, 50_000)):
                    writer.write_table(pyarrow.table({"id": range(len(batch)), "text": batch}, schema))
        else:
            with path.open("w", encoding="utf-8", newline="") as out:
                if suffix == "csv":
                    rows = csv.writer(out)
                    rows.writerow(["id", "text"])
                    rows.writerows(enumerate(texts))
                else:
                    out.writelines(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts))
    return path


def run_here(program: str, corpus: str) -> Result:
    """Run a program in this process. Imports and loading compiled kernels are not timed."""
    if program.startswith("gensim"):
        from gensim.models import Word2Vec

        start, cpu = time.perf_counter(), time.process_time()
        Word2Vec(min_count=5).build_vocab(corpus_file=corpus)
    else:
        from polyseme.corpus.encoding import encode
        from polyseme.corpus.sources import find_sources, iterable_source
        from polyseme.corpus.tokenizers import get_tokenizer

        with tempfile.TemporaryDirectory() as folder:
            small = Path(folder) / "small.txt"  # loads the compiled kernels
            small.write_text("a few words\n")
            encode(find_sources(small), get_tokenizer("whitespace"), Path(folder) / "small")
            start, cpu = time.perf_counter(), time.process_time()
            with Path(corpus).open(encoding="utf-8", errors="replace", newline="\n") as lines:
                sources = [iterable_source(lines)] if program.endswith("iterable") else find_sources(corpus)
                encode(sources, get_tokenizer("whitespace"), Path(folder) / "corpus")
    seconds = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}
    return {**seconds, "peak_mb": peak_memory()}


if __name__ == "__main__":
    main()
