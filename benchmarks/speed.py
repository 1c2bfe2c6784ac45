"""Speed compared with gensim, fastText and word2vec: python benchmarks/speed.py [CORPUS]

Runs each program in its own process, in turn, on the same file with the same dim, window, negatives, subsampling,
minimum count, epochs and threads. Writes a section of benchmarks/RESULTS.md and a plot. End-to-end time covers the
whole program: all programs count the vocabulary, train and save vectors; polyseme also extracts example sentences.
fastText (without subwords) and word2vec are included if they are installed. With `--tokens`, only the beginning of the
corpus is used: the time to start then has a larger share.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("POLYSEME_DATA", HERE.parents[1] / "shared" / "data")) / "corpora" / "wiki8.xz"
OURS = ("polyseme skip-gram", "polyseme mssg", "polyseme np-mssg")
MAX_LINE_WORDS = 1000  # gensim distributes lines to threads: with one long line, all but one would be idle

Result = dict[str, Any]


def main() -> None:
    arguments = parse()
    if arguments.run:
        print(json.dumps(run_here(arguments.run, arguments)))
        return
    with tempfile.TemporaryDirectory() as folder:
        arguments.name = Path(arguments.corpus).name
        arguments.corpus = prepare(Path(arguments.corpus), Path(folder), arguments.tokens)
        programs = ["gensim", *(p for p in arguments.others if find_spec(p)), *OURS]
        results: dict[str, list[Result]] = {program: [] for program in programs}
        for program in OURS:  # compile the kernels before the timed runs
            run_in_process(program, arguments, warm_up=True)
        for _ in range(arguments.repeat):
            for program in programs:
                results[program].append(run_in_process(program, arguments))
                print(program, results[program][-1], file=sys.stderr, flush=True)
    text = report(results, arguments)
    print(text)
    epochs = f", {arguments.epochs} epochs" if arguments.epochs > 1 else ""
    tokens = f", {arguments.tokens:,} tokens" if arguments.tokens else ""
    write_section(HERE / "RESULTS.md", f"## Speed, {arguments.dim} dimensions{epochs}{tokens}", text)
    if not arguments.tokens:
        plot(results, HERE / plot_name(arguments))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", default=str(DATA))
    parser.add_argument("--tokens", type=int, help="use only so many tokens from the beginning of the corpus")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--negatives", type=int, default=5)
    parser.add_argument("--sample", type=float, default=1e-3)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--others", nargs="*", default=["fasttext", "word2vec"], help="compared with, if installed")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    return parser.parse_args()


def prepare(corpus: Path, folder: Path, tokens: int | None = None) -> str:
    """Write the corpus, or its first tokens, to a file with lines of at most MAX_LINE_WORDS words; returns its path."""
    from polyseme.corpus.sources import find_sources

    lines = folder / "corpus.txt"
    with find_sources(corpus)[0].open() as text, lines.open("wb") as out:
        remaining = sys.maxsize if tokens is None else tokens
        for line in text:
            words = line.split()[:remaining]
            remaining -= len(words)
            for i in range(0, len(words), MAX_LINE_WORDS):
                out.write(b" ".join(words[i : i + MAX_LINE_WORDS]) + b"\n")
    return str(lines)


def run_in_process(program: str, arguments: argparse.Namespace, *, warm_up: bool = False) -> Result:
    """Run a program in a new process; with `warm_up`, on the first 200 lines."""
    settings = [
        f"--{name.replace('_', '-')}={value}"
        for name, value in vars(arguments).items()
        if name not in ("run", "corpus", "name", "others", "tokens")
    ]
    corpus = arguments.corpus
    if warm_up:
        corpus = f"{arguments.corpus}.warm-up"
        with Path(arguments.corpus).open("rb") as file:
            Path(corpus).write_bytes(b"".join(file.readline() for _ in range(200)))
    command = [sys.executable, __file__, corpus, *settings, f"--run={program}"]
    process = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment())
    return json.loads(process.stdout)  # type: ignore[no-any-return]


def environment() -> dict[str, str]:
    """The environment of timed processes: with executables that pip installed, and with compiled Python modules.

    The warm-up compiles modules that Python imports from source files; pip does so when it installs a package.
    """
    search_path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PATH": search_path}


def run_here(program: str, arguments: argparse.Namespace) -> Result:
    """Run a program in this process, timed from its import to the saved vectors."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        peak = watch_anonymous_memory()
        if program in OURS:
            result = polyseme(program.split()[1], arguments, folder)
        else:
            result = {"gensim": gensim, "fasttext": fasttext, "word2vec": word2vec}[program](arguments, folder)
        result["end_to_end"] = time.perf_counter() - start
    if program == "word2vec":  # it runs in a subprocess
        return result
    return {**result, **peak, "peak_mb": peak_memory()}


