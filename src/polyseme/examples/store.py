"""Example sentences as JSON lines: one line per word, with a list of snippets for each of its senses.

{"word": "bank", "senses": [[["sat on the ", "bank", " of the river"], ...], ...]}
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme._io.memory_map import release_pages
from polyseme._io.strict_json import parse_json

RUN_BYTES = 1 << 20

Ints = NDArray[np.int64]

# Returns the JSON lines of the words with ids first to end - 1; b"" for a word without examples.
ExampleReader = Callable[[int, int], list[bytes]]


class Example(NamedTuple):
    """A snippet of the corpus: a word, and the text to its left and right.

    left   the text before the word
    word   the word as it is spelled there
    right  the text after it

    >>> Example("by the river ", "bank", " we sat").text
    'by the river bank we sat'
    """

    left: str
    word: str
    right: str

    @property
    def text(self) -> str:
        """The snippet."""
        return self.left + self.word + self.right

    def marked(self, before: str = "*", after: str = "*") -> str:
        """The text with the word marked.

        before  what to put before the word
        after   what to put after it

        >>> Example("by the river ", "bank", " we sat").marked()
        'by the river *bank* we sat'
        """
        return f"{self.left}{before}{self.word}{after}{self.right}"


def no_examples(first: int, end: int) -> list[bytes]:
    """The ExampleReader of a model without examples."""
    return [b""] * (end - first)


def snippet_json(left: str, word: str, right: str) -> str:
    r"""A snippet as JSON, like `json.dumps` with ensure_ascii=False and no spaces. No part has control characters.

    >>> print(snippet_json('he said "', "run", '" and ran'))
    ["he said \"","run","\" and ran"]
    """
    return f"[{_json_string(left)},{_json_string(word)},{_json_string(right)}]"


def _json_string(text: str) -> str:
    # Most texts need no escaping; finding that out is four times as fast as encoding them.
    return encode_basestring(text) if '"' in text or "\\" in text else f'"{text}"'


def examples_line(word: str, senses: list[bytes]) -> bytes:
    """The JSON line of a word; b"" if it has no examples.  senses  the snippets of each sense, joined by commas"""
    if not any(senses):
        return b""
    lists = b",".join([b"[%b]" % sense for sense in senses])
    return b'{"word":%b,"senses":[%b]}\n' % (encode_basestring(word).encode(), lists)


def without_word(line: bytes) -> bytes:
    """A line that does not name its word.

    >>> without_word(b'{"word":"bank","senses":[[]]}\\n')
    b'{"senses":[[]]}\\n'
    """
    return b"{" + line[line.index(b'"senses":') :]


def with_word(word: str, line: bytes) -> bytes:
    """The line of a word from one that does not name it: the inverse of `without_word`."""
    return b'{"word":%b,%b' % (encode_basestring(word).encode(), line[1:])


def parse_line(line: bytes) -> list[list[Example]]:
    """The examples of each sense of a word; ValueError if the line is malformed."""
    if not line:
        return []
    entry = parse_json(line)
    senses = entry.get("senses") if isinstance(entry, dict) else None
    if not (isinstance(senses, list) and all(isinstance(snippets, list) for snippets in senses)):
        raise ValueError("a line has no list of senses")
    if not all(_is_snippet(snippet) for snippets in senses for snippet in snippets):
        raise ValueError("a snippet does not have the form [left, word, right]")
    return [[Example(*snippet) for snippet in snippets] for snippets in senses]


def _is_snippet(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value)


@dataclass(frozen=True)
class Spool:
    """Snippets in a temporary file, addressed by slot: a corpus may have more snippets than fit in memory.

    data    uint8 (n,)  memory-mapped
    starts  int64 (k,)  the snippet in slot i is data[starts[i] : starts[i] + sizes[i]]
    sizes   int32 (k,)  0 for an empty slot
    """

    data: NDArray[np.uint8]
    starts: Ints
    sizes: NDArray[np.int32]

    def read(self, slots: slice) -> list[bytes]:
        """The snippets in these slots; b"" for an empty slot."""
        data, starts = self.data.data, self.starts[slots]
        spans = zip(starts.tolist(), (starts + self.sizes[slots]).tolist(), strict=True)
        snippets = [data[start:end].tobytes() for start, end in spans]
        release_pages(self.data)
        return snippets


def write_spool(batches: Iterable[list[bytes]], slots: Ints, num_slots: int, folder: Path) -> Spool:
    """Write snippets to an unnamed temporary file in `folder`.

    batches  the snippets, some at a time
    slots    IN  int64 (k,)  slot of each snippet, in the same order

    The file consists of runs of about RUN_BYTES, each sorted by slot: reading all slots in order then reads every run
    sequentially.
    """
    starts, sizes = np.zeros(num_slots, np.int64), np.zeros(num_slots, np.int32)
    num_snippets = num_bytes = 0
    with tempfile.TemporaryFile(dir=folder) as file:
        for run in _runs(batches):
            run_slots = slots[num_snippets : num_snippets + len(run)]
            order = np.argsort(run_slots)
            run_sizes = np.array([len(snippet) for snippet in run])[order]
            starts[run_slots[order]] = num_bytes + np.cumsum(run_sizes) - run_sizes
            sizes[run_slots[order]] = run_sizes
            num_bytes += file.write(b"".join([run[i] for i in order.tolist()]))
            num_snippets += len(run)
        file.flush()
        # An empty file cannot be mapped; a map stays valid after its file is closed.
        data = np.memmap(file, np.uint8, "r", shape=(num_bytes,)) if num_bytes else np.empty(0, np.uint8)
    return Spool(data, starts, sizes)


def _runs(batches: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
    """Join consecutive batches into runs of more than RUN_BYTES, except the last."""
    run: list[bytes] = []
    size = 0
    for batch in batches:
        run += batch
        size += sum(map(len, batch))
        if size > RUN_BYTES:
            yield run
            run, size = [], 0
    if run:
        yield run


def line_reader(
    spool: Spool, words: list[str], sense_offsets: Ints, visible_senses: NDArray[np.int32]
) -> ExampleReader:
    """An ExampleReader of the snippets in a spool, without duplicates within a sense.

    sense_offsets   IN  int64 (V + 1,)  the senses of word w are rows sense_offsets[w] to sense_offsets[w + 1]
    visible_senses  IN  int32 (V,)      number of senses to write per word; the first ones of its rows

    A row has the same number of consecutive slots as every other, best snippet first.
    """
    per_row = len(spool.starts) // int(sense_offsets[-1])

    def read(first: int, end: int) -> list[bytes]:
        rows = sense_offsets[first : end + 1].tolist()
        snippets = spool.read(slice(rows[0] * per_row, rows[-1] * per_row))
        lines = []
        for word, row, num_senses in zip(words[first:end], rows[:-1], visible_senses[first:end].tolist(), strict=True):
            slot = (row - rows[0]) * per_row
            senses = [
                b",".join(dict.fromkeys(filter(None, snippets[i : i + per_row])))
                for i in range(slot, slot + num_senses * per_row, per_row)
            ]
            lines.append(examples_line(word, senses))
        return lines

    return read
