"""Speed against gensim, fastText and word2vec: python benchmarks/speed.py [CORPUS]

Runs each program in a process of its own, alternating, on the same file with the same dim, window, negatives,
subsampling, minimum count, epochs and threads, and writes its section of benchmarks/RESULTS.md and a plot. End to end
is the whole program: polyseme's also finds example sentences and saves the model; the others' reads the vocabulary,
trains and saves vectors. fastText (without subwords) and word2vec take part if they are installed.
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
DATA = HERE.parents[1] / "shared" / "data" / "corpora" / "wiki8.xz"
OURS = ("polyseme skip-gram", "polyseme mssg", "polyseme np-mssg")
LINE = 1000  # gensim hands out work by lines, so one long line would give its second thread nothing to do

Result = dict[str, Any]


def main() -> None:
    arguments = parse()
    if arguments.run:
        print(json.dumps(run(arguments.run, arguments)))
        return
    with tempfile.TemporaryDirectory() as folder:
        arguments.name = Path(arguments.corpus).name
        arguments.corpus = prepare(Path(arguments.corpus), Path(folder))
        programs = ["gensim", *(p for p in arguments.others if find_spec(p)), *OURS]
        results: dict[str, list[Result]] = {program: [] for program in programs}
        for program in OURS:  # compile the kernels before anything is timed
            start(program, arguments, warm_up=True)
        for _ in range(arguments.repeat):
            for program in programs:
                results[program].append(start(program, arguments))
                print(program, results[program][-1], file=sys.stderr, flush=True)
    text = report(results, arguments)
    print(text)
    passes = f", {arguments.epochs} passes" if arguments.epochs > 1 else ""
    write_section(HERE / "RESULTS.md", f"## Speed, {arguments.dim} dimensions{passes}", text)
    plot(results, HERE / plot_name(arguments))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", default=str(DATA))
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--negatives", type=int, default=5)
    parser.add_argument("--sample", type=float, default=1e-3)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--others", nargs="*", default=["fasttext", "word2vec"], help="who takes part besides gensim")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    return parser.parse_args()


def prepare(corpus: Path, folder: Path) -> str:
    """The corpus unpacked, in lines of at most LINE words."""
    from polyseme.corpus.sources import find_sources

    lines = folder / "corpus.txt"
    with find_sources(corpus)[0].open() as text, lines.open("wb") as out:
        for line in text:
            words = line.split()
            for i in range(0, len(words), LINE):
                out.write(b" ".join(words[i : i + LINE]) + b"\n")
    return str(lines)


def start(program: str, arguments: argparse.Namespace, *, warm_up: bool = False) -> Result:
    """Run a program in a process of its own."""
    settings = [
        f"--{name.replace('_', '-')}={value}"
        for name, value in vars(arguments).items()
        if name not in ("run", "corpus", "name", "others")
    ]
    corpus = arguments.corpus
    if warm_up:
        corpus = f"{arguments.corpus}.start"
        with Path(arguments.corpus).open("rb") as file:
            Path(corpus).write_bytes(b"".join(file.readline() for _ in range(200)))
    command = [sys.executable, __file__, corpus, *settings, f"--run={program}"]
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # word2vec is a program there
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "PATH": paths})
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def run(program: str, arguments: argparse.Namespace) -> Result:
    """One program, timed from the first import to the saved vectors."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        if program in OURS:
            parts = polyseme(program.split()[1], arguments, folder)
        else:
            parts = {"gensim": gensim, "fasttext": fasttext, "word2vec": word2vec}[program](arguments, folder)
        seconds = time.perf_counter() - begin
    parts["end_to_end"] = seconds
    return parts if program == "word2vec" else {**parts, "peak_mb": peak_memory()}  # that is a process of its own


def peak_memory() -> float:
    """The most memory this process has used, in MB; getrusage would also count what its parent had before it."""
    return memory("VmHWM")


