"""`polyseme.train`: encode a corpus, train on it, select example sentences, save the model."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Unpack

from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import AnyTokenizer, get_tokenizer
from polyseme.errors import ConfigError, CorpusError, MissingFile, TrainingError, shorten
from polyseme.examples.selection import collect_examples
from polyseme.examples.store import ExampleReader, no_examples
from polyseme.model import storage
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import SenseAssigner
from polyseme.model.sense_model import SenseModel
from polyseme.training.checkpoint import restore_checkpoint, write_checkpoint
from polyseme.training.config import RECIPES, RecipeName, TrainConfig, TrainSettings, make_config
from polyseme.training.events import (
    CheckpointWritten,
    CorpusEncoded,
    Listener,
    ModelSaved,
    logged,
    raise_if_stopped,
    silent,
)
from polyseme.training.phrases import phrase_settings, refuse_other_phrases, settings_with_phrases
from polyseme.training.precompile import precompiling
from polyseme.training.resume import EarlierRun, find_earlier_run
from polyseme.training.setting_rules import refuse_no_effect
from polyseme.training.state import TrainState
from polyseme.training.trainer import Trainer, num_threads
from polyseme.training.workspace import CORPUS, LOG, MODEL, remove_leftovers, workspace
from polyseme.vocabulary import Vocabulary

CHECKPOINT_SECONDS = 180.0
EXAMPLE_COMPONENTS = 64  # principal components in which contexts and senses are compared to select examples

AnyPath = str | os.PathLike[str]
AnyCorpus = AnyPath | Iterable[AnyPath] | EncodedCorpus


def train(
    corpus: AnyCorpus,
    out: AnyPath | None = None,
    *,
    config: TrainConfig | None = None,
    recipe: RecipeName | None = None,
    tokenizer: str | Callable[[str], list[str]] = "words",
    resume: bool = False,
    force: bool = False,
    listen: Listener | None = None,
    quiet: bool = False,
    stop: Callable[[], bool] = lambda: False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    **settings: Unpack[TrainSettings],
) -> SenseModel:
    """Learn sense vectors from text.

    corpus              files, globs, folders, '-' for standard input, or an encoded corpus
    out                 the model folder to write; without it the model is kept in memory only
    config              all settings, instead of `recipe` and `settings`
    recipe              preset for settings that are not given: 'default' or 'paper'
    tokenizer           'words', 'whitespace', or a function from a line of text to its words
    resume              continue the unfinished run of `out`, if there is one; return `out` if it is finished
    force               overwrite `out` and discard an unfinished run of it
    listen              called with each event (polyseme.training.events), instead of showing progress
    quiet               show no progress; by default it is shown on a terminal and in a Jupyter notebook
    stop                called now and then; if it returns True, a checkpoint is written and Interrupted is raised
    checkpoint_seconds  time between checkpoints, which only a run with `out` keeps; math.inf for none before the end
    settings            hyper-parameters by name, such as dim=300: see TrainConfig
    """
    if not checkpoint_seconds >= 0:  # also if it is NaN
        raise ConfigError(f"checkpoint_seconds must be 0 or more, not {checkpoint_seconds}.")
    words = get_tokenizer(tokenizer)
    path = None if out is None else Path(os.path.abspath(out))  # noqa: PTH100 - does not follow symbolic links
    earlier = None
    if path is not None:
        remove_leftovers(path)
        earlier = find_earlier_run(path, force) if resume else None
    chosen = _choose_config(config, recipe, settings, earlier)
    if path is not None and earlier is not None and earlier.saved is not None:
        earlier.refuse_another_tokenizer(words.name)
        with _temporary_folder() as folder, _display(listen, quiet) as display:
            encoded = _Run(chosen, folder, display, stop, checkpoint_seconds).encode(corpus, words)
            earlier.refuse_another_corpus(encoded.fingerprint)
        return SenseModel.load(path, words)
    if path is not None:
        force = force or (earlier is not None and earlier.replaces_model)
        storage.refuse_existing(path, force)
    with ExitStack() as stack:
        stack.enter_context(precompiling(chosen))
        if path is None:
            folder = stack.enter_context(_temporary_folder())
        else:
            folder = stack.enter_context(workspace(path, chosen, resume=resume, force=force))
        display = stack.enter_context(_display(listen, quiet))
        log = stack.enter_context(logged(display, folder / LOG))
        run = _Run(chosen, folder, log, stop, checkpoint_seconds)

        encoded, vocabulary = run.read_corpus(corpus, words)
        trainer = run.train(encoded, vocabulary)
        model = run.make_model(trainer, words)
        if path is None:
            return model
        run.save(model, path, str(out), force)
    return SenseModel.load(path, words)


@dataclass(frozen=True)
class _Run:
    """The steps of a run, and what they share."""

    config: TrainConfig
    folder: Path  # for files that are only needed during the run
    listen: Listener
    stop: Callable[[], bool]
    checkpoint_seconds: float

    def read_corpus(self, corpus: AnyCorpus, tokenizer: AnyTokenizer) -> tuple[EncodedCorpus, Vocabulary]:
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
        refuse_other_phrases(config, encoded)
        vocabulary = Vocabulary.from_counts(
            encoded.words, encoded.counts, min_count=config.min_count, max_size=config.max_vocabulary
        )
        _refuse_unknown_words(config, vocabulary)
        self.listen(
            CorpusEncoded(
                tokens=len(encoded.tokens),
                sentences=encoded.num_sentences,
                words=len(encoded.words),
                kept=len(vocabulary),
                bad_bytes=encoded.description["bad_bytes"],
                seconds=time.monotonic() - started,
            )
        )
        return encoded, vocabulary

    def encode(self, corpus: AnyCorpus, tokenizer: AnyTokenizer) -> EncodedCorpus:
        """The corpus itself if it is encoded, the one that an unfinished run encoded, or a new one."""
        if isinstance(corpus, EncodedCorpus):
            return corpus
        paths = [corpus] if isinstance(corpus, str | os.PathLike) else list(corpus)
        if len(paths) == 1 and is_encoded(Path(paths[0])):
            return EncodedCorpus.open(Path(paths[0]))
        kept = self.folder / CORPUS
        if is_encoded(kept):
            encoded = EncodedCorpus.open(kept)
            _refuse_another_corpus(paths, encoded)
            return encoded
        phrases = phrase_settings(self.config)
        return encode(find_sources(paths), tokenizer, kept, self.listen, self._raise_if_stopped, phrases)

    def train(self, encoded: EncodedCorpus, vocabulary: Vocabulary) -> Trainer:
        """Train all epochs, or those that an unfinished run has left."""
        threads = num_threads(self.config.threads, encoded)
        trainer = Trainer(TrainState.initial(self.config, vocabulary, threads), encoded)
        restore_checkpoint(self.folder, trainer)
        trainer.run(
            listen=self.listen,
            stop=self.stop,
            checkpoint=lambda: self._checkpoint(trainer),
            checkpoint_seconds=self.checkpoint_seconds,
        )
        self._checkpoint(trainer)
        return trainer

    def make_model(self, trainer: Trainer, tokenizer: AnyTokenizer) -> SenseModel:
        """The trained model, with example sentences."""
        state, totals, encoded = trainer.state, trainer.totals, trainer.corpus
        data = ModelData(
            vocabulary=state.vocabulary,
            arrays=state.to_model_arrays(),
            tokenizer=tokenizer,
            config=settings_with_phrases(state.config, encoded),
            corpus={name: encoded.description[name] for name in ("tokens", "sentences", "bad_bytes", "fingerprint")},
            training={
                "loss": totals.loss / max(totals.pairs, 1),
                "tokens": totals.tokens,
                "pairs": totals.pairs,
                "seconds": trainer.seconds,
                "threads": state.threads,
            },
            phrases=None if encoded.phrases is None else encoded.phrases.known_to(state.vocabulary),
        )
        data.arrays.check(len(state.vocabulary))
        return SenseModel(replace(data, read_examples=self._collect_examples(data, encoded, state.threads)))

    def _collect_examples(self, data: ModelData, encoded: EncodedCorpus, threads: int) -> ExampleReader:
        if self.config.examples == 0:
            return no_examples
        assigner = SenseAssigner(data, EXAMPLE_COMPONENTS)
        assigner.prepare()
        return collect_examples(
            assigner,
            encoded,
            data.vocabulary,
            data.arrays.sense_offsets,
            data.num_visible_senses,
            data.tokenizer,
            phrases=encoded.phrases,
            per_sense=self.config.examples,
            seed=self.config.seed,
            threads=threads,
            stop=self._raise_if_stopped,
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

    def _raise_if_stopped(self) -> None:
        raise_if_stopped(self.stop)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="polyseme-") as folder:
        yield Path(folder)


@contextmanager
def _display(listen: Listener | None, quiet: bool) -> Iterator[Listener]:
    """The caller's listener, or one that shows progress if a person is watching."""
    if listen is not None or quiet:
        yield listen or silent
        return
    from polyseme.training.progress import ProgressDisplay, is_watched  # imports rich

    if is_watched():
        with ProgressDisplay() as display:
            yield display
    else:
        yield silent


def _choose_config(
    config: TrainConfig | None, recipe: RecipeName | None, settings: TrainSettings, earlier: EarlierRun | None
) -> TrainConfig:
    """The config of a run: that of the run it resumes, else `config`, or a recipe with `settings`."""
    if config is not None and (recipe is not None or settings):
        also = "recipe=" if recipe is not None else f"{next(iter(settings))}="
        raise ConfigError(f"config= and {also} cannot be combined; use dataclasses.replace to change the config.")
    recipe = recipe or "default"
    chosen = make_config(recipe, **settings) if config is None else config
    if earlier is not None:
        given = {*settings, *RECIPES[recipe]} if config is None else {f.name for f in fields(TrainConfig)}
        chosen = earlier.resumed_config(chosen, given)
    if config is None:
        refuse_no_effect(chosen, settings)
    return chosen


def _refuse_another_corpus(paths: list[AnyPath], encoded: EncodedCorpus) -> None:
    """Raise TrainingError if a resumed run is given other text than it began with. The text may be gone by now."""
    try:
        given = find_sources(paths)
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
