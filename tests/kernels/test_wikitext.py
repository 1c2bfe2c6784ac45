"""The kernel that strips wikitext, against the same code run by Python, on arbitrary and hostile text."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyseme.corpus.readers.wikitext import WikitextStripper
from polyseme.kernels import wikitext as kernels
from polyseme.kernels import wikitext_tags as tags

FILES = ("wikitext_output.py", "wikitext_names.py", "wikitext_tags.py", "wikitext.py")
STRIPPER = WikitextStripper()
PIECES = (
    "{{ }} [[ ]] {| |} '' ''' ''''' <!-- --> [[File: [[de: [http:// http:// // <ref> </ref> <ref/> <nowiki> "
    "</nowiki> <math> </math> <table> </table> <br> <b </b> __ __A__ &amp; &nbsp; &#65; &#x1F600; &#xD800; &#99999999; "
    "&shy; ----"
)
LINES = ("\n|}", "\n{|", "\n==", "\n*", "\n\n")
CHARACTERS = "[]{}|'<>&;:*#=-_()/!, \n\tax1é東"
MARKUP = st.lists(
    st.sampled_from((*PIECES.split(), *LINES, *CHARACTERS)) | st.characters(exclude_categories=["Cs"]), max_size=60
).map("".join)
REPEATED = (
    "{{ }} [[ ]] {{[[ [[a| [[é| [[File:a| [http:// {{{| <ref> </ref> <nowiki> <nowiki>& <!-- <b <b> <table> & &a &#1 é "
    "'' ''' ''''' __A __ ( (, http:// <ref><math><pre><source><score><gallery><nowiki>"
)
REPEATED_LINES = (
    *("\n{|", "\n|}", "\n=", "=\n", "\n*", "x{{\n", "=x={{\n", "[[a|\n\n", "l'''a''\n", "l'''a'' {{", " ", "\n"),
    "[[" + 70 * "a",
)
HOSTILE = (*REPEATED.split(), *REPEATED_LINES)


def plain_python() -> Any:
    """`strip_wikitext`, not compiled: NumPy checks the bounds of arrays that are read and written."""
    folder = Path(kernels.__file__).parent
    modules = [ast.parse((folder / name).read_text(encoding="utf-8")) for name in FILES]
    body = [node for module in modules for node in module.body if not isinstance(node, ast.ImportFrom)]
    names: dict[str, Any] = dict.fromkeys(("kernel", "internal", "inline"), lambda function: function)
    exec(compile(ast.Module(body, []), "wikitext", "exec"), names)
    return names["strip_wikitext"]


PLAIN = plain_python()


class Counted:
    """An array of bytes that counts how often its items are used; an index below 0 is an error."""

    def __init__(self, array: NDArray[np.uint8]) -> None:
        self.array = array
        self.uses = 0

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, i: int) -> np.uint8:
        assert i >= 0
        self.uses += 1
        return self.array[i]  # type: ignore[no-any-return]

    def __setitem__(self, i: int, byte: int) -> None:
        assert i >= 0
        self.uses += 1
        self.array[i] = byte


def strip_plainly(text: str) -> tuple[str, int]:
    """The text without markup, and how often bytes were read or written."""
    data = np.frombuffer(text.encode(), np.uint8)
    n = len(data)
    source, out = Counted(data), Counted(np.zeros(n + 8, np.uint8))
    unclosed, stack = np.zeros(tags.MAX_TAGS, np.uint8), np.zeros((n // 2 + 1, 3), np.int32)
    with np.errstate(over="ignore"):
        length = PLAIN(source, STRIPPER.classes, STRIPPER.keys, STRIPPER.values, unclosed, stack, out)
    assert length <= n
    return out.array[:length].tobytes().decode().strip(), source.uses + out.uses


@settings(max_examples=max(200, settings().max_examples))
@given(MARKUP)
def test_arbitrary_markup_gives_valid_text_equal_to_that_of_plain_python(text: str) -> None:
    assert STRIPPER(text) == strip_plainly(text)[0]


@given(st.text(max_size=200))
def test_any_string_is_accepted(text: str) -> None:
    STRIPPER(text).encode()


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_work_is_linear_in_the_length_of_hostile_text(piece: str) -> None:
    work = [strip_plainly(piece * count)[1] for count in (200, 400)]
    assert work[1] <= 2.1 * work[0] + 100


@pytest.mark.parametrize("piece", HOSTILE)
def test_many_repetitions_are_stripped(piece: str) -> None:
    assert len(STRIPPER(piece * 100_000).encode()) <= len(piece.encode()) * 100_000


def test_templates_a_million_deep_are_removed() -> None:
    assert STRIPPER("a" + "{{b|" * 1_000_000 + "}}" * 1_000_000 + "c") == "ac"
