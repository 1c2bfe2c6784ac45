"""Files that somebody made to do harm. An audit hook checks that nothing outside the folder of the case is opened.

Allowed are the case's folder, Python with its libraries and caches, and the folder of temporary files.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from .commands import run
from .mutation import join_tensors, split_tensors, update_digests
from .results import Context, Part, Result
from .targets import COMPRESS, FAST, _zstd

Make = Callable[[Path], None]
SECRET = "secret"
BOMB_BYTES = 2 << 30  # what a small compressed file expands to
MODEL_QUERIES = (["info", "m"], ["senses", "m", "bank"], ["tag", "m", "text.txt"], ["export", "m", "out.vec"])


def _link(name: str, target: str) -> Make:
    def make(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).symlink_to(target)

    return make


def _fifo(name: str) -> Make:
    def make(folder: Path) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return make


def _names_file(name: str) -> Make:
    def make(folder: Path) -> None:
        config = json.loads((folder / "m/config.json").read_text())
        config["files"][name] = config["files"].pop("vocabulary.tsv")
        (folder / "m/config.json").write_text(json.dumps(config))

    return make


def _tensor(name: str, value: float) -> Make:
    """A number in an array of the model that is NaN, infinite or very large; the digests are right."""

    def make(folder: Path) -> None:
        path = folder / "m/model.safetensors"
        header, arrays = split_tensors(path.read_bytes())
        start, end = header[name]["data_offsets"]
        numbers = np.frombuffer(arrays[start:end], np.float32).copy()
        numbers[::7] = value
        path.write_bytes(join_tensors(header, arrays[:start] + numbers.tobytes() + arrays[end:]))
        update_digests(folder)

    return make


def _header(**entry: object) -> Make:
    def make(folder: Path) -> None:
        path = folder / "m/model.safetensors"
        header, arrays = split_tensors(path.read_bytes())
        header["sense_vectors"].update(entry)
        path.write_bytes(join_tensors(header, arrays))
        update_digests(folder)

    return make


def _text_vectors(line: str) -> Make:
    def make(folder: Path) -> None:
        (folder / "v.vec").write_text(f"3 2\nbank 1 0\nriver {line}\nmoney 0 1\n")

    return make


def _write(name: str, data: Callable[[], bytes]) -> Make:
    return lambda folder: _put(folder / name, data())


def _put(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _zeros(compress: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    """A file that expands to BOMB_BYTES of one very long line: members of 64 MB, one after the other."""
    return lambda: compress(bytes(64 << 20)) * (BOMB_BYTES >> 26)


def _npz(name: str, shape: tuple[int, ...], stored: int) -> Callable[[], bytes]:
    """An archive whose array claims a shape that it does not have."""

    def data() -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            member = io.BytesIO()
            np.lib.format.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": shape})
            archive.writestr(name, member.getvalue() + bytes(stored))
            keys = io.BytesIO()
            np.save(keys, np.array(["bank", "river"]))
            archive.writestr("keys.npy", keys.getvalue())
        return out.getvalue()

    return data


def _pickled_npz() -> bytes:
    """An archive with a pickle that writes a file when it is loaded."""
    out = io.BytesIO()
    np.savez(out, keys=np.array(["bank"]), vectors=np.array([_Harmful()], dtype=object))
    return out.getvalue()


class _Harmful:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("harm",)


def _laughs(element: str) -> bytes:
    entities = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(10))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{entities}]><{element}>&l10;</{element}>'.encode()


def _external(element: str) -> bytes:
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><{element}>&e;</{element}>'.encode()


def _wsi(data: bytes) -> Make:
    def make(folder: Path) -> None:
        shutil.rmtree(folder / "wsi", ignore_errors=True)
        (folder / "wsi").mkdir()
        (folder / "wsi" / "bank.n.xml").write_bytes(data)
        (folder / "wsi" / "key.txt").write_text("bank.n bank.n.1 s1\n")

    return make


ENCODE = (["encode", "{}", "out", "--quiet"],)
IMPORT = (["import", "{}", "out"],)
WSI = (["evaluate", "m", "wsi", "wsi"],)


def hostile_cases() -> list[tuple[str, Make, tuple[list[str], ...], tuple[int, ...]]]:
    """Name, maker, commands, and the exit statuses that may be."""
    refused, any_status = (2,), (0, 1, 2)
    found: list[tuple[str, Make, tuple[list[str], ...], tuple[int, ...]]] = []
    for name in ("config.json", "vocabulary.tsv", "model.safetensors", "examples.jsonl"):
        found += [
            (f"model: {name} is a link to a file elsewhere", _link(f"m/{name}", f"../../{SECRET}"), MODEL_QUERIES, refused),
            (f"model: {name} is a link to /dev/zero", _link(f"m/{name}", "/dev/zero"), MODEL_QUERIES, refused),
            (f"model: {name} is a FIFO", _fifo(f"m/{name}"), MODEL_QUERIES, refused),
        ]
    for name in ("../secret", "/etc/passwd", "..", "x/../../secret", "a\x00b", "C:\\x"):
        found.append((f"model: config.json names the file {name!r}", _names_file(name), MODEL_QUERIES, refused))
    for array in ("sense_vectors", "global_vectors", "cluster_centers", "whitened_vectors"):
        for value in (float("nan"), float("inf"), float("-inf")):
            found.append((f"model: {array} has {value}", _tensor(array, value), MODEL_QUERIES, refused))
        found.append((f"model: {array} has 3e38", _tensor(array, 3e38), MODEL_QUERIES, any_status))
    for shape in ([2**40, 2**40], [2**63 - 1, 8], [-1, 8], [0, 2**62], [10**18]):
        found.append((f"model: a tensor claims the shape {shape}", _header(shape=shape), MODEL_QUERIES, refused))
    for offsets in ([0, 2**60], [2**60, 0], [-8, 0], [8, 0]):
        found.append((f"model: a tensor claims the bytes {offsets}", _header(data_offsets=offsets), MODEL_QUERIES, refused))
    for line in ("nan 1", "inf 1", "1e999 0", "-inf 1", "1 2 3", "0x1p3 1"):
        found.append((f"vectors: word2vec with {line!r}", _text_vectors(line), _on(IMPORT, "v.vec"), refused))
    for count in ("3 1000000000", "99999999999999 2", "-1 2", "3 -2", "1e9 2"):
        data = f"{count}\nbank 1 0\n".encode()
        found.append((f"vectors: a header of {count}", _write("v.vec", lambda data=data: data), _on(IMPORT, "v.vec"), refused))
        found.append((f"vectors: a binary header of {count}", _write("v.bin", lambda data=data: data), _on(IMPORT, "v.bin"), refused))
    for name, shape, stored in (("vectors.npy", (2, 2**40), 16), ("../vectors.npy", (2, 2), 16), ("vectors.npy", (2**62, 4), 0)):
        found.append((f"vectors: npz with {name} of {shape}", _write("v.npz", _npz(name, shape, stored)), _on(IMPORT, "v.npz"), refused))
    found.append(("vectors: npz with a pickle", _write("v.npz", _pickled_npz), _on(IMPORT, "v.npz"), refused))
    bombs = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lambda d: lzma.compress(d, preset=0), ".zst": _zstd}
    for suffix, compress in bombs.items():
        found.append((f"corpus: a bomb of zeros, {suffix}", _write(f"b.txt{suffix}", _zeros(compress)), _on(ENCODE, f"b.txt{suffix}"), any_status))
        found.append((f"corpus: a bomb in JSON, {suffix}", _write(f"b.jsonl{suffix}", _zeros(compress)), _on(ENCODE, f"b.jsonl{suffix}"), any_status))
        found.append((f"vectors: a bomb of zeros, {suffix}", _write(f"b.vec{suffix}", _zeros(compress)), _on(IMPORT, f"b.vec{suffix}"), refused))
    found.append(("corpus: a bomb in a dump", _write("b.xml.bz2", _zeros(bz2.compress)), _on(ENCODE, "b.xml.bz2"), any_status))
    for make, name in ((_laughs, "billion laughs"), (_external, "an external entity")):
        found.append((f"dump: {name}", _write("d.xml", lambda make=make: make("mediawiki")), _on(ENCODE, "d.xml"), any_status))
        found.append((f"evaluation: {name}", _wsi(make("instances")), WSI, refused))
    for device in ("/dev/null", "/dev/full", "/dev/random"):
        commands = (["senses", device, "bank"], ["import", device, "out"], ["evaluate", "m", "wordsim", device])
        found.append((f"{device} as model, vectors and data", lambda _: None, commands, (2,)))
    found.append(("/dev/null as a corpus", lambda _: None, _on(ENCODE, "/dev/null"), any_status))
    found.append(("vectors: a FIFO without a writer", lambda folder: os.mkfifo(folder / "f.vec"), _on(IMPORT, "f.vec"), refused))
    for name in ("run.json", "checkpoint.safetensors", "lock", "corpus"):
        found.append((f"workspace: {name} is a link", _workspace_link(name), (["train", "text.txt", "out", *FAST, "--resume"],), refused))
    found.append(("a name with ../ in an export", lambda _: None, (["export", "m", "../out-of-folder/x.vec"],), refused))
    return found


def _on(commands: tuple[list[str], ...], name: str) -> tuple[list[str], ...]:
    return tuple([part.replace("{}", name) for part in command] for command in commands)


def _workspace_link(name: str) -> Make:
    def make(folder: Path) -> None:
        (folder / "out.training").mkdir()
        (folder / "out.training" / "lock").touch()
        path = folder / "out.training" / name
        path.unlink(missing_ok=True)
        path.symlink_to(f"../../{SECRET}")

    return make


HOSTILE = hostile_cases()


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    secret = context.scratch / SECRET
    secret.write_text("{}")
    for number in numbers:
        name, make, commands, allowed = HOSTILE[number]
        folder = context.scratch / "case"
        folder.mkdir()
        shutil.copytree(context.targets / "np.model", folder / "m")
        shutil.copy(context.targets / "text.txt", folder)
        problem = ""
        try:
            make(folder)
            for command in commands:
                problem = problem or _run(command, folder, secret, allowed)
            yield Result(name.partition(":")[0].split(" as ")[0], "refused" if allowed == (2,) else "ended", problem and f"{name}: {problem}")
        finally:
            shutil.rmtree(folder)


def _run(command: list[str], folder: Path, secret: Path, allowed: tuple[int, ...]) -> str:
    log = folder / "opened"
    outcome = run(command, folder, before=lambda: _record_opens(log), seconds=60 if "b." in str(command) else 20)
    problem = outcome.problem(*allowed)
    if not problem:
        problem = _outside(log, folder, command)
    if not problem and secret.read_text() != "{}":
        problem = "a file outside the folder was written"
    if not problem and (folder / "harm").exists():
        problem = "code of a file was run"
    for path in folder.glob("out*"):
        if path.name != "out.training":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return problem and f"{' '.join(command)}: {problem}"


def _record_opens(log: Path) -> None:
    """Append the path of each file that is opened to a log, which the parent reads."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes):
            os.write(descriptor, json.dumps(os.fsdecode(arguments[0])).encode() + b"\n")
        elif event in ("socket.connect", "subprocess.Popen", "os.system", "os.exec"):
            os.write(descriptor, json.dumps(f"!{event}").encode() + b"\n")

    sys.addaudithook(hook)


def _outside(log: Path, folder: Path, command: list[str]) -> str:
    """The first path that was opened and is not in the folder, a library, or the folder of temporary files."""
    here = Path(__file__).resolve().parents[2]
    cache = os.environ.get("NUMBA_CACHE_DIR", str(here))
    allowed = (folder.resolve(), Path(sys.prefix), Path(sys.base_prefix), here / "src", Path(cache), Path("/proc"), Path("/sys"), Path("/dev/null"))
    for line in log.read_text().splitlines():
        name = json.loads(line)
        path = Path(os.path.normpath(folder / name))
        named = name in command
        if name.startswith("!") or not (named or any(path.is_relative_to(root) for root in allowed)):
            return f"opened {name}"
        if not named and path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()) and path.is_relative_to(folder):
            return f"opened {name}, a link to {path.resolve()}"
    return ""


PART = Part(
    "hostile",
    "Hostile files: paths, links, FIFOs, devices, bombs, sizes that lie, XML entities, NaN and infinity",
    "refused in one line, or read within 1 GB; nothing outside the folder is opened",
    len(HOSTILE),
    cases,
)
