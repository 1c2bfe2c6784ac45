"""Requests about one model: words, senses, neighbours, occurrences, and tagging a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import regex

from polyseme import __version__
from polyseme.examples.store import Example
from polyseme.explorer.answers import ApiError
from polyseme.explorer.models import ExploredModel, Session
from polyseme.model.json_results import neighbours_json, sense_json, senses_json, similarity_json, tokens_json

if TYPE_CHECKING:
    from polyseme.explorer.index import SenseIndex

MAX_TEXT_BYTES = 200_000  # of a text to tag


def info(session: Session) -> dict[str, Any]:
    return {
        "version": __version__,
        "models": [
            {**model.info(), "examples": model.suggested, "examples_are_final": model.is_prepared}
            for model in session.models
        ],
        "editable": session.models[0].editable,
        "limits": {"text_bytes": MAX_TEXT_BYTES},
    }


def complete(session: Session, q: str, n: int, model: int) -> dict[str, Any]:
    opened = session.model(model)
    data, completion = opened.data, opened.completion
    ids = completion.complete(q, n)
    words = data.vocabulary.words
    same = completion.same(q)
    match = q if data.lookup(q) else None if same is None else words[same]
    return {
        "query": q,
        "match": match,
        "words": [
            {"word": words[i], "count": int(data.vocabulary.counts[i]), "senses": int(data.num_visible_senses[i])}
            for i in ids
        ],
        "closest": [] if ids else [words[i] for i in completion.closest(q)],
    }


def senses(session: Session, word: str, neighbours: int, examples: int, model: int) -> dict[str, Any]:
    return senses_of(session.model(model), word, neighbours, examples)


def senses_of(opened: ExploredModel, word: str, neighbours: int, examples: int) -> dict[str, Any]:
    """The senses of a word; with an index, the examples are its most readable ones."""
    w, _ = opened.find(word)
    found = opened.model.senses(opened.data.vocabulary.words[w])
    if opened.index is None:
        return hide_shares(opened, senses_json(found, neighbours, examples))
    best = [opened.index.best_examples(row, examples) for row in opened.data.rows(w)]
    of_senses = [sense_json(sense, neighbours, snippets) for sense, snippets in zip(found, best, strict=True)]
    return hide_shares(opened, {"word": found.word, "hidden": found.hidden, "senses": of_senses})


def hide_shares(opened: ExploredModel, answer: dict[str, Any]) -> dict[str, Any]:
    """The senses of a word, with the share null if the model does not know it."""
    if not opened.has_shares:
        for sense in answer["senses"]:
            sense["share"] = None
    return answer


def neighbours(session: Session, key: str, n: int, model: int) -> list[dict[str, Any]]:
    opened = session.model(model)
    opened.find(key)
    return neighbours_json(opened.model.neighbours(key, n))


def similarity(session: Session, a: str, b: str, model: int) -> dict[str, float]:
    opened = session.model(model)
    opened.find(a)
    opened.find(b)
    return similarity_json(opened.model.similarity(a, b))


def tag(session: Session, text: str, model: int) -> dict[str, Any]:
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_TEXT_BYTES:
        raise ApiError(413, f"the text has {size:,} bytes; at most {MAX_TEXT_BYTES:,} can be tagged at once.")
    return {"tokens": tokens_json(session.model(model).model._tagger.pieces(text))}


def collocates(session: Session, key: str, n: int, window: int, model: int) -> dict[str, Any]:
    opened = session.model(model)
    rows = _rows(opened, key)
    return {"key": key, **_index_of(opened, "collocates").collocates(rows, n, window)}


def concordance(
    session: Session, key: str, sort: str, near: str, window: int, offset: int, limit: int, model: int
) -> dict[str, Any]:
    opened = session.model(model)
    rows = _rows(opened, key)
    sampled = False
    if near:
        index, word = _index_of(opened, "lines near a word"), opened.find(near)[0]
        total, lines = index.concordance_near(rows, word, window, sort, offset, limit)
        sampled = index.is_sampled(rows)
    elif opened.index is None:
        total, lines = _stored_lines(opened, rows, sort, offset, limit)
    else:
        total, lines = opened.index.concordance(rows, sort, offset, limit)
        sampled = total < opened.index.num_postings(rows)
    of_word = opened.find(key)[1] is None
    shown = [{"key": opened.data.key(row), **line} if of_word else line for row, line in lines]
    return {"key": key, "total": total, "sampled": sampled, "sort": sort, "offset": offset, "lines": shown}


def _index_of(opened: ExploredModel, what: str) -> SenseIndex:
    """The index of a model; an error 404 if it has none."""
    if opened.index is None:
        raise ApiError(404, f"{what} need an index of the corpus; build it with: {opened.info()['how_to_index']}")
    return opened.index


def _rows(opened: ExploredModel, key: str) -> list[int]:
    """The row of a sense, or those of all senses of a word."""
    word, row = opened.find(key)
    return list(opened.data.rows(word)) if row is None else [row]


def _sort_key(example: Example, side: str) -> tuple[bool, list[str]]:
    """The words on one side, going outwards; an example without any comes last."""
    words = regex.findall(r"\w+", (example.left if side == "left" else example.right).lower())
    return not words, words[::-1] if side == "left" else words


def _stored_lines(
    opened: ExploredModel, rows: list[int], sort: str, offset: int, limit: int
) -> tuple[int, list[tuple[int, dict[str, Any]]]]:
    """The examples that the model keeps, as lines of a concordance."""
    word = opened.data.word_of(rows[0])
    of_word = opened.model.senses(opened.data.vocabulary.words[word])
    by_row = dict(zip(opened.data.rows(word), of_word, strict=True))
    found: list[tuple[int, Example]] = [(row, example) for row in rows for example in by_row[row].examples]
    if sort in ("left", "right"):
        found.sort(key=lambda item: _sort_key(item[1], sort))
    shown = found[offset : offset + limit]
    lines = [
        (row, {**example._asdict(), "sentence": i, "source": ""}) for i, (row, example) in enumerate(shown, offset)
    ]
    return len(found), lines
