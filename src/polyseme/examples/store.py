"""Example sentences of a word's senses, as a line of JSON: there may be a million, so only those asked for are read.

{"word": "bank", "senses": [[["sat on the ", "bank", " of the river"], ...], ...]}
"""

from __future__ import annotations

import json
from collections.abc import Callable
from json.encoder import encode_basestring

from polyseme.model.results import Example as Example

ExampleReader = Callable[[int, int], list[bytes]]  # the lines of the words from one id up to another; b"" for none

# Characters that JSON would spell out; in a extract a blank does as well.
_BLANKS = bytes(32 if i < 32 else i for i in range(256))


def no_examples(first: int, end: int) -> list[bytes]:
    return [b""] * (end - first)


def quotable(text: bytes) -> bytes:
    """UTF-8 text without control characters: of the same length, so that words stand where they stood."""
    return text.translate(_BLANKS)


def quoted(left: bytes, word: bytes, right: bytes) -> bytes:
    r"""One example as JSON, of parts that are quotable.

    >>> quoted(b'he said "', b"run", b'" and ran')
    b'["he said \\"","run","\\" and ran"]'
    """
    joined = b"\0".join((left, word, right))
    if b"\\" in joined or b'"' in joined:
        joined = joined.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'["' + joined.replace(b"\0", b'","') + b'"]'


def beginning(word: str) -> bytes:
    """How the line of a word begins, up to the lists of its senses' snippets."""
    return b'{"word":%b,"senses":[' % encode_basestring(word).encode()


def from_line(line: bytes) -> list[list[Example]]:
    """The examples of each sense; ValueError, KeyError or TypeError if the line is not one of ours."""
    if not line:
        return []
    return [[Example(*example) for example in examples] for examples in json.loads(line)["senses"]]