def peak_memory() -> float:
    """Peak memory of this process in MB. Unlike getrusage, it does not include the parent's memory before the fork."""
    return memory("VmHWM")


def watch_anonymous_memory() -> Result:
    """A result in which a thread updates `anonymous_mb`: peak memory without mapped files, which can be dropped."""
    result = {"anonymous_mb": 0.0}

    def watch() -> None:
        while True:
            result["anonymous_mb"] = max(result["anonymous_mb"], memory("RssAnon"))
            time.sleep(0.01)

    threading.Thread(target=watch, daemon=True).start()
    return result


def memory(field: str) -> float:
    """A memory figure of this process from /proc/self/status, in MB."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(field)) / 1024


def gensim(a: argparse.Namespace, folder: str) -> Result:
    from gensim.models import Word2Vec

    start = time.perf_counter()
    model = Word2Vec(
        vector_size=a.dim, window=a.window, negative=a.negatives, sg=1, sample=a.sample, min_count=a.min_count,
        workers=a.threads, epochs=a.epochs,
    )  # fmt: skip
    model.build_vocab(corpus_file=a.corpus)
    read = time.perf_counter()
    model.train(
        corpus_file=a.corpus, total_words=model.corpus_total_words, total_examples=model.corpus_count, epochs=a.epochs
    )
    trained = time.perf_counter()
    model.wv.save(f"{folder}/vectors")
    return {"reading": read - start, "training": trained - read}


def fasttext(a: argparse.Namespace, folder: str) -> Result:
    import fasttext as program

    model = program.train_unsupervised(
        a.corpus, model="skipgram", dim=a.dim, ws=a.window, neg=a.negatives, t=a.sample, minCount=a.min_count,
        epoch=a.epochs, thread=a.threads, lr=0.025, minn=0, maxn=0, bucket=0, verbose=0,
    )  # fmt: skip
    model.save_model(f"{folder}/vectors")
    return {}


def word2vec(a: argparse.Namespace, folder: str) -> Result:
    import word2vec as program

    program.word2vec(
        a.corpus, f"{folder}/vectors", size=a.dim, window=a.window, negative=a.negatives, sample=str(a.sample),
        min_count=a.min_count, iter_=a.epochs, threads=a.threads, cbow=0, binary=True, debug=0,
    )  # fmt: skip
    return {}


def polyseme(name: str, a: argparse.Namespace, folder: str) -> Result:
    from polyseme import train
    from polyseme.training.config import make_config
    from polyseme.training.events import CorpusEncoded, Event, TrainingFinished

    result: Result = {}

    def listen(event: Event) -> None:
        if isinstance(event, CorpusEncoded):
            result["reading"] = event.seconds
        if isinstance(event, TrainingFinished):
            result["training"] = event.seconds

    config = make_config(
        model=name, dim=a.dim, window=a.window, negatives=a.negatives, subsample=a.sample, min_count=a.min_count,
        epochs=a.epochs, threads=a.threads,
    )  # fmt: skip
    train(a.corpus, f"{folder}/model", config=config, tokenizer="whitespace", listen=listen)
    return result


def report(results: dict[str, list[Result]], a: argparse.Namespace) -> str:
    """The section of RESULTS.md: command, machine, settings and table."""
    best = {
        p: {k: (max if k.endswith("_mb") else min)(r[k] for r in runs) for k in runs[0]} for p, runs in results.items()
    }
    median = {p: statistics.median(r["end_to_end"] for r in runs) for p, runs in results.items()}

    def cell(value: float | None, digits: int = 1) -> str:
        return "-" if value is None else f"{value:.{digits}f}"

    rows = [
        f"| {program} | {cell(b.get('reading'))} | {cell(b.get('training'))} | {b['end_to_end']:.1f} "
        f"| {median[program]:.1f} | {best['gensim']['end_to_end'] / b['end_to_end']:.2f} "
        f"| {median['gensim'] / median[program]:.2f} "
        f"| {cell(b.get('peak_mb'), 0)} | {cell(ratio(best, program, 'peak_mb'), 2)} "
        f"| {cell(b.get('anonymous_mb'), 0)} | {cell(ratio(best, program, 'anonymous_mb'), 2)} |"
        for program, b in best.items()
    ]
    command = (
        f"python benchmarks/speed.py --dim {a.dim} --negatives {a.negatives} --sample {a.sample:g} "
        f"--epochs {a.epochs} --threads {a.threads}{f' --tokens {a.tokens}' if a.tokens else ''}"
    )
    text = f"The first {a.tokens:,} tokens of {a.name}" if a.tokens else a.name
    columns = ("program", "reading", "training", "end to end", "median", "speedup (best)", "speedup (median)")
    return "\n".join(
        [
            f"`{command} --repeat {a.repeat}`",
            "",
            f"{processor()}, {a.threads} threads; Python {platform.python_version()}, gensim {version('gensim')}, "
            f"Numba {version('numba')}. {text} in lines of {MAX_LINE_WORDS:,} words; window {a.window}, negatives "
            f"{a.negatives}, subsampling {a.sample:g}, minimum count {a.min_count}, epochs {a.epochs}. mssg trains "
            f"three senses per word, np-mssg up to four, the others one. Times are the best of {a.repeat} runs, in "
            "seconds, and the median of end-to-end time; the programs run in turn. The speedup is gensim's end-to-end "
            "time divided by the program's; the ratio of memory is the program's peak divided by gensim's. Mapped "
            "files can be dropped from memory at any time.",
            "",
            *([] if a.tokens else [f"![end-to-end time]({plot_name(a)})", ""]),
            f"| {' | '.join(columns)} | peak MB | ratio | peak MB without mapped files | ratio |",
            "|---|" + "---:|" * (len(columns) + 3),
            *rows,
        ]
    )


def ratio(results: dict[str, Result], program: str, figure: str) -> float | None:
    """A figure of a program divided by gensim's."""
    return results[program][figure] / results["gensim"][figure] if figure in results[program] else None