def watch_anonymous_memory() -> Result:
    """A result that holds the most memory used until now without that of mapped files, which others can have back."""
    most = {"anonymous_mb": 0.0}

    def watch() -> None:
        while True:
            most["anonymous_mb"] = max(most["anonymous_mb"], memory("RssAnon"))
            time.sleep(0.01)

    threading.Thread(target=watch, daemon=True).start()
    return most


def memory(kind: str) -> float:
    """A line of what the system says of the memory of this process, in MB."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(kind)) / 1024


def gensim(a: argparse.Namespace, folder: str) -> Result:
    from gensim.models import Word2Vec

    begin = time.perf_counter()
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
    return {"reading": read - begin, "training": trained - read}


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

    found = watch_anonymous_memory()

    def listen(event: Event) -> None:
        if isinstance(event, CorpusEncoded):
            found["reading"] = event.seconds
        if isinstance(event, TrainingFinished):
            found["training"] = event.seconds

    config = make_config(
        model=name, senses=3, dim=a.dim, window=a.window, negatives=a.negatives, subsample=a.sample,
        min_count=a.min_count, epochs=a.epochs, threads=a.threads,
    )  # fmt: skip
    train(a.corpus, f"{folder}/model", config=config, tokenizer="whitespace", listen=listen)
    return found


def report(results: dict[str, list[Result]], a: argparse.Namespace) -> str:
    """The table, with the settings and the machine."""
    best = {
        p: {k: (max if k.endswith("_mb") else min)(r[k] for r in runs) for k in runs[0]} for p, runs in results.items()
    }
    middle = {p: statistics.median(r["end_to_end"] for r in runs) for p, runs in results.items()}

    def shown(value: float | None, digits: int = 1) -> str:
        return "-" if value is None else f"{value:.{digits}f}"

    rows = [
        f"| {program} | {shown(b.get('reading'))} | {shown(b.get('training'))} | {b['end_to_end']:.1f} "
        f"| {middle[program]:.1f} | {best['gensim']['end_to_end'] / b['end_to_end']:.2f} "
        f"| {middle['gensim'] / middle[program]:.2f} "
        f"| {shown(b.get('peak_mb'), 0)} | {shown(b.get('anonymous_mb'), 0)} |"
        for program, b in best.items()
    ]
    command = (
        f"python benchmarks/speed.py --dim {a.dim} --negatives {a.negatives} --sample {a.sample:g} "
        f"--epochs {a.epochs} --threads {a.threads}"
    )
    heads = ("program", "reading", "training", "end to end", "median", "ratio of bests", "of medians")
    return "\n".join(
        [
            f"`{command} --repeat {a.repeat}`",
            "",
            f"{processor()}, {a.threads} threads; Python {platform.python_version()}, gensim {version('gensim')}, "
            f"Numba {version('numba')}. {a.name} in lines of {LINE:,} words; window {a.window}, negatives "
            f"{a.negatives}, subsampling {a.sample:g}, minimum count {a.min_count}, epochs {a.epochs}. mssg learns "
            f"three senses a word, np-mssg up to three, the others one. Seconds, the best of {a.repeat} alternating "
            "runs, and their median from end to end; a ratio is gensim's time by the program's: more is faster.",
            "",
            f"![seconds from end to end]({plot_name(a)})",
            "",
            f"| {' | '.join(heads)} | peak MB | without mapped files |",
            "|---|" + "---:|" * (len(heads) + 1),
            *rows,
        ]
    )


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
    axis.set_xlabel("seconds from end to end: median, and each run")
    figure.savefig(path, dpi=120)


def processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()


def write_section(path: Path, head: str, text: str) -> None:
    """Put a section into a Markdown file in the place of the one with the same head, else at its end."""
    old = path.read_text(encoding="utf-8") if path.exists() else "# Results\n"
    before, found, after = old.partition(f"\n{head}\n")
    rest = after.partition("\n## ") if found else ("", "", "")
    tail = f"\n## {rest[2]}" if rest[1] else ""
    path.write_text(f"{before.rstrip()}\n\n{head}\n\n{text}\n{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
