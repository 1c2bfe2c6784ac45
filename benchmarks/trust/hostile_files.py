"""Files that somebody made to do harm: each case of the part `hostile`."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .mutation import join_tensors, split_tensors, update_digests
from .targets import FAST, compress_zstd

Make = Callable[[Path], None]
Command = list[str]
SECRET = "secret"  # a file beside the folder of the case
BOMB_BYTES, MEMBER_BYTES = 2 << 30, 64 << 20
ANY = (0, 1, 2)
MODEL_FILES = ("config.json", "vocabulary.tsv", "model.safetensors", "examples.jsonl")
VECTORS = ("sense_vectors", "global_vectors", "cluster_centers", "whitened_vectors")
NAMES = ("../secret", "/etc/passwd", "..", "x/../../secret", "a\x00b", "C:\\x")
SHAPES = ([2**40, 2**40], [2**63 - 1, 8], [-1, 8], [0, 2**62], [10**18])
OFFSETS = ([0, 2**60], [2**60, 0], [-8, 0], [8, 0])
HEADERS = ("3 1000000000", "99999999999999 2", "-1 2", "3 -2", "1e9 2")
ROWS = ("nan 1", "inf 1", "1e999 0", "-inf 1", "1 2 3", "0x1p3 1")


class Hostile(NamedTuple):
    """A case: `make` changes a folder with a model m, and `commands` must end with one of the `statuses`."""

    kind: str
    name: str
    make: Make
    commands: list[Command]
    statuses: tuple[int, ...] = (2,)


def hostile_cases() -> Iterator[Hostile]:
    """All cases, in a fixed order."""
    yield from _models()
    yield from _vectors()
    yield from _texts()
    for device in ("/dev/null", "/dev/full", "/dev/random"):
        commands = [["senses", device, "bank"], ["import", device, "out"], ["evaluate", "m", "wordsim", device]]
        yield Hostile("device", device, _nothing, commands)
    for name in ("run.json", "checkpoint.safetensors", "lock", "corpus"):
        resume = [["train", "text.txt", "out", *FAST, "--resume"]]
        yield Hostile("workspace", f"{name} is a link", partial(_workspace_link, name), resume)
    yield Hostile("path", "a missing folder above", _nothing, [["export", "m", "../missing/x.vec"]])


def _models() -> Iterator[Hostile]:
    queries = [["info", "m"], ["senses", "m", "bank"], ["tag", "m", "text.txt"], ["export", "m", "out.vec"]]
    makers: dict[str, Make] = {}
    for file in MODEL_FILES:
        makers[f"{file} is a link to a file elsewhere"] = partial(_link, f"m/{file}", f"../../{SECRET}")
        makers[f"{file} is a link to /dev/zero"] = partial(_link, f"m/{file}", "/dev/zero")
        makers[f"{file} is a FIFO"] = partial(_fifo, f"m/{file}")
    makers |= {f"config.json names the file {name!r}": partial(_name_file, name) for name in NAMES}
    for array in VECTORS:
        makers |= {f"{array} has {value}": partial(_set_numbers, array, value) for value in (np.nan, np.inf, -np.inf)}
    makers |= {f"a tensor claims the shape {shape}": partial(_set_header, "shape", shape) for shape in SHAPES}
    makers |= {f"a tensor claims the bytes {ends}": partial(_set_header, "data_offsets", ends) for ends in OFFSETS}
    for name, make in makers.items():
        yield Hostile("model", name, make, queries)
    for array in VECTORS:
        yield Hostile("model", f"{array} has 3e38", partial(_set_numbers, array, 3e38), queries, ANY)


def _vectors() -> Iterator[Hostile]:
    for row in ROWS:
        yield _imported(f"a row {row!r}", "v.vec", f"3 2\nbank 1 0\nguitar {row}\nmoney 0 1\n".encode())
    for header in HEADERS:
        for name in ("v.vec", "v.bin"):
            yield _imported(f"{name} with a header {header}", name, f"{header}\nbank 1 0\n".encode())
    for member, shape, stored in (("v.npy", (2, 2**40), 16), ("../vectors.npy", (2, 2), 16), ("v.npy", (2**62, 4), 0)):
        name = member.replace("v.npy", "vectors.npy")
        yield _imported(f"npz with {name} of the shape {shape}", "v.npz", _npz(name, shape, stored))
    yield _imported("npz with a pickle", "v.npz", _pickled_npz())
    yield Hostile("vectors", "a FIFO without a writer", partial(_fifo, "f.vec"), [["import", "f.vec", "out"]])


def _texts() -> Iterator[Hostile]:
    compressions: dict[str, Callable[[bytes], bytes]] = {}
    compressions |= {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": _fast_xz, ".zst": compress_zstd}
    for suffix, compress in compressions.items():
        for name in ("b.txt", "b.jsonl", *(["b.xml"] if suffix == ".bz2" else [])):
            make = partial(_bomb, f"{name}{suffix}", compress)
            yield Hostile("bomb", f"{name}{suffix}", make, [["encode", f"{name}{suffix}", "out", "--quiet"]], ANY)
        make = partial(_bomb, f"b.vec{suffix}", compress)
        yield Hostile("bomb", f"b.vec{suffix}", make, [["import", f"b.vec{suffix}", "out"]])
    for name, declaration, text in (
        ("billion laughs", _laughs(), "&l10;"),
        ("an external entity", '<!ENTITY e SYSTEM "file:///etc/passwd">', "&e;"),
    ):
        xml = f'<?xml version="1.0"?><!DOCTYPE x [{declaration}]><{{0}}>{text}</{{0}}>'
        make = partial(_put, "d.xml", xml.format("mediawiki").encode())
        yield Hostile("XML", f"a dump with {name}", make, [["encode", "d.xml", "out", "--quiet"]], ANY)
        make = partial(_wsi, xml.format("instances").encode())
        yield Hostile("XML", f"instances with {name}", make, [["evaluate", "m", "wsi", "wsi"]])
    yield Hostile("device", "/dev/null as a corpus", _nothing, [["encode", "/dev/null", "out", "--quiet"]], ANY)


def _imported(name: str, file: str, data: bytes) -> Hostile:
    return Hostile("vectors", name, partial(_put, file, data), [["import", file, "out"]])


def _nothing(_: Path) -> None:
    pass


def _put(name: str, data: bytes, folder: Path) -> None:
    (folder / name).write_bytes(data)


def _link(name: str, target: str, folder: Path) -> None:
    (folder / name).unlink()
    (folder / name).symlink_to(target)


def _fifo(name: str, folder: Path) -> None:
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)


def _workspace_link(name: str, folder: Path) -> None:
    work = folder / "out.training"
    work.mkdir()
    (work / "lock").touch()
    (work / name).unlink(missing_ok=True)
    (work / name).symlink_to(f"../../{SECRET}")


def _name_file(name: str, folder: Path) -> None:
    config = json.loads((folder / "m/config.json").read_text())
    config["files"][name] = config["files"].pop("vocabulary.tsv")
    (folder / "m/config.json").write_text(json.dumps(config))


def _set_numbers(array: str, value: float, folder: Path) -> None:
    """Set some numbers of an array of the model; the digests are right."""
    path = folder / "m/model.safetensors"
    header, arrays = split_tensors(path.read_bytes())
    start, end = header[array]["data_offsets"]
    numbers = np.frombuffer(arrays[start:end], np.float32).copy()
    numbers[::7] = value
    path.write_bytes(join_tensors(header, arrays[:start] + numbers.tobytes() + arrays[end:]))
    update_digests(folder)


def _set_header(field: str, value: object, folder: Path) -> None:
    path = folder / "m/model.safetensors"
    header, arrays = split_tensors(path.read_bytes())
    header["sense_vectors"][field] = value
    path.write_bytes(join_tensors(header, arrays))
    update_digests(folder)


def _bomb(name: str, compress: Callable[[bytes], bytes], folder: Path) -> None:
    """A file that expands to BOMB_BYTES of a single line."""
    member = compress(bytes(MEMBER_BYTES))
    with (folder / name).open("wb") as file:
        for _ in range(BOMB_BYTES // MEMBER_BYTES):
            file.write(member)


def _fast_xz(data: bytes) -> bytes:
    return lzma.compress(data, preset=0)


def _npz(name: str, shape: tuple[int, ...], stored: int) -> bytes:
    """An archive whose array claims a shape that it does not have."""
    out, member, keys = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": shape})
    np.save(keys, np.array(["bank", "guitar"]))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, member.getvalue() + bytes(stored))
        archive.writestr("keys.npy", keys.getvalue())
    return out.getvalue()


def _pickled_npz() -> bytes:
    """An archive with a pickle that makes a folder when it is loaded."""
    out = io.BytesIO()
    np.savez(out, keys=np.array(["bank"]), vectors=np.array([_Harmful()], dtype=object))
    return out.getvalue()


class _Harmful:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("harm",)


def _laughs() -> str:
    """Entities that expand to ten to the power of ten words."""
    return '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{i + 1} "{10 * f"&l{i};"}">' for i in range(10))


def _wsi(data: bytes, folder: Path) -> None:
    shutil.rmtree(folder / "wsi", ignore_errors=True)
    (folder / "wsi").mkdir()
    (folder / "wsi" / "bank.n.xml").write_bytes(data)
    (folder / "wsi" / "key.txt").write_text("bank.n bank.n.1 s1\n")
