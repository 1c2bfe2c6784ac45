"""Training on a cluster, measured on one machine: python benchmarks/cluster.py PART ...

    quality CORPUS EVAL   scores of one process and of 1, 2, 4 and 8 workers, on all tasks
    rounds CORPUS EVAL    the same for 4 workers and rounds of different length
    rules CORPUS EVAL     the same for other rules of merging: adding, averaging, a gradient combiner (GraphAny2Vec)
    cost CORPUS           CPU seconds and memory of all processes, Ray's own apart, against one process
    parts CORPUS          CPU seconds of the parts of a training, the workers in one process
    bytes CORPUS          bytes and seconds per round, by vocabulary, dimensions and workers
    faults                random kills of workers, drivers (then --resume) and nodes, on a planted corpus
    prediction            speed-up on real nodes, computed from the results of `bytes` for the largest vocabulary
    tables                all results

Results are JSON files in the folder --work, one for each run: a stopped benchmark continues with what is missing.
CORPUS is an encoded corpus. EVAL has the folders scws, wordsim353, semeval2010 and ambiguity. Quality is measured with
the workers in one process, which gives the same vectors as Ray and takes less memory; --ray uses Ray.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial, wraps
from pathlib import Path
from statistics import mean, stdev
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from polyseme import SenseModel, train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.planted import plant
from polyseme.evaluation import pseudowords as pseudowords_module
from polyseme.evaluation.planted_recovery import score_planted
from polyseme.evaluation.tasks import evaluate
from polyseme.training.cluster import merging
from polyseme.training.cluster import run as cluster_run
from polyseme.training.cluster import trainer as cluster_trainer
from polyseme.training.events import Event, RoundsMerged
from polyseme.training.trainer import BLOCK_TOKENS, Trainer

TASKS = {
    "scws": ("scws/ratings.txt", (("softmax", "avg_sim_c"), ("words", "global_sim"))),
    "wordsim": ("wordsim353/combined.csv", (("words", "avg_sim"),)),
    "wsi": ("semeval2010", (("all", "ari"), ("all", "v_measure"))),
    "ambiguity": ("ambiguity", ()),  # all scores
}
TIMED = {
    "training": (Trainer, "_train"),
    "sense discovery": (Trainer, "_split_senses"),
    "finding changes": (merging.Replica, "update"),
    "merging": (merging.Merger, "merge"),
    "taking over": (merging.Replica, "apply"),
}
PSEUDOWORDS = (("pairs", "ari"), ("triples", "ari"), ("controls", "unsplit"))
LINK_BYTES = 10e9 / 8  # per second, of the network that the prediction assumes
FAULTS = ("worker", "driver", "node")
NODE_SCRIPT = """
import json, pathlib, sys, threading, time
from ray.cluster_utils import Cluster
from polyseme import train
from polyseme.training.cluster import pool
text, model, settings, seconds = json.loads(sys.argv[1])
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
log = pathlib.Path(model + ".training") / "training.jsonl"
def remove():
    while not (log.exists() and "cluster_started" in log.read_text()):
        time.sleep(0.1)
    time.sleep(seconds)
    pool.START_SECONDS = 10  # there is no room for another worker
    cluster.remove_node(nodes[0], allow_graceful=False)