def plot_name(a: argparse.Namespace) -> str:
    return f"speed-{a.dim}.png" if a.epochs == 1 else f"speed-{a.dim}-{a.epochs}.png"


def plot(results: dict[str, list[Result]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 0.5 * len(results) + 1), layout="constrained")
    names = list(results)[::-1]
    medians = [statistics.median(r["end_to_end"] for r in results[name]) for name in names]
    axis.barh(names, medians, color=["tab:blue" if name in OURS else "tab:gray" for name in names])
    for name in names:
        axis.plot([r["end_to_end"] for r in results[name]], [name] * len(results[name]), "k.", markersize=4)
    axis.set_xlabel("end-to-end time in seconds: median and single runs")
    figure.savefig(path, dpi=120)


def processor() -> str:
    """The name of the CPU."""
    info = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()


def write_section(path: Path, heading: str, text: str) -> None:
    """Replace the section with this heading in a Markdown file, or append it."""
    old = path.read_text(encoding="utf-8") if path.exists() else "# Results\n"
    before, found, after = old.partition(f"\n{heading}\n")
    rest = after.partition("\n## ") if found else ("", "", "")
    tail = f"\n## {rest[2]}" if rest[1] else ""
    path.write_text(f"{before.rstrip()}\n\n{heading}\n\n{text}\n{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
