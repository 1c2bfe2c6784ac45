"""Merging, dropping and labelling senses: a preview for one word, and saving all edits as a model.

The server keeps no edits. The page sends the list of all of them, and undoes one by leaving it out.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import regex

from polyseme.errors import ConfigError, OutputExists, PolysemeError
from polyseme.explorer.answer_cache import AnswerCache
from polyseme.explorer.answers import ApiError
from polyseme.explorer.models import MAX_WORD, ExploredModel, Session
from polyseme.explorer.opening import open_index
from polyseme.explorer.queries import hide_shares
from polyseme.model.data import ModelData
from polyseme.model.json_results import neighbours_json, senses_json
from polyseme.model.neighbours import nearest_to
from polyseme.model.sense_model import SenseModel
from polyseme.vocabulary import Vocabulary

MAX_EDITS = 1000
MAX_MERGED = 100  # senses in one edit
MAX_LABEL = 200  # characters
NAME_PATTERN = r"^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_. -]{0,99}$"  # of a folder: not hidden, no separators
MAX_NAME_BYTES = 200  # file systems allow 255, and a folder that is being written has a longer name
NUM_NEIGHBOURS, NUM_EXAMPLES = 12, 5

_KEY: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": MAX_WORD}
EDIT_SCHEMA: dict[str, Any] = {
    "oneOf": [
        {
            "type": "object",
            "required": ["merge"],
            "properties": {"merge": {"type": "array", "items": _KEY, "minItems": 2, "maxItems": MAX_MERGED}},
            "additionalProperties": False,
        },
        {
            "type": "object",
            "required": ["drop"],
            "properties": {"drop": _KEY},
            "additionalProperties": False,
        },
        {
            "type": "object",
            "required": ["label"],
            "properties": {
                "label": {
                    "type": "object",
                    "required": ["key", "label"],
                    "properties": {"key": _KEY, "label": {"type": "string", "maxLength": MAX_LABEL}},
                    "additionalProperties": False,
                }
            },
            "additionalProperties": False,
        },
    ]
}


@dataclass(frozen=True)
class Edit:
    """One edit: the senses that it names, and the label if it sets one."""

    kind: str
    keys: tuple[str, ...]
    label: str = ""

    @classmethod
    def parse(cls, value: Any) -> Edit:
        """An edit from JSON; an error 400 if it does not have the form of EDIT_SCHEMA."""
        match value:
            case {"merge": [_, _, *_] as keys} if len(value) == 1 and len(keys) <= MAX_MERGED:
                return cls("merge", tuple(map(_checked_key, keys)))
            case {"drop": str() as key} if len(value) == 1:
                return cls("drop", (_checked_key(key),))
            case {"label": {"key": str() as key, "label": str() as label} as of_sense} if len(value) == 1:
                if len(of_sense) == 2 and len(label) <= MAX_LABEL:
                    return cls("label", (_checked_key(key),), " ".join(label.split()))
        raise ApiError(400, 'an edit is {"merge": [keys]}, {"drop": key} or {"label": {"key": key, "label": text}}.')


def _checked_key(key: Any) -> str:
    if not isinstance(key, str) or not 0 < len(key) <= MAX_WORD:
        raise ApiError(400, f"a key is a text of 1 to {MAX_WORD} characters.")
    return key


def preview(session: Session, word: str, edits: list[Any], model: int) -> dict[str, Any]:
    """The senses of a word after the edits that concern it."""
    opened = session.model(model)
    w, _ = opened.find(word)
    of_word = [edit for edit in map(Edit.parse, edits) if _edited_word(opened, edit) == w]
    edited = SenseModel(_apply(_only_word(opened.data, w), of_word))
    answer = senses_json(edited.senses(opened.data.vocabulary.words[w]), 0, NUM_EXAMPLES)
    vectors = np.array([edited.vector(sense["key"]) for sense in answer["senses"]])
    near = nearest_to(opened.data, vectors, {w}, NUM_NEIGHBOURS)
    for sense, of_sense in zip(answer["senses"], near, strict=True):
        sense["neighbours"] = neighbours_json(of_sense)
    return hide_shares(opened, answer)


def _edited_word(opened: ExploredModel, edit: Edit) -> int:
    """The id of the word whose senses an edit names; an error if they are unknown or of several words."""
    words = {opened.find(key)[0] for key in edit.keys}
    if len(words) > 1:
        raise ApiError(400, f"senses of different words cannot be merged: {', '.join(edit.keys)}.")
    return words.pop()


def save(session: Session, edits: list[Any], name: str, model: int, overwrite: bool = False) -> dict[str, str]:
    """Save the model with the edits as a folder beside it; the open model is replaced only if asked to."""
    if not regex.fullmatch(NAME_PATTERN, name) or len(name.encode()) > MAX_NAME_BYTES:
        raise ApiError(
            400,
            "the name of a model starts with a letter, a digit or '_', and goes on with letters, digits, '.', '_', '-' "
            f"and spaces; it has at most 100 characters, and at most {MAX_NAME_BYTES} bytes.",
        )
    parsed = [Edit.parse(edit) for edit in edits]
    with session.editing:  # another save may replace the model, or create the folder
        path = _save(session.model(model), parsed, name, overwrite)
        _reload(session, path)
    return {"saved": name, "command": f"polyseme explore {shlex.quote(str(path))}"}


def _save(opened: ExploredModel, edits: list[Edit], name: str, overwrite: bool) -> Path:
    """Save a model with edits under a name, and return its path."""
    if not opened.editable:
        raise ApiError(403, f"{opened.name} cannot be edited: it is not a model folder, or its folder is read-only.")
    path = Path(os.path.abspath(opened.path)).parent / name  # noqa: PTH100 - does not follow symbolic links
    for edit in edits:
        _edited_word(opened, edit)
    if path.exists() and not overwrite:
        raise ApiError(409, f"{name} exists already; choose another name, or overwrite it.")
    try:
        SenseModel(_apply(opened.data, edits)).save(path, force=overwrite)
    except OutputExists as error:
        raise ApiError(409, str(error).replace("--force", "overwriting")) from error
    except OSError as error:
        if isinstance(error, PolysemeError):
            raise
        raise ApiError(503, f"{name} could not be saved: {error.strerror or error}.") from error
    return path


def _reload(session: Session, path: Path) -> None:
    """Open a model of the session again if it was saved over."""
    for i, model in enumerate(session.models):
        if model.path.exists() and model.path.samefile(path):
            reopened = ExploredModel(str(model.path))
            open_index(reopened)
            with suppress(PolysemeError):  # a request that needs it answers with the error
                reopened.prepare()
            session.models[i] = reopened
            session.answers = AnswerCache()  # after the model: no answer of the old one is put into it


def _only_word(data: ModelData, word: int) -> ModelData:
    """A model with one word, which is edited without copying the vectors of all others."""
    first, last = data.arrays.sense_offsets[word : word + 2].tolist()
    arrays = data.arrays
    centers, whitened, global_vectors = arrays.cluster_centers, arrays.whitened_vectors, arrays.global_vectors
    of_word = replace(
        arrays,
        global_vectors=None if global_vectors is None else global_vectors[[word]],
        sense_vectors=arrays.sense_vectors[first:last],
        sense_offsets=np.array([0, last - first]),
        sense_counts=np.array(arrays.sense_counts[first:last]),
        cluster_centers=None if centers is None else centers[first:last],
        whitened_vectors=None if whitened is None else whitened[[word]],
        sense_numbers=np.array(data.sense_numbers[first:last]),
    )
    keys = {data.key(row) for row in data.rows(word)}
    return replace(
        data,
        vocabulary=Vocabulary([data.vocabulary.words[word]], data.vocabulary.counts[[word]]),
        arrays=of_word,
        labels={key: label for key, label in data.labels.items() if key in keys},
        read_examples=lambda _first, _end: data.read_examples(word, word + 1),
    )


def _apply(data: ModelData, edits: Sequence[Edit]) -> ModelData:
    """The model after edits, in order; an error 400 if one is not possible."""
    try:
        return _refine(data, edits)
    except ConfigError as error:  # which names options of the command line
        raise ApiError(400, re.sub(r"--(?=merge|drop|label)", "", str(error))) from error


def _refine(data: ModelData, edits: Sequence[Edit]) -> ModelData:
    for batch in _batches(data, edits):
        removed = {edit.keys[0] for edit in batch if edit.kind == "label" and not edit.label}
        if removed:
            for key in removed:
                data.find(key)
            data = replace(data, labels={key: label for key, label in data.labels.items() if key not in removed})
        refined = SenseModel(data).refine(
            merge=[edit.keys for edit in batch if edit.kind == "merge"],
            drop=[edit.keys[0] for edit in batch if edit.kind == "drop"],
            labels={edit.keys[0]: edit.label for edit in batch if edit.kind == "label" and edit.label},
        )
        data = refined._data
    return data


def _batches(data: ModelData, edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Consecutive edits of different words, which can be made together: each refinement copies all vectors."""
    batch: list[Edit] = []
    words: set[int] = set()
    for edit in edits:
        word = data.find(edit.keys[0])[0]
        if word in words:
            yield batch
            batch, words = [], set()
        batch.append(edit)
        words.add(word)
    if batch:
        yield batch
