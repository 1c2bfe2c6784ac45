"""Fuzz the readers of models, encoded corpora and checkpoints: `python benchmarks/fuzz.py --cases 3000`.

Each case copies a small valid folder, damages it at random, opens it and uses it. That must give an answer, or a
PolysemeError with a message of one line. Anything else is a failure: another exception, a crash of the process, more
than 20 seconds, or more than 1 GB of memory. Half of the damaged files get new digests, as if somebody had changed them
on purpose: the digests would otherwise hide what the other checks miss.

The cases run in a second process, which is started again after a crash. Case n of a seed is always the same:
`--seed S --first n --cases 1` repeats it. The exit status is 1 if there are failures.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import queue
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

MAX_SECONDS = 20
MAX_BYTES = 1 << 30
MAX_MESSAGE = 1000
TRAINING_SECONDS = 2.0  # after which a resumed run is stopped: a damaged config may have thousands of epochs
TARGETS = ("model", "corpus", "checkpoint")
JSON_VALUES = (
    "null", "true", "0", "-1", "1", "1.5", "NaN", "Infinity", "-Infinity", "1e999", "1e308", "1e-300", "2147483648",
    "9223372036854775807", "9223372036854775808", "1" * 5000, '""', '"x"', '"../../etc/passwd"', '"a\\nb"', '"\\ud800"',
    '"' + "y" * 100_000 + '"', "[]", "{}", "[0]", '{"a": 1}', "[" * 100_000, '{"a":' * 5000, "[" * 500 + "]" * 500,
)  # fmt: skip
INTEGERS = (-1, -(2**63), 2**63 - 1, 2**31 - 1, 2**32, 0, 1, 2, 1000, 2**40)
SHAPES: tuple[list[int], ...] = ([], [0], [1], [2**40], [0, 2**40], [2, 2, 2], [2**62, 4], [-1])


class Mutator:
    """Damages files at random. All choices depend on the seed of the case."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def damage(self, folder: Path) -> None:
        """Damage one to three files of a folder, and update the digests in half of the cases."""
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "lock")
            if not paths:
                break
            path = self.random.choice(paths)
            if self.random.random() < 0.05:
                self._replace(path)
            else:
                path.write_bytes(self._mutated(path.name, path.read_bytes()))
        if self.random.random() < 0.5:
            update_digests(folder)

    def _replace(self, path: Path) -> None:
        """Put something else in the place of a file."""
        path.unlink()
        match self.random.randrange(5):
            case 0:
                path.symlink_to("/etc/passwd")
            case 1:
                path.symlink_to("missing")
            case 2:
                os.mkfifo(path)
            case 3:
                path.mkdir()

    def _mutated(self, name: str, data: bytes) -> bytes:
        structured: dict[str, Callable[[bytes], bytes]] = {
            ".json": self._json, ".jsonl": self._json_line, ".safetensors": self._header, ".tsv": self._count,
            ".bin": self._integer,
        }  # fmt: skip
        mutate = structured.get(Path(name).suffix)
        return mutate(data) if mutate and data and self.random.random() < 0.6 else self._bytes(data)

    def _bytes(self, data: bytes) -> bytes:
        a, b = sorted(self.random.randrange(len(data) + 1) for _ in range(2))
        b = min(b, a + self.random.choice((1, 4, 8, 64, len(data))))
        match self.random.randrange(8):
            case 0 | 1:
                i, bit = self.random.randrange(max(len(data), 1)), self.random.randrange(8)
                return data[:i] + bytes([data[i] ^ 1 << bit]) + data[i + 1 :] if data else b""
            case 2:
                return data[:a]
            case 3:
                return data[:b] + data[a:b] + data[b:]
            case 4:
                return data[:a] + data[b : 2 * b - a] + data[a:b] + data[2 * b - a :]
            case 5:
                return data[:a] + self.random.choice((b"\0", b"\xff")) * (b - a) + data[b:]
            case 6:
                return data[:a] + data[b:]
        return data[:a] + self.random.randbytes(b - a) + data[b:]

    def _integer(self, data: bytes) -> bytes:
        width = self.random.choice((4, 8))
        i = self.random.randrange(max(len(data) // width, 1)) * width
        value = int(self.random.choice(INTEGERS) % 256**width)
        return data[:i] + value.to_bytes(width, "little") + data[i + width :]

    def _count(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        i = self.random.randrange(len(lines))
        count = self.random.choice((*INTEGERS, "x", "", "1.5", "9" * 5000, "1\t1"))
        lines[i] = lines[i].partition(b"\t")[0] + b"\t%b" % str(count).encode()
        return b"\n".join(lines)

    def _json_line(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        i = self.random.randrange(len(lines))
        lines[i] = self._json(lines[i])
        return b"\n".join(lines)

    def _json(self, data: bytes) -> bytes:
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):  # damaged before
            return self._bytes(data)
        marker = "\x01 value \x01"
        self._set_somewhere(document, marker)
        return json.dumps(document).replace(json.dumps(marker), self.random.choice(JSON_VALUES)).encode()

    def _set_somewhere(self, node: Any, value: Any) -> None:
        """Replace, rename or delete a random item of a random part of a JSON document."""
        while isinstance(node, dict | list) and node:
            key = self.random.choice(list(node) if isinstance(node, dict) else range(len(node)))
            if isinstance(node[key], dict | list) and node[key] and self.random.random() < 0.8:
                node = node[key]
                continue
            container: Any = node
            match self.random.randrange(8) if isinstance(node, dict) else 0:
                case 6:
                    container[self.random.choice(("x", "../x", "README.md"))] = container.pop(key)
                case 7:
                    del node[key]
                case _:
                    node[key] = value
            return

    def _header(self, data: bytes) -> bytes:
        """Change the header of a safetensors file, or a number of its arrays."""
        try:
            header, arrays = split_tensors(data)
        except (ValueError, RecursionError, struct.error):
            return self._bytes(data)
        names = [name for name in header if name != "__metadata__"]
        entry = header[self.random.choice(names)] if names else {}
        match self.random.randrange(6):
            case 0:
                entry["shape"] = self.random.choice(SHAPES)
            case 1:
                entry["shape"] = self.random.choice(SHAPES) + self.random.choice(SHAPES)
            case 2:
                entry["dtype"] = self.random.choice(("F32", "I64", "I32", "F64", "F16", "U8", "?"))
            case 3 if "state" in header.get("__metadata__", {}):
                state = self._json(header["__metadata__"]["state"].encode())
                header["__metadata__"]["state"] = state.decode("utf-8", "replace")
            case 4:
                return _with_header(self._json(json.dumps(header).encode()), arrays)
            case _:
                arrays = self._integer(arrays)
        return join_tensors(header, arrays)


def split_tensors(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header of a safetensors file and the bytes of its arrays."""
    end = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:end])
    if not isinstance(header, dict) or not all(isinstance(entry, dict) for entry in header.values()):
        raise ValueError("not a header")
    return header, data[end:]


def join_tensors(header: dict[str, Any], arrays: bytes) -> bytes:
    """The inverse of `split_tensors`."""
    return _with_header(json.dumps(header).encode(), arrays)


def _with_header(text: bytes, arrays: bytes) -> bytes:
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + arrays


def update_digests(folder: Path) -> None:
    """Make the digests of a damaged model or checkpoint right again, as far as it can still be parsed."""
    try:
        for path in filter(Path.is_file, folder.rglob("config.json")):
            config = json.loads(path.read_bytes())
            for name, entry in config["files"].items():
                data = (path.parent / name).read_bytes() if (path.parent / name).is_file() else b""
                entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
            path.write_text(json.dumps(config))
        for path in filter(Path.is_file, folder.rglob("checkpoint.safetensors")):
            header, arrays = split_tensors(path.read_bytes())
            state = json.loads(header["__metadata__"]["state"])
            for name, entry in header.items():
                if name != "__metadata__":
                    start, end = entry["data_offsets"]
                    state["arrays"][name] = hashlib.sha256(arrays[start:end]).hexdigest()
            text = json.dumps(state)
            header["__metadata__"] = {"state": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}
            path.write_bytes(join_tensors(header, arrays))
    except (ValueError, KeyError, TypeError, AttributeError, struct.error, OSError, RecursionError):
        pass


def write_targets(folder: Path) -> None:
    """Write valid folders: a model, an encoded corpus, and workspaces with a checkpoint before and after training."""
    from polyseme import train
    from polyseme.corpus.encoded_corpus import EncodedCorpus
    from polyseme.corpus.encoding import encode
    from polyseme.corpus.planted import plant
    from polyseme.corpus.sources import find_sources
    from polyseme.corpus.tokenizers import get_tokenizer
    from polyseme.training.checkpoint import write_checkpoint
    from polyseme.training.config import make_config
    from polyseme.training.state import TrainState
    from polyseme.training.trainer import Trainer
    from polyseme.vocabulary import Vocabulary

    text = plant(sentences=400, difficulty=0.3, seed=1).write(folder / "text.txt")
    corpus: EncodedCorpus = encode(find_sources(text), get_tokenizer("words"), folder / "corpus")
    settings: dict[str, Any] = {"dim": 8, "epochs": 2, "threads": 1, "multi_sense_min_count": 10, "min_count": 2}
    config = make_config(model="np-mssg", **settings)
    train(corpus, folder / "model", config=config, quiet=True)
    vocabulary = Vocabulary.from_counts(corpus.words, corpus.counts, min_count=2, max_size=None)
    for name in ("checkpoint", "checkpoint-done"):
        (folder / name / "m.training").mkdir(parents=True)
        (folder / name / "m.training" / "lock").touch()
        trainer = Trainer(TrainState.initial(config, vocabulary, threads=1), corpus)
        if name == "checkpoint-done":
            trainer.run()
        write_checkpoint(folder / name / "m.training", trainer)


def use_model(folder: Path, _targets: Path) -> None:
    from polyseme import SenseModel
    from polyseme.errors import UnknownWord

    model = SenseModel.load(folder)
    for word in ("bank", model.vocabulary.words[-1]):
        try:
            model.senses(word)
            model.neighbours(word, 3)
            model.neighbours(word, 3, among="words")
            model.disambiguate(word, "the river bank and the boat")
            model.similarity(word, "bank", contexts=["money in the bank", "by the river bank"])
        except UnknownWord:
            pass
    model.tag("the bank of the river\nmoney in the bank")
    assert len(model._data.multi_sense_mask) == len(model)
    model.save(folder.with_name("copy"))


def use_corpus(folder: Path, _targets: Path) -> None:
    from polyseme import train

    train(folder, dim=8, epochs=1, threads=1, multi_sense_min_count=10, min_count=2, examples=1, quiet=True)


def use_checkpoint(folder: Path, targets: Path) -> None:
    from polyseme import train

    end = time.monotonic() + TRAINING_SECONDS
    train(targets / "corpus", folder / "m", resume=True, quiet=True, stop=lambda: time.monotonic() > end)


USES: dict[str, Callable[[Path, Path], None]] = {
    "model": use_model,
    "corpus": use_corpus,
    "checkpoint": use_checkpoint,
}


def run_case(targets: Path, seed: int, case: int) -> tuple[str, str]:
    """Run a case in this process: its outcome ('answer', 'error' or 'failure') and the details."""
    from polyseme.errors import PolysemeError

    kind = TARGETS[case % len(TARGETS)]
    source = f"{kind}-done" if kind == "checkpoint" and case // len(TARGETS) % 2 else kind
    with tempfile.TemporaryDirectory(dir=targets) as scratch:
        folder = Path(scratch) / "damaged"
        shutil.copytree(targets / source, folder)
        outcome, details = "answer", ""
        try:
            Mutator(f"{seed} {case}").damage(folder)
            USES[kind](folder, targets)
        except PolysemeError as error:
            outcome, details = "error", str(error)
            if "\n" in details or len(details) > MAX_MESSAGE:
                return "failure", f"the message is not a short line: {details[:500]}"
        except BaseException:
            return "failure", traceback.format_exc()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return (outcome, details) if peak <= MAX_BYTES else ("failure", f"{peak / 1e9:.1f} GB of memory")


def work(targets: Path, seed: int, first: int, end: int) -> None:
    """Run cases, with a JSON line for each on standard output."""
    results = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for case in range(first, end):
        outcome, details = run_case(targets, seed, case)
        results.write(json.dumps([case, outcome, details]) + "\n")
        results.flush()
        if "of memory" in details:
            return  # the peak would count for the next cases too


def fuzz(targets: Path, seed: int, first: int, end: int) -> tuple[Counter[str], list[str]]:
    """Run cases in a second process: the number of each outcome by target, and a description of each failure."""
    outcomes: Counter[str] = Counter()
    failures: list[str] = []
    case = first
    while case < end:
        command = [sys.executable, __file__, "--work", str(targets), "--seed", str(seed), "--first", str(case)]
        process = subprocess.Popen(
            [*command, "--cases", str(end - case)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        lines: queue.Queue[str] = queue.Queue()
        reader = threading.Thread(target=_read_lines, args=(process, lines), daemon=True)
        reader.start()
        started = case
        while case < end:
            try:
                line = lines.get(timeout=MAX_SECONDS + (60 if case == started else 0))  # imports and compiles at first
            except queue.Empty:
                process.kill()
                line = ""
                problem = f"more than {MAX_SECONDS} seconds"
            else:
                problem = f"the process ended with status {process.wait()}" if not line else ""
            if line:
                _, outcome, details = json.loads(line)
            elif case > started and process.returncode == 0:
                break  # it ended after a case that took much memory
            else:
                outcome, details = "failure", problem
            outcomes[f"{TARGETS[case % len(TARGETS)]} {outcome}"] += 1
            if outcome == "failure":
                failures.append(f"case {case}, {TARGETS[case % len(TARGETS)]}: {details}")
            case += 1
            if not line:
                break
        process.wait()
        reader.join()
    return outcomes, failures


def _read_lines(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put("")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    end = options.first + options.cases
    if options.work is not None:
        work(options.work, options.seed, options.first, end)
        return
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="polyseme-fuzz-") as folder:
        write_targets(Path(folder))
        outcomes, failures = fuzz(Path(folder), options.seed, options.first, end)
    for failure in failures:
        print(failure, end="\n\n")
    for name, number in sorted(outcomes.items()):
        print(f"{name:<20} {number:>7,}")
    print(f"{options.cases:,} cases, {len(failures):,} failures, {time.monotonic() - started:.0f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
