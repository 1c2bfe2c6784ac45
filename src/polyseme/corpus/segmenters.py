"""Word segmentation for languages without spaces, by libraries that are imported on first use."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import regex

from polyseme.errors import MissingExtra, shorten

MAX_CHARACTERS = 1000  # segmented at a time: SudachiPy refuses texts of 49 kB
ASCII = "[0-9A-Za-z_]"
APOSTROPHES = ("'", "’")

Segment = Callable[[str], list[str]]


@dataclass(frozen=True)
class Segmenter:
    """Splits runs of letters into words.

    script  regular expression of a character that is written without spaces
    extra   the extra of polyseme that installs the library
    load    imports the library and returns its function from a text to its words
    """

    name: str
    script: str
    extra: str
    load: Callable[[], Segment]

    @cached_property
    def segment(self) -> Segment:
        try:
            return self.load()
        except ImportError as error:
            pip = f"pip install 'polyseme[{self.extra}]'"
            raise MissingExtra(f"the tokenizer '{self.name}' needs {error.name or shorten(error)}: {pip}") from error

    @cached_property
    def _unspaced(self) -> regex.Pattern[str]:
        """Letters of the script, with ASCII letters between them or beside them (`T恤`)."""
        return regex.compile(rf"(?V1){ASCII}*+(?:{self.script}(?:{ASCII}++(?={self.script}|\Z))?+)++")

    @cached_property
    def _parts(self) -> regex.Pattern[str]:
        """Letters of the script, or other letters with apostrophes between them, or an apostrophe."""
        other = rf"(?:(?!{self.script}|['’]).)++"
        return regex.compile(rf"{self._unspaced.pattern}|{other}(?:['’]{other})*+|['’]")

    def split(self, run: str) -> list[str]:
        """The words of a run of letters, and the apostrophes beside letters of the script. Joined, they are the run.

        >>> Segmenter("pairs", "[一二三四]", "", lambda: lambda run: [run[:2], run[2:]]).split("一二三四’café")
        ['一二', '三四', '’', 'café']
        """
        if len(run) <= MAX_CHARACTERS and self._unspaced.fullmatch(run):
            words = self.segment(run)
            return words if "".join(words) == run else [run]  # a library may change unusual characters
        if not self._unspaced.search(run):
            return [run]
        parts = self._parts.findall(run)
        if len(parts) == 1:
            parts = [run[first : first + MAX_CHARACTERS] for first in range(0, len(run), MAX_CHARACTERS)]
        return [word for part in parts for word in self.split(part)]


def _load_rjieba() -> Segment:
    import rjieba

    return lambda text: list(rjieba.cut(text))


def _load_sudachi() -> Segment:
    import sudachidict_small  # noqa: F401 - its absence is a missing extra too
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="small").tokenizer(mode=SplitMode.C)
    lock = threading.Lock()  # a SudachiPy tokenizer belongs to one thread at a time

    def segment(text: str) -> list[str]:
        with lock:
            return [morpheme.surface() for morpheme in tokenizer.tokenize(text)]

    return segment


def _load_pythainlp() -> Segment:
    from pythainlp.tokenize import word_tokenize

    return lambda text: list(word_tokenize(text, engine="newmm-safe", join_broken_num=False))


RJIEBA = Segmenter("rjieba", r"\p{Han}", "chinese", _load_rjieba)
SUDACHI = Segmenter("sudachi", r"[\p{Han}\p{Hiragana}\p{Katakana}ー]", "japanese", _load_sudachi)
PYTHAINLP = Segmenter("pythainlp", r"\p{Thai}", "thai", _load_pythainlp)
