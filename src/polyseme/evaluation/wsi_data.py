"""Reading labelled instances for word sense induction, in the formats of SemEval-2010 task 14 and SemEval-2013 task 13.

    one file   dataset.txt: a header `access.n 48`, then 48 lines `left TAB right`, and so on for each word; key.txt
               beside it. The order of the key is different: the 15th line of access.n is the instance access.n.15.
    2010, XML  a file per word: <access.n.test> contains <access.n.1>, <access.n.2>, ..., each with a <TargetSentence>.
               The target word is not marked: it is the first word with the longest common prefix with the lemma.
    2013, XML  a file per word: <instances> contains <instance id= lemma= partOfSpeech= token= tokenStart= tokenEnd=>.
               Start and end count characters or, in some files, words separated by blanks.

A key has lines `add.v add.v.1 sense/4 sense/2`. Weights are divided by the largest one of the line; a sense without a
weight gets the largest one. Instances in XML files that are not in the key were withdrawn, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree

from polyseme.errors import DataError, MissingFile, shorten
from polyseme.evaluation.instances import Instance
from polyseme.evaluation.text_files import WHOLE_NUMBER, Line, read_data, read_lines

KEY_LAYOUT = "word.pos, instance, senses as 'sense' or 'sense/weight', separated by blanks"
HEADER_LAYOUT = "a word with its part of speech and the number of its instances, as in 'access.n 48'"
INSTANCE_LAYOUT = "the text to the left and to the right of the word, separated by a tab"
WORD = re.compile(r"\w+")

Labels = dict[str, float]  # the weight of each sense; the largest is 1


@dataclass(frozen=True)
class LabelledWord:
    """A word with its part of speech, and its instances with their labels."""

    lemma: str
    pos: str
    instances: list[Instance]
    labels: list[Labels]


@dataclass(frozen=True)
class _Entry:
    """An instance in a data set: `access.n.15` of the word `access.n`."""

    word: str
    id: str
    instance: Instance


def read_wsi(path: Path) -> list[LabelledWord]:
    """Read a data set: a folder, or a file `dataset.txt`."""
    if path.is_dir() and not (path / "dataset.txt").is_file():
        key_path = _find_key(path)
        key = read_key(key_path)
        entries = [entry for entry in _read_folder(path) if entry.id in key]
    else:
        file = path / "dataset.txt" if path.is_dir() else path
        if not file.is_file():
            raise MissingFile(f"{file} does not exist; name the data set's folder, or its dataset.txt.")
        key_path = file.with_name("key.txt")
        key = read_key(key_path)
        entries = list(_read_file(file, key))
    if not entries:
        raise DataError(f"{path} has no instance that is in {key_path}.")
    words: dict[str, LabelledWord] = {}
    for entry in entries:
        lemma, _, pos = entry.word.rpartition(".")
        word = words.setdefault(entry.word, LabelledWord(lemma, pos, [], []))
        word.instances.append(entry.instance)
        word.labels.append(key[entry.id])
    return list(words.values())


def read_key(path: Path) -> dict[str, Labels]:
    """Read the labels of each instance."""
    key: dict[str, Labels] = {}
    for line in read_lines(path):
        _, instance, *senses = line.columns(3, KEY_LAYOUT, None)
        senses = list(takewhile(lambda sense: not sense.startswith("!!"), senses))  # a comment follows
        if not senses:
            raise line.error(f"no sense: {KEY_LAYOUT}.")
        if instance in key:
            raise line.error(f"'{shorten(instance)}' is in the key twice.")
        key[instance] = _parse_labels(senses, line)
    return key


def _parse_labels(senses: list[str], line: Line) -> Labels:
    pairs = [sense.rpartition("/") if "/" in sense else (sense, "", "") for sense in senses]
    weights = [line.parse_number(weight) if mark else None for _, mark, weight in pairs]
    given = [weight for weight in weights if weight is not None]
    if any(weight <= 0 for weight in given):
        raise line.error("the weight of a sense must be above 0.")
    largest = max(given, default=1.0)
    return {pair[0]: 1.0 if weight is None else weight / largest for pair, weight in zip(pairs, weights, strict=True)}


def _read_file(path: Path, key: dict[str, Labels]) -> Iterator[_Entry]:
    lines = iter(read_lines(path, keep_blank=True))
    for header in lines:
        if not header.text.strip():
            continue
        word, count = _parse_header(header)
        for number in range(1, count + 1):
            line = next(lines, None)
            if line is None:
                name = shorten(word)
                raise header.error(f"{count} instances of '{name}' are announced, but the file has {number - 1}.")
            left, right, *_ = line.columns(2, INSTANCE_LAYOUT)
            instance_id = f"{word}.{number}"
            if instance_id not in key:
                raise line.error(f"'{shorten(instance_id)}' is not in the key.")
            yield _Entry(word, instance_id, Instance(word.rpartition(".")[0], left, right))


def _parse_header(line: Line) -> tuple[str, int]:
    columns = line.text.split()
    if len(columns) != 2 or "." not in columns[0] or not WHOLE_NUMBER.fullmatch(columns[1]):
        raise line.error(f"not a header: {HEADER_LAYOUT}.")
    return columns[0], int(columns[1])


def _find_files(folder: Path, *patterns: str) -> list[Path]:
    """The files below a folder, without hidden files."""
    return sorted({path for pattern in patterns for path in folder.rglob(pattern) if not path.name.startswith(".")})


def _find_key(folder: Path) -> Path:
    """The key below a folder; if there are several, the one named all.key."""
    keys = _find_files(folder, "*.key", "*key*.txt")
    candidates = keys if len(keys) == 1 else [path for path in keys if path.name == "all.key"]
    if len(candidates) == 1:
        return candidates[0]
    if not keys:
        raise MissingFile(
            f"{folder} has neither a dataset.txt nor a key (*.key or *key*.txt); name the data set's folder."
        )
    raise DataError(
        f"{folder} has {len(keys)} keys, such as {keys[0].name}; remove all but one, or name one of them all.key."
    )


def _read_folder(folder: Path) -> list[_Entry]:
    """The instances of all XML files below a folder."""
    entries: dict[str, _Entry] = {}
    for path in _find_files(folder, "*.xml"):
        for entry in _read_xml(path):
            if entry.id in entries:
                raise DataError(f"{path}: '{shorten(entry.id)}' is also in another file of {folder}.")
            entries[entry.id] = entry
    return list(entries.values())


def _read_xml(path: Path) -> Iterator[_Entry]:
    data = read_data(path)
    if b"<lexelt" in data:  # Senseval-2 format: a copy of the instances in the other files
        return
    try:
        root = ElementTree.fromstring(data, ElementTree.XMLParser(target=_NoDoctype(path)))
    except ElementTree.ParseError as error:
        raise DataError(f"{path}, line {error.position[0]}: not XML ({error}).") from None
    except DataError:
        raise
    except (ValueError, LookupError) as error:  # the parser supports few encodings with several bytes per character
        raise DataError(f"{path}: its XML encoding is not supported ({error}); convert the file to UTF-8.") from None
    for element in root:
        if root.tag == "instances":
            yield _parse_2013(element, path)
        elif root.tag.endswith(".test"):
            yield _parse_2010(element, root.tag.removesuffix(".test"), path)


class _NoDoctype(ElementTree.TreeBuilder):
    """Builds a tree, but refuses a document type, which could declare malicious entities."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def doctype(self, *_: object) -> NoReturn:
        raise DataError(f"{self.path} has a DOCTYPE, which may declare malicious entities; remove it.")