threading.Thread(target=remove, daemon=True).start()
train(text, model, workers=3, ray_address=cluster.address, quiet=True, **settings)
cluster.shutdown()
"""

Result = dict[str, Any]
Rows = merging.Rows
Floats = NDArray[np.float32]
MERGE_ROWS = merging._merge_rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("eval", type=Path, nargs="?")
    parser.add_argument("--work", type=Path, default=Path("cluster"), help="folder of the results")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2, 4, 8], help="0 is one process, without")
    parser.add_argument(
        "--shares", type=int, nargs="+", default=[256, 128, 64, 32, 16, 8], help="1 / length of a round"
    )
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--max-vocabulary", type=int, help="of `quality`, `rounds` and `rules`")
    parser.add_argument("--tokens", type=int, help="use only so many tokens, from the start of the corpus")
    parser.add_argument("--trials", type=int, default=50, help="of faults")
    parser.add_argument("--nodes", type=int, nargs="+", default=[2, 4, 8, 16, 32, 64], help="of the prediction")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2, 16], help="of a node in the prediction")
    parser.add_argument("--speed", type=float, help="tokens per second of a core; without, as measured by `bytes`")
    parser.add_argument("--billions", type=float, nargs="+", default=[0.1, 1, 10, 100, 1000], help="of tokens, there")
    parser.add_argument("--ray", action="store_true", help="measure quality with Ray")
    parser.add_argument("--no-pseudowords", action="store_true")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    PARTS[arguments.part](arguments)


def saved(arguments: argparse.Namespace, name: str, measure: Callable[[], Result]) -> Result:
    """The result of this name, measured if it is not in the folder yet."""
    path = arguments.work / f"{name}.json"
    if not path.exists():
        result = measure()
        path.write_text(json.dumps(result, indent=1))
        print(name, json.dumps(result), file=sys.stderr, flush=True)
    result = json.loads(path.read_text())
    assert isinstance(result, dict)
    return result


def open_corpus(arguments: argparse.Namespace) -> EncodedCorpus:
    corpus = EncodedCorpus.open(arguments.corpus)
    if arguments.tokens is None or arguments.tokens >= corpus.num_tokens:
        return corpus
    sentences = np.array(corpus.sentences[: np.searchsorted(corpus.sentences, arguments.tokens) + 1])
    return corpus.with_tokens(np.array(corpus.tokens[: sentences[-1]]), corpus.words, sentences)


# Quality


def quality(arguments: argparse.Namespace) -> None:
    for seed, workers in itertools.product(arguments.seeds, arguments.workers):
        saved(arguments, f"quality-{workers}-{seed}", partial(scores, arguments, workers, seed))


def rounds(arguments: argparse.Namespace) -> None:
    for seed, share in itertools.product(arguments.seeds, arguments.shares):
        with mock.patch.object(cluster_trainer, "ROUND_SHARE", 1 / share):
            saved(arguments, f"rounds-{share}-{seed}", partial(scores, arguments, 4, seed))


def rules(arguments: argparse.Namespace) -> None:
    """Each rule with the same rounds. `momentum` is the rule of polyseme, `damped` the same without momentum."""
    mean_share = lambda _, workers: 1 / np.maximum(workers, 1)  # noqa: E731
    tried: dict[str, dict[str, Any]] = {
        "momentum": {"DAMPING": merging.DAMPING},
        "damped": {"_merge_rows": merge_without_momentum},
        "sum": {"combined_share": lambda steps, _: np.ones(len(steps))},
        "mean": {"combined_share": mean_share, "_merge_rows": merge_without_momentum},
        "mean-momentum": {"combined_share": mean_share},
        "combiner": {"_merge_rows": combine_gradients},
    }
    for seed, (rule, changes) in itertools.product(arguments.seeds, tried.items()):
        with mock.patch.multiple(merging, **changes):
            saved(arguments, f"rules-{rule}-{seed}", partial(scores, arguments, 4, seed))


def merge_without_momentum(
    table: Floats, moves: Floats, updates: list[Rows], steps: NDArray[np.float64], values: Floats
) -> Rows:
    return MERGE_ROWS(table, np.zeros_like(moves), updates, steps, values)


def combine_gradients(
    table: Floats, moves: Floats, updates: list[Rows], steps: NDArray[np.float64], values: Floats
) -> Rows:
    """The rule of GraphAny2Vec: of each change, the part orthogonal to the sum so far is added, if they agree."""
    del moves, steps, values
    changed = np.unique(np.concatenate([rows for rows, _ in updates]))
    total = np.zeros((len(changed), updates[0].values.shape[1]), np.float32)
    for rows, changes in updates:
        at = np.searchsorted(changed, rows)
        before = total[at]
        squares, products = (before**2).sum(1), (before * changes).sum(1)
        along = np.where(products > 0, products / np.maximum(squares, 1e-30), 0)
        total[at] = before + changes - along[:, None] * before
    table[changed, : total.shape[1]] += total
    return Rows(changed, table[changed, : total.shape[1]])


def scores(arguments: argparse.Namespace, workers: int, seed: int) -> Result:
    """The scores of a model of so many workers, with one thread each; 0 for one process."""
    corpus = open_corpus(arguments)
    with training(arguments, workers) as train_model:
        settings = {"dim": arguments.dim, "epochs": arguments.epochs, "max_vocabulary": arguments.max_vocabulary}
        model = train_model(corpus, seed=seed, threads=1, examples=0, **settings)
        result = {"loss": model.training["loss"], "seconds": model.training["seconds"]}
        for task, (path, measures) in TASKS.items():
            table = evaluate(model, task, arguments.eval / path).table
            for group, measure in measures or [(g, m) for g in table for m in table[g]]:
                result[f"{task} {group} {measure}"] = table[group][measure].value
        if not arguments.no_pseudowords:
            with mock.patch.object(pseudowords_module, "train", train_model):
                # The words to merge are selected by the model itself.
                table = pseudowords_module.pseudowords(model, corpus, seed=seed).table  # type: ignore[arg-type]
            result |= {f"pseudowords {g} {m}": table[g][m].value for g, m in PSEUDOWORDS if m in table.get(g, {})}
    return result


@contextmanager
def training(arguments: argparse.Namespace, workers: int) -> Iterator[Callable[..., SenseModel]]:
    """`train` with so many workers."""
    if workers == 0:
        yield train
    elif arguments.ray:
        yield partial(train, workers=workers)
    else:
        local = lambda run, number, _: cluster_run.local_run(run, number)  # noqa: E731
        with mock.patch.object(cluster_run, "cluster_run", local):
            yield partial(train, workers=workers)


# Cost


def cost(arguments: argparse.Namespace) -> None:
    """Alternates the runs. Do not use the machine for other things meanwhile."""
    for seed, workers in itertools.product(arguments.seeds, arguments.workers):
        saved(arguments, f"cost-{workers}-{seed}", partial(measured_run, arguments, workers, seed))


def measured_run(arguments: argparse.Namespace, workers: int, seed: int) -> Result:
    """CPU seconds and peak memory of a run of the command, by kind of process."""
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        model = Path(folder) / "model"
        options = {"dim": arguments.dim, "epochs": arguments.epochs, "seed": seed, "threads": 1, "examples": 0}
        command = [sys.executable, "-m", "polyseme", "train", str(arguments.corpus), str(model), "--quiet"]
        command += [word for name, value in options.items() for word in (f"--{name}", str(value))]
        command += ["--workers", str(workers)] if workers else []
        started = time.monotonic()
        process = subprocess.Popen(command)
        usage: dict[int, tuple[str, float, int]] = {}
        while process.poll() is None:
            usage |= {pid: used for pid in descendants(process.pid) if (used := usage_of(pid, process.pid))}
            time.sleep(0.2)
        if process.returncode:
            raise SystemExit(f"the command failed: {' '.join(command)}")
        result: Result = {"seconds": time.monotonic() - started, "training": SenseModel.load(model).training["seconds"]}
    for kind in ("driver", "worker", "ray"):
        of_kind = [(cpu, memory) for name, cpu, memory in usage.values() if name == kind]
        result[f"{kind} cpu"] = sum(cpu for cpu, _ in of_kind)
        result[f"{kind} memory"] = max((memory for _, memory in of_kind), default=0)
    return result


def descendants(pid: int) -> list[int]:
    """A process and all that it has started, directly or not."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with_parent = read(path).rpartition(")")[2].split()
        if with_parent:
            parents.setdefault(int(with_parent[1]), []).append(int(path.parent.name))
    found = [pid]
    for process in found:
        found += parents.get(process, [])
    return found


