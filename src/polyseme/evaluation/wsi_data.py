"""Reading labelled contexts for word sense induction, in the layouts of SemEval-2010 task 14 and SemEval-2013 task 13.

    one file   dataset.txt: a head `access.n 48`, then 48 lines `left TAB right`, and so on; key.txt beside it. The key
               is in an order of its own: the 15th context of access.n is the instance access.n.15.
    2010, XML  a file a word: <access.n.test> holds <access.n.1>, <access.n.2>, ...; in each a <TargetSentence>. Which
               word is meant is not said: the first that has the longest beginning in common with the lemma.
    2013, XML  a file a word: <instances> holds <instance id= lemma= partOfSpeech= token= tokenStart= tokenEnd=>, which
               count characters, or else words parted by blanks.

A key has lines `add.v add.v.1 sense/4 sense/2`. Weights are divided by the largest of the line; without one, a sense
has the largest. Contexts that the key of a folder of XML files does not name were withdrawn, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree

from polyseme.errors import DataError, MissingFile
from polyseme.evaluation.instances import Instance
from polyseme.evaluation.text_files import Line, read_lines

KEY_LAYOUT = "word.pos, instance, senses as 'sense' or 'sense/weight', parted by blanks"
HEAD_LAYOUT = "a word with its part of speech and the number of its contexts, as in 'access.n 48'"
CONTEXT_LAYOUT = "what stands left and right of the word, parted by a tab"
WORD = re.compile(r"\w+")

Labels = dict[str, float]  # of each sense its weight, 1 at most


@dataclass(frozen=True)
class LabelledWord:
    """A word with its part of speech, and its uses with the senses that people gave them."""

    lemma: str
    pos: str
    uses: list[Instance]
    labels: list[Labels]


@dataclass(frozen=True)
class _Context:
    word: str  # access.n
    instance: str  # access.n.15
    occurrence: Instance


def read_wsi(path: Path) -> list[LabelledWord]:
    """The data set of a folder, or of a file `dataset.txt`."""
    if path.is_dir() and not (path / "dataset.txt").is_file():
        key_path = _find_key(path)
        key = read_key(key_path)
        contexts = [context for context in _read_folder(path) if context.instance in key]
    else:
        file = path / "dataset.txt" if path.is_dir() else path
        if not file.is_file():
            raise MissingFile(f"{file} is not there; name the data set's folder, or its dataset.txt.")
        key_path = file.with_name("key.txt")
        key = read_key(key_path)
        contexts = list(_read_file(file, key))
    if not contexts:
        raise DataError(f"{path} has no context of an instance that {key_path} names.")
    words: dict[str, LabelledWord] = {}
    for context in contexts:
        lemma, _, pos = context.word.rpartition(".")
        word = words.setdefault(context.word, LabelledWord(lemma, pos, [], []))
        word.uses.append(context.occurrence)
        word.labels.append(key[context.instance])
    return list(words.values())


def read_key(path: Path) -> dict[str, Labels]:
    """The senses of each instance."""
    key: dict[str, Labels] = {}
    for line in read_lines(path):
        _, instance, *senses = line.columns(3, KEY_LAYOUT, None)
        senses = list(takewhile(lambda sense: not sense.startswith("!!"), senses))  # a remark
        if not senses:
            raise line.wrong(f"no sense: {KEY_LAYOUT}.")
        if instance in key:
            raise line.wrong(f"'{instance}' has been given senses before.")
        key[instance] = _labels(senses, line)
    return key


def _labels(senses: list[str], line: Line) -> Labels:
    pairs = [sense.rpartition("/") if "/" in sense else (sense, "", "") for sense in senses]
    weights = [line.number_in(weight) if mark else None for _, mark, weight in pairs]
    given = [weight for weight in weights if weight is not None]
    if any(weight <= 0 for weight in given):
        raise line.wrong("the weight of a sense must be above 0.")
    most = max(given, default=1.0)
    return {pair[0]: 1.0 if weight is None else weight / most for pair, weight in zip(pairs, weights, strict=True)}


def _read_file(path: Path, key: dict[str, Labels]) -> Iterator[_Context]:
    lines = iter(read_lines(path, blank=True))
    for head in lines:
        if not head.text.strip():
            continue
        word, count = _head(head)
        for number in range(1, count + 1):
            line = next(lines, None)
            if line is None:
                raise head.wrong(f"{count} contexts are announced, and the file ends after {number - 1}.")
            left, right, *_ = line.columns(2, CONTEXT_LAYOUT)
            instance = f"{word}.{number}"
            if instance not in key:
                raise line.wrong(f"the key has no instance '{instance}'.")
            yield _Context(word, instance, Instance(word.rpartition(".")[0], left, right))


def _head(line: Line) -> tuple[str, int]:
    columns = line.text.split()
    if len(columns) != 2 or "." not in columns[0] or not columns[1].isdecimal():
        raise line.wrong(f"not a head: {HEAD_LAYOUT}.")
    return columns[0], int(columns[1])


def _below(folder: Path, *patterns: str) -> list[Path]:
    """The files below a folder, but for hidden ones."""
    return sorted({path for pattern in patterns for path in folder.rglob(pattern) if not path.name.startswith(".")})


def _find_key(folder: Path) -> Path:
    """The key below a folder; of several the one named all.key."""
    found = _below(folder, "*.key", "*key*.txt")
    chosen = found if len(found) == 1 else [path for path in found if path.name == "all.key"]
    if len(chosen) == 1:
        return chosen[0]
    if not found:
        raise MissingFile(
            f"{folder} has neither a dataset.txt nor a key (*.key or *key*.txt); name the data set's folder."
        )
    raise DataError(
        f"{folder} has {len(found)} keys, {found[0].name} and others; leave one, or name one of them all.key."
    )


def _read_folder(folder: Path) -> list[_Context]:
    """The contexts of all XML files below a folder."""
    contexts: dict[str, _Context] = {}
    for path in _below(folder, "*.xml"):
        for context in _read_xml(path):
            if context.instance in contexts:
                raise DataError(f"{path}: '{context.instance}' is in another file of {folder}, too.")
            contexts[context.instance] = context
    return list(contexts.values())


def _read_xml(path: Path) -> Iterator[_Context]:
    data = path.read_bytes()
    if b"<lexelt" in data:  # the same contexts again, in Senseval-2's layout
        return
    try:
        root = ElementTree.fromstring(data, ElementTree.XMLParser(target=_NoDoctype(path)))
    except ElementTree.ParseError as error:
        raise DataError(f"{path}, line {error.position[0]}: not XML ({error}).") from None
    for element in root:
        if root.tag == "instances":
            yield _of_2013(element, path)
        elif root.tag.endswith(".test"):
            yield _of_2010(element, root.tag.removesuffix(".test"), path)


class _NoDoctype(ElementTree.TreeBuilder):
    """Builds a tree, unless the file declares a document type: entities, which can do harm, are declared only there."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def doctype(self, *_: object) -> NoReturn:
        raise DataError(f"{self.path} has a DOCTYPE, which may declare entities; take it out.")


