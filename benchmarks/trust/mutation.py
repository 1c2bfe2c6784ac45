"""Damage to files at random. Half of the damaged models and checkpoints get new digests, so that other checks count."""

from __future__ import annotations

import hashlib
import json
import os
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
                path.write_bytes(self.mutated(path.name, path.read_bytes()))
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

    def mutated(self, name: str, data: bytes) -> bytes:
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
