"""The spaCy component `polyseme`: the sense of each token, chosen by its context.

    nlp.add_pipe("polyseme", config={"model": "news.model"})

    token._.sense                number of the sense, 2 for `bank#2`; None if the word is not in the model
    token._.sense_key            key of the sense, `bank#2`; the word itself if it has one sense; None as above
    token._.sense_probabilities  probability of each sense by key; None as above
    token._.sense_vector         vector of the sense; zeros if the word is not in the model
    doc._.sense_tagged           the text with the number after each word that has several senses

All of them are None in a Doc that the component has not processed. A Doc stores the sense of each token and the path of
the model; everything else is computed on access.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
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
from polyseme.model.disambiguation import context_between, sense_probabilities
from polyseme.model.sense_model import SenseModel
from polyseme.model.tagging import MAX_CACHED_WORDS, UNKNOWN

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
    def model(self) -> SenseModel:
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
        _ = self.model  # an error if it is missing or damaged
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
        """Store the senses of the tokens in each Doc."""
        model = self.model
        lengths = [len(doc) for doc in docs]
        ids, firsts, sizes = _word_ids(docs, model._data)
        doc_starts = np.append(firsts, len(ids))[np.cumsum([0, *lengths])]
        sentences = np.unique(np.concatenate([doc_starts, np.flatnonzero(ids == LINE_END)]))
        rows = np.append(model._tagger.sense_rows(ids, sentences), np.int32(UNKNOWN))  # `firsts` may be the end
        token_rows = np.where(sizes == 1, rows[firsts], UNKNOWN)
        for doc, of_doc in zip(docs, np.split(token_rows, np.cumsum(lengths)[:-1]), strict=True):
            known = np.flatnonzero(of_doc != UNKNOWN)
            starts = doc.to_array("IDX")[known].astype(np.int32)
            doc.user_data[NAME] = {"model": self.path, "starts": starts, "rows": of_doc[known]}


# The ids of the words of a token, by the hash of its text, for each open model.
_CACHES: WeakKeyDictionary[ModelData, dict[int, tuple[int, ...]]] = WeakKeyDictionary()


def _word_ids(docs: Sequence[Doc], data: ModelData) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """The ids of the words of all tokens; and for each token the index of its first word, and how many it has.

    A token may consist of several words of the model (`e-mail`), or of none (a comma).
    """
    cache = _CACHES.setdefault(data, {})
    if len(cache) > MAX_CACHED_WORDS:
        cache = _CACHES[data] = {}
    hashes = [doc.to_array("ORTH") for doc in docs]
    for doc, of_doc in zip(docs, hashes, strict=True):
        for text_hash in set(of_doc.tolist()):
            if text_hash not in cache:
                cache[text_hash] = token_words(doc.vocab.strings[text_hash], data)
    distinct, token_of = np.unique(np.concatenate(hashes), return_inverse=True)
    of_distinct = [cache[text_hash] for text_hash in distinct.tolist()]
    ids = np.fromiter(chain.from_iterable(of_distinct), np.int32)
    sizes = np.array([len(of_token) for of_token in of_distinct], np.int64)
    starts = (np.cumsum(sizes) - sizes)[token_of]
    sizes = sizes[token_of]
    firsts = np.cumsum(sizes) - sizes
    return ids[np.repeat(starts - firsts, sizes) + np.arange(sizes.sum())], firsts, sizes


def token_words(text: str, data: ModelData) -> tuple[int, ...]:
    """The ids of the words in the text of a token, UNKNOWN for other words; LINE_END if it contains a line end."""
    if "\n" in text:
        return (LINE_END,)
    index, tokenizer = data.vocabulary.index, data.tokenizer
    word = tokenizer.normalize(text) if isinstance(tokenizer, Tokenizer) else text
    if word in index:
        return (index[word],)
    return tuple(index.get(word, UNKNOWN) for word in tokenizer(text))


def _tagged_model(doc: Doc) -> SenseModel | None:
    """The model that assigned the senses of a Doc."""
    senses = doc.user_data.get(NAME)
    return None if senses is None else open_model(senses["model"])


def _row(token: Token, data: ModelData) -> int | None:
    """The row of the sense of a token.

    Senses are stored by character offset. A token that was merged from several, or split, after the component has none.
    """
    senses = token.doc.user_data[NAME]
    i = int(np.searchsorted(senses["starts"], token.idx))
    if i == len(senses["starts"]) or senses["starts"][i] != token.idx:
        return None
    row = int(senses["rows"][i])
    return row if token_words(token.text, data) == (data.word_of(row),) else None


def _find_sense(token: Token) -> tuple[ModelData, int] | None:
    """The model and the row of the sense of a token; None for unknown words and in Docs without senses."""
    model = _tagged_model(token.doc)
    if model is None or (row := _row(token, model._data)) is None:
        return None
    return model._data, row


# The getters of the attributes. They are functions of the module, since spaCy pickles them for spawned processes.


def sense(token: Token) -> int | None:
    found = _find_sense(token)
    return None if found is None else int(found[0].sense_numbers[found[1]])


def sense_key(token: Token) -> str | None:
    found = _find_sense(token)
    return None if found is None else found[0].key(found[1])


def sense_vector(token: Token) -> NDArray[np.float32] | None:
    model = _tagged_model(token.doc)
    if model is None:
        return None
    data = model._data
    row = _row(token, data)
    return np.zeros(model.dim, np.float32) if row is None else data.vector(data.word_of(row), row)


def sense_probabilities_by_key(token: Token) -> dict[str, float] | None:
    found = _find_sense(token)
    if found is None:
        return None
    data, row = found
    word, size = data.word_of(row), data.sense_window
    left = _known_words(reversed(token.doc[: token.i]), data, size)[::-1]
    right = _known_words(token.doc[token.i + 1 :], data, size)
    probabilities = sense_probabilities(data, word, context_between(data, left, right))
    return {data.key(r): float(p) for r, p in zip(data.rows(word), probabilities, strict=True)}


def _known_words(tokens: Iterable[Token], data: ModelData, size: int) -> list[int]:
    """The ids of the first `size` words of the tokens that are in the model, up to the end of the line."""
    known: list[int] = []
    for token in tokens:
        words = token_words(token.text, data)
        if LINE_END in words or len(known) >= size:
            break
        known += [word for word in words if word != UNKNOWN]
    return known


def sense_tagged(doc: Doc) -> str | None:
    model = _tagged_model(doc)
    if model is None:
        return None
    data = model._data

    def tag(token: Token) -> str:
        row = _row(token, data)
        return "" if row is None or data.num_visible_senses[data.word_of(row)] == 1 else f"#{data.sense_numbers[row]}"

    return "".join(f"{token.text}{tag(token)}{token.whitespace_}" for token in doc)


GETTERS: dict[tuple[type, str], Callable[[Any], Any]] = {
    (Token, "sense"): sense,
    (Token, "sense_key"): sense_key,
    (Token, "sense_probabilities"): sense_probabilities_by_key,
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
