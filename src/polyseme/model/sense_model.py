"""SenseModel: the model that users hold, with its queries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from polyseme.corpus.tokenizers import AnyTokenizer
from polyseme.errors import check_str
from polyseme.examples.store import parse_line
from polyseme.model import disambiguation, neighbours, similarity, storage
from polyseme.model.data import ModelData
from polyseme.model.disambiguation import Posterior
from polyseme.model.results import Disambiguation, Neighbour, Sense, Senses, Similarity
from polyseme.model.rows import dense
from polyseme.vocabulary import Vocabulary

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from polyseme.model.tagging import Tagger


class SenseModel:
    """One vector per meaning. Created by `polyseme.train` and `polyseme.load`.

    >>> model
    <SenseModel mssg: 54 words, 56 senses, 8 dimensions>
    >>> "bank#2" in model, model["bank#2"].shape
    (True, (8,))
    """

    def __init__(self, data: ModelData) -> None:
        self._data = data

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], tokenizer: AnyTokenizer | Callable[[str], list[str]] | None = None
    ) -> SenseModel:
        """Open a model folder. Vectors are memory-mapped. `polyseme.load` opens other formats, too.

        path       the folder
        tokenizer  needed only for a model that was trained with a function as tokenizer; without it such a model
                   splits text at white space
        Returns the model.
        Raises MissingFile if there is no such folder.
        Raises ModelError if it is no model, or damaged.

        >>> model.save("news.model")
        >>> polyseme.SenseModel.load("news.model")
        <SenseModel mssg: 54 words, 56 senses, 8 dimensions>
        """
        return cls(storage.load(Path(path), tokenizer))

    @classmethod
    def from_pretrained(
        cls,
        name_or_path: str | os.PathLike[str],
        *,
        revision: str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        local_files_only: bool = False,
        token: str | bool | None = None,
        tokenizer: AnyTokenizer | Callable[[str], list[str]] | None = None,
    ) -> SenseModel:
        """Open a model folder or, if there is none of this name, a model of the Hugging Face Hub, such as `user/name`.

        Files are downloaded once and cached. A folder is opened without any use of the network.

        name_or_path      a folder, or `user/name`
        revision          branch, tag or commit; by default the newest version
        cache_dir         the cache; by default that of huggingface_hub
        local_files_only  never download; the environment variable HF_HUB_OFFLINE does the same
        token             access token; by default that of `hf auth login`
        tokenizer         as in `load`
        Returns the model.
        Raises MissingFile if it is neither a folder nor a name on the Hub.
        Raises HubError if the Hub has no such model or cannot be reached.
        Raises MissingExtra if huggingface_hub is needed and not installed.

        >>> model.save("news.model")
        >>> polyseme.SenseModel.from_pretrained("news.model")
        <SenseModel mssg: 54 words, 56 senses, 8 dimensions>
        """
        from polyseme.model import hub

        return cls(
            hub.load_pretrained(
                name_or_path,
                revision=revision,
                cache_dir=cache_dir,
                local_files_only=local_files_only,
                token=token,
                tokenizer=tokenizer,
            )
        )

    def push_to_hub(
        self,
        repo_id: str,
        *,
        private: bool | None = None,
        token: str | bool | None = None,
        commit_message: str | None = None,
        metadata: Mapping[str, Any] = MappingProxyType({}),
    ) -> str:
        """Upload the model to the Hugging Face Hub, as a repository `user/name`.

        repo_id         `user/name`
        private         whether a new repository is private; by default as the settings of the user say
        token           access token; by default that of `hf auth login`
        commit_message  the message of the commit
        metadata        fields of the model card, such as {"license": "cc-by-sa-3.0", "language": "en"}; without it, the
                        card of an existing repository stays as it is
        Returns the URL of the commit.
        Raises ConfigError if the name is not of the form user/name.
        Raises HubError if the Hub gives no permission or cannot be reached.
        Raises MissingExtra if huggingface_hub is not installed.

        >>> model.push_to_hub("just-a-name")
        Traceback (most recent call last):
        polyseme.errors.ConfigError: 'just-a-name' is not a name on the Hub; give user/name.
        """
        from polyseme.model import hub

        return hub.push(
            self._data, repo_id, private=private, token=token, commit_message=commit_message, metadata=metadata
        )

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the model to a folder, atomically: it is complete or absent.

        path   the folder
        force  replace a model that is there
        Raises OutputExists if the path exists, without `force` or if it is not a model.

        >>> model.save("news.model")
        >>> model.save("news.model", force=True)
        """
        storage.save(self._data, Path(path), force=force)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words and their counts, most frequent first.

        >>> model.vocabulary.words[:3], len(model.vocabulary)
        (['the', 'a', 'and'], 54)
        """
        return self._data.vocabulary

    @property
    def config(self) -> dict[str, Any]:
        """The hyper-parameters the model was trained with.

        >>> model.config["model"], model.config["window"]
        ('mssg', 5)
        """
        return self._data.config

    @property
    def corpus(self) -> dict[str, Any]:
        """Size and fingerprint of the training corpus.

        >>> model.corpus["tokens"]
        14082
        """
        return self._data.corpus

    @property
    def training(self) -> dict[str, Any]:
        """Loss, tokens, seconds and threads of the training run.

        >>> model.training["threads"]
        1
        """
        return self._data.training

    @property
    def refinements(self) -> tuple[str, ...]:
        """The options of each `refine` since the training, oldest first.

        >>> model.refine(drop=["rock#2"]).refinements[-1]
        "--drop 'rock#2'"
        """
        return self._data.refinements

    @property
    def continued_from(self) -> tuple[dict[str, Any], ...]:
        """The models that training was continued from, oldest first: fingerprint, corpus, training, refinements.

        >>> model.continued_from
        ()
        """
        return self._data.continued_from

    @property
    def tokenizer(self) -> AnyTokenizer:
        """The tokenizer of the model: a function from a text to its words, with a name.

        >>> model.tokenizer("On the River Bank!")
        ['on', 'the', 'river', 'bank']
        """
        return self._data.tokenizer

    @property
    def dim(self) -> int:
        """The number of dimensions of the vectors.

        >>> model.dim
        8
        """
        return self._data.arrays.dim

    @cached_property
    def sense_vectors(self) -> NDArray[np.float32]:
        """(R, d) One vector per sense; the senses of a word are consecutive rows.

        Memory-mapped, or a float32 copy if the model is stored as int8 or float16.

        >>> model.sense_vectors.shape
        (56, 8)
        """
        return dense(self._data.arrays.sense_vectors)

    @cached_property
    def global_vectors(self) -> NDArray[np.float32]:
        """(V, d) One vector per word, used when the word is context. Memory-mapped or a copy, as `sense_vectors`.

        Raises ModelError if a small model was saved without them.

        >>> model.global_vectors.shape
        (54, 8)
        """
        return dense(self._data.global_vectors)

    def __len__(self) -> int:
        """The number of words.

        >>> len(model)
        54
        """
        return len(self.vocabulary)

    def __iter__(self) -> Iterator[str]:
        """The words, most frequent first.

        >>> list(model)[:3]
        ['the', 'a', 'and']
        """
        return iter(self.vocabulary)

    def __contains__(self, word_or_key: object) -> bool:
        """Whether the model has a word or a sense.

        >>> "bank" in model, "bank#2" in model, "bank#3" in model
        (True, True, False)
        """
        return isinstance(word_or_key, str) and self._data.lookup(word_or_key) is not None

    def __getitem__(self, word_or_key: str) -> NDArray[np.float32]:
        """The same as `vector`, as in gensim.

        Raises UnknownWord if the model does not have the word or sense.

        >>> model["bank#1"].shape
        (8,)
        """
        return self.vector(word_or_key)

    @property
    def index_to_key(self) -> list[str]:
        """The keys of all senses, most frequent word first, as in gensim.

        >>> model.index_to_key[:3], [key for key in model.index_to_key if "#" in key]
        (['the', 'a', 'and'], ['bank#1', 'bank#2', 'rock#1', 'rock#2'])
        """
        return self._data.visible_keys

    def __repr__(self) -> str:
        senses = len(self._data.arrays.sense_vectors)
        return f"<SenseModel {self.config.get('model')}: {len(self):,} words, {senses:,} senses, {self.dim} dimensions>"

    def vector(self, word_or_key: str) -> NDArray[np.float32]:
        """The vector of a sense; for a word with several senses, their mean weighted by share.

        word_or_key  such as `bank` or `bank#2`
        Raises UnknownWord if the model does not have it.

        >>> model.vector("bank#2").shape
        (8,)
        """
        return self._data.vector(*self._data.find(word_or_key))

    def senses(self, word: str) -> Senses:
        """The senses of a word, most frequent first, with shares and example sentences.

        word  the word; upper case is found as well if the model has lower-case words
        Raises UnknownWord if the model does not have it.

        >>> for sense in model.senses("Bank"):
        ...     print(sense.key, f"{sense.share:.0%}", [neighbour.word for neighbour in sense.neighbours(3)])
        bank#1 64% ['account', 'loan', 'interest']
        bank#2 36% ['river', 'bridge', 'reeds']
        """
        data = self._data
        w = data.find(word)[0]
        name, rows, shares = data.vocabulary.words[w], data.rows(w), data.shares(w)
        examples = parse_line(data.read_examples(w, w + 1)[0])
        of_senses = neighbours.SenseNeighbours(data, w)
        senses = tuple(
            Sense(
                key=data.key(row),
                word=name,
                number=int(data.sense_numbers[row]),
                label=data.labels.get(data.key(row)),
                share=float(shares[i]),
                count=int(data.arrays.sense_counts[row]),
                examples=tuple(examples[i]) if i < len(examples) else (),
                _neighbours=partial(of_senses, i),
            )
            for i, row in enumerate(rows)
        )
        return Senses(name, senses, hidden=int(data.arrays.sense_offsets[w + 1]) - rows.stop)

    def neighbours(
        self, word_or_key: str, n: int = 10, *, among: Literal["senses", "words"] = "senses"
    ) -> list[Neighbour]:
        """The nearest senses by cosine, at most one per word; or the nearest words by global vector, as in the paper.

        Words with fewer than 50 occurrences are excluded, unless they are among the 1,000 most frequent words.

        word_or_key  such as `bank` or `bank#2`
        n            how many
        among        'senses' or 'words'
        Raises UnknownWord if the model does not have the word or sense.
        Raises ConfigError if n is less than 1, or `among` is another word.

        >>> [neighbour.key for neighbour in model.neighbours("rock#2", 3)]
        ['mountain', 'cliff', 'quarry']
        """
        return neighbours.nearest(self._data, word_or_key, n, among)

    def most_similar(
        self, positive: str | Sequence[str] = (), negative: str | Sequence[str] = (), topn: int = 10
    ) -> list[tuple[str, float]]:
        """The keys and cosines of the senses nearest to a word, a sense, or a sum of them, as in gensim.

        positive  a word or sense, such as `bank` or `bank#2`, or several, which are added
        negative  the same, subtracted: "king" and "woman" minus "man"
        topn      how many
        Raises UnknownWord if the model does not have a word or sense.
        Raises ConfigError if no word is given, or if topn is less than 1.

        >>> model.most_similar("rock#2", topn=1)
        [('mountain', 0.9...)]
        >>> [key for key, _ in model.most_similar(["bank#1", "bank#2"], "river", topn=2)]
        ['account', 'interest']
        """
        added, subtracted = ([words] if isinstance(words, str) else list(words) for words in (positive, negative))
        near = neighbours.nearest_to_sum(self._data, added, subtracted, topn)
        return [(neighbour.key, neighbour.similarity) for neighbour in near]

    def disambiguate(
        self, word: str, context: str, *, posterior: Posterior | None = None, window: int | None = None
    ) -> Disambiguation:
        """The probability of each sense of a word in a context.

        word       the word
        context    a text; the words around the first occurrence of the word in it, or all, if it is not there
        posterior  how cosines become probabilities, 'softmax' or 'inverse-distance'; by default the model's setting
        window     number of context words on each side; by default that of the training
        Raises UnknownWord if the model does not have the word.
        Raises ConfigError if the posterior or the window is invalid.

        >>> model.disambiguate("bank", "the boat drifted to the bank").best.key
        'bank#2'
        """
        check_str(context, "a context")
        return disambiguation.disambiguate(self._data, word, context, posterior, window)

    def tag(self, text: str) -> str:
        """The text with each word that has several senses replaced by its key.

        text  lines; each is a context of its own

        >>> model.tag("The boat drifted to the bank.")
        'The boat drifted to the bank#2.'
        """
        check_str(text, "a text")
        return self._tagger.tag(text)

    def similarity(
        self, a: str, b: str, *, contexts: Iterable[str] | None = None, posterior: Posterior | None = None
    ) -> Similarity:
        """The similarity of two words or senses; with a context for each word, also their similarity in context.

        a          a word or sense
        b          another one
        contexts   two texts, one with each word
        posterior  as in `disambiguate`
        Raises UnknownWord if the model does not have a word or sense.
        Raises ConfigError if there are not two contexts.

        >>> model.similarity("bank", "river", contexts=("a boat at the bank", "the river")).local_sim > 0.5
        True
        """
        return similarity.similarity(self._data, a, b, None if contexts is None else tuple(contexts), posterior)

    def refine(
        self,
        *,
        min_separation: float | None = None,
        min_share: float | None = None,
        merge: Iterable[str | Iterable[str]] = (),
        drop: Iterable[str] = (),
        labels: Mapping[str, str] = MappingProxyType({}),
    ) -> SenseModel:
        """A new model with senses merged, dropped or labelled, without training. Keys keep their numbers.

        In this order:

        merge           groups of senses to merge, such as ["bank#1+bank#3"] or [("bank#1", "bank#3")]; the merged sense
                        keeps the lowest number
        drop            senses to remove; their tokens are counted for the nearest remaining sense of the word
        min_separation  merge senses of a word with a lower separation, by the rule of np-mssg
        min_share       drop senses with a smaller share of their word's tokens
        labels          names for senses, by key
        Raises UnknownWord if the model does not have a sense.
        Raises ConfigError if an option is invalid.

        >>> coarse = model.refine(merge=["bank#1+bank#2"], labels={"rock#1": "music"})
        >>> [sense.key for sense in coarse.senses("bank")], coarse.senses("rock")[0].label
        (['bank'], 'music')
        """
        from polyseme.model import refine  # imports Numba, which most queries do not need

        return SenseModel(
            refine.refine(
                self._data, min_separation=min_separation, min_share=min_share, merge=merge, drop=drop, labels=labels
            )
        )

    def to_gensim(self) -> KeyedVectors:
        """The senses as gensim's `KeyedVectors`, by key, with their counts.

        Raises MissingExtra if gensim is not installed.

        >>> model.to_gensim().most_similar("bank#2", topn=1)  # doctest: +SKIP
        [('river', 0.9...)]
        """
        from polyseme.model.gensim_vectors import keyed_vectors

        return keyed_vectors(self._data)

    @cached_property
    def _tagger(self) -> Tagger:
        from polyseme.model.tagging import Tagger  # imports Numba, which most queries do not need

        return Tagger(self._data)
