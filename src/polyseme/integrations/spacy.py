"""The spaCy component `polyseme`: the sense of each token, chosen by its context.

    nlp.add_pipe("polyseme", config={"model": "news.model"})

    token._.sense                number of the sense, 2 for `bank#2`; None if the word is not in the model
    token._.sense_key            key of the sense, `bank#2`; the word itself if it has one sense; None as above
    token._.sense_probabilities  probability of each sense by key; None as above
    token._.sense_vector         vector of the sense; zeros if the word is not in the model
    doc._.sense_tagged           the text with the number after each word that has several senses

All of them are None in a Doc that the component has not processed. The tokens of a phrase (`new_york`) have its sense.
A Doc stores its words, their senses and the path of the model; everything else is computed on access.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from polyseme._io.atomic import atomic_folder
from polyseme.corpus.tokenizers import Tokenizer
from polyseme.errors import ConfigError, MissingExtra
from polyseme.integrations.loaded_models import open_model
from polyseme.model.data import ModelData
from polyseme.model.sense_model import SenseModel
from polyseme.model.tagging import MAX_CACHED_WORDS, UNKNOWN, Tagger

try:
    import srsly
    from spacy.language import Language
    from spacy.tokens import Doc, Token
    from spacy.util import minibatch
except ImportError as error:
    raise MissingExtra(f"the spaCy component needs {error.name}: pip install 'polyseme[spacy]'") from error

NAME = "polyseme"  # of the component, and of its entry in Doc.user_data
MODEL_FOLDER = "model"  # in the component's folder of a saved pipeline
LINE_END = -2  # in place of a word id: ends the context, as a line end in a text does


class SenseTagger:
    """Assigns senses to the tokens of Docs. Lines are separate contexts, as in `SenseModel.tag`.

    The model is opened when the first Doc is processed: `spacy.load` creates the component before it says where the
    model of the saved pipeline is.
    """

    def __init__(self, model: str, name: str = NAME) -> None:
        if not model:
            raise ConfigError(f"'{name}' needs a model: nlp.add_pipe('{NAME}', config={{'model': 'MODEL'}})")
        self.name = name
        self.path = str(Path(model).absolute())

    @property
    def sense_model(self) -> SenseModel:
        """The model. spaCy reads an attribute `model` of all components, before it is known where the model is."""
        return open_model(self.path)

    def __call__(self, doc: Doc) -> Doc:
        self._assign([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Process Docs in batches, each by one call of the kernel."""
        for batch in minibatch(stream, size=batch_size):
            self._assign(batch)
            yield from batch

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:  # noqa: ARG002
        """Copy the model into the folder of the component, so that the saved pipeline can be moved."""
        source, target = Path(self.path), Path(path) / MODEL_FOLDER
        _ = self.sense_model  # an error if it is missing or damaged
        if target.exists() and target.samefile(source):
            return
        with atomic_folder(target) as folder:
            for file in source.iterdir():
                if file.is_file() and not file.name.startswith("."):
                    shutil.copyfile(file, folder / file.name)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> SenseTagger:  # noqa: ARG002
        """Use the model of a saved pipeline. If the pipeline was saved without it, keep the configured model."""
        folder = Path(path) / MODEL_FOLDER
        if folder.exists():
            self.path = str(folder.absolute())
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:  # noqa: ARG002
        """The path of the model, not its vectors."""
        return bytes(srsly.msgpack_dumps({"model": self.path}))

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> SenseTagger:  # noqa: ARG002
        self.path = srsly.msgpack_loads(data)["model"]
        return self

    def _assign(self, docs: Sequence[Doc]) -> None:
        """Store the senses of the words of each Doc."""
        tagger = self.sense_model._tagger
        words, firsts, sizes = _words(docs, tagger)
        doc_starts = np.append(firsts, len(words))[np.cumsum([0, *map(len, docs)])]
        lines = np.unique(np.concatenate([doc_starts, np.flatnonzero(words[:, 0] == LINE_END)]))
        word_ids, parts = np.ascontiguousarray(words.T)
        ids, starts, lines = tagger.join_phrases(word_ids, parts, lines)
        rows = tagger.sense_rows(ids, lines)
        unit_of_word = np.append(np.repeat(np.arange(len(ids)), np.diff(starts)), UNKNOWN)
        units, last_units = unit_of_word[firsts], unit_of_word[firsts + np.maximum(sizes - 1, 0)]
        has_sense = (sizes > 0) & (units == last_units) & (np.append(rows, UNKNOWN)[units] != UNKNOWN)
        first_token = 0
        for doc, (first, end) in zip(docs, pairwise(np.searchsorted(starts, doc_starts).tolist()), strict=True):
            of_doc = slice(first_token, first_token + len(doc))
            known = np.flatnonzero(has_sense[of_doc])
            char_starts, lengths = doc.to_array(["IDX", "LENGTH"]).astype(np.int32).reshape(-1, 2)[known].T
            doc.user_data[NAME] = {
                "model": self.path,
                "starts": char_starts,
                "ends": char_starts + lengths,
                "units": (units[of_doc][known] - first).astype(np.int32),
                "ids": ids[first:end],
                "rows": rows[first:end],
                "lines": np.unique(np.clip(lines, first, end)) - first,
            }
            first_token += len(doc)


# The words of a token, by the hash of its text, for each open model.
_CACHES: WeakKeyDictionary[Tagger, dict[int, list[tuple[int, int]]]] = WeakKeyDictionary()