def _parse_2010(element: ElementTree.Element, word: str, path: Path) -> _Entry:
    target = element.find("TargetSentence")
    if target is None:
        raise DataError(f"{path}: '{shorten(element.tag)}' has no <TargetSentence>.")
    sentence = "".join(target.itertext())
    lemma = word.rpartition(".")[0]
    tokens = list(WORD.finditer(sentence))
    prefixes = [_common_prefix_length(lemma.lower(), token[0].lower()) for token in tokens]
    if not any(prefixes):
        raise DataError(
            f"{path}: no word in the sentence of '{shorten(element.tag)}' has a common prefix with '{shorten(lemma)}'."
        )
    token = tokens[prefixes.index(max(prefixes))]
    left = (element.text or "") + sentence[: token.start()]
    right = sentence[token.end() :] + (target.tail or "")
    return _Entry(word, element.tag, Instance(lemma, left, right))


def _common_prefix_length(a: str, b: str) -> int:
    """
    >>> _common_prefix_length("swear", "swore")
    2
    """
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _parse_2013(element: ElementTree.Element, path: Path) -> _Entry:
    names = ("id", "lemma", "partOfSpeech", "token", "tokenStart", "tokenEnd")
    values = [element.get(name, "") for name in names]
    if not all(values) or not all(WHOLE_NUMBER.fullmatch(value) for value in values[4:]):
        raise DataError(f"{path}: instance '{shorten(values[0])}' must have the attributes {', '.join(names)}.")
    instance_id, lemma, pos, token = values[:4]
    start, end = int(values[4]), int(values[5])
    text = "".join(element.itertext())
    left, right = text[:start], text[end:]
    if text[start:end] != token:
        words = text.split()
        left, right = " ".join(words[:start]), " ".join(words[max(end, start + 1) :])
        if token not in " ".join(words[start : max(end, start + 1)]):
            name = shorten(instance_id)
            raise DataError(f"{path}: '{shorten(token)}' is not at {start} to {end} in the text of '{name}'.")
    return _Entry(f"{lemma}.{pos}", instance_id, Instance(lemma, left, right))