def usage_of(pid: int, driver: int) -> tuple[str, float, int] | None:
    """Kind, CPU seconds and peak memory (bytes) of a process; None if it has ended."""
    name, stat, status = (read(Path(f"/proc/{pid}/{file}")) for file in ("cmdline", "stat", "status"))
    fields = stat.rpartition(")")[2].split()
    peak = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    if not fields or not peak:
        return None
    kind = "driver" if pid == driver else "worker" if name.startswith("ray::Worker") else "ray"
    return kind, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(peak[0]) << 10


def read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def parts(arguments: argparse.Namespace) -> None:
    for seed, workers in itertools.product(arguments.seeds, arguments.workers):
        saved(arguments, f"parts-{workers}-{seed}", partial(seconds_of_parts, arguments, workers, seed))


def seconds_of_parts(arguments: argparse.Namespace, workers: int, seed: int) -> Result:
    """CPU seconds of the parts of a training on one thread; the first training of a process also loads kernels."""
    seconds: dict[str, float] = {}
    corpus = open_corpus(arguments)
    with training(arguments, workers) as train_model, ExitStack() as patches:
        for name, (owner, method) in TIMED.items():
            patches.enter_context(mock.patch.object(owner, method, timed(getattr(owner, method), name, seconds)))
        started = time.process_time()
        train_model(corpus, dim=arguments.dim, epochs=arguments.epochs, seed=seed, threads=1, examples=0, quiet=True)
        seconds["all"] = time.process_time() - started
    return {f"{name} cpu": round(value, 2) for name, value in seconds.items()}


