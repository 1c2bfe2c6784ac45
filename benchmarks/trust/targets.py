"""Small valid files of every kind that polyseme reads: corpora, models, checkpoints, vectors, evaluation data."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import random
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress,
    ".zst": lambda data: compress_zstd(data),
}  # fmt: skip
READERS = {"text": ".txt", "jsonl": ".jsonl", "csv": ".csv", "tsv": ".tsv", "parquet": ".parquet", "wikipedia": ".xml"}
FORMATS = {
    "word2vec": "v.vec", "word2vec-binary": "v.bin", "glove": "v.glove", "parquet": "v.parquet", "arrow": "v.arrow",
    "numpy": "v.npz", "projector": "v-projector", "mssg": "v.mssg", "sentence-transformers": "v-static",
}  # fmt: skip
SMALL = ["--dim", "8", "--min-count", "2", "--multi-sense-min-count", "10", "--seed", "1", "--quiet"]
FAST = [*SMALL, "--epochs", "1", "--threads", "1", "--examples", "1"]


def write_targets(folder: Path) -> None:
    """Write all files, with the commands themselves. This also loads and compiles what the cases need."""
    from polyseme.corpus.planted import plant

    folder.mkdir(parents=True)
    text = plant(sentences=400, difficulty=0.3, seed=1).write(folder / "text.txt")
    lines = text.read_text(encoding="utf-8").splitlines()
    for reader, suffix in READERS.items():
        (folder / f"corpus{suffix}").write_bytes(as_corpus(reader, lines))
    os.chdir(folder)
    call("encode", "text.txt", "corpus", "--quiet")
    call("encode", "corpus.jsonl", "phrased", "--phrases", "--phrase-min-count", "3", "--quiet")
    call("train", "text.txt", "np.model", *SMALL, "--epochs", "2", "--threads", "1", "--min-separation", "0")
    call("train", "phrased", "phrased.model", *FAST, "--model", "mssg")
    for dtype in ("int8", "float16"):
        call("export", "np.model", f"{dtype}.model", "--dtype", dtype, "--global-vectors")
    for name, path in FORMATS.items():
        call("export", "np.model", path, "--format", name)
    call("explore", "np.model", "--corpus", "text.txt", "--export", "page.html", "--words", "bank", "--quiet")
    write_checkpoints(folder)
    write_evaluation_data(folder, lines)


def warm_up(folder: Path) -> None:
    """Run every kind of command once, so that the forked processes find everything loaded and compiled."""
    os.chdir(folder)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="warm-up-") as name:
        _warm_up(Path(name))


def _warm_up(scratch: Path) -> None:
    from polyseme.errors import DataError

    for reader, suffix in READERS.items():
        call("encode", f"corpus{suffix}", str(scratch / f"{reader}.corpus"), "--quiet")
    call("train", "text.txt", str(scratch / "m"), *FAST, "--phrases")
    call("train", "text.txt", str(scratch / "m2"), *FAST[2:], "--init", "np.model")
    for name in FORMATS.values():
        call("import", name, str(scratch / "imported"), "--force")
    for model in ("np.model", "int8.model"):
        call("senses", model, "bank")
        call("neighbours", model, "bank")
        call("disambiguate", model, "bank", "the river bank")
        call("tag", model, "text.txt")
        call("similarity", model, "bank", "bank", "--contexts", "the river bank", "money in the bank")
    call("refine", "np.model", str(scratch / "refined"), "--min-separation", "2", "--force")
    for task, data in EVALUATION.items():
        with suppress(DataError):  # the text is too short for pseudowords
            call("evaluate", "np.model", task, data, *(["--min-count", "1"] if task == "ambiguity" else []))
    call("evaluate", "np.model", "health")


def call(*arguments: str) -> None:
    """Run a command in this process, without its output; an error if it fails."""
    from polyseme.cli.app import app

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        app(list(arguments), exit_on_error=False, print_error=False)


def as_corpus(reader: str, lines: list[str]) -> bytes:
    """Documents in the format of a reader."""
    if reader == "text":
        return "".join(f"{line}\n" for line in lines).encode()
    if reader == "jsonl":
        return "".join(json.dumps({"id": i, "text": line}) + "\n" for i, line in enumerate(lines)).encode()
    if reader == "parquet":
        import pyarrow
        from pyarrow.parquet import write_table

        out = io.BytesIO()
        write_table(pyarrow.table({"id": list(range(len(lines))), "text": lines}), out, row_group_size=100)
        return out.getvalue()
    if reader == "wikipedia":
        page = (
            "<page><title>T{0}</title><ns>0</ns><id>{0}</id><revision><id>{0}</id><text>{1}</text></revision></page>\n"
        )
        markup = "'''{0}''' [[a|b]] {{{{x|y}}}} <ref>r</ref>\n{{| class=a\n|b\n|}}\n{0}"
        pages = "".join(page.format(i + 1, escape(markup.format(line))) for i, line in enumerate(lines))
        site = "http://www.mediawiki.org/xml/export-0.11/"
        return f'<mediawiki xmlns="{site}" version="0.11" xml:lang="en">\n{pages}</mediawiki>\n'.encode()
    table = io.StringIO(newline="")
    writer = csv.writer(table, delimiter="," if reader == "csv" else "\t")
    writer.writerows([["id", "text"], *([i, line] for i, line in enumerate(lines))])
    return table.getvalue().encode()


EVALUATION = {
    "scws": "scws.txt", "wordsim": "pairs.tsv", "analogy": "analogies.txt", "wic": "wic", "wsi": "wsi",
    "ambiguity": "lists", "pseudowords": "text.txt",
}  # fmt: skip
WSI_XML = "wsi-xml"
LAST_TARGET = "lists/a.txt"


def write_evaluation_data(folder: Path, lines: list[str]) -> None:
    """A small data set for each task, of words of the text."""
    rng = random.Random(1)
    words = sorted({word for line in lines for word in line.split()})
    pairs = [rng.sample(words, 2) for _ in range(30)]
    (folder / "pairs.tsv").write_text("".join(f"{a}\t{b}\t{rng.randrange(10)}\n" for a, b in pairs))
    marked = [(rng.choice(lines).split()[0], rng.choice(lines)) for _ in range(60)]
    rows = [
        f"{i}\t{a}\tn\t{b}\tn\tx <b> {a} </b> {s}\ty <b> {b} </b> {t}\t{rng.random() * 10:.1f}\t1\n"
        for i, ((a, s), (b, t)) in enumerate(zip(marked[::2], marked[1::2], strict=True))
    ]
    (folder / "scws.txt").write_text("".join(rows))
    quads = [" ".join(rng.sample(words, 4)) for _ in range(20)]
    (folder / "analogies.txt").write_text(": first\n" + "\n".join(quads[:10]) + "\n: second\n" + "\n".join(quads[10:]))
    for part in ("train", "dev"):
        (folder / "wic" / part).mkdir(parents=True)
        data = [f"{a}\tN\t0-0\t{a} {s}\t{a} {t}\n" for (a, s), (_, t) in pairwise(marked)]
        (folder / "wic" / part / f"{part}.data.txt").write_text("".join(data))
        (folder / "wic" / part / f"{part}.gold.txt").write_text("".join(rng.choice("TF") + "\n" for _ in data))
    (folder / "wsi").mkdir()
    (folder / WSI_XML).mkdir()
    dataset, key = [], []
    for word in words[:3]:
        instances = [rng.choice(lines) for _ in range(12)]
        dataset += [f"{word}.n 12\n", *(f"{line}\t{line}\n" for line in instances)]
        key += [f"{word}.n {word}.n.{i + 1} s{i % 2}/{rng.randrange(1, 5)}\n" for i in range(12)]
        xml = "".join(
            f'<instance id="{word}.n.{i + 1}" lemma="{word}" partOfSpeech="n" token="{word}" tokenStart="0" '
            f'tokenEnd="{len(word)}">{word} {escape(line)}</instance>\n'
            for i, line in enumerate(instances)
        )
        (folder / WSI_XML / f"{word}.n.xml").write_text(
            f'<instances lemma="{word}" partOfSpeech="n">\n{xml}</instances>\n'
        )
    (folder / "wsi" / "dataset.txt").write_text("".join(dataset))
    for name in ("wsi", WSI_XML):
        (folder / name / "key.txt").write_text("".join(key))
    (folder / "lists").mkdir()
    (folder / LAST_TARGET).write_text("".join(f"{word} {i % 4}\n" for i, word in enumerate(words[:20])))


def write_checkpoints(folder: Path) -> None:
    """Workspaces of interrupted runs with a checkpoint before and after training."""
    from polyseme.corpus.encoded_corpus import EncodedCorpus
    from polyseme.training.checkpoint import write_checkpoint
    from polyseme.training.config import make_config
    from polyseme.training.state import TrainState
    from polyseme.training.trainer import Trainer
    from polyseme.vocabulary import Vocabulary

    corpus = EncodedCorpus.open(folder / "corpus")
    config = make_config(model="np-mssg", dim=8, epochs=2, threads=1, multi_sense_min_count=10, min_count=2)
    vocabulary = Vocabulary.from_counts(corpus.words, corpus.counts, min_count=2, max_size=None)
    for name in ("checkpoint", "checkpoint-done"):
        (folder / name / "m.training").mkdir(parents=True)
        (folder / name / "m.training" / "lock").touch()
        trainer = Trainer(TrainState.initial(config, vocabulary, threads=1), corpus)
        if name == "checkpoint-done":
            trainer.run()
        write_checkpoint(folder / name / "m.training", trainer)


def compress_zstd(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return bytes(zstd.compress(data))
