"""A page of some words as one HTML file, which needs neither a server nor the network.

Style sheet and modules are part of the file, and so are the answers of the API to what the page asks about the words.
The browser may run only these modules (by their digests) and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

from polyseme._io.atomic import atomic_file
from polyseme.errors import ConfigError, MissingFile, OutputExists
from polyseme.explorer import comparing, mapping, queries
from polyseme.explorer.answers import to_json
from polyseme.explorer.app import STATIC
from polyseme.explorer.models import ExploredModel, Session

MAX_WORDS = 200
MAX_COMPARED = 12  # words of which every pair is compared
MAX_LINES = 200  # of a concordance
CHARSET = '<meta charset="utf-8">'
PREFIX = "polyseme/"  # of the names of modules in the import map
# What the page asks for.
NUM_NEIGHBOURS, NUM_COLLOCATES, WINDOW, NUM_ON_MAP = 12, 16, 5, 16
NUM_EXAMPLES, NUM_INDEXED_EXAMPLES = 5, 12

_STYLE = re.compile(r'<link rel="stylesheet" href="static/([\w.-]+)">')
_SCRIPT = re.compile(r'<script type="module" src="static/([\w.-]+)"[^>]*></script>')
_IMPORT = re.compile(r'"\./([\w.-]+\.js)"')


def export_page(
    session: Session, words: list[str], path: Path, *, force: bool = False, check: Callable[[], None] = lambda: None
) -> None:
    """Write a page with the senses, collocates, occurrences and maps of words. UnknownWord if one is not known.

    check  called regularly; it raises an error to stop
    """
    if not 1 <= len(words) <= MAX_WORDS:
        raise ConfigError(f"--words needs 1 to {MAX_WORDS} words, such as bank,plant; there are {len(words)}.")
    if path.exists() and not (force and path.is_file()):
        raise OutputExists(f"{path} already exists; choose another name, or overwrite a file with --force.")
    if not path.absolute().parent.is_dir():
        raise MissingFile(f"the folder of {path} does not exist; create it, or choose another path.")
    model = session.models[0]
    known = [model.data.vocabulary.words[model.data.find(word)[0]] for word in words]
    page = make_page(embedded_data(session, list(dict.fromkeys(known)), check))
    with atomic_file(path.absolute()) as temporary:
        temporary.write_text(page, encoding="utf-8")


def embedded_data(session: Session, words: list[str], check: Callable[[], None]) -> dict[str, Any]:
    """What the page needs to know about words: the answers by address, without the query."""
    info = queries.info(session)
    # No paths of this machine.
    hidden = {"how_to_index": "polyseme explore MODEL --corpus TEXT", "index_problem": None}
    first = {**info["models"][0], **hidden}
    answers: dict[str, Any] = {}
    for word in words:
        check()
        answers |= _answers(session, session.models[0], word)
    for a, b in combinations(words if len(words) <= MAX_COMPARED else [], 2):
        check()
        answers[f"/api/compare/words/{a}/{b}"] = comparing.compare_words(session, a, b, 0)
    return {"info": {**info, "models": [first], "editable": False}, "words": words, "answers": answers}


def _answers(session: Session, model: ExploredModel, word: str) -> dict[str, Any]:
    """The answers about one word, by address."""
    keys = [model.data.key(row) for row in model.data.rows(model.find(word)[0])]
    num_examples = NUM_EXAMPLES if model.index is None else NUM_INDEXED_EXAMPLES
    answers: dict[str, Any] = {
        f"/api/senses/{word}": queries.senses(session, word, NUM_NEIGHBOURS, num_examples, 0),
        f"/api/map/{word}": mapping.sense_map(session, word, NUM_ON_MAP, 0),
    }
    for key in dict.fromkeys([word, *keys]):
        answers[f"/api/concordance/{key}"] = queries.concordance(session, key, "best", "", WINDOW, 0, MAX_LINES, 0)
        if model.index is not None:
            answers[f"/api/collocates/{key}"] = queries.collocates(session, key, NUM_COLLOCATES, WINDOW, 0)
    return answers


def make_page(data: dict[str, Any], static: Path = STATIC) -> str:
    """The page with everything in it."""
    page = (static / "index.html").read_text(encoding="utf-8")
    style, script = _STYLE.search(page), _SCRIPT.search(page)
    if style is None or script is None:
        raise MissingFile(f"{static / 'index.html'} does not name a style sheet and a module.")
    css = (static / style[1]).read_text(encoding="utf-8")
    modules = {f"{PREFIX}{file.name}": _data_url(file) for file in sorted(static.glob("*.js"))}
    import_map = json.dumps({"imports": modules})
    start = f'import "{PREFIX}{script[1]}";'
    policy = (
        f"default-src 'none'; script-src {_hash(import_map)} {_hash(start)} data:; style-src {_hash(css)}; "
        f"img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    parts = {
        style[0]: f"<style>{css}</style>",
        script[0]: f'<script type="importmap">{import_map}</script>\n<script type="module">{start}</script>',
        "<body>": f'<body>\n<script type="application/json" id="polyseme-answers">{_embed(data)}</script>',
        CHARSET: f'{CHARSET}\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
    }
    pattern = re.compile("|".join(map(re.escape, parts)))
    return pattern.sub(lambda match: parts[match[0]], page)


def _embed(data: dict[str, Any]) -> str:
    """JSON that cannot end the script element that it is in."""
    return to_json(data).decode().replace("<", "\\u003c").replace("&", "\\u0026")


def _data_url(module: Path) -> str:
    """A module as an address that contains it. Its imports are names of the import map."""
    text = _IMPORT.sub(lambda match: f'"{PREFIX}{match[1]}"', module.read_text(encoding="utf-8"))
    return f"data:text/javascript;base64,{base64.b64encode(text.encode()).decode()}"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