def timed(method: Callable[..., Any], name: str, seconds: dict[str, float]) -> Callable[..., Any]:
    """A method that adds its CPU seconds to those of its name."""

    @wraps(method)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        started = time.process_time()
        try:
            return method(*arguments, **options)
        finally:
            seconds[name] = seconds.get(name, 0.0) + time.process_time() - started

    return wrapper


def traffic(arguments: argparse.Namespace) -> None:
    """One epoch each, with the workers in one process, so that the seconds of merging are those of the driver alone.

    Seconds are CPU seconds of this process, so that other processes do not matter.
    """
    for vocabulary, dim, workers in itertools.product((10_000, 50_000, 200_000), (100, 300), arguments.workers):
        name = f"bytes-{vocabulary}-{dim}-{workers}"
        saved(arguments, name, partial(traffic_of, arguments, vocabulary, dim, workers))


def traffic_of(arguments: argparse.Namespace, vocabulary: int, dim: int, workers: int) -> Result:
    events: list[Event] = []
    corpus = open_corpus(arguments)
    with training(arguments, workers) as train_model, mock.patch.object(time, "monotonic", time.process_time):
        model = train_model(
            corpus, dim=dim, max_vocabulary=vocabulary, epochs=1, threads=1, examples=0, listen=events.append
        )
    last = [event for event in events if isinstance(event, RoundsMerged)][-1]
    return {
        "rounds": last.rounds, "words": len(model), "tokens": corpus.num_tokens, "workers": workers, "dim": dim,
        "bytes sent": last.bytes_sent / last.rounds / workers,
        "bytes received": last.bytes_received / last.rounds / workers,
        "merging": last.seconds_merging / last.rounds, "training": last.seconds_training / last.rounds / workers,
    }  # fmt: skip


def prediction(arguments: argparse.Namespace) -> None:
    """The speed-up of N nodes over one, from bytes and seconds per round for the largest vocabulary measured.

    A round of b tokens takes  b / (N * cores * v) + N (s + r) / link + N m  seconds: a core trains v tokens per second,
    a node sends s bytes and receives r through the driver's link, and the driver needs m seconds to merge an update.
    """
    print("| dim | tokens | epochs | cores | nodes | rounds | computing, s | network, s | merging, s | speed-up |")
    print("|" + "---|" * 10)
    results = [json.loads(path.read_text()) for path in sorted(arguments.work.glob("bytes-*.json"))]
    for dim in sorted({result["dim"] for result in results}):
        largest = max((r for r in results if r["dim"] == dim), key=lambda r: (r["words"], r["workers"]))
        measured = largest["tokens"] / (largest["rounds"] * largest["training"] * largest["workers"])
        speed = arguments.speed or measured
        link = (largest["bytes sent"] + largest["bytes received"]) / LINK_BYTES
        merging_seconds = largest["merging"] / largest["workers"]
        for billions, cores, nodes in itertools.product(arguments.billions, arguments.cores, arguments.nodes):
            tokens = int(billions * 1e9) * arguments.epochs
            number = num_rounds(tokens, nodes * cores)
            computing = tokens / (nodes * cores * speed)
            network, merged = number * nodes * link, number * nodes * merging_seconds
            speed_up = nodes * computing / (computing + network + merged)
            print(
                f"| {dim} | {billions:g} billion | {arguments.epochs} | {cores} | {nodes} | {number} "
                f"| {computing:.4g} | {network:.3g} | {merged:.3g} | {speed_up:.1f} |"
            )


