"""The index of a corpus on disk: the folder MODEL.index beside a model, memory-mapped.

index.json        format version, fingerprints of model and corpus, sources, numbers of tokens, sentences and
                  postings, and the size of each file, with a digest of the small ones
tokens.bin        int32 (n,): the corpus as ids of the model's words; V, the number of words, for other words
sentences.bin     int64 (m + 1,): start of each sentence (line) in tokens.bin, and the end of the last
byte_offsets.bin  int64 (m,): byte offset of each sentence in text.zst
offsets.bin       int64 (R + 1,): the postings of the sense in row r are those from offsets[r] to offsets[r + 1]
positions.bin     uint32 or int64 (p,): position of each posting in tokens.bin, ascending within a sense
confidences.bin   uint8 (p,): cosine of context and sense of each posting, times 255; 0 for words with one sense
text.zst          the text, see `polyseme.corpus.spool`
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyseme._io.plain_files import plain_file_size
from polyseme._io.strict_json import check_types, read_json_object
from polyseme.corpus.encoded_corpus import BYTE_OFFSETS_FILE, SENTENCES_FILE, SOURCE_TYPES, SPOOL_FILE, TOKENS_FILE
from polyseme.corpus.sources import Source
from polyseme.corpus.spool import Spool
from polyseme.errors import ModelError, shorten
from polyseme.model import storage

FORMAT_VERSION = 1
DESCRIPTION_FILE = "index.json"
OFFSETS_FILE, POSITIONS_FILE, CONFIDENCES_FILE = "offsets.bin", "positions.bin", "confidences.bin"
MAX_DIGESTED_BYTES = 16 << 20  # of the files that are digested when an index is opened
TYPES = {
    "format_version": int,
    "model": str,
    "corpus": str,
    "tokens": int,
    "sentences": int,
    "rows": int,
    "postings": int,
    "spooled_bytes": int,
    "sources": list,
    "source_sentences": list,
    "files": dict,
}


@dataclass(frozen=True)
class IndexArrays:
    """The contents of an index folder; see the description of its files above."""

    description: dict[str, Any]
    tokens: NDArray[np.int32]
    sentences: NDArray[np.int64]
    byte_offsets: NDArray[np.int64]
    offsets: NDArray[np.int64]
    positions: NDArray[np.uint32] | NDArray[np.int64]
    confidences: NDArray[np.uint8]
    text: Path | None


def model_fingerprint(path: Path) -> str:
    """What identifies the words and senses of a model; labels are not part of it."""
    if storage.is_model(path):
        config = storage.read_config(path)
        identity = [{**config["files"], storage.EXAMPLES: 0, storage.COMPRESSED_EXAMPLES: 0}, config["tokenizer"]]
    else:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        identity = [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def position_type(num_tokens: int) -> type[np.uint32] | type[np.int64]:
    return np.uint32 if num_tokens < 2**32 else np.int64


def write_description(folder: Path, values: dict[str, Any], sources: list[Source]) -> None:
    """Write index.json; the other files are complete."""
    files = {
        file.name: {"bytes": file.stat().st_size, **_digest(file)}
        for file in sorted(folder.iterdir())
        if file.is_file() and file.name != DESCRIPTION_FILE
    }
    listed = [{name: getattr(source, name) for name in SOURCE_TYPES} for source in sources]
    description = {"format_version": FORMAT_VERSION, **values, "sources": listed, "files": files}
    (folder / DESCRIPTION_FILE).write_text(json.dumps(description, indent=1), encoding="utf-8")


def _digest(file: Path) -> dict[str, str]:
    if file.stat().st_size > MAX_DIGESTED_BYTES:
        return {}
    return {"sha256": hashlib.sha256(file.read_bytes()).hexdigest()}


def read_description(folder: Path) -> dict[str, Any]:
    """The contents of index.json; ModelError if it is malformed or of a newer version."""
    try:
        description = read_json_object(folder / DESCRIPTION_FILE)
        check_types(description, {"format_version": int})
        if description["format_version"] <= FORMAT_VERSION:
            check_types(description, TYPES)
            for source in description["sources"]:
                if not isinstance(source, dict) or source.keys() != SOURCE_TYPES.keys():
                    raise ValueError("a source is malformed")
                check_types(source, SOURCE_TYPES)
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder} is damaged ({DESCRIPTION_FILE}: {shorten(error, 200)})") from error
    if description["format_version"] > FORMAT_VERSION:
        raise ModelError(f"{folder} was written by a newer polyseme; upgrade with: pip install -U polyseme")
    return description


def sources_of(description: dict[str, Any]) -> list[Source]:
    return [Source(**source) for source in description["sources"]]


def open_arrays(folder: Path, num_rows: int) -> IndexArrays:
    """Open an index folder; ModelError if a file is missing, changed or inconsistent.

    What is checked takes milliseconds. The values of large files are checked when they are used.
    """
    description = read_description(folder)
    try:
        return _open_arrays(folder, description, num_rows)
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder} is damaged ({shorten(error, 200)})") from error


def _open_arrays(folder: Path, description: dict[str, Any], num_rows: int) -> IndexArrays:
    n, m, p = (description[name] for name in ("tokens", "sentences", "postings"))
    if n < 1 or not 1 <= m <= n or not 0 <= p <= n or description["rows"] != num_rows:
        raise ValueError("its numbers of tokens, sentences, postings and senses are not possible")
    _check_files(folder, description)
    arrays = IndexArrays(
        description,
        _map(folder / TOKENS_FILE, np.int32, n),
        _map(folder / SENTENCES_FILE, np.int64, m + 1),
        _map(folder / BYTE_OFFSETS_FILE, np.int64, m),
        _map(folder / OFFSETS_FILE, np.int64, num_rows + 1),
        _map(folder / POSITIONS_FILE, position_type(n), p),
        _map(folder / CONFIDENCES_FILE, np.uint8, p),
        folder / SPOOL_FILE if description["spooled_bytes"] else None,
    )
    for name, starts, end in (("sentences", arrays.sentences, n), ("offsets", arrays.offsets, p)):
        if starts[0] != 0 or starts[-1] != end or np.any(starts[1:] < starts[:-1]):
            raise ValueError(f"its {name} are not in ascending order")
    first = description["source_sentences"]
    if len(first) != len(description["sources"]) + 1 or not all(type(number) is int for number in first):
        raise ValueError("'source_sentences' does not fit 'sources'")
    if first[0] != 0 or first[-1] != m or sorted(first) != first:
        raise ValueError("'source_sentences' does not cover all sentences")
    if arrays.text is not None:
        with Spool(arrays.text) as spool:
            if spool.size != description["spooled_bytes"]:
                raise ValueError(f"{SPOOL_FILE} does not have 'spooled_bytes'")
    return arrays


def _check_files(folder: Path, description: dict[str, Any]) -> None:
    """Raise ValueError if a file has another size, or a small one another digest."""
    needed = {TOKENS_FILE, SENTENCES_FILE, BYTE_OFFSETS_FILE, OFFSETS_FILE, POSITIONS_FILE, CONFIDENCES_FILE}
    needed |= {SPOOL_FILE} if description["spooled_bytes"] else set()
    for name in sorted(needed):
        entry = description["files"].get(name)
        if not isinstance(entry, dict) or plain_file_size(folder / name) != entry.get("bytes"):
            raise ValueError(f"{name} does not have the size that {DESCRIPTION_FILE} says")
        if entry["bytes"] <= MAX_DIGESTED_BYTES and _digest(folder / name)["sha256"] != entry.get("sha256"):
            raise ValueError(f"{name} was changed after it was written")


def _map(path: Path, dtype: type[np.generic], length: int) -> NDArray[Any]:
    if path.stat().st_size != length * np.dtype(dtype).itemsize:
        raise ValueError(f"{path.name} does not have {length:,} numbers")
    return np.memmap(path, dtype, "r", shape=(length,)) if length else np.empty(0, dtype)
