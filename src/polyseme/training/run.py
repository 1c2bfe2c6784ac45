"""`polyseme.train`: encode a corpus, train on it, select example sentences, save the model."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import encode
from polyseme.corpus.inputs import AnyCorpus, CorpusInput
from polyseme.corpus.phrases import Phrases
from polyseme.corpus.sources import AnyPath
from polyseme.corpus.tokenizers import AnyTokenizer, get_tokenizer
from polyseme.errors import ConfigError, CorpusError, MissingFile, TrainingError, shorten
from polyseme.examples.selection import collect_examples
from polyseme.examples.store import ExampleReader
from polyseme.model import storage
from polyseme.model.data import ModelData
from polyseme.model.refine import merge_similar_senses, typical_sense_distance
from polyseme.model.sense_assigner import EXAMPLE_COMPONENTS, SenseAssigner
from polyseme.model.sense_model import SenseModel
from polyseme.model.unfinished import CORPUS
from polyseme.training.added_senses import discover_senses
from polyseme.training.checkpoint import restore_checkpoint, write_checkpoint
from polyseme.training.config import RECIPES, RecipeName, TrainConfig, TrainSettings, make_config
from polyseme.training.continued import ContinuedState
from polyseme.training.continued_model import history, joined_examples, kept_labels
from polyseme.training.events import (
    CheckpointWritten,
    CorpusEncoded,
    Listener,
    ModelContinued,
    ModelSaved,
    NothingToResume,
    logged,
    raise_if_stopped,
    warn,
)
from polyseme.training.init_model import InitModel, open_init, renumbered
from polyseme.training.phrases import model_phrases, phrase_settings, refuse_other_phrases, settings_with_phrases
from polyseme.training.precompile import precompiling
from polyseme.training.resume import EarlierRun, find_earlier_run
from polyseme.training.sense_discovery import discovers_senses
from polyseme.training.setting_rules import refuse_no_effect, refuse_on_cluster, refuse_without_cluster
from polyseme.training.state import TrainState
from polyseme.training.trainer import Trainer, num_threads
from polyseme.training.workspace import LOG, MODEL, remove_leftovers, workspace
from polyseme.vocabulary import Vocabulary

CHECKPOINT_SECONDS = 180.0


def train(
    corpus: AnyCorpus | None = None,
    out: AnyPath | None = None,
    *,
    init: SenseModel | AnyPath | None = None,
    freeze: bool = False,
    texts: Iterable[Any] | None = None,
    reader: str | None = None,
    field: str | None = None,
    config: TrainConfig | None = None,
    recipe: RecipeName | None = None,
    tokenizer: str | Callable[[str], list[str]] = "words",
    resume: bool = False,
    force: bool = False,
    listen: Listener | None = None,
    quiet: bool = False,
    stop: Callable[[], bool] = lambda: False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    workers: int | None = None,
    ray_address: str | None = None,
    **settings: Unpack[TrainSettings],
) -> SenseModel:
    """Learn sense vectors from text.

    corpus              a path or a list of paths: files, globs, folders, '-' for standard input; or an encoded
                        corpus; any other iterable is taken as `texts`
    texts               instead of `corpus`, any iterable of texts, token lists, or rows (mappings); a generator is
                        enough. Token lists are not tokenized again; `tokenizer` is then for queries only
    reader              the format of files: 'text', 'jsonl', 'csv', 'tsv', 'parquet' or 'wikipedia'; by default the
                        suffix of each file decides
    field               the field of rows that has the text, 'text' by default; 'a.b' is field b of a
    out                 the model folder to write; without it the model is kept in memory only
    init                continue the training of this model: a SenseModel, a model folder, or a word2vec file
    freeze              keep the vectors of `init` as they are, and learn only those of new words
    config              all settings, instead of `recipe` and `settings`
    recipe              preset for settings that are not given: 'default' or 'paper'
    tokenizer           'words', 'whitespace', 'rjieba' (Chinese), 'sudachi' (Japanese), 'pythainlp' (Thai), or a
                        function from a line of text to its words
    resume              continue the unfinished run of `out`; return `out` if it is finished; train from the beginning
                        if there is neither
    force               overwrite `out` and discard an unfinished run of it
    listen              called with each event of the run (see the page on Python), instead of showing progress
    quiet               show no progress; by default it is shown on a terminal and in a Jupyter notebook.
                        Where it is not, warnings are those of Python's module `warnings`
    stop                called regularly; if it returns True, a checkpoint is written and Interrupted is raised
    checkpoint_seconds  seconds between checkpoints, which only a run with `out` writes: by default three minutes,
                        math.inf for none before the end
    workers             number of processes of a Ray cluster that train; `threads` is the number of threads of each
    ray_address         of the cluster: 'auto', or host:port; by default one is started on this machine
    settings            hyper-parameters by name, such as dim=300: see TrainConfig; with `init`, others are those of
                        the model
    Returns the trained model.
    Raises ConfigError if a setting is invalid, or has no effect in this combination.
    Raises MissingFile if the corpus or `init` does not exist.
    Raises CorpusError if the corpus cannot be read or is too short.
    Raises ModelError if the model `init` is damaged.
    Raises DataError if the word2vec file `init` is damaged.
    Raises MissingExtra if the reader, the tokenizer or `workers` needs a package that is not installed.
    Raises OutputExists if `out` exists, without `resume` or `force`.
    Raises TrainingError if training diverges or the unfinished run has other settings.
    Raises Interrupted if `stop` returned True.

    >>> polyseme.train("news.txt", "news.model", senses=2, dim=16, seed=1)
    <SenseModel mssg: 54 words, ... senses, 16 dimensions>
    >>> polyseme.train(texts=["by the river", "at the bank"] * 50, model="skip-gram", dim=16)
    <SenseModel skip-gram: 5 words, 5 senses, 16 dimensions>
    """
    if not checkpoint_seconds >= 0:  # also if it is NaN
        raise ConfigError(f"checkpoint_seconds must be 0 or more, not {checkpoint_seconds}.")
    if resume and out is None:
        raise ConfigError("resume=True needs out=, the model folder of the unfinished run.")
    words = get_tokenizer(tokenizer)
    start = open_init(init, words, freeze=freeze)
    origin = None if start is None else start.origin
    given = CorpusInput(corpus, texts, reader, field)
    path = None if out is None else Path(os.path.abspath(out))  # noqa: PTH100 - does not follow symbolic links
    earlier = None
    if path is not None:
        remove_leftovers(path)
        earlier = find_earlier_run(path, force) if resume else None
        if earlier is not None:
            earlier.refuse_another_origin(origin)
            earlier.refuse_another_way(workers)
    chosen = _choose_config(config, recipe, settings, earlier, start)
    if workers is not None or ray_address is not None:
        refuse_without_cluster(workers, ray_address)
        refuse_on_cluster(chosen, init, recipe, settings)
    if path is not None and earlier is not None and earlier.saved is not None:
        earlier.refuse_another_tokenizer(words.name)
        with _temporary_folder() as folder, _display(listen, quiet) as display:
            encoded = Run(chosen, start, folder, display, stop, None).encode(given, words)
            earlier.refuse_another_corpus(encoded)
        return SenseModel.load(path, words)
    if path is not None:
        force = force or (earlier is not None and earlier.replaces_model)
        storage.refuse_existing(path, force)
    with ExitStack() as stack:
        stack.enter_context(precompiling(chosen))
        if path is None:
            folder = stack.enter_context(_temporary_folder())
        else:
            folder = stack.enter_context(workspace(path, chosen, resume=resume, force=force, origin=origin))
        display = stack.enter_context(_display(listen, quiet))
        log = stack.enter_context(logged(display, folder / LOG))
        if resume and earlier is None:
            log(NothingToResume(str(out)))
        run = Run(chosen, start, folder, log, stop, None if path is None else checkpoint_seconds)
        if workers is not None:
            from polyseme.training.cluster.run import cluster_run  # imports Ray

            run = stack.enter_context(cluster_run(run, workers, ray_address))

        encoded, vocabulary = run.read_corpus(given, words)
        trainer = run.train(encoded, vocabulary)
        model = run.make_model(trainer, words)
        if path is None:
            return model
        run.save(model, path, str(out), force)
    return SenseModel.load(path, words)


@dataclass(frozen=True)
class Run:
    """The steps of a run, and what they share."""

    config: TrainConfig
    init: InitModel | None
    folder: Path  # for files that are only needed during the run
    listen: Listener
    stop: Callable[[], bool]
    checkpoint_seconds: float | None  # None for no checkpoints: nothing could resume the run

    @property
    def _init_phrases(self) -> Phrases | None:
        """The phrases of the initial model, which a continued run keeps."""
        return None if self.init is None else self.init.data.phrases

    def read_corpus(self, corpus: CorpusInput, tokenizer: AnyTokenizer) -> tuple[EncodedCorpus, Vocabulary]:
        """The encoded corpus and the vocabulary to train on."""
        started = time.monotonic()
        encoded = self.encode(corpus, tokenizer)
        before = shorten(encoded.description["tokenizer"])
        if before != tokenizer.name:
            raise CorpusError(
                f"the corpus was encoded with the tokenizer '{before}', not '{tokenizer.name}'; "
                f"train with --tokenizer {before}, or encode it again."
            )
        config = self.config
        refuse_other_phrases(config, encoded, self._init_phrases)
        if self.init is None:
            vocabulary = Vocabulary.from_counts(
                encoded.words, encoded.counts, min_count=config.min_count, max_size=config.max_vocabulary
            )
        else:
            vocabulary = self.init.vocabulary(encoded, config)
        _refuse_unknown_words(config, vocabulary)
        self.listen(
            CorpusEncoded(
                tokens=encoded.num_tokens,
                sentences=encoded.num_sentences,
                words=len(encoded.words),
                kept=len(vocabulary) if self.init is None else sum(word in vocabulary for word in encoded.words),
                bad_bytes=encoded.description["bad_bytes"],
                bad_rows=encoded.description["bad_rows"],
                first_bad_row=encoded.description["first_bad_row"],
                seconds=time.monotonic() - started,
            )
        )
        return (encoded, vocabulary) if self.init is None else (self._continued(encoded, vocabulary), vocabulary)

    def _continued(self, encoded: EncodedCorpus, vocabulary: Vocabulary) -> EncodedCorpus:
        """The corpus with the ids of the vocabulary, which has the words of the initial model as well."""
        assert self.init is not None
        old = self.init.data.vocabulary.index
        counts = [count for word, count in zip(encoded.words, encoded.counts.tolist(), strict=True) if word in old]
        new_words = len(vocabulary) - len(old)
        self.listen(ModelContinued(len(old), len(counts), new_words, sum(counts) / encoded.num_tokens))
        return renumbered(encoded, vocabulary, self.folder)

    def encode(self, corpus: CorpusInput, tokenizer: AnyTokenizer) -> EncodedCorpus:
        """The corpus itself if it is encoded, the one that an unfinished run encoded, or a new one."""
        given = corpus.open_encoded()
        if given is not None:
            return given
        kept = self.folder / CORPUS
        if is_encoded(kept):
            encoded = EncodedCorpus.open(kept)
            _refuse_another_corpus(corpus, encoded)
            return encoded
        phrases = self._init_phrases or phrase_settings(self.config)
        return encode(corpus.sources(), tokenizer, kept, self.listen, self.raise_if_stopped, phrases)

    def train(self, encoded: EncodedCorpus, vocabulary: Vocabulary) -> Trainer:
        """Train all epochs, or those that an unfinished run has left."""
        trainer = self.make_trainer(encoded, vocabulary)
        restore_checkpoint(self.folder, trainer)
        if self.checkpoint_seconds is None:
            trainer.run(listen=self.listen, stop=self.stop)
            return trainer
        trainer.run(
            listen=self.listen,
            stop=self.stop,
            checkpoint=lambda: self._checkpoint(trainer),
            checkpoint_seconds=self.checkpoint_seconds,
        )
        self._checkpoint(trainer)
        return trainer

    def make_trainer(self, encoded: EncodedCorpus, vocabulary: Vocabulary) -> Trainer:
        """The trainer before its first block."""
        threads = num_threads(self.config.threads, encoded)
        if self.init is None:
            return Trainer(TrainState.initial(self.config, vocabulary, threads), encoded)
        new_counts = encoded.counts[: len(vocabulary)]
        state = ContinuedState.from_model(self.init, self.config, vocabulary, new_counts, threads)
        return Trainer(state, encoded, discover=discover_senses)

    def make_model(self, trainer: Trainer, tokenizer: AnyTokenizer) -> SenseModel:
        """The trained model, with example sentences."""
        state, totals, encoded = trainer.state, trainer.totals, trainer.corpus
        arrays = state.to_model_arrays()
        known = (
            self.init.data.training.get("sense_distance") if self.init is not None and self.init.has_senses else None
        )
        sense_distance = known or typical_sense_distance(arrays)
        if discovers_senses(state.config):
            among = state.undecided if isinstance(state, ContinuedState) else None
            arrays = merge_similar_senses(arrays, sense_distance, state.config.min_separation, among)
        data = ModelData(
            vocabulary=state.vocabulary,
            arrays=arrays,
            tokenizer=tokenizer,
            config=settings_with_phrases(state.config, encoded),
            corpus={name: encoded.description[name] for name in ("tokens", "sentences", "bad_bytes", "fingerprint")},
            training={
                "loss": totals.loss / max(totals.pairs, 1),
                "tokens": totals.tokens,
                "pairs": totals.pairs,
                "seconds": trainer.seconds,
                "threads": state.threads,
                "sense_distance": sense_distance,
                **self.described(),
            },
            phrases=model_phrases(self._init_phrases, encoded, state.vocabulary),
        )
        data.arrays.check(len(state.vocabulary))
        if self.config.examples:
            data = replace(data, read_examples=self.collect_examples(data, encoded, state.threads))
        if self.init is not None:
            examples = joined_examples(self.init.data, data, self.config.examples)
            labels = kept_labels(self.init.data, data)
            data = replace(
                data,
                read_examples=examples,
                labels=labels,
                last_numbers=self.init.data.last_numbers,
                continued_from=history(self.init),
            )
        return SenseModel(data)

    def described(self) -> dict[str, Any]:
        """What the model card says about this kind of run."""
        return {"frozen": True} if self.init is not None and self.init.freeze else {}

    def collect_examples(self, data: ModelData, encoded: EncodedCorpus, threads: int) -> ExampleReader:
        """Select example sentences of each sense."""
        assigner = SenseAssigner(data, EXAMPLE_COMPONENTS)
        assigner.prepare()
        return collect_examples(
            assigner,
            encoded,
            Vocabulary(data.vocabulary.words, np.maximum(encoded.counts[: len(data.vocabulary)], 1)),
            data.arrays.sense_offsets,
            data.num_visible_senses,
            data.tokenizer,
            phrases=encoded.phrases,
            per_sense=self.config.examples,
            seed=self.config.seed,
            threads=threads,
            stop=self.raise_if_stopped,
            folder=self.folder,
        )

    def save(self, model: SenseModel, path: Path, name: str, force: bool) -> None:
        """Write the model to a folder, to which the user refers as `name`."""
        started = time.monotonic()
        storage.save(model._data, path, force=force, log=self.folder / LOG, temporary=self.folder / MODEL)
        self.listen(ModelSaved(name, storage.size_of(path), time.monotonic() - started))

    def _checkpoint(self, trainer: Trainer) -> None:
        """Write a checkpoint. If that fails, the last one is kept and training continues."""
        started = time.monotonic()
        problem = None
        try:
            write_checkpoint(self.folder, trainer)
        except OSError as error:
            problem = str(error)
        self.listen(CheckpointWritten(trainer.progress, time.monotonic() - started, problem))

    def raise_if_stopped(self) -> None:
        raise_if_stopped(self.stop)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="polyseme-") as folder:
        yield Path(folder)


@contextmanager
def _display(listen: Listener | None, quiet: bool) -> Iterator[Listener]:
    """The caller's listener, or one that shows progress if a person is watching, else warnings."""
    if listen is not None or quiet:
        yield listen or warn
        return
    from polyseme.training.progress import ProgressDisplay, is_watched  # imports rich

    if is_watched():
        with ProgressDisplay() as display:
            yield display
    else:
        yield warn