def _of_2010(element: ElementTree.Element, word: str, path: Path) -> _Context:
    target = element.find("TargetSentence")
    if target is None:
        raise DataError(f"{path}: '{element.tag}' has no <TargetSentence>.")
    sentence = "".join(target.itertext())
    lemma = word.rpartition(".")[0]
    tokens = list(WORD.finditer(sentence))
    alike = [_in_common(lemma.lower(), token[0].lower()) for token in tokens]
    if not any(alike):
        raise DataError(f"{path}: the sentence of '{element.tag}' has no word that begins as '{lemma}' does.")
    token = tokens[alike.index(max(alike))]
    left = (element.text or "") + sentence[: token.start()]
    right = sentence[token.end() :] + (target.tail or "")
    return _Context(word, element.tag, Instance(lemma, left, right))


def _in_common(a: str, b: str) -> int:
    """How many letters two words begin with alike.

    >>> _in_common("swear", "swore")
    2
    """
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _of_2013(element: ElementTree.Element, path: Path) -> _Context:
    names = ("id", "lemma", "partOfSpeech", "token", "tokenStart", "tokenEnd")
    values = [element.get(name, "") for name in names]
    if not all(values) or not (values[4] + values[5]).isdecimal():
        raise DataError(f"{path}: an <instance> must have {', '.join(names)}; '{values[0]}' has not.")
    instance, lemma, pos, token = values[:4]
    start, end = int(values[4]), int(values[5])
    text = "".join(element.itertext())
    left, right = text[:start], text[end:]
    if text[start:end] != token:
        words = text.split()
        left, right = " ".join(words[:start]), " ".join(words[max(end, start + 1) :])
        if token not in " ".join(words[start : max(end, start + 1)]):
            raise DataError(f"{path}: '{token}' is not at {start} to {end} in the text of '{instance}'.")
    return _Context(f"{lemma}.{pos}", instance, Instance(lemma, left, right))