def num_rounds(tokens: int, threads: int) -> int:
    """The number of rounds in which all workers together train so many tokens."""
    number = done = 0
    while done < tokens:
        most = max(int(done * cluster_trainer.ROUND_SHARE), min(threads, cluster_trainer.MIN_BLOCKS) * BLOCK_TOKENS)
        done += most
        number += 1
    return number


# Faults


def faults(arguments: argparse.Namespace) -> None:
    """Each trial ends a worker, a driver or a node at a random time of the training."""
    for trial in range(arguments.trials):
        kind = ("none", *FAULTS)[trial % 4]
        saved(arguments, f"faults-{kind}-{trial}", partial(fault, arguments, kind, trial))


def fault(arguments: argparse.Namespace, kind: str, trial: int) -> Result:
    """Token counts and scores of a run with a fault. Without subsampling, the number of trained tokens is known."""
    chance = random.Random(trial)
    planted = plant(sentences=8000, difficulty=0.3, seed=7)
    settings = {
        "senses": 2, "dim": 32, "seed": 1, "threads": 1, "subsample": 0.0, "min_count": 1, "epochs": 40, "examples": 0,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(dir=arguments.work) as name:
        folder = Path(name).resolve()
        text, model = planted.write(folder / "planted.txt"), folder / "model"
        if kind == "node":
            given = json.dumps([str(text), str(model), settings, chance.random() * 5])
            # Ray's default niceness lets workers starve on a busy machine.
            environment = {**os.environ, "RAY_worker_niceness": "0"}
            subprocess.run([sys.executable, "-c", NODE_SCRIPT, given], env=environment, check=True)
        else:
            run_with_kill(text, model, settings, kind, chance)
        trained = SenseModel.load(model)
        events = [json.loads(line) for line in (model / "training.jsonl").read_text().splitlines()]
    return {
        "tokens": trained.training["tokens"],
        "expected": 40 * sum(map(len, planted.sentences)),
        "ari": mean(score.ari for score in score_planted(trained, planted)),
        "lost": sum(event["event"] == "worker_lost" for event in events),
        "workers": trained.training["workers"],
    }


def run_with_kill(text: Path, model: Path, settings: Result, kind: str, chance: random.Random) -> None:
    """Train with the command, and kill a worker or the driver after some time; a killed driver is resumed."""
    options = [word for name, value in settings.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    command = [sys.executable, "-m", "polyseme", "train", str(text), str(model), "--workers", "3", "--quiet"]
    process = subprocess.Popen([*command, "--checkpoint-minutes", "0.02", *options])
    log = model.with_name("model.training") / "training.jsonl"
    while process.poll() is None and "cluster_started" not in read(log):
        time.sleep(0.1)
    if kind == "driver":  # after the first checkpoint, so that the training is resumed in the middle
        while process.poll() is None and not log.with_name("checkpoint.safetensors").exists():
            time.sleep(0.01)
        time.sleep(chance.random())
    else:
        time.sleep(chance.random() * 5)
    processes = descendants(process.pid) if process.poll() is None else []
    workers = [pid for pid in processes if read(Path(f"/proc/{pid}/cmdline")).startswith("ray::Worker")]
    if kind == "worker" and workers:
        os.kill(chance.choice(workers), signal.SIGKILL)
    if kind == "driver" and process.poll() is None:
        process.kill()
        process.wait()
        process = subprocess.Popen([*command, "--resume", *options])
    if process.wait():
        raise SystemExit(f"the run with the fault '{kind}' failed")


# Tables


def tables(arguments: argparse.Namespace) -> None:
    """All results: the mean over seeds or trials, and the standard deviation."""
    groups: dict[str, list[Result]] = {}
    for path in sorted(arguments.work.glob("*.json")):
        groups.setdefault(path.stem.rpartition("-")[0], []).append(json.loads(path.read_text()))
    for name, results in groups.items():
        print(f"\n{name} ({len(results)})")
        for key in results[0]:
            values = [float(result[key]) for result in results if key in result]
            deviation = f" +- {stdev(values):.3g}" if len(values) > 1 else ""
            print(f"    {key:<40} {mean(values):.5g}{deviation}")


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "quality": quality, "rounds": rounds, "rules": rules, "cost": cost, "parts": parts, "bytes": traffic,
    "faults": faults, "prediction": prediction, "tables": tables,
}  # fmt: skip

if __name__ == "__main__":
    main()