def _choose_config(
    config: TrainConfig | None,
    recipe: RecipeName | None,
    settings: TrainSettings,
    earlier: EarlierRun | None,
    init: InitModel | None,
) -> TrainConfig:
    """The config of a run: that of the run it resumes, else `config`, or `settings` with a recipe or a model."""
    if config is not None and (recipe is not None or settings):
        also = "recipe=" if recipe is not None else f"{next(iter(settings))}="
        raise ConfigError(f"config= and {also} cannot be combined; use dataclasses.replace to change the config.")
    if not isinstance(config, TrainConfig | None):
        raise ConfigError(f"config must be a TrainConfig, not {shorten(repr(config))}; make one with TrainConfig(...).")
    if config is not None:
        chosen = config
        if init is not None:
            init.refuse_changes(config, {f.name for f in fields(TrainConfig)})
    else:
        chosen = make_config(recipe or "default", **settings) if init is None else init.choose_config(recipe, settings)
    recipe = recipe or "default"
    if earlier is not None:
        given = {*settings, *RECIPES[recipe]} if config is None else {f.name for f in fields(TrainConfig)}
        chosen = earlier.resumed_config(chosen, given)
    if config is None:
        refuse_no_effect(chosen, settings)
    return chosen


def _refuse_another_corpus(corpus: CorpusInput, encoded: EncodedCorpus) -> None:
    """Raise TrainingError if a resumed run is given other text than it began with. The text may be gone by now.

    Standard input and iterables are not read again: of these, only the number of items is compared, if it is known.
    """
    try:
        given = corpus.sources()
    except MissingFile:
        return
    if given != encoded.sources:
        raise TrainingError(
            f"the unfinished run read {encoded.sources[0].path}, and {given[0].path} is another text or has changed "
            f"since; resume it with the same corpus, or start again with --force."
        )


def _refuse_unknown_words(config: TrainConfig, vocabulary: Vocabulary) -> None:
    """Raise ConfigError if the word list leaves no word of the vocabulary with several senses."""
    listed = config.multi_sense_words
    if listed is None or config.model == "skip-gram" or any(word in vocabulary for word in listed):
        return
    if not listed:
        raise ConfigError("--multi-sense-words has no words; write one word per line.")
    names = ", ".join(listed[:3]) + (", ..." if len(listed) > 3 else "")
    raise ConfigError(
        f"no word of --multi-sense-words ({names}) is in the vocabulary of {len(vocabulary):,} words; "
        f"check the spelling, or lower --min-count ({config.min_count})."
    )
