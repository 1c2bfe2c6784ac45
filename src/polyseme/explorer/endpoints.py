"""The requests of the API: one table from which requests are parsed and the OpenAPI description is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from polyseme.explorer import comparing, editing, mapping, queries
from polyseme.explorer.answers import ApiError
from polyseme.explorer.models import MAX_WORD

MAX_LISTED = 100  # neighbours, examples, completions
MAX_LINES = 500  # of a concordance
MAX_WINDOW = 20
MAX_OFFSET = 2**31 - 1
MAX_SECONDS, MAX_SAVE_SECONDS = 30, 600

Schema = dict[str, Any]
STRING: Schema = {"type": "string"}
WORD: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_WORD}


@dataclass(frozen=True)
class Parameter:
    """A parameter of the path or of the query. Without a default it is required.

    schema  a JSON schema of the type string or integer
    """

    name: str
    help: str
    schema: Schema
    default: str | int | None = None

    def parse(self, text: str | None) -> str | int:
        """The value of a text; the default if there is none."""
        if text is None:
            if self.default is None:
                raise ApiError(400, f"the parameter '{self.name}' is missing: {self.help}.")
            return self.default
        if self.schema["type"] == "integer":
            return self._number(text)
        if "enum" in self.schema and text not in self.schema["enum"]:
            raise ApiError(400, f"'{self.name}' must be one of {', '.join(self.schema['enum'])}.")
        low, high = self.schema.get("minLength", 0), self.schema.get("maxLength", MAX_WORD)
        if not low <= len(text) <= high:
            raise ApiError(400, f"'{self.name}' must have {low} to {high} characters, not {len(text):,}.")
        return text

    def _number(self, text: str) -> int:
        low, high = self.schema["minimum"], self.schema["maximum"]
        digits = text.removeprefix("-")
        number = int(text) if digits.isdecimal() and digits.isascii() and len(digits) < 20 else None
        if number is None or not low <= number <= high:
            raise ApiError(400, f"'{self.name}' must be a whole number from {low} to {high}.")
        return number


def number(name: str, help: str, default: int, low: int, high: int) -> Parameter:
    return Parameter(name, help, {"type": "integer", "minimum": low, "maximum": high, "default": default}, default)


def text(name: str, help: str, default: str | None = None, **schema: Any) -> Parameter:
    return Parameter(name, help, {"type": "string", "maxLength": MAX_WORD, **schema}, default)


def word(name: str, help: str) -> Parameter:
    return Parameter(name, help, WORD)


MODEL = number("model", "Which model: 0 for MODEL, 1 for MODEL2", 0, 0, 1)


@dataclass(frozen=True)
class Endpoint:
    """A request of the API.

    path    with the name of a path parameter in braces
    answer  a function of the session, and of parameters and fields of the body by name, to a JSON value
    result  JSON schema of the answer
    body    JSON schemas of the fields of the body, for POST
    quick   whether it is answered in a millisecond, so that it does not wait for slower requests
    cached  whether its answers are kept
    seconds  after which the client is told to try again later
    """

    path: str
    summary: str
    answer: Callable[..., Any]
    result: Schema
    parameters: tuple[Parameter, ...] = ()
    body: Mapping[str, Schema] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    quick: bool = False
    cached: bool = False
    seconds: int = MAX_SECONDS

    @property
    def method(self) -> str:
        return "POST" if self.body else "GET"

    def arguments(self, path: Mapping[str, str], query: list[tuple[str, str]]) -> dict[str, Any]:
        """The values of the parameters. Unknown and repeated ones are errors, so that misspellings are noticed."""
        given = dict(path)
        known = {parameter.name for parameter in self.parameters}
        for name, value in query:
            if name not in known or name in given:
                problem = (
                    "given twice" if name in given else f"unknown; there are: {', '.join(sorted(known)) or 'none'}"
                )
                raise ApiError(400, f"the parameter '{name[:MAX_WORD]}' is {problem}.")
            given[name] = value
        return {parameter.name: parameter.parse(given.get(parameter.name)) for parameter in self.parameters}


def objects(**fields: Schema) -> Schema:
    """The schema of an object that has at least these fields."""
    return {"type": "object", "required": list(fields), "properties": fields}


def lists(items: Schema) -> Schema:
    return {"type": "array", "items": items}


WHOLE: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": ["number", "null"]}
FLAG: Schema = {"type": "boolean"}
OPTIONAL_STRING: Schema = {"type": ["string", "null"]}
NEIGHBOUR = objects(key=STRING, word=STRING, similarity=NUMBER)
EXAMPLE = objects(text=STRING, left=STRING, word=STRING, right=STRING)
TRAINING_COUNT: Schema = {
    **WHOLE,
    "description": "contexts of the sense in training, over all epochs and after subsampling",
}
SENSE = objects(
    key=STRING,
    label=OPTIONAL_STRING,
    share=NUMBER,
    count=TRAINING_COUNT,
    neighbours=lists(NEIGHBOUR),
    examples=lists(EXAMPLE),
)
SENSES = objects(word=STRING, hidden=WHOLE, senses=lists(SENSE))
MAYBE_SENSES: Schema = {"anyOf": [SENSES, {"type": "null"}]}
INFO = objects(
    version=STRING,
    models=lists(
        objects(
            name=STRING,
            words=WHOLE,
            senses=WHOLE,
            has_index=FLAG,
            indexed_text=OPTIONAL_STRING,
            was_trained_on_index={"type": ["boolean", "null"]},
            index_problem=OPTIONAL_STRING,
            how_to_index=STRING,
            examples=lists(STRING),
            examples_are_final=FLAG,
        )
    ),
    editable=FLAG,
    limits=objects(text_bytes=WHOLE),
)
COLLOCATE = objects(word=STRING, log_dice=NUMBER, count=WHOLE, left=WHOLE, right=WHOLE)
LINE = objects(left=STRING, word=STRING, right=STRING, sentence=WHOLE, source=STRING)
MATCH = objects(first=OPTIONAL_STRING, second=OPTIONAL_STRING, overlap=NUMBER, shared=lists(STRING))
POINT = objects(key=STRING, word=STRING, sense=STRING, similarity=NUMBER, x=NUMBER, y=NUMBER)
EDITS: Schema = {"type": "array", "items": editing.EDIT_SCHEMA, "maxItems": editing.MAX_EDITS}

ENDPOINTS = (
    Endpoint("/api/info", "Models, limits, and words to try", queries.info, INFO, quick=True),
    Endpoint(
        "/api/complete",
        "Words that begin with a text, most frequent first; if there are none, words with a similar spelling. `match` "
        "is the text if it is a word or sense, or else the word that differs from it only in case and accents",
        queries.complete,
        objects(
            query=STRING,
            match=OPTIONAL_STRING,
            words=lists(objects(word=STRING, count=WHOLE, senses=WHOLE)),
            closest=lists(STRING),
        ),
        (text("q", "Beginning of a word", ""), number("n", "Number of words", 12, 1, MAX_LISTED), MODEL),
        quick=True,
    ),
    Endpoint(
        "/api/senses/{word}",
        "The senses of a word, as `polyseme senses --json`",
        queries.senses,
        SENSES,
        (
            word("word", "A word, or the key of one of its senses"),
            number("neighbours", "Number of neighbours of each sense", 10, 0, MAX_LISTED),
            number("examples", "Number of examples of each sense", 5, 0, MAX_LISTED),
            MODEL,
        ),
        cached=True,
    ),
    Endpoint(
        "/api/neighbours/{key}",
        "The nearest neighbours of a word or sense, as `polyseme neighbours --json`",
        queries.neighbours,
        lists(NEIGHBOUR),
        (word("key", "A word or sense"), number("n", "Number of neighbours", 10, 1, MAX_LISTED), MODEL),
        cached=True,
    ),
    Endpoint(
        "/api/collocates/{key}",
        "Words that occur near a word or sense more often than elsewhere, by logDice. Needs the index",
        queries.collocates,
        objects(key=STRING, window=WHOLE, occurrences=WHOLE, sampled=FLAG, collocates=lists(COLLOCATE)),
        (
            word("key", "A word or sense"),
            number("n", "Number of collocates", 20, 1, MAX_LINES),
            number("window", "Words on each side", 5, 1, MAX_WINDOW),
            MODEL,
        ),
        cached=True,
    ),
    Endpoint(
        "/api/concordance/{key}",
        "Occurrences of a word or sense in the corpus; without the index the examples of the model",
        queries.concordance,
        objects(key=STRING, total=WHOLE, sampled=FLAG, sort=STRING, offset=WHOLE, lines=lists(LINE)),
        (
            word("key", "A word or sense"),
            text(
                "sort",
                "best: readable sentences first; left, right: by the words on that side; text: as in the corpus",
                "best",
                enum=["best", "left", "right", "text"],
            ),
            text("near", "Only lines with this word near the keyword. Needs the index", ""),
            number("window", "Words on each side of the keyword in which it is", 5, 1, MAX_WINDOW),
            number("offset", "Number of lines to skip", 0, 0, MAX_OFFSET),
            number("limit", "Number of lines", 50, 1, MAX_LINES),
            MODEL,
        ),
        cached=True,
    ),
    Endpoint(
        "/api/similarity",
        "The similarity of two words or senses, as `polyseme similarity --json`",
        queries.similarity,
        objects(global_sim=NUMBER, avg_sim=NUMBER, max_sim=NUMBER),
        (word("a", "A word or sense"), word("b", "A word or sense"), MODEL),
    ),
    Endpoint(
        "/api/compare/words",
        "What two words share and what they do not, sense by sense",
        comparing.compare_words,
        objects(
            a=SENSES,
            b=SENSES,
            similarities=lists(lists(NUMBER)),
            shared=lists(objects(word=STRING, a=STRING, b=STRING, similarity_a=NUMBER, similarity_b=NUMBER)),
            only_a=lists(objects(word=STRING, a=STRING, similarity_a=NUMBER)),
            only_b=lists(objects(word=STRING, b=STRING, similarity_b=NUMBER)),
        ),
        (word("a", "A word"), word("b", "A word"), MODEL),
        cached=True,
    ),
    Endpoint(
        "/api/compare/models",
        "The senses of a word in both models, matched by their neighbours",
        comparing.compare_models,
        objects(word=STRING, first=MAYBE_SENSES, second=MAYBE_SENSES, matches=lists(MATCH)),
        (word("word", "A word"),),
        cached=True,
    ),
    Endpoint(
        "/api/map/{word}",
        "The senses of a word and their neighbours in two dimensions (principal components)",
        mapping.sense_map,
        objects(
            word=STRING, senses=lists(objects(key=STRING, x=NUMBER, y=NUMBER)), points=lists(POINT), explained=NUMBER
        ),
        (word("word", "A word"), number("n", "Number of neighbours of each sense", 12, 1, MAX_LISTED), MODEL),
        cached=True,
    ),
    Endpoint(
        "/api/tag",
        "A text in pieces, with the senses of ambiguous words, as `polyseme tag --json`",
        queries.tag,
        objects(tokens=lists(objects(text=STRING))),
        (MODEL,),
        body={"text": STRING},
    ),
    Endpoint(
        "/api/preview",
        "The senses of a word after edits, which are not saved",
        editing.preview,
        SENSES,
        (MODEL,),
        body={"word": WORD, "edits": EDITS},
    ),
    Endpoint(
        "/api/save",
        "Save the model with edits under a new name, beside the model",
        editing.save,
        objects(saved=STRING, command=STRING),
        (MODEL,),
        body={"edits": EDITS, "name": {"type": "string", "pattern": editing.NAME_PATTERN}, "overwrite": FLAG},
        optional=("overwrite",),
        seconds=MAX_SAVE_SECONDS,
    ),
)  # fmt: skip