def _words(docs: Sequence[Doc], tagger: Tagger) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """The words of all tokens, (n, 2), as from `token_words`; for each token its first word, and how many it has.

    A token may consist of several words of the model (`e-mail`), or of none (a comma).
    """
    cache = _CACHES.setdefault(tagger, {})
    if len(cache) > MAX_CACHED_WORDS:
        cache = _CACHES[tagger] = {}
    hashes = [doc.to_array("ORTH") for doc in docs]
    for doc, of_doc in zip(docs, hashes, strict=True):
        for text_hash in set(of_doc.tolist()):
            if text_hash not in cache:
                cache[text_hash] = token_words(doc.vocab.strings[text_hash], tagger)
    distinct, token_of = np.unique(np.concatenate(hashes), return_inverse=True)
    of_distinct = [cache[text_hash] for text_hash in distinct.tolist()]
    words = np.array(list(chain.from_iterable(of_distinct)), np.int32).reshape(-1, 2)
    sizes = np.array([len(of_token) for of_token in of_distinct], np.int64)
    starts = (np.cumsum(sizes) - sizes)[token_of]
    sizes = sizes[token_of]
    firsts = np.cumsum(sizes) - sizes
    return words[np.repeat(starts - firsts, sizes) + np.arange(sizes.sum())], firsts, sizes


def token_words(text: str, tagger: Tagger) -> list[tuple[int, int]]:
    """The words in the text of a token: the id of each, UNKNOWN if the model does not have it, and its id in phrases.

    One word with the id LINE_END if the text contains a line end.
    """
    if "\n" in text:
        return [(LINE_END, UNKNOWN)]
    index, tokenizer = tagger.data.vocabulary.index, tagger.data.tokenizer
    word = tokenizer.normalize(text) if isinstance(tokenizer, Tokenizer) else text
    words = [word] if word in index else tokenizer(text)
    return [(index.get(word, UNKNOWN), tagger.part_id(word)) for word in words]


def _tagged_model(doc: Doc) -> SenseModel | None:
    """The model that assigned the senses of a Doc."""
    senses = doc.user_data.get(NAME)
    return None if senses is None else open_model(senses["model"])


def _unit(token: Token) -> int | None:
    """The number of the word or phrase of the Doc that a token belongs to; None if it has no sense.

    Tokens are stored by character offset. One that was merged from several, or split, after the component has no sense.
    """
    senses = token.doc.user_data[NAME]
    i = int(np.searchsorted(senses["starts"], token.idx))
    if i == len(senses["starts"]) or (senses["starts"][i], senses["ends"][i]) != (token.idx, token.idx + len(token)):
        return None
    return int(senses["units"][i])


def _find_sense(token: Token) -> tuple[ModelData, int] | None:
    """The model and the row of the sense of a token; None for unknown words and in Docs without senses."""
    model = _tagged_model(token.doc)
    if model is None or (unit := _unit(token)) is None:
        return None
    return model._data, int(token.doc.user_data[NAME]["rows"][unit])


# The getters of the attributes. They are functions of the module, since spaCy pickles them for spawned processes.


def sense(token: Token) -> int | None:
    found = _find_sense(token)
    return None if found is None else int(found[0].sense_numbers[found[1]])


def sense_key(token: Token) -> str | None:
    found = _find_sense(token)
    return None if found is None else found[0].key(found[1])


def sense_vector(token: Token) -> NDArray[np.float32] | None:
    model, found = _tagged_model(token.doc), _find_sense(token)
    if model is None:
        return None
    return np.zeros(model.dim, np.float32) if found is None else np.array(found[0].arrays.sense_vectors[found[1]])


def sense_probabilities(token: Token) -> dict[str, float] | None:
    model = _tagged_model(token.doc)
    if model is None or (unit := _unit(token)) is None:
        return None
    senses = token.doc.user_data[NAME]
    return next(model._tagger.probabilities(senses["ids"], senses["lines"], np.array([unit])))


def sense_tagged(doc: Doc) -> str | None:
    model = _tagged_model(doc)
    if model is None:
        return None
    data, senses, text = model._data, doc.user_data[NAME], doc.text
    starts, ends, units = (senses[name].tolist() for name in ("starts", "ends", "units"))
    pieces: list[str] = []
    position = 0
    for i, unit in enumerate(units):
        row = int(senses["rows"][unit])
        if data.num_visible_senses[data.word_of(row)] == 1:
            continue
        in_phrase = i + 1 < len(units) and units[i + 1] == unit
        pieces += (text[position : ends[i]], "_" if in_phrase else f"#{data.sense_numbers[row]}")
        position = starts[i + 1] if in_phrase else ends[i]
    return "".join([*pieces, text[position:]])


GETTERS: dict[tuple[type, str], Callable[[Any], Any]] = {
    (Token, "sense"): sense,
    (Token, "sense_key"): sense_key,
    (Token, "sense_probabilities"): sense_probabilities,
    (Token, "sense_vector"): sense_vector,
    (Doc, "sense_tagged"): sense_tagged,
}


def register_extensions() -> None:
    """Register the attributes of Token and Doc; again if this module was imported twice."""
    for (owner, name), getter in GETTERS.items():
        registered = owner.get_extension(name)[2] if owner.has_extension(name) else getter  # type: ignore[attr-defined]
        if getattr(registered, "__module__", None) != __name__:
            raise ConfigError(
                f"another package has registered {owner.__name__}._.{name}; "
                f"remove it with {owner.__name__}.remove_extension('{name}')."
            )
        owner.set_extension(name, getter=getter, force=True)  # type: ignore[attr-defined]


@Language.factory(
    NAME,
    default_config={"model": ""},
    assigns=[f"{owner.__name__.lower()}._.{name}" for owner, name in GETTERS],
)
def make_sense_tagger(nlp: Language, name: str, model: str) -> SenseTagger:  # noqa: ARG001
    """The component, for `nlp.add_pipe` and `spacy.load`."""
    return SenseTagger(model, name)


register_extensions()
