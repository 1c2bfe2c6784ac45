"""Example sentences as JSON lines: one line per word, with a list of snippets for each of its senses.

{"word": "bank", "senses": [[["sat on the ", "bank", " of the river"], ...], ...]}
"""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import encode_basestring
from typing import NamedTuple

from polyseme._io.strict_json import parse_json

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
